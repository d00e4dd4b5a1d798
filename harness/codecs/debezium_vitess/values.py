"""A column's Connect schema, and how its cells become Connect values.

A cell is parsed first (what fails there is the event's failure), then converted (what fails there
leaves the field null). Both are prepared once for each column of a FIELD event.

Source: V:VitessValueConverter.java, V:connection/ReplicationMessageColumnValueResolver.java,
C:jdbc/JdbcValueConverters.java; vitess NOTES §7; vectors 02_types.
"""

from __future__ import annotations

import re
import struct
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import partial
from types import MappingProxyType
from typing import Final
from zoneinfo import ZoneInfo

from harness.codecs.connect.errors import ILLEGAL_ARGUMENT, NUMBER_FORMAT, JavaError
from harness.codecs.connect.java import floating, integer, text
from harness.codecs.connect.schema import Schema, SchemaType
from harness.codecs.debezium import temporal
from harness.codecs.debezium.columns import ColumnType, Conversion, Jdbc, Parse
from harness.codecs.debezium.enum_set import enum_text, set_text
from harness.codecs.debezium.schemas import STRING, WHOLE_DECIMAL
from harness.codecs.debezium.settings import ConnectorSettings
from harness.codecs.debezium_vitess import temporal as texts
from harness.errors import UsageError

BYTES: Final = Schema(SchemaType.BYTES)
JSON: Final = Schema(SchemaType.STRING, name="io.debezium.data.Json", version=1)
YEAR: Final = Schema(SchemaType.INT32, name="io.debezium.time.Year", version=1)
ZONED: Final = Schema(SchemaType.STRING, name="io.debezium.time.ZonedTimestamp", version=1)
_NUMBER: Final = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\Z")
_PLAIN: Final = re.compile(rb"-?\d+(?:\.\d+)?(?:E[+-]\d+)?\Z")
_MIDPOINT: Final = 1 << 28


@dataclass(frozen=True, slots=True)
class ValueModes:
    """What the settings say about values, read once; `zone` is the JVM's, None for UTC."""

    time: str
    unsigned: str
    binary: str
    unknown: bool
    nullable_datetime: bool
    zone: ZoneInfo | None


def modes(settings: ConnectorSettings, zone: str) -> ValueModes:
    """Read the modes; UsageError for one that does not exist."""
    found = ValueModes(
        time=settings.mode("time.precision.mode"),
        unsigned=settings.mode("bigint.unsigned.handling.mode"),
        binary=settings.mode("binary.handling.mode"),
        unknown=settings.flag("include.unknown.datatypes"),
        nullable_datetime=settings.flag("override.datetime.to.nullable"),
        zone=None if zone == "UTC" else ZoneInfo(zone),
    )
    known = {*temporal.MODES, temporal.ISOSTRING}
    for name, value, allowed in (
        ("time.precision.mode", found.time, known),
        ("bigint.unsigned.handling.mode", found.unsigned, set(_UNSIGNED)),
        ("binary.handling.mode", found.binary, set(_BINARY_TEXTS) | {"bytes"}),
    ):
        if value not in allowed:
            raise UsageError(
                f"{name} cannot be {value!r}", expected="one of " + ", ".join(sorted(allowed))
            )
    return found


def _whole(bits: int) -> Parse:
    # Digits alone, too few to be out of range, are the commonest; the rest takes Java's way.
    digits = len(str(1 << bits - 1)) - 1

    def parse(raw: bytes) -> int:
        if len(raw) <= digits and raw.isdigit():
            return int(raw)
        return integer(text(raw), bits)

    return parse


def _float32(raw: bytes) -> float:
    """Round to 32 bits once, from the text: twice would move some halfway cases."""
    value = text(raw)
    wide = floating(value)
    try:
        narrow: float = struct.unpack("<f", struct.pack("<f", wide))[0]
    except OverflowError:
        return float("inf") if wide > 0 else float("-inf")
    bits: int = struct.unpack("<q", struct.pack("<d", wide))[0]
    if bits & (1 << 29) - 1 != _MIDPOINT:
        return narrow
    exact = Fraction(Decimal(value.strip().rstrip("fFdD")))
    if exact == Fraction(wide):
        return narrow
    nudged = bits + (1 if (exact > Fraction(wide)) == (wide > 0) else -1)
    moved: float = struct.unpack("<d", struct.pack("<q", nudged))[0]
    return float(struct.unpack("<f", struct.pack("<f", moved))[0])


def _float64(raw: bytes) -> float:
    return float(raw) if _PLAIN.match(raw) else floating(text(raw))


def _raw(raw: bytes) -> bytes:
    return raw


def _long(value: str) -> int:
    return integer(value, 64)


def _precise(value: str) -> Decimal:
    if not _NUMBER.match(value):
        raise JavaError(NUMBER_FORMAT, "Character array is missing \"exponent\" mark 'e' or 'E'.")
    number = Decimal(value)
    return number + (1 << 64) if number < 0 else number


_UNSIGNED: Mapping[str, Conversion] = MappingProxyType(
    {
        "string": Conversion(STRING, text, null=""),
        "long": Conversion(Schema(SchemaType.INT64), text, _long, 0, fails=True),
        # The zero is a Long, which a Decimal field refuses.
        "precise": Conversion(WHOLE_DECIMAL, text, _precise, None, fails=True),
    }
)
_BINARY_TEXTS: Mapping[str, Callable[[bytes], str]] = MappingProxyType(
    {
        "base64": lambda raw: b64encode(raw).decode(),
        "base64-url-safe": lambda raw: urlsafe_b64encode(raw).decode(),
        "hex": bytes.hex,
    }
)


def _binary(found: ValueModes) -> Conversion:
    if found.binary == "bytes":
        return Conversion(BYTES, _raw, null=b"")
    return Conversion(STRING, _raw, _BINARY_TEXTS[found.binary], "")


def _unknown(found: ValueModes) -> Conversion:
    """Bytes through a text and back; a mode of text does not fit the schema and leaves null."""
    if found.binary == "bytes":
        return Conversion(BYTES, text, lambda value: value.encode(), b"")
    return Conversion(BYTES, text, _nothing, None, fails=True)


def _nothing(value: str) -> None:
    del value


def _temporal(column: ColumnType, found: ValueModes) -> Conversion:
    if found.time == temporal.ISOSTRING:
        return Conversion(STRING, text, null="")
    mode = temporal.MODES[found.time]
    digits = min(max(column.length, 0), 9)
    if column.jdbc is Jdbc.DATE:
        return Conversion(mode.date.schema, texts.date, mode.date.convert, 0)
    if column.jdbc is Jdbc.TIME:
        form = mode.times[digits]
        convert = partial(_within_day, column, form) if found.time == "connect" else form.convert
        return Conversion(form.schema, texts.time, convert, 0, fails=True)
    form = mode.datetimes[digits]
    return Conversion(form.schema, partial(texts.moment, found.zone), form.convert, 0, fails=True)


def _within_day(column: ColumnType, form: temporal.TemporalType, nanos: int) -> int | None:
    try:
        return form.convert(nanos)
    except temporal.OutsideDay as outside:
        if column.optional:
            return None
        raise JavaError(
            ILLEGAL_ARGUMENT,
            f"Unexpected value for JDBC type {int(column.jdbc)} and column {column}: "
            "class=java.time.Duration",
        ) from outside


_SIMPLE: Mapping[Jdbc, Conversion] = MappingProxyType(
    {
        Jdbc.SMALLINT: Conversion(Schema(SchemaType.INT16), _whole(16), null=0),
        Jdbc.INTEGER: Conversion(Schema(SchemaType.INT32), _whole(32), null=0),
        Jdbc.BIGINT: Conversion(Schema(SchemaType.INT64), _whole(64), null=0),
        Jdbc.FLOAT: Conversion(Schema(SchemaType.FLOAT64), _float32, null=0.0),
        Jdbc.DOUBLE: Conversion(Schema(SchemaType.FLOAT64), _float64, null=0.0),
        Jdbc.VARCHAR: Conversion(STRING, text, null=""),
        Jdbc.TIMESTAMP_WITH_TIMEZONE: Conversion(ZONED, text, null="1970-01-01T00:00:00Z"),
    }
)
# The parsers of whole numbers with their bits, and of doubles: what a row writer may know better.
WHOLE: Mapping[Parse, int] = MappingProxyType(
    {
        _SIMPLE[Jdbc.SMALLINT].parse: 16,
        _SIMPLE[Jdbc.INTEGER].parse: 32,
        _SIMPLE[Jdbc.BIGINT].parse: 64,
    }
)
FLOAT64: Final[Parse] = _float64
_BINARIES: Final = frozenset({Jdbc.BINARY, Jdbc.BLOB})
_TEMPORALS: Final = frozenset({Jdbc.DATE, Jdbc.TIME, Jdbc.TIMESTAMP})


def _members(column: ColumnType, name: str, number: Callable[..., str]) -> Conversion:
    schema = Schema(
        SchemaType.STRING,
        name=name,
        version=1,
        parameters=(("allowed", ",".join(column.members)),),
    )
    if column.jdbc is Jdbc.VARCHAR:
        return Conversion(schema, text, null="")
    return Conversion(schema, _SIMPLE[column.jdbc].parse, partial(number, column.members), "")


def _of_type(column: ColumnType, found: ValueModes) -> Conversion | None:
    match column.type:
        case "JSON":
            return Conversion(JSON, text, null="")
        case "ENUM":
            return _members(column, "io.debezium.data.Enum", enum_text)
        case "SET":
            return _members(column, "io.debezium.data.EnumSet", set_text)
        case "YEAR":
            return replace(_SIMPLE[Jdbc.INTEGER], schema=YEAR)
        case "UINT64":
            return _UNSIGNED[found.unsigned]
        case _:
            return None


def conversion(column: ColumnType, found: ValueModes) -> Conversion | None:
    """Return how a column travels; None for one that is left out."""
    chosen = _of_type(column, found) or _SIMPLE.get(column.jdbc)
    if chosen is None and column.jdbc in _BINARIES:
        chosen = _binary(found)
    if chosen is None and column.jdbc in _TEMPORALS:
        chosen = _temporal(column, found)
    if chosen is None:
        if not found.unknown:
            return None
        chosen = _unknown(found)
    overridden = found.nullable_datetime and column.type in {"DATE", "DATETIME"}
    shown = column.optional or (overridden and found.time != temporal.ISOSTRING)
    chosen = replace(chosen, schema=replace(chosen.schema, optional=shown))
    if column.optional or overridden:
        return replace(chosen, null=None)
    return chosen
