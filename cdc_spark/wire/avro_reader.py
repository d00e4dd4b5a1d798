"""A reader for each schema, written in Python for that schema alone.

Only what is plainly right is read here. Whatever else the bytes or the schema are, the answer
is None, and the library that reads all of Avro says what is wrong with them, or that nothing is.

The library asks Python for each byte of a number, which made it two fifths of decoding. A function
for each value costs as much. So a schema becomes the source of one function without calls, as
`collections.namedtuple` makes its classes; of the schema it holds nothing but names as literals.

Source: Apache Avro 1.12, §Binary Encoding.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

Reader = Callable[[bytes], tuple[Any, int]]
_MISFITS = (IndexError, ValueError, struct.error)
_BITS = 64
_VALUES_MAX = 2000  # of one function; a longer one would be slow to make
_NULLABLE = 2  # branches of a union with null


def reader(schema: object) -> Reader | None:
    """Return the reader of a schema in the library's form; None where it is left to the library."""
    source = _Source()
    try:
        lines = list(source.value(schema, "v"))
    except _UnsupportedError:
        return None
    text = "\n ".join(["def read(data):", "at = 0", *lines, "return v, at"])
    space: dict[str, Any] = dict(_NAMES)
    exec(compile(text, "<reader of a schema>", "exec"), space)  # noqa: S102 - our own text
    return cast("Reader", space["read"])


def read(by: Reader, body: bytes) -> dict[str, Any] | None:
    """Return a body's record; None for bytes that are not plainly one."""
    try:
        row, end = by(body)
    except _MISFITS:
        return None
    fits = end == len(body) and type(row) is dict
    return cast("dict[str, Any]", row) if fits else None


class _UnsupportedError(Exception):
    """A schema that is left to the library."""


@dataclass(slots=True)
class _Source:
    """The lines that read values; `named` are the records that may be referred to by name."""

    named: dict[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])
    made: int = 0

    def value(self, kind: object, target: str) -> Iterator[str]:
        """Yield what reads a value of a type at `at` into the variable `target`."""
        self.made += 1
        if self.made > _VALUES_MAX:
            raise _UnsupportedError
        if isinstance(kind, list):
            yield from self._nullable(cast("list[object]", kind), target)
            return
        described: Any = self.named.get(kind, kind) if isinstance(kind, str) else kind
        name: Any = cast("Any", described)["type"] if isinstance(described, dict) else described
        if name == "record":
            yield from self._record(cast("Mapping[str, Any]", described), target)
        elif isinstance(name, str) and name in _LINES:
            yield from (line.replace("TARGET", target) for line in _LINES[name])
        else:
            raise _UnsupportedError

    def _nullable(self, branches: Sequence[object], target: str) -> Iterator[str]:
        """Yield what reads a union of null and one type, in either order."""
        if len(branches) != _NULLABLE or branches.count("null") != 1:
            raise _UnsupportedError
        null = branches.index("null")
        yield "at += 1"
        yield f"if data[at - 1] == {2 - 2 * null}:"
        yield from (f" {line}" for line in self.value(branches[1 - null], target))
        yield f"elif data[at - 1] == {2 * null}: {target} = None"
        yield "else: raise ValueError"

    def _record(self, described: Mapping[str, Any], target: str) -> Iterator[str]:
        members: list[str] = []
        for number, one in enumerate(described["fields"]):
            inner = f"{target}_{number}"
            yield from self.value(one["type"], inner)
            members.append(f"{one['name']!r}: {inner}")
        yield f"{target} = {{{', '.join(members)}}}"
        self.named[described["name"]] = described


def _long(data: bytes, at: int) -> tuple[int, int]:
    """Return a number of any length and its end: zigzag, seven bits a byte, the lowest first."""
    number = shift = 0
    while (byte := data[at]) > 127:
        number |= (byte & 127) << shift
        shift += 7
        at += 1
    number |= byte << shift
    if number >> _BITS:
        raise ValueError
    return (number >> 1) ^ -(number & 1), at + 1


def _size(data: bytes, at: int) -> tuple[int, int]:
    """Return how many bytes follow, and where they begin."""
    size, at = _long(data, at)
    if size < 0:
        raise ValueError
    return size, at


_NAMES: Mapping[str, Any] = {
    "double": struct.Struct("<d").unpack_from,
    "float_": struct.Struct("<f").unpack_from,
    "long": _long,
    "size": _size,
}
# Numbers and sizes of one byte, which most are, are read in place. Bytes that are too few make the
# record's end lie behind the data's.
_WHOLE = (
    "TARGET = data[at]",
    "if TARGET > 127: TARGET, at = long(data, at)",
    "else: TARGET = (TARGET >> 1) ^ -(TARGET & 1); at += 1",
)
_SIZED = (
    "TARGET = data[at]",
    "if TARGET > 127 or TARGET & 1: TARGET, at = size(data, at)",
    "else: TARGET >>= 1; at += 1",
    "at += TARGET",
)
_LINES: Mapping[str, Sequence[str]] = {
    **dict.fromkeys(("int", "long"), _WHOLE),
    "bytes": (*_SIZED, "TARGET = data[at - TARGET : at]"),
    "string": (*_SIZED, "TARGET = data[at - TARGET : at].decode()"),
    "double": ("TARGET = double(data, at)[0]; at += 8",),
    "float": ("TARGET = float_(data, at)[0]; at += 4",),
    "boolean": ("TARGET = (False, True)[data[at]]; at += 1",),
}
