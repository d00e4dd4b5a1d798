"""How each column's values are written: one small function a field, made once a schema.

NULL and the union's branch are part of what a function writes, so that a row is one pass and one
join. Numbers come from tables of ready bytes.

Source: TiCDC codec notes §3.3, 3.4; tiflow c7b2588 pkg/sink/codec/avro/avro.go `columnToAvroData`;
goavro v2.14.0 logical_type.go `toSignedBytes`; TiDB pkg/types `NewBinaryLiteralFromUint`,
`ParseEnumValue`, `ParseSetValue`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Context, Decimal
from struct import Struct

from harness.codecs.avro.defaults import FAILED
from harness.codecs.avro.schema import AvroField
from harness.codecs.avro.varint import READY, lengths, ready, varint, zigzagged
from harness.errors import SourceStopped
from harness.model.columns import BINARIES, ColumnKind
from harness.model.values import Value

Writer = Callable[[Value], bytes]
# More digits than any DECIMAL: nothing is rounded on the way to the unscaled number.
_EXACT = Context(prec=200)
_FLOATS = {"float": Struct("<f"), "double": Struct("<d")}
_WRAP = 2**64
# A length below this one has its bytes ready.
SHORT = READY // 2
# How many names of a SET, or patterns of a BIT, a field remembers.
REMEMBERED = 4096


def writer(field: AvroField) -> Writer:
    """Return the function that writes a field's values."""
    branch, null = b"", b""
    if field.column.nullable:
        branch, null = (b"\x02", b"\x00") if field.null_first else (b"\x00", b"\x02")
    if field.type.name in ("int", "long"):
        return _integers(branch, null)
    if field.type.name in _FLOATS:
        return _numbers(_FLOATS[field.type.name], branch, null)
    return _sized(field, branch, null)


def _integers(branch: bytes, null: bytes) -> Writer:
    """Return the writer of numbers; those beyond 63 bits wrap, as BIGINT UNSIGNED does."""
    small = ready(branch)

    def written(value: Value) -> bytes:
        if value is None:
            return null
        assert isinstance(value, int)
        rest = value + value if value >= 0 else -value - value - 1
        if rest < READY:
            return small[rest]
        return branch + zigzagged(rest if rest < _WRAP else 2 * (_WRAP - value) - 1)

    return written


def _numbers(form: Struct, branch: bytes, null: bytes) -> Writer:
    pack = form.pack

    def written(value: Value) -> bytes:
        return null if value is None else branch + pack(value)

    return written


def _sized(field: AvroField, branch: bytes, null: bytes) -> Writer:
    kind, members = field.column.kind, field.column.members
    if kind in BINARIES:
        return _of_bytes(branch, null)
    if kind is ColumnKind.DECIMAL and field.type.decimal is not None:
        return _made(_unscaled(field.type.decimal[1]), branch, null)
    if kind is ColumnKind.BIGINT:
        return _made(_digits, branch, null)
    makes: Mapping[ColumnKind, Callable[[Value], bytes]] = {
        ColumnKind.BIT: _bits,
        ColumnKind.ENUM: _enum(members),
        ColumnKind.SET: _set(members),
    }
    if kind in makes:
        return Remembering(_made(makes[kind], branch, null)).__getitem__
    return _of_text(branch, null)


class Remembering(dict[Value, bytes]):
    """What a function made of few different values."""

    def __init__(self, make: Writer) -> None:
        """Take the function."""
        super().__init__()
        self._make = make

    def __missing__(self, value: Value) -> bytes:
        """Make a value's bytes, and remember them while there is room."""
        found = self._make(value)
        if len(self) < REMEMBERED:
            self[value] = found
        return found


def _of_bytes(branch: bytes, null: bytes) -> Writer:
    short = lengths(branch)

    def written(value: Value) -> bytes:
        if value is None:
            return null
        assert isinstance(value, bytes)
        size = len(value)
        return (short[size] if size < SHORT else branch + varint(size)) + value

    return written


def _of_text(branch: bytes, null: bytes) -> Writer:
    short = lengths(branch)

    def written(value: Value) -> bytes:
        if value is None:
            return null
        assert isinstance(value, str)
        raw = value.encode()
        size = len(raw)
        return (short[size] if size < SHORT else branch + varint(size)) + raw

    return written


def _made(make: Callable[[Value], bytes], branch: bytes, null: bytes) -> Writer:
    short = lengths(branch)

    def written(value: Value) -> bytes:
        if value is None:
            return null
        raw = make(value)
        size = len(raw)
        return (short[size] if size < SHORT else branch + varint(size)) + raw

    return written


def _bits(value: Value) -> bytes:
    """Return the bits without leading zero bytes, at least one byte."""
    assert isinstance(value, int)
    return value.to_bytes(max(1, (value.bit_length() + 7) // 8), "big")


def _digits(value: Value) -> bytes:
    return str(value).encode()


def _unscaled(scale: int) -> Callable[[Value], bytes]:
    point = -scale - 1

    def made(value: Value) -> bytes:
        assert isinstance(value, str)
        if not scale and value.find(".") < 0:
            number = int(value)
        elif scale and value[point : point + 1] == ".":
            number = int(value[:point] + value[point + 1 :])
        else:
            number = int(Decimal(value).scaleb(scale, _EXACT))
        size = (~number if number < 0 else number).bit_length() // 8 + 1
        return number.to_bytes(size, "big", signed=True)

    return made


def _enum(members: tuple[str, ...]) -> Callable[[Value], bytes]:
    names = [member.encode() for member in members]

    def made(value: Value) -> bytes:
        assert isinstance(value, int)
        if not 1 <= value <= len(names):
            raise _overflow("enum", value, f"[1, {len(names)}]")
        return names[value - 1]

    return made


def _set(members: tuple[str, ...]) -> Callable[[Value], bytes]:
    names = [member.encode() for member in members]

    def made(value: Value) -> bytes:
        assert isinstance(value, int)
        if not 0 <= value < 1 << len(names):
            raise _overflow("set", value, f"[0, {(1 << len(names)) - 1}]")
        return b",".join(name for bit, name in enumerate(names) if value >> bit & 1)

    return made


def _overflow(kind: str, value: int, bounds: str) -> SourceStopped:
    return SourceStopped(
        FAILED,
        f"convert to MySQL {kind} failed: number {value} overflow {kind} boundary {bounds}",
        hint="an ENUM's invalid value '' has no name that Avro could carry; TiCDC stops at it",
    )
