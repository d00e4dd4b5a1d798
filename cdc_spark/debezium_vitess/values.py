"""A column's value in contract JSON, by its schema or, where none travels, by its definition.

| Connect | contract JSON |
| --- | --- |
| int8 to int64 | the number; a date, time or moment by the schema's name |
| float, double | the number |
| string | the text; members of ENUM and SET too |
| bytes | hexadecimal; a Decimal its digits |

A string may stand for bytes (`binary.handling.mode`) and only a definition of the column says so; a
number without a schema may be a date. `Definitions` is what the caller knows.

Source: Debezium Vitess connector, §Data type mappings; the semantic types of debezium-core and of
Kafka's connect-api.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from cdc_spark.debezium_vitess.schema import Schema
from cdc_spark.debezium_vitess.temporal import READERS, unschemed

Plain = int | float | str | None
Reader = Callable[[Any], Plain]
Column = Mapping[str, Any]  # a column as job.json has it
TIME, BINARY = "time.precision.mode", "binary.handling.mode"
DECIMAL = "org.apache.kafka.connect.data.Decimal"
ZONED = "io.debezium.time.ZonedTimestamp"
_BINARY = frozenset({"binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob"})
_URL_SAFE = str.maketrans("-_", "+/")
_SCALE_MAX = 10_000


@dataclass(frozen=True, slots=True)
class Definitions:
    """What is known of tables and connector: columns by (schema, table), and two of its modes."""

    columns: Mapping[tuple[str, str], Mapping[str, Column]] = field(
        default_factory=lambda: MappingProxyType({})
    )
    time_mode: str = "adaptive_time_microseconds"
    binary_mode: str = "bytes"


def definitions(tables: Sequence[Mapping[str, Any]], settings: Mapping[str, Any]) -> Definitions:
    """Return what definitions of tables and the connector's settings say of values.

    A table is a mapping with `schema`, `name` and `columns`, a column one with `name`, `type`,
    `scale` and `unsigned`, as in job.json. Of `settings`, `time.precision.mode` and
    `binary.handling.mode` are read.
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
    text = unschemed(kind, column["scale"] or 0, modes.time_mode)
    if text is not None:
        return lambda raw: text(whole(raw))
    if kind in _BINARY and modes.binary_mode != "hex":
        return _hex
    if kind == "bigint" and column["unsigned"]:
        return _unsigned
    return _zoned if kind == "timestamp" else _scalar


def whole(raw: object) -> int:
    """Return a whole number; raises ValueError for anything else."""
    if type(raw) is int:
        return raw
    raise ValueError(f"{raw!r:.60} is not a whole number")


def decimal(raw: object, scale: int) -> int | str:
    """Return a Decimal from its unscaled bytes, their base64, or a number; raises ValueError."""
    if isinstance(raw, int | float) and not isinstance(raw, bool):
        return raw if type(raw) is int else repr(raw)
    data = _base64(raw) if isinstance(raw, str) else raw
    if not isinstance(data, bytes):
        raise ValueError(f"{raw!r:.60} is not a decimal")
    number = int.from_bytes(data, "big", signed=True)
    if not scale:
        return number
    digits = str(abs(number)).rjust(scale + 1, "0")
    return f"{'-' if number < 0 else ''}{digits[:-scale]}.{digits[-scale:]}"


def _number(raw: object) -> Plain:
    if isinstance(raw, int | float) and not isinstance(raw, bool):
        return float(raw)
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
    if isinstance(raw, int | float | str) and not isinstance(raw, bool):
        return raw
    raise ValueError(f"{raw!r:.60} is not a value of a column")


def _base64(raw: str) -> bytes:
    return b64decode(raw.translate(_URL_SAFE), validate=True)


_READERS: Mapping[str, Reader] = {
    **dict.fromkeys(("int8", "int16", "int32", "int64"), whole),
    **dict.fromkeys(("float", "double"), _number),
    "string": _text,
    "bytes": _hex,
}
# Readers that return a value of these types of Python's as it is.
AS_IT_IS: Mapping[Reader | None, frozenset[type]] = {
    _scalar: frozenset({int, float, str}),
    _text: frozenset({str}),
    _number: frozenset({float}),
    whole: frozenset({int}),
}
