"""What our decoder reads in the messages of an Avro vector, beside the rows that they encode.

Time zones are those of the session that ran the SQL, and of the CDC server.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

from harness.codecs.avro.decode import decode
from harness.codecs.avro.names import sanitised
from harness.codecs.avro.settings import AvroSettings
from harness.contracts import SchemaRegistry
from harness.model.canonical import canonical
from harness.model.change import Op
from harness.model.decoded import EventKind
from harness.model.source_events import RowEvent
from harness.model.values import Row, Value
from harness.truth.result import Difference, Vector, section

_OFFSET = re.compile(r"([+-])(\d\d):(\d\d)\Z")
_FORM = "%Y-%m-%d %H:%M:%S"
# What else a literal may look like.
_FORMS = (_FORM, "%Y-%m-%d", "%Y%m%d%H%M%S", "%Y%m%d")


def session_to_utc(moment: str, zone: str) -> str:
    """Return a TIMESTAMP literal of a session in UTC; what is no moment stays as it is."""
    return _in_utc(moment, _zone(zone))


def server_to_utc(zone: str) -> Callable[[str], str]:
    """Return the function that makes UTC of the TIMESTAMPs that a CDC server prints."""
    named_zone = _zone(zone)
    return lambda moment: _in_utc(moment, named_zone)


def utc_to_server(moment: str, zone: str) -> str:
    """Return a TIMESTAMP of UTC as a CDC server of a time zone prints it; the zero date stays."""
    text, point, fraction = moment.partition(".")
    try:
        utc = datetime.strptime(text, _FORM).replace(tzinfo=UTC)
    except ValueError:
        return moment
    return utc.astimezone(_zone(zone)).strftime(_FORM) + point + fraction


def _zone(name: str) -> tzinfo:
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
    to_utc = server_to_utc(str(section(vector, "config").get("cdc_tz") or "UTC"))
    for number, (row, event) in enumerate(zip(rows, vector["events"], strict=True)):
        if "encode_error" in event:
            continue
        key, value = _raw(event["key_hex"]), _raw(event["value_hex"])
        (read,) = decode(key, value, bound, registry, to_utc)
        image = row.before if row.after is None else row.after
        expected = {
            "kind": _kind(row, bound),
            "commit_ts": row.commit_ts if bound.extension and row.after is not None else 0,
            "key": _named(row, row.table.handle, image),
            "after": _named(row, row.table.emitted, row.after),
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


def _named(row: RowEvent, ordinals: Sequence[int], image: Row | None) -> Mapping[str, Value] | None:
    if image is None:
        return None
    return {sanitised(row.table.table.columns[n].name): image[n] for n in ordinals}


def _settled(row: RowEvent, read: Mapping[str, Value] | None) -> Mapping[str, Value] | None:
    """Return decoded values as the columns have them: a name that is not certain becomes one."""
    if read is None:
        return None
    columns = {sanitised(column.name): column for column in row.table.table.columns}
    return {
        name: canonical(columns[name], value) if columns[name].members else value
        for name, value in read.items()
    }
