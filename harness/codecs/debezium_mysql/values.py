"""A column's Connect schema, and how the log's values become Connect values.

Source: Debezium reference documentation 3.3, MariaDB connector, "Data type mappings"; records of
connector-mariadb 3.3.0.Final.
"""

from __future__ import annotations

import struct
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial
from types import MappingProxyType
from typing import Any, Final

from harness.codecs.connect.logical import DECIMAL, SCALE
from harness.codecs.connect.schema import Schema, SchemaType
from harness.codecs.debezium import temporal
from harness.codecs.debezium.columns import ColumnType, Conversion, Jdbc
from harness.codecs.debezium.enum_set import set_text
from harness.codecs.debezium.schemas import INT32, INT64, STRING
from harness.codecs.debezium.settings import ConnectorSettings
from harness.codecs.debezium_mysql import moments
from harness.codecs.debezium_mysql.defaults import schema_default
from harness.codecs.debezium_mysql.reference import BINARIES, DECIMALS, TIMES, UNSIGNED
from harness.errors import UsageError
from harness.model.columns import CHARACTERS, INTEGERS, Column, ColumnKind

PRECISION: Final = "connect.decimal.precision"
_INT16: Final = Schema(SchemaType.INT16)
_BYTES: Final = Schema(SchemaType.BYTES)
_YEAR: Final = Schema(SchemaType.INT32, name="io.debezium.time.Year", version=1)
_JSON: Final = Schema(SchemaType.STRING, name="io.debezium.data.Json", version=1)
_ZONED: Final = Schema(SchemaType.STRING, name="io.debezium.time.ZonedTimestamp", version=1)
_TEXTS: Final[Mapping[str, Callable[[bytes], str]]] = MappingProxyType(
    {
        "base64": lambda raw: b64encode(raw).decode(),
        "base64-url-safe": lambda raw: urlsafe_b64encode(raw).decode(),
        "hex": bytes.hex,
    }
)
# BIGINT UNSIGNED has 20 digits.
_LONG_DECIMAL: Final = Schema(
    SchemaType.BYTES,
    name=DECIMAL,
    version=1,
    parameters=((SCALE, "0"), (PRECISION, "20")),
)
_WIDTHS: Final[Mapping[ColumnKind, Schema]] = MappingProxyType(
    {
        ColumnKind.TINYINT: _INT16,
        ColumnKind.SMALLINT: _INT16,
        ColumnKind.MEDIUMINT: INT32,
        ColumnKind.INT: INT32,
        ColumnKind.BIGINT: INT64,
    }
)
_WIDER: Final = {**_WIDTHS, ColumnKind.SMALLINT: INT32, ColumnKind.INT: INT64}
_DAYS: Final = frozenset({ColumnKind.DATE, ColumnKind.DATETIME})


@dataclass(frozen=True, slots=True)
class ValueModes:
    """What the settings say about values, read once; `comments` says whether they are kept."""

    time: str
    unsigned: str
    decimal: str
    binary: str
    comments: bool = False


def modes(settings: ConnectorSettings) -> ValueModes:
    """Read the modes; UsageError for one that does not exist."""
    found = [
        (name, settings.mode(name), allowed)
        for name, allowed in (
            ("time.precision.mode", TIMES),
            ("bigint.unsigned.handling.mode", UNSIGNED),
            ("decimal.handling.mode", DECIMALS),
            ("binary.handling.mode", BINARIES),
        )
    ]
    for name, value, allowed in found:
        if value not in allowed:
            raise UsageError(f"{name} cannot be {value!r}", expected="one of " + ", ".join(allowed))
    time, unsigned, decimal, binary = (value for _, value, _ in found)
    return ValueModes(time, unsigned, decimal, binary)


def _same(value: Any) -> Any:  # noqa: ANN401 Connect values are of any kind
    return value


def _narrow(value: float) -> float:
    """Return a double as a Java cast leaves it in 32 bits."""
    try:
        return float(struct.unpack("<f", struct.pack("<f", value))[0])
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def conversion(column: ColumnType, found: ValueModes) -> Conversion | None:
    """Return how a column travels, its default in its schema; None for one that is left out."""
    upstream = column.upstream
    assert upstream is not None
    if upstream.kind is ColumnKind.VECTOR:
        return None
    schema, read = _form(column, upstream, found)
    doc = column.comment if found.comments else None
    schema = replace(schema, optional=column.optional, doc=doc)
    default = schema_default(column, schema.kind, read)
    if default is not None:
        schema = replace(schema, default=default)
        if upstream.kind in _DAYS and not column.optional:
            lenient = _form(replace(column, optional=True), upstream, found)[1]
            read = partial(_or_default, lenient, default)
    if found.time == "connect" and upstream.kind is ColumnKind.TIME:
        return Conversion(schema, _same, read, None, fails=True)
    return Conversion(schema, read)


def _or_default(read: Callable[[Any], Any], default: object, cell: object) -> object:
    """Return a date, and its column's default for what is on no day of the calendar."""
    value = read(cell)
    return default if value is None else value


Form = tuple[Schema, Callable[[Any], Any]]


def _form(column: ColumnType, upstream: Column, found: ValueModes) -> Form:  # noqa: C901, PLR0911, PLR0912 - a family a line
    match upstream.kind:
        case kind if kind in INTEGERS:
            return _integer(column, upstream, found)
        case ColumnKind.FLOAT:
            wide = upstream.scale is not None
            return Schema(SchemaType.FLOAT64 if wide else SchemaType.FLOAT32), _same
        case ColumnKind.DOUBLE:
            real = column.jdbc is Jdbc.REAL
            width = SchemaType.FLOAT32 if real else SchemaType.FLOAT64
            return Schema(width), _narrow if real else _same
        case ColumnKind.DECIMAL:
            return _decimal(upstream, found)
        case ColumnKind.BIT:
            return _bits(upstream)
        case ColumnKind.YEAR:
            return _YEAR, lambda value: value or 1900
        case ColumnKind.ENUM:
            return _member("io.debezium.data.Enum", column), partial(_enum, column.members)
        case ColumnKind.SET:
            return _member("io.debezium.data.EnumSet", column), partial(set_text, column.members)
        case ColumnKind.JSON:
            return _JSON, _same
        case ColumnKind.DATE | ColumnKind.TIME | ColumnKind.DATETIME:
            return _temporal(column, upstream, found)
        case ColumnKind.TIMESTAMP:
            return _ZONED, moments.zoned
        case kind if kind in CHARACTERS:
            return STRING, _same
        case _:
            return (_BYTES, _same) if found.binary == "bytes" else (STRING, _TEXTS[found.binary])


def _integer(column: ColumnType, upstream: Column, found: ValueModes) -> Form:
    """Return how an integer travels; the connector looks for INT UNSIGNED by its very words."""
    if column.jdbc is Jdbc.BOOLEAN:
        return Schema(SchemaType.BOOLEAN), bool
    kind = upstream.kind
    if not upstream.unsigned:
        return _WIDTHS[kind], _same
    if kind is ColumnKind.INT and column.type.startswith("INTEGER"):
        return INT32, partial(temporal.signed, bits=32)
    if kind is not ColumnKind.BIGINT:
        return _WIDER[kind], _same
    if found.unsigned == "precise":
        return _LONG_DECIMAL, Decimal
    return INT64, partial(temporal.signed, bits=64)


def _decimal(upstream: Column, found: ValueModes) -> Form:
    if found.decimal == "string":
        return STRING, _same
    if found.decimal == "double":
        return Schema(SchemaType.FLOAT64), float
    parameters = (
        (SCALE, str(upstream.scale or 0)),
        (PRECISION, str(upstream.length or 10)),
    )
    schema = Schema(SchemaType.BYTES, name=DECIMAL, version=1, parameters=parameters)
    return schema, Decimal


def _bits(upstream: Column) -> Form:
    length = upstream.length or 1
    if length == 1:
        return Schema(SchemaType.BOOLEAN), bool
    schema = Schema(
        SchemaType.BYTES,
        name="io.debezium.data.Bits",
        version=1,
        parameters=(("length", str(length)),),
    )
    return schema, lambda value: value.to_bytes((length + 7) // 8, "little")


def _member(name: str, column: ColumnType) -> Schema:
    allowed = ("allowed", ",".join(column.members))
    return Schema(SchemaType.STRING, name=name, version=1, parameters=(allowed,))


def _enum(members: tuple[str, ...], index: int | str) -> str:
    if isinstance(index, str):  # as a SELECT says it
        return index
    return members[index - 1] if 1 <= index <= len(members) else ""


def _temporal(column: ColumnType, upstream: Column, found: ValueModes) -> Form:
    mode, digits = temporal.MODES[found.time], upstream.fsp
    if upstream.kind is ColumnKind.TIME:
        form = mode.times[digits]
        if found.time == "connect":
            return form.schema, partial(moments.within_day, form.convert)
        return form.schema, lambda value: form.convert(moments.nanos(value))
    if upstream.kind is ColumnKind.DATE:
        return mode.date.schema, partial(moments.date, mode.date.convert, optional=column.optional)
    form = mode.datetimes[digits]
    return form.schema, partial(moments.moment, form.convert, optional=column.optional)
