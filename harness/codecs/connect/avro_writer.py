"""A Connect value's Avro body.

Writers are made once of a schema; each writes one value's bytes. An optional value begins with its
branch: null is branch 0, or branch 1 where the schema has a default (Connect reads an unset field
as its default, so null is never written there).

Source: Avro 1.11 binary encoding; `AvroData.fromConnectData`; vectors with `avro`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from struct import Struct, error
from typing import Any, Final

from harness.codecs.connect.avro_schema import (
    avro_schema,
    default_of,
    split_name,
)
from harness.codecs.connect.errors import (
    DATA_EXCEPTION,
    NULL_POINTER,
    stopped,
)
from harness.codecs.connect.java import utf8_bytes
from harness.codecs.connect.logical import DECIMAL, unscaled_bytes
from harness.codecs.connect.schema import Schema, SchemaType

Write = Callable[[Any], bytes]
_FLOAT: Final = Struct("<f")
_DOUBLE: Final = Struct("<d")
_FIRST, _SECOND = b"\x00", b"\x02"
# Whole numbers of one and two bytes, which lengths and small values are.
_SMALL: Final = 1 << 13


def avro_body(schema: Schema, value: object) -> bytes:
    """Return a value's body, without any frame."""
    return avro_writer(schema)(value)


def avro_writer(schema: Schema) -> Write:
    """Return the writer of a schema's values."""
    return _writer(schema, avro_schema(schema).records)


def zigzag(number: int) -> bytes:
    """Return a whole number as Avro writes it."""
    if -_SMALL <= number < _SMALL:
        return _TABLE[number + _SMALL]
    return _spelled(number)


def _spelled(number: int) -> bytes:
    rest = number << 1 if number >= 0 else (~number << 1) | 1
    out = bytearray()
    while rest > 0x7F:
        out.append(rest & 0x7F | 0x80)
        rest >>= 7
    out.append(rest)
    return bytes(out)


_TABLE: Final = tuple(_spelled(number) for number in range(-_SMALL, _SMALL))


def _writer(schema: Schema, records: Mapping[str, Schema]) -> Write:
    bare = _bare(schema, records)
    default = default_of(schema)
    if default is not None:
        filled = bare(default)
        branch = _FIRST if schema.optional else b""
        return lambda value: branch + (filled if value is None else bare(value))
    if schema.optional:
        return lambda value: _FIRST if value is None else _SECOND + bare(value)
    return lambda value: _required(bare, value)


def _required(bare: Write, value: object) -> bytes:
    if value is None:
        raise stopped(DATA_EXCEPTION, "Found null value for non-optional schema")
    return bare(value)


def _bare(schema: Schema, records: Mapping[str, Schema]) -> Write:
    match schema.kind:
        case SchemaType.STRUCT:
            return _struct(schema, records)
        case SchemaType.ARRAY if schema.items is not None:
            return _array(_writer(schema.items, records))
        case SchemaType.MAP if schema.items is not None:
            return _map(_writer(schema.items, records))
        case SchemaType.BYTES if schema.name == DECIMAL:
            return lambda value: _decimal(schema, value)
        case _:
            return _PRIMITIVES[schema.kind]


def _struct(schema: Schema, records: Mapping[str, Schema]) -> Write:
    known = _known(schema, records)
    places = {member.name for member in known.fields}
    if any(member.name not in places for member in schema.fields):
        # A struct of the same name was there first, and lacks a field of this one.
        return _unplaced
    members = tuple((member.name, _writer(member.schema, records)) for member in known.fields)

    def write(value: Mapping[str, Any]) -> bytes:
        get = value.get
        return b"".join([writer(get(name)) for name, writer in members])

    return write


def _unplaced(value: object) -> bytes:
    del value
    raise stopped(
        NULL_POINTER,
        'Cannot invoke "org.apache.avro.Schema$Field.schema()" because "theField" is null',
        hint="a field was removed from `before` or `after` alone; remove it from both",
    )


def _known(schema: Schema, records: Mapping[str, Schema]) -> Schema:
    if schema.name is None:
        return schema
    namespace, name = split_name(schema.name)
    return records.get(f"{namespace}.{name}" if namespace else name, schema)


def _array(item: Write) -> Write:
    def write(value: list[Any]) -> bytes:
        if not value:
            return b"\x00"
        return b"".join([zigzag(len(value)), *map(item, value), b"\x00"])

    return write


def _map(item: Write) -> Write:
    def write(value: Mapping[str, Any]) -> bytes:
        if not value:
            return b"\x00"
        pairs = [_string(key) + item(of) for key, of in value.items()]
        return b"".join([zigzag(len(pairs)), *pairs, b"\x00"])

    return write


def _string(value: str) -> bytes:
    raw = utf8_bytes(value)
    return zigzag(len(raw)) + raw


def _bytes(value: bytes) -> bytes:
    return zigzag(len(value)) + value


def _decimal(schema: Schema, value: Decimal) -> bytes:
    return _bytes(unscaled_bytes(schema, value))


def _single(value: float) -> bytes:
    try:
        return _FLOAT.pack(value)
    except (OverflowError, error) as problem:
        raise stopped(DATA_EXCEPTION, f"{value} is no 32-bit float") from problem


_PRIMITIVES: Final[Mapping[SchemaType, Write]] = {
    SchemaType.BOOLEAN: lambda value: b"\x01" if value else b"\x00",
    SchemaType.INT8: zigzag,
    SchemaType.INT16: zigzag,
    SchemaType.INT32: zigzag,
    SchemaType.INT64: zigzag,
    SchemaType.FLOAT32: _single,
    SchemaType.FLOAT64: _DOUBLE.pack,
    SchemaType.STRING: _string,
    SchemaType.BYTES: _bytes,
}
