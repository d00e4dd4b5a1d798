"""A column's value in contract JSON, by its schema or, where none travels, by its definition.

| Connect | contract JSON |
| --- | --- |
| int8 to int64 | the number; a date, time or moment by the schema's name |
| boolean | 0 or 1: BOOL, and BIT of one bit |
| float, double | the number |
| string | the text; members of ENUM and SET too |
| bytes | hexadecimal; a Decimal its digits; Bits, lowest byte first, the number |

A string may stand for bytes (`binary.handling.mode`) and only a definition of the column says so; a
number without a schema may be a date. `Definitions` is what the caller knows.

Source: Debezium reference documentation 3.3, §Data type mappings of the connectors for Vitess,
MariaDB and MySQL; the semantic types of debezium-core and of Kafka's connect-api.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from types import MappingProxyType
from typing import Any

from cdc_spark.debezium.connectors import CONNECTORS, VITESS
from cdc_spark.debezium.schema import Schema
from cdc_spark.debezium.temporal import READERS, unschemed

Plain = int | float | str | None
Reader = Callable[[Any], Plain]
Column = Mapping[str, Any]  # a column as job.json has it
TIME, BINARY, DECIMALS = "time.precision.mode", "binary.handling.mode", "decimal.handling.mode"
BITS = "io.debezium.data.Bits"
DECIMAL = "org.apache.kafka.connect.data.Decimal"
ZONED = "io.debezium.time.ZonedTimestamp"
_BINARY = frozenset({"binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob"})
_URL_SAFE = str.maketrans("-_", "+/")
_SCALE_MAX = 10_000
_NO_NUMBERS = ("Infinity", "-Infinity", "NaN")  # what JSON has for them is text
_LONG = 1 << 63


@dataclass(frozen=True, slots=True)
class Definitions:
    """What is known of tables and connector: columns by (schema, table), and its modes."""

    columns: Mapping[tuple[str, str], Mapping[str, Column]] = field(
        default_factory=lambda: MappingProxyType({})
    )
    time_mode: str = "adaptive_time_microseconds"
    binary_mode: str = "bytes"
    decimal_mode: str = "string"


def definitions(
    tables: Sequence[Mapping[str, Any]], settings: Mapping[str, Any], protocol: str
) -> Definitions:
    """Return what definitions of tables and the settings of a protocol's connector say of values.

    A table is a mapping with `schema`, `name` and `columns`, a column one with `name`, `type`,
    `scale` and `unsigned`, as in job.json. Of `settings`, `time.precision.mode`,
    `binary.handling.mode` and `decimal.handling.mode` are read.
    """
    plain = Definitions()
    columns = {
        (table["schema"], table["name"]): {one["name"]: one for one in table["columns"]}
        for table in tables
    }
    return Definitions(
        columns=columns,
        time_mode=str(settings.get(TIME, plain.time_mode)),
        binary_mode=str(settings.get(BINARY, plain.binary_mode)),
        decimal_mode=str(settings.get(DECIMALS, CONNECTORS.get(protocol, VITESS).decimals)),
    )


def by_schema(schema: Schema, column: Column | None, modes: Definitions) -> Reader:
    """Return the reader of a field; what it cannot read raises ValueError or TypeError."""
    if schema.name in READERS:
        text = READERS[schema.name]
        return lambda raw: text(whole(raw))
    if schema.name == DECIMAL:
        scale = int(schema.parameters.get("scale", "0"))
        if not 0 <= scale < _SCALE_MAX:
            raise ValueError(f"a decimal of scale {scale}")
        return lambda raw: decimal(raw, scale)
    if schema.name == BITS:
        return _bits
    if schema.type == "string" and column is not None and column["type"] in _BINARY:
        return _text if modes.binary_mode == "hex" else _hex
    if schema.type not in _READERS:
        raise ValueError(f"a column of Connect's type {schema.type!r}")
    return _zoned if schema.name == ZONED else _READERS[schema.type]


def by_definition(column: Column | None, modes: Definitions) -> Reader:
    """Return the reader of a value without a schema; unknown columns stay as JSON has them."""
    if column is None:
        return _scalar
    kind: str = column["type"]
    scale: int = column["scale"] or 0
    text = unschemed(kind, scale, modes.time_mode)
    if text is not None:
        return lambda raw: text(whole(raw))
    if kind in _BINARY and modes.binary_mode != "hex":
        return _hex
    if kind == "decimal" and modes.decimal_mode == "precise":
        return lambda raw: decimal(raw, scale)
    if kind == "bigint" and not column["unsigned"]:
        return _scalar
    return _UNSCHEMED.get(kind, _scalar)


def whole(raw: object) -> int:
    """Return a whole number; raises ValueError for anything else."""
    if type(raw) is int:
        return raw
    raise ValueError(f"{raw!r:.60} is not a whole number")


class InexactError(ValueError):
    """A number of JSON with more digits than a double may have kept: to be read as a Decimal."""


def decimal(raw: object, scale: int) -> int | str:
    """Return a Decimal from its unscaled bytes, their base64, or a number; raises ValueError."""
    if type(raw) is float:
        raise InexactError(f"{raw!r} may have lost digits")
    if isinstance(raw, Decimal):
        return f"{raw:f}"
    if type(raw) is int:
        return _held(raw)
    data = _base64(raw) if isinstance(raw, str) else raw
    if not isinstance(data, bytes):
        raise ValueError(f"{raw!r:.60} is not a decimal")
    number = int.from_bytes(data, "big", signed=True)
    if not scale:
        return _held(number)
    text = str(abs(number)).rjust(scale + 1, "0")
    return f"{'-' if number < 0 else ''}{text[:-scale]}.{text[-scale:]}"


def _held(number: int) -> int | str:
    """Return a whole number, as text where it has more than 64 bits."""
    return number if -_LONG <= number < 2 * _LONG else str(number)


def _bits(raw: object) -> Plain:
    if isinstance(raw, bool):
        return int(raw)
    data = _base64(raw) if isinstance(raw, str) else raw
    if isinstance(data, bytes):
        return int.from_bytes(data, "little")
    raise ValueError(f"{raw!r:.60} is not bits")


def _boolean(raw: object) -> Plain:
    if isinstance(raw, bool):
        return int(raw)
    raise ValueError(f"{raw!r:.60} is neither true nor false")


def _number(raw: object) -> Plain:
    if isinstance(raw, int | float | Decimal) and not isinstance(raw, bool):
        return float(raw)
    if raw in _NO_NUMBERS:
        return str(raw)
    raise ValueError(f"{raw!r:.60} is not a number")


def _text(raw: object) -> Plain:
    if type(raw) is str:
        return raw
    raise ValueError(f"{raw!r:.60} is not text")


def _zoned(raw: object) -> Plain:
    """Return MySQL's own text; what stands for NULL in a NOT NULL column is written as ISO 8601."""
    text = str(_text(raw))
    return text.removesuffix("Z").replace("T", " ") if text.endswith("Z") else text


def _hex(raw: object) -> Plain:
    data = _base64(raw) if isinstance(raw, str) else raw
    if not isinstance(data, bytes):
        raise ValueError(f"{raw!r:.60} is not bytes")
    return data.hex()


def _unsigned(raw: object) -> Plain:
    if isinstance(raw, str):
        return int(raw) if raw.isascii() and raw.isdigit() else decimal(raw, 0)
    return whole(raw)


def _scalar(raw: object) -> Plain:
    if isinstance(raw, bool):
        return int(raw)
    if isinstance(raw, int | float | str):
        return raw
    if isinstance(raw, Decimal):
        return float(raw)
    raise ValueError(f"{raw!r:.60} is not a value of a column")


def _base64(raw: str) -> bytes:
    return b64decode(raw.translate(_URL_SAFE), validate=True)


_READERS: Mapping[str, Reader] = {
    **dict.fromkeys(("int8", "int16", "int32", "int64"), whole),
    **dict.fromkeys(("float", "double"), _number),
    "string": _text,
    "bytes": _hex,
    "boolean": _boolean,
}
_UNSCHEMED: Mapping[str, Reader] = {"bigint": _unsigned, "bit": _bits, "timestamp": _zoned}
# Readers that return a value of these types of Python's as it is.
AS_IT_IS: Mapping[Reader | None, frozenset[type]] = {
    _scalar: frozenset({int, float, str}),
    _text: frozenset({str}),
    _number: frozenset({float}),
    whole: frozenset({int}),
}
