"""What is done to values on their way out: masked, hashed, cut, or described by their source type.

The first rule that matches a column is the only one; keys are never touched. Source:
C:relational/mapping/*.java; vitess NOTES §7; vectors 05_config mask_*, truncate_*, propagate_*.
"""

from __future__ import annotations

import hashlib
import re
import struct
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any, Final

from harness.codecs.connect.errors import ILLEGAL_ARGUMENT, NO_ALGORITHM, JavaError
from harness.codecs.connect.java import buckets, code_units, hash_order
from harness.codecs.debezium.columns import TEXTS, UNSET, ColumnType, Jdbc
from harness.codecs.debezium.selection import includes
from harness.codecs.debezium.settings import ConnectorSettings
from harness.codecs.debezium.topics import TableKey
from harness.model.columns import ColumnKind

Parameters = tuple[tuple[str, str], ...]
Change = Callable[[Any], Any]

_TRUNCATE: Final = re.compile(r"column\.truncate\.to\.(\d+)\.chars\Z")
_MASK: Final = re.compile(r"column\.mask\.with\.(\d+)\.chars\Z")
_HASH: Final = re.compile(r"column\.mask\.hash\.([^.]+)\.with\.salt\.(.+)\Z")
_HASH_2: Final = re.compile(r"column\.mask\.hash\.v2\.([^.]+)\.with\.salt\.(.+)\Z")
_SOURCE: Final = "__debezium.source.column."
_LONGEST_SHORT_STRING: Final = 0xFFFF
# The names of java.security.MessageDigest, as hashlib has them.
_DIGESTS: Mapping[str, str] = MappingProxyType(
    {
        "MD5": "md5",
        "SHA": "sha1",
        "SHA-1": "sha1",
        "SHA-224": "sha224",
        "SHA-256": "sha256",
        "SHA-384": "sha384",
        "SHA-512": "sha512",
        "SHA3-224": "sha3_224",
        "SHA3-256": "sha3_256",
        "SHA3-384": "sha3_384",
        "SHA3-512": "sha3_512",
    }
)


@dataclass(frozen=True, slots=True)
class Mapper:
    """What one rule does: parameters on the schema, and a change of the converted value."""

    parameters: Callable[[ColumnType], Parameters]
    change: Callable[[ColumnType], Change | None]


@dataclass(frozen=True, slots=True)
class ColumnRule:
    """A mapper, and the columns that it is for."""

    matches: Callable[[TableKey, ColumnType], bool]
    mapper: Mapper


def _names(key: TableKey, last: str) -> tuple[str, str]:
    return f"{key}.{last}", f"{key.captured_as}.{last}"


def _columns(
    listed: str, part: Callable[[ColumnType], str]
) -> Callable[[TableKey, ColumnType], bool]:
    chosen = includes(listed)

    def matches(key: TableKey, column: ColumnType) -> bool:
        return any(chosen(name) for name in _names(key, part(column)))

    return matches


def _truncation(length: int, *, bytes_cut: bool) -> Mapper:
    def possible(column: ColumnType) -> bool:
        return column.length < 0 or column.length > length

    def cut(value: Any) -> Any:  # noqa: ANN401 Connect values are of any kind
        if isinstance(value, str):
            return shortened(value, length)
        return value[:length] if bytes_cut and isinstance(value, bytes) else value

    return Mapper(
        lambda column: (("truncateLength", str(length)),) if possible(column) else (),
        # The bits of a BIT are a `byte[]`, and of bytes a `ByteBuffer` alone is cut.
        lambda column: cut if possible(column) and column.jdbc is not Jdbc.BIT else None,
    )


def shortened(value: str, length: int) -> str:
    """Cut to that many UTF-16 units, through the middle of a pair if it comes to that."""
    if len(value) * 2 <= length:
        return value
    raw = value.encode("utf-16-be", "surrogatepass")
    if len(raw) <= 2 * length:
        return value
    return raw[: 2 * length].decode("utf-16-be", "surrogatepass")


def _masked(column: ColumnType) -> Parameters:
    """State the mask on every column, also where the value is not masked."""
    del column
    return (("masked", "true"),)


def _unchanged(column: ColumnType) -> None:
    del column


def _starred(length: int) -> Change:
    def stars(value: object) -> str:
        del value
        return "*" * length

    return stars


def _masking(change: Callable[[ColumnType], Change]) -> Mapper:
    return Mapper(
        _masked,
        lambda column: change(column) if column.jdbc in TEXTS else None,
    )


def _fitting(digest: str, column: ColumnType) -> str:
    """Return a digest as long as its column may be, where it has a length."""
    return digest[: column.length] if column.length > 0 else digest


def _hashing(algorithm: str, salt: str, to_bytes: Callable[[str], bytes]) -> Mapper:
    if algorithm.upper() not in _DIGESTS:
        cause = JavaError(NO_ALGORITHM, f"{algorithm} MessageDigest not available")
        raise JavaError(ILLEGAL_ARGUMENT, cause.chain()[0], cause)
    name, prefix = _DIGESTS[algorithm.upper()], salt.encode()

    def digest(column: ColumnType, value: Any) -> str | None:  # noqa: ANN401 Connect values are of any kind
        if value is None:
            return None
        return _fitting(hashlib.new(name, prefix + to_bytes(str(value))).hexdigest(), column)

    return _masking(lambda column: partial(digest, column))


def serialised(value: str) -> bytes:
    """Return a string as `ObjectOutputStream.writeObject` writes it."""
    text = b"".join(map(_modified, code_units(value)))
    if len(text) <= _LONGEST_SHORT_STRING:
        return b"\xac\xed\x00\x05\x74" + struct.pack(">H", len(text)) + text
    return b"\xac\xed\x00\x05\x7c" + struct.pack(">Q", len(text)) + text


def _modified(unit: int) -> bytes:
    """Return one UTF-16 unit in Java's modified UTF-8: the zero in two bytes, pairs in six."""
    return b"\xc0\x80" if unit == 0 else chr(unit).encode("utf-8", "surrogatepass")


def _propagated(column: ColumnType) -> Parameters:
    length = ((f"{_SOURCE}length", str(column.length)),) if column.length != UNSET else ()
    upstream = column.upstream
    decimal = upstream is not None and upstream.kind is ColumnKind.DECIMAL
    scale = ((f"{_SOURCE}scale", str(upstream.scale or 0)),) if upstream and decimal else ()
    return (
        (f"{_SOURCE}type", column.type.upper()),
        *length,
        *scale,
        (f"{_SOURCE}name", column.name),
    )


_PROPAGATION: Final = Mapper(_propagated, _unchanged)


def _rules(name: str, listed: str, *, bytes_cut: bool) -> Iterator[tuple[int, ColumnRule]]:
    by_column = _columns(listed, lambda column: column.name)
    if match := _TRUNCATE.match(name):
        yield 0, ColumnRule(by_column, _truncation(int(match[1]), bytes_cut=bytes_cut))
    if match := _MASK.match(name):
        stars = _starred(int(match[1]))
        yield 1, ColumnRule(by_column, _masking(lambda _: stars))
    if name == "column.propagate.source.type":
        yield 2, ColumnRule(by_column, _PROPAGATION)
    if name == "datatype.propagate.source.type":
        yield 3, ColumnRule(_columns(listed, lambda column: column.type), _PROPAGATION)
    if match := _HASH.match(name):
        yield 4, ColumnRule(by_column, _hashing(match[1], match[2], serialised))
    if match := _HASH_2.match(name):
        yield 5, ColumnRule(by_column, _hashing(match[1], match[2], str.encode))


def rules(settings: ConnectorSettings, *, bytes_cut: bool = True) -> tuple[ColumnRule, ...]:
    """Return the rules in the order in which they are tried: by kind, then as a HashMap has it.

    Releases before 3.0 cut texts alone.
    """
    names = settings.properties.keys()
    order = [
        name
        for name in hash_order(names, buckets(len(names)))
        if name.startswith(("column.", "datatype."))
    ]
    found = [
        pair
        for name in order
        for pair in _rules(name, settings.properties[name], bytes_cut=bytes_cut)
    ]
    return tuple(rule for _, rule in sorted(found, key=lambda pair: pair[0]))


def mapper_for(found: tuple[ColumnRule, ...], key: TableKey, column: ColumnType) -> Mapper | None:
    """Return the first rule's mapper for a column."""
    return next((rule.mapper for rule in found if rule.matches(key, column)), None)
