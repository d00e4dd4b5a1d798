"""What our decoder reads in the messages of an Avro vector, beside the rows that they encode.

Time zones are those of the session that ran the SQL, and of the CDC server.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import cast
from zoneinfo import ZoneInfo

from harness.codecs.avro.decode import decode
from harness.codecs.avro.names import sanitised
from harness.codecs.avro.settings import AvroSettings
from harness.contracts import SchemaRegistry
from harness.model.canonical import canonical
from harness.model.change import Op
from harness.model.columns import Column, ColumnKind
from harness.model.decoded import EventKind
from harness.model.source_events import RowEvent
from harness.model.values import Row, Value
from harness.model.zones import from_utc, to_utc
from harness.truth.result import Difference, Vector

_OFFSET = re.compile(r"([+-])(\d\d):(\d\d)\Z")
_FORM = "%Y-%m-%d %H:%M:%S"
# What else a literal may look like.
_FORMS = (_FORM, "%Y-%m-%d", "%Y%m%d%H%M%S", "%Y%m%d")


def session_to_utc(moment: str, zone: str) -> str:
    """Return a TIMESTAMP literal of a session in UTC; what is no moment stays as it is."""
    return _in_utc(moment, zone_of(zone))


def utc_to_server(moment: str, zone: str) -> str:
    """Return a TIMESTAMP of UTC as a CDC server of a time zone prints it; the zero date stays."""
    return from_utc(zone_of(zone))(moment)


def zone_of(name: str) -> tzinfo:
    """Return a zone by its name, or by its offset such as +08:00."""
    found = _OFFSET.match(name)
    if found is None:
        return ZoneInfo(name)
    offset = timedelta(hours=int(found[2]), minutes=int(found[3]))
    return timezone(-offset if found[1] == "-" else offset)


def _in_utc(moment: str, zone: tzinfo) -> str:
    text, point, fraction = moment.partition(".")
    for form in _FORMS:
        try:
            local = datetime.strptime(text, form).replace(tzinfo=zone)
        except ValueError:
            continue
        return local.astimezone(UTC).strftime(_FORM) + point + fraction
    return moment


_KINDS = {Op.INSERT: EventKind.INSERT, Op.UPDATE: EventKind.UPDATE}


def readings(
    vector: Vector, rows: Sequence[RowEvent], bound: AvroSettings, registry: SchemaRegistry
) -> Iterator[Difference]:
    """Yield where a decoded message is not the row that it encodes."""
    for number, (row, event) in enumerate(zip(rows, vector["events"], strict=True)):
        if "encode_error" in event:
            continue
        key, value = _raw(event["key_hex"]), _raw(event["value_hex"])
        (read,) = decode(key, value, bound, registry)
        image = row.before if row.after is None else row.after
        expected = {
            "kind": _kind(row, bound),
            "commit_ts": row.commit_ts if bound.extension and row.after is not None else 0,
            "key": _named(row, row.table.handle, image, bound),
            "after": _named(row, row.table.emitted, row.after, bound),
        }
        found = {
            "kind": read.kind,
            "commit_ts": read.commit_ts,
            "key": _settled(row, read.key),
            "after": _settled(row, read.after),
        }
        for name, theirs in expected.items():
            if found[name] != theirs:
                yield Difference(f"reading[{number}].{name}", str(found[name]), str(theirs))


def _raw(text: str | None) -> bytes | None:
    return None if text is None else bytes.fromhex(text)


def _kind(row: RowEvent, bound: AvroSettings) -> EventKind:
    if row.after is None:
        return EventKind.DELETE
    return _KINDS[row.op] if bound.extension else EventKind.UPSERT


def _named(
    row: RowEvent, ordinals: Sequence[int], image: Row | None, bound: AvroSettings
) -> Mapping[str, Value] | None:
    if image is None:
        return None
    columns = [(row.table.table.columns[n], image[n]) for n in ordinals]
    return {sanitised(column.name): _in_utc_of(bound, column, raw) for column, raw in columns}


def _in_utc_of(bound: AvroSettings, column: Column, value: Value) -> Value:
    moment = column.kind is ColumnKind.TIMESTAMP and isinstance(value, str)
    return to_utc(bound.zone)(cast("str", value)) if moment else value


def _settled(row: RowEvent, read: Mapping[str, Value] | None) -> Mapping[str, Value] | None:
    """Return decoded values as the columns have them: a name that is not certain becomes one."""
    if read is None:
        return None
    columns = {sanitised(column.name): column for column in row.table.table.columns}
    return {
        name: canonical(columns[name], value) if columns[name].members else value
        for name, value in read.items()
    }
