"""What our decoder reads in the messages of an Avro vector, beside the rows that they encode."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from harness.codecs.avro.decode import decode
from harness.codecs.avro.names import sanitised
from harness.codecs.avro.settings import AvroSettings
from harness.contracts import SchemaRegistry
from harness.model.canonical import canonical
from harness.model.change import Op
from harness.model.decoded import EventKind
from harness.model.source_events import RowEvent
from harness.model.values import Row, Value
from harness.truth.avro_zones import server_to_utc
from harness.truth.result import Difference, Vector, section

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
