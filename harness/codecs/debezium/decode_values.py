"""A column's value in canonical form, as far as the schema or the caller knows the column.

The caller's column wins: its kind decides the form. Without one, a schema's semantic name decides
dates, times and decimals; everything else stays as the wire has it.

Source: vitess NOTES §7; harness/model/values.py for the canonical forms.
"""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final, TypeGuard

from harness.codecs.connect.decode_document import Document, Semantic, shown
from harness.codecs.debezium.decode_temporal import UNITS, TemporalUnit, mysql_text, unit_of
from harness.errors import DecodingError
from harness.model.canonical import canonical
from harness.model.columns import BINARIES, Column, ColumnKind
from harness.model.values import Value

DECIMAL: Final = "org.apache.kafka.connect.data.Decimal"
_BITS: Final = "io.debezium.data.Bits"
_ENUM: Final = "io.debezium.data.Enum"
_ZONED: Final = "io.debezium.time.ZonedTimestamp"
_ISO: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", re.ASCII)
_ZONED_NULL: Final = "1970-01-01T00:00:00Z"
_INTEGERS: Final = frozenset({"int8", "int16", "int32", "int64"})
_FLOATS: Final = frozenset({"float", "double"})
Columns = Callable[[str, str], Mapping[str, Column] | None]


@dataclass(frozen=True, slots=True)
class DecodeModes:
    """The connector's modes, which are not on the wire."""

    time: str = "adaptive_time_microseconds"
    binary: str = "bytes"


def row(
    image: Document, semantic: Semantic | None, columns: Mapping[str, Column], modes: DecodeModes
) -> Mapping[str, Value]:
    """Return the columns of a row or a key; DecodingError for values that are none."""
    fields = semantic.fields if semantic is not None else None
    found: dict[str, Value] = {}
    for name, raw in image.items():
        of = None
        if fields is not None:
            of = fields.get(name)
            if of is None:
                raise DecodingError(f"column {name!r} is not in the schema")
        found[name] = value(name, raw, (of, columns.get(name)), modes)
    return found


def value(
    name: str, raw: object, known: tuple[Semantic | None, Column | None], modes: DecodeModes
) -> Value:
    """Return one column's value."""
    if raw is None:
        return None
    semantic, column = known
    plain = _plain(name, raw, column, modes) if semantic is None else _typed(name, raw, semantic)
    if column is None or plain is None:
        return plain
    try:
        return canonical(column, _binary(plain, modes) if column.kind in BINARIES else plain)
    except ValueError as error:
        raise DecodingError(f"column {name!r}: {error}") from error


def decimal(raw: object, scale: int) -> Decimal:
    """Return a Decimal from its unscaled bytes, their base64, or a number."""
    if _is_number(raw):
        return Decimal(str(raw))
    data = _base64(raw) if isinstance(raw, str) else raw
    if not isinstance(data, bytes):
        raise DecodingError(f"{shown(raw)} is not a decimal")
    # By its text: Decimal's own arithmetic rounds to 28 digits, and a column has up to 65.
    return Decimal(f"{int.from_bytes(data, 'big', signed=True)}E{-scale}")


def _typed(name: str, raw: object, semantic: Semantic) -> Value:  # noqa: PLR0911 - a type a line
    if semantic.name in UNITS:
        return mysql_text(UNITS[semantic.name], _number(name, raw))
    if semantic.name == DECIMAL:
        return _decimal(raw, semantic)
    if semantic.name == _BITS and isinstance(raw, str | bytes):
        return int.from_bytes(_base64(raw) if isinstance(raw, str) else raw, "little")
    if semantic.type in _INTEGERS:
        return _number(name, raw)
    if semantic.type == "boolean" and isinstance(raw, bool):
        return int(raw)
    if semantic.type in _FLOATS and _is_number(raw):
        return float(raw)
    if semantic.type == "bytes" and isinstance(raw, str | bytes):
        return _base64(raw) if isinstance(raw, str) else raw
    if semantic.type == "string" and isinstance(raw, str):
        return _string(raw, semantic)
    raise DecodingError(f"column {name!r} is {shown(raw)}, not {semantic.type}")


def _string(raw: str, semantic: Semantic) -> Value:
    """Return text as it is; members too, as `allowed` does not show where one of them ends.

    A member may hold the comma that joins them: a caller that knows the column knows its number.
    A moment in ISO 8601 becomes MySQL's; Vitess names the type so, and sends MySQL's text in it.
    """
    if semantic.name == _ZONED and _ISO.fullmatch(raw):
        return f"{raw[:10]} {raw[11:-1]}"
    if semantic.name == _ENUM and not raw:
        return raw if "" in semantic.parameters.get("allowed", "").split(",") else 0
    return raw


def _decimal(raw: object, semantic: Semantic) -> Value:
    scale = semantic.parameters.get("scale", "0")
    if not (scale.isascii() and scale.isdigit() and len(scale) < _SCALE_DIGITS):
        raise DecodingError(f"a decimal of scale {shown(scale)}")
    number = decimal(raw, int(scale))
    # A BIGINT UNSIGNED is a number, a DECIMAL may have more digits than any.
    return f"{number:f}" if int(scale) or abs(number) > _LARGEST else int(number)


def _plain(name: str, raw: object, column: Column | None, modes: DecodeModes) -> Value:
    """Return a value that comes without a schema."""
    raw = _held(raw, column) if _is_number(raw) else raw
    if isinstance(raw, bool):
        return int(raw)
    if not isinstance(raw, int | float | str):
        raise DecodingError(f"column {name!r} is {shown(raw)}, no value of a column")
    unit: TemporalUnit | None = None if column is None else unit_of(column, modes.time)
    if unit is not None:
        return mysql_text(unit, _number(name, raw))
    unsigned = column is not None and column.kind is ColumnKind.BIGINT and column.unsigned
    if unsigned and isinstance(raw, str) and not raw.isdigit():
        return int(decimal(raw, 0))
    timestamp = column is not None and column.kind is ColumnKind.TIMESTAMP
    return "1970-01-01 00:00:00" if timestamp and raw == _ZONED_NULL else raw


def _binary(plain: Any, modes: DecodeModes) -> object:  # noqa: ANN401 - any value
    """Return a binary column's bytes, whatever text stands for them."""
    if not isinstance(plain, str):
        return plain
    if modes.binary == "hex":
        return plain
    return _base64(plain.translate(_STANDARD))


def _base64(raw: str) -> bytes:
    try:
        return b64decode(raw, validate=True)
    except ValueError as error:
        raise DecodingError(f"{shown(raw)} is not base64") from error


def _held(raw: float | Decimal, column: Column | None) -> float | str:
    """Return a number of JSON, as a DECIMAL's digits where no machine's number has them all."""
    if isinstance(raw, Decimal):
        double = float(raw)
        if column is None:
            return double if Decimal(repr(double)) == raw else f"{raw:f}"
        return f"{raw:f}" if column.kind is ColumnKind.DECIMAL else double
    beyond = isinstance(raw, int) and not -_LONG <= raw <= _LARGEST
    return str(raw) if beyond else raw


def _is_number(raw: object) -> TypeGuard[int | float | Decimal]:
    return isinstance(raw, int | float | Decimal) and not isinstance(raw, bool)


def _number(name: str, raw: object) -> int:
    if not isinstance(raw, int) or isinstance(raw, bool):
        raise DecodingError(f"column {name!r} is {shown(raw)}, not a whole number")
    return raw


_SCALE_DIGITS: Final = 5
_LONG, _LARGEST = 1 << 63, (1 << 64) - 1
# The URL-safe alphabet's two letters in the standard one.
_STANDARD: Final = str.maketrans("-_", "+/")
