"""Bodies of one Avro schema, a batch at a time: each field is a step over all bodies at once.

Only what is plainly right is read here. A body that is too short or too long, a number of more
than 64 bits or a branch that the union lacks makes it unfit, and unfit bodies are left to whoever
reads them one by one and says what is wrong. A schema of anything but a record of nullable numbers,
texts and bytes has no reader.

All bodies stand in one buffer, one behind the other, so a position in it is where a body stands;
a text is cut out of it by Arrow, from two positions.

Source: Apache Avro 1.12, §Binary Encoding.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

from cdc_spark.untyped import Column, np, pa

Numbers = Any  # numpy.ndarray
_PAD = 16  # bytes behind the last body, so that a step over its end stays in the buffer
_LONGEST = 10  # bytes of a number of 64 bits
_NULLABLE = 2  # branches of a union with null


class Field(NamedTuple):
    """A field that can be read: its type, and its union's branch of null (None: no union)."""

    name: str
    kind: str
    null: int | None


class Values(NamedTuple):
    """A field's values, of the bodies that have one; `which` are these bodies, None for all."""

    found: Any  # numpy.ndarray of numbers, or Arrow's array of texts or bytes
    which: Numbers | None


def fields(schema: object) -> Sequence[Field] | None:
    """Return the fields of a schema in the library's form; None where it is not one of these."""
    if not isinstance(schema, dict):
        return None
    described = cast("Mapping[str, Any]", schema)
    if described.get("type") != "record":
        return None
    found = [_field(one["name"], one["type"]) for one in described["fields"]]
    known = [one for one in found if one is not None]
    return known if len(known) == len(found) else None


def _field(name: str, kind: object) -> Field | None:
    null = None
    if isinstance(kind, list):
        branches = cast("list[object]", kind)
        if len(branches) != _NULLABLE or branches.count("null") != 1:
            return None
        null = branches.index("null")
        kind = branches[1 - null]
    return Field(name, kind, null) if isinstance(kind, str) and kind in _STEPS else None


def read(by: Sequence[Field], bodies: Column) -> tuple[Numbers, Sequence[Values]]:
    """Return which bodies are unfit, as a mask, and the values of all fields."""
    at = _Bodies.of(bodies)
    values = [_values(at, field) for field in by]
    at.bad |= at.position != at.end
    return at.bad, values


@dataclass(slots=True)
class _Bodies:
    """Where each body is being read."""

    data: Numbers
    buffer: Any
    position: Numbers
    end: Numbers
    bad: Numbers

    @classmethod
    def of(cls, bodies: Column) -> _Bodies:
        """Take bodies without nulls."""
        _, offsets, raw = bodies.buffers()
        first = bodies.offset
        bounds = np.frombuffer(offsets, np.int32)[first : first + len(bodies) + 1].astype(np.int64)
        data = np.zeros(int(bounds[-1]) + _PAD, np.uint8)
        if raw is not None:
            data[: bounds[-1]] = np.frombuffer(raw, np.uint8)[: bounds[-1]]
        bad = np.zeros(len(bodies), bool)
        return cls(data, pa.py_buffer(data), bounds[:-1].copy(), bounds[1:], bad)

    def some(self, which: Numbers) -> _Bodies:
        """Return some of the bodies; what becomes of them goes to `rejoin`."""
        return _Bodies(
            self.data, self.buffer, self.position[which], self.end[which], self.bad[which]
        )

    def rejoin(self, some: _Bodies, which: Numbers) -> None:
        """Take back some of the bodies."""
        self.position[which] = some.position
        self.bad[which] = some.bad

    def step(self, size: Numbers | int) -> Numbers:
        """Step over so many bytes; return where they begin. Nobody steps over the body's end."""
        begin = self.position
        over = begin + size
        self.bad |= over > self.end
        self.position = np.minimum(over, self.end)
        return begin


def _values(at: _Bodies, field: Field) -> Values:
    step = _STEPS[field.kind]
    if field.null is None:
        return Values(step(at), None)
    branch = at.data[at.step(1)]
    some = branch == 2 - 2 * field.null
    if some.all():
        return Values(step(at), None)
    at.bad |= ~some & (branch != 2 * field.null)
    which = np.flatnonzero(some)
    inner = at.some(which)
    found = step(inner)
    at.rejoin(inner, which)
    return Values(found, which)


def _long(at: _Bodies) -> Numbers:
    """Read numbers: zigzag, seven bits a byte, the lowest first."""
    byte = at.data[at.step(1)]
    found = (byte & 127).astype(np.uint64)
    more = np.flatnonzero(byte > 127)
    for number in range(1, _LONGEST):
        if not len(more):
            break
        inner = at.some(more)
        byte = at.data[inner.step(1)]
        at.rejoin(inner, more)
        if number == _LONGEST - 1:
            at.bad[more[byte > 1]] = True
        found[more] |= (byte & 127).astype(np.uint64) << np.uint64(7 * number)
        more = more[byte > 127]
    return (found >> np.uint64(1)).astype(np.int64) ^ -(found & np.uint64(1)).astype(np.int64)


def _bytes(at: _Bodies) -> Column:
    size = _long(at)
    at.bad |= size < 0
    begin = at.step(np.clip(size, 0, at.end - at.position + 1))
    bounds = np.empty(2 * len(begin), np.int32)
    bounds[0::2] = begin
    bounds[1::2] = at.position
    if not len(begin):
        return pa.array([], pa.binary())
    cut = pa.Array.from_buffers(
        pa.binary(), len(bounds) - 1, [None, pa.py_buffer(bounds), at.buffer]
    )
    return cut.take(pa.array(np.arange(0, len(bounds), 2)))


def _text(at: _Bodies) -> Column:
    raw = _bytes(at)
    try:
        return raw.cast(pa.string())
    except pa.ArrowInvalid:
        texts = [_utf8(one) for one in raw.to_pylist()]
        at.bad |= np.array([one is None for one in texts], bool)
        return pa.array([one or "" for one in texts], pa.string())


def _utf8(raw: bytes) -> str | None:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return None


def _fixed(size: int, kind: str) -> Callable[[_Bodies], Numbers]:
    def step(at: _Bodies) -> Numbers:
        begin = at.step(size)
        raw = at.data[begin[:, None] + np.arange(size)]
        return raw.reshape(-1).view(kind).astype(np.float64)

    return step


def _boolean(at: _Bodies) -> Numbers:
    byte = at.data[at.step(1)]
    at.bad |= byte > 1
    return byte == 1


_STEPS: Mapping[str, Callable[[_Bodies], Any]] = {
    "int": _long,
    "long": _long,
    "string": _text,
    "bytes": _bytes,
    "double": _fixed(8, "<f8"),
    "float": _fixed(4, "<f4"),
    "boolean": _boolean,
}
