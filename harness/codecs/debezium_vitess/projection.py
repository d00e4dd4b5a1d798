"""What of a row Debezium Vitess tells: which events it sends, which columns, and what gets lost.

The truth that a consumer must reach is folded from this. The rules are stated here anew, from the
clauses, beside the connector's code that follows the same ones: an encoder that loses more than
these rules say is found out.

Source: vitess NOTES §5, §7; clauses `vitess.temporal.*`, `vitess.type.*`, `vitess.filter.*`.
"""

from __future__ import annotations

import hashlib
import re
from base64 import b64encode, urlsafe_b64encode
from calendar import monthrange
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, Final
from zoneinfo import ZoneInfo

from harness.codecs.debezium_vitess.connector.adjust import FIELD_NAMES
from harness.codecs.debezium_vitess.connector.enum_set import enum_text, members, set_text
from harness.codecs.debezium_vitess.connector.mappers import serialised
from harness.codecs.debezium_vitess.connector.selection import (
    column_filter,
    includes,
    table_filter,
)
from harness.codecs.debezium_vitess.connector.settings import Settings, read
from harness.codecs.debezium_vitess.reference import ZONE
from harness.model.canonical import canonical
from harness.model.change import Op
from harness.model.columns import BINARIES, CHARACTERS, Column, ColumnKind
from harness.model.reshape import zero_value
from harness.model.source_events import RowEvent, SourceTable
from harness.model.values import Row, Value

Teller = Callable[[RowEvent], RowEvent | None]

_LETTERS: Final[Mapping[Op, str]] = {Op.INSERT: "c", Op.UPDATE: "u", Op.DELETE: "d"}
_UNSUPPORTED: Final = frozenset({ColumnKind.BIT, ColumnKind.VECTOR})
_BINARY_TEXTS: Final[Mapping[str, Callable[[bytes], str]]] = {
    "hex": bytes.hex,
    "base64": lambda value: b64encode(value).decode(),
    "base64-url-safe": lambda value: urlsafe_b64encode(value).decode(),
}
# Texts by the column's full name: stars in their place, or their first UTF-16 units.
_MASK: Final = re.compile(r"column\.mask\.with\.(\d+)\.chars\Z")
_CUT: Final = re.compile(r"column\.truncate\.to\.(\d+)\.chars\Z")
_HASH: Final = re.compile(r"column\.mask\.hash\.([^.]+)\.with\.salt\.(.+)\Z")
_HASH_2: Final = re.compile(r"column\.mask\.hash\.v2\.([^.]+)\.with\.salt\.(.+)\Z")
_DAY: Final = timedelta(days=1)
_EPOCH: Final = datetime(1970, 1, 1)  # noqa: DTZ001 - MySQL's DATETIME has no zone
_JULIAN_GAP: Final = ("1582-10-05", "1582-10-14")
_MILLIS: Final = 3
# Java's zones know no transition before this year, nor datetime's arithmetic behind the other.
_ZONED_YEARS: Final = range(1900, 9999)


def teller(values: Mapping[str, Any]) -> Teller:
    """Return what makes of a row event the one that is told; None where none is sent."""
    own = {name: value for name, value in values.items() if not name.startswith("transforms")}
    settings = read(own)
    zone = str(values.get(ZONE, "UTC"))
    captured, included = table_filter(settings), column_filter(settings)
    rewrite = _rewriter(own)
    tolerant = settings.mode("event.processing.failure.handling.mode") in ("warn", "skip")
    texts = settings.mode("binary.handling.mode") in _BINARY_TEXTS
    known: dict[int, tuple[SourceTable, SourceTable]] = {}

    named = FIELD_NAMES[settings.mode("field.name.adjustment.mode")]

    def read_as(column: Column) -> Column:
        column = replace(column, name=named(column.name))
        if column.kind in _UNSUPPORTED:
            return replace(column, kind=ColumnKind.BLOB, nullable=True)
        if "" in column.members:  # what the connector takes for members is none of the table's
            return replace(column, kind=ColumnKind.VARCHAR, members=())
        # Nothing on the wire tells such a text from any other one.
        hidden = texts and column.kind in BINARIES
        return replace(column, kind=ColumnKind.VARCHAR) if hidden else column

    def shape(table: SourceTable) -> SourceTable:
        if id(table) not in known:
            name = table.table.id
            kept = tuple(
                ordinal
                for ordinal in table.emitted
                for column in [table.table.columns[ordinal]]
                if included(f"{name.schema}.{name.name}.{column.name}")
                and (column.kind not in _UNSUPPORTED or settings.flag("include.unknown.datatypes"))
            )
            told = replace(table.table, columns=tuple(map(read_as, table.table.columns)))
            known[id(table)] = (table, replace(table, table=told, emitted=kept))
        return known[id(table)][1]

    def tell(row: RowEvent) -> RowEvent | None:
        name = row.table.table.id
        if not captured(name.schema, name.name) or _LETTERS[row.op] in settings.skipped:
            return None
        if tolerant and _unreadable(row):
            return None
        table = shape(row.table)
        image = partial(
            _image, row.table, frozenset((*table.emitted, *table.handle)), settings, zone
        )
        before = rewrite(row.table, image(row.before))
        after = rewrite(row.table, image(row.after))
        silent = settings.flag("skip.messages.without.change")
        if silent and row.op is Op.UPDATE and _same(table, row):
            return None
        return replace(row, table=table, before=before, after=after)

    return tell


def _rewriter(values: Mapping[str, Any]) -> Callable[[SourceTable, Row | None], Row | None]:
    """Return what masks and cuts the texts of a row; keys and other kinds stay as they are."""
    rules: list[tuple[Callable[[str], bool], Callable[[Value], Value]]] = []
    for name, listed in values.items():
        if mask := _MASK.match(name):
            rules.append((includes(str(listed)), partial(_starred, int(mask[1]))))
        if cut := _CUT.match(name):
            rules.append((includes(str(listed)), partial(_shortened, int(cut[1]))))
        if salted := _HASH.match(name):
            rules.append(
                (includes(str(listed)), partial(_hashed, salted[1], salted[2], serialised))
            )
        if salted := _HASH_2.match(name):
            rules.append(
                (includes(str(listed)), partial(_hashed, salted[1], salted[2], str.encode))
            )

    def rewrite(table: SourceTable, row: Row | None) -> Row | None:
        if row is None or not rules:
            return row
        made = list(row)
        for ordinal, column in enumerate(table.table.columns):
            if column.kind in CHARACTERS and ordinal not in table.handle:
                name = f"{table.table.id.schema}.{table.table.id.name}.{column.name}"
                # The first rule that matches is the only one.
                change = next((change for matches, change in rules if matches(name)), None)
                made[ordinal] = row[ordinal] if change is None else change(row[ordinal])
        return tuple(made)

    return rewrite


def _starred(length: int, value: Value) -> Value:
    """Return stars in place of a text, and of NULL."""
    del value
    return "*" * length


def _hashed(algorithm: str, salt: str, form: Callable[[str], bytes], value: Value) -> Value:
    """Return the digest of salt and text in hexadecimal; NULL stays NULL."""
    if not isinstance(value, str):
        return value
    digest = hashlib.new(algorithm.lower().replace("-", "", 1), salt.encode() + form(value))
    return digest.hexdigest()


def _shortened(length: int, value: Value) -> Value:
    """Return a text's first UTF-16 units; a pair is not cut through in what a scenario says."""
    if not isinstance(value, str):
        return value
    return value.encode("utf-16-be")[: 2 * length].decode("utf-16-be", "ignore")


def _unreadable(row: RowEvent) -> bool:
    """Tell whether a cell is one that the connector fails to parse."""
    images = (row.before or (), row.after or ())
    return any(
        (column.kind is ColumnKind.SET and isinstance(value, int) and value >= 1 << 63)
        or (column.kind is ColumnKind.DATETIME and isinstance(value, str) and _partial(value))
        for image in images
        for column, value in zip(row.table.table.columns, image, strict=bool(image))
    )


def _partial(moment: str) -> bool:
    return (moment[5:7] == "00") != (moment[8:10] == "00")


def _same(table: SourceTable, row: RowEvent) -> bool:
    before, after = row.before or (), row.after or ()
    return all(before[ordinal] == after[ordinal] for ordinal in table.emitted)


def _image(
    table: SourceTable, sent: frozenset[int], settings: Settings, zone: str, row: Row | None
) -> Row | None:
    if row is None:
        return None
    return tuple(
        told_value(column, value, settings, zone) if ordinal in sent else None
        for ordinal, (column, value) in enumerate(zip(table.table.columns, row, strict=True))
    )


def told_value(column: Column, value: Value, settings: Settings, zone: str = "UTC") -> Value:
    """Return what a reader finds of a value; the value itself where nothing is lost."""
    if value is None:
        return None if column.nullable else told_value(column, _absent(column), settings, zone)
    mode = settings.mode("time.precision.mode")
    match column.kind:
        case ColumnKind.BIGINT if isinstance(value, int) and value >= 1 << 63:
            long = settings.mode("bigint.unsigned.handling.mode") == "long"
            return None if long else value
        case ColumnKind.DATE | ColumnKind.DATETIME if isinstance(value, str):
            return value if mode == "isostring" else _day(column, value, settings, zone)
        case ColumnKind.TIME if isinstance(value, str) and mode == "connect":
            return _of_day(column, value)
        case _:
            return _passed(column, value, settings)


def _passed(column: Column, value: Value, settings: Settings) -> Value:
    """Return a value of a kind whose form is decided by the column, not by the value."""
    as_text = _BINARY_TEXTS.get(settings.mode("binary.handling.mode"))
    if column.kind in _UNSUPPORTED:
        return None if as_text else _as_bytes(column, value)
    if isinstance(value, bytes):
        return value if as_text is None else as_text(value)
    if "" in column.members and isinstance(value, int):
        return _misread(column, value)
    return value


def _as_bytes(column: Column, value: Value) -> Value:
    """Return the bytes of an unsupported value's text, with U+FFFD for what is no UTF-8."""
    if isinstance(value, int):
        raw = value.to_bytes(((column.length or 1) + 7) // 8)
        return raw.decode(errors="replace").encode()
    return str(value).encode()


def _misread(column: Column, value: int) -> Value:
    """Return the member that the connector finds in a list that an empty member has spoiled."""
    listed = ",".join("'" + name.replace("'", "''") + "'" for name in column.members)
    names = members(f"{column.kind.value}({listed})")
    return enum_text(names, value) if column.kind is ColumnKind.ENUM else set_text(names, value)


def _absent(column: Column) -> Value:
    """Return what a NULL is told as where the column does not allow it."""
    if column.kind is ColumnKind.ENUM:
        return 0
    if column.kind is ColumnKind.TIMESTAMP:
        return canonical(column, "1970-01-01 00:00:00")
    return zero_value(column)


def _day(column: Column, value: str, settings: Settings, zone: str) -> Value:
    """Return a date or a moment as Java's calendars and the mode's unit leave it."""
    date, clock = value[:10], value[10:]
    if date.endswith("-00-00") or (column.kind is ColumnKind.DATE and "-00" in date[4:]):
        optional = column.nullable or settings.flag("override.datetime.to.nullable")
        return None if optional else canonical(column, f"1970-01-01{' 00:00:00' if clock else ''}")
    if column.kind is ColumnKind.DATE:
        return value
    if date.startswith("0000"):
        date = f"0001{date[4:]}"
    over = int(date[8:]) - monthrange(int(date[:4]), int(date[5:7]))[1]
    if over > 0:  # the month has no such day: it is one of the next month
        year, month = int(date[:4]) + int(date[5:7]) // 12, int(date[5:7]) % 12 + 1
        date = f"{year:04d}-{month:02d}-{over:02d}"
    moment = datetime.fromisoformat(date + clock)
    if _JULIAN_GAP[0] <= date <= _JULIAN_GAP[1]:
        moment += 10 * _DAY
    moment = _through(zone, moment)
    mode = settings.mode("time.precision.mode")
    if mode == "connect":
        moment = moment.replace(microsecond=moment.microsecond // 1000 * 1000)
    if mode == "nanoseconds":
        moment = _wrapped(moment)
    return canonical(column, moment.isoformat(" ", "microseconds" if column.fsp else "seconds"))


def _through(zone: str, moment: datetime) -> datetime:
    """Move a local time that the JVM's zone leaves out on by as much as it leaves out."""
    if zone == "UTC" or moment.year not in _ZONED_YEARS:
        return moment
    there = moment.replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)
    return there.astimezone(ZoneInfo(zone)).replace(tzinfo=None)


def _wrapped(moment: datetime) -> datetime:
    """Return what is left of a moment in 64 bits of nanoseconds."""
    nanos = (moment - _EPOCH) // timedelta(microseconds=1) * 1000
    left = (nanos + (1 << 63)) % (1 << 64) - (1 << 63)
    return _EPOCH + timedelta(microseconds=left // 1000)


def _of_day(column: Column, value: str) -> Value:
    """Return a TIME as milliseconds of a day can tell it: none outside of the day."""
    hours = int(value.split(":", maxsplit=1)[0].lstrip("-"))
    outside = value.startswith("-") or (hours > 23 and value[:8] != "24:00:00")
    if outside:
        return None if column.nullable else canonical(column, "00:00:00")
    whole, _, fraction = value.partition(".")
    return canonical(column, f"{whole}.{fraction[:_MILLIS]}" if fraction else whole)
