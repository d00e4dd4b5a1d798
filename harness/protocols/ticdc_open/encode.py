"""Vendor input to Kafka records: event JSON, then batches.

Key JSON in this order, what is empty left out: ts, scm, tbl, rid, ptn, t. Columns are sorted by the
bytes of their names, because TiCDC marshals a Go map. DDL and resolved events are never batched.

Source: TiCDC codec notes §2.1-2.3, 2.7; TiCDC Open Protocol, 2020, §Message format, §Event format.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from harness.errors import EncodingError
from harness.model.change import Op
from harness.model.columns import ColumnKind
from harness.model.mounted import DdlEvent, MountedRow, MountedTable, ResolvedMark, VendorEvent
from harness.model.record import Origin, Record
from harness.model.values import Row
from harness.protocols.ticdc_open.settings import Settings
from harness.protocols.ticdc_open.types import WRITERS, WRITERS_4_0_4, Writer
from harness.wire.framing import frame_keys, frame_values
from harness.wire.go_json import go_string

# tiflow c7b2588 pkg/sink/codec/common/message.go:31 MaxRecordOverhead, and the version's 8 bytes
# twice.
RECORD_OVERHEAD = 36
EVENT_OVERHEAD = 16
FIRST_EVENT_OVERHEAD = 24


@dataclass(frozen=True, slots=True)
class ColumnPlan:
    """One column as it will be written: ordinal, whether a handle, the text before `v`."""

    ordinal: int
    handle: bool
    prefix: str
    write: Writer


class Encoder:
    """Turns one changefeed's vendor input into records; keeps only prepared column texts."""

    def __init__(self, settings: Settings) -> None:
        """Take the changefeed's settings."""
        self._settings = settings
        self._plans: dict[int, tuple[MountedTable, tuple[ColumnPlan, ...], str]] = {}

    def encode(self, events: Iterable[VendorEvent]) -> Iterator[Record]:
        """Yield the records in emission order; EncodingError when a row exceeds the size limit.

        Rows are batched by partition until the batch is full or a DDL or resolved mark follows; the
        vendor's own batches also depend on timing (TiCDC codec notes §2.7).
        """
        batches: dict[tuple[str, int], Batch] = {}
        for event in events:
            match event:
                case MountedRow():
                    yield from self._add(batches, event)
                case DdlEvent():
                    yield from _flush(batches, event.topic)
                    yield from self._ddl(event)
                case ResolvedMark():
                    batch = batches.pop((event.topic, event.partition), None)
                    if batch is not None:
                        yield batch.record()
                    yield self._resolved(event)
        yield from _flush(batches, None)

    def _add(self, batches: dict[tuple[str, int], Batch], row: MountedRow) -> Iterator[Record]:
        key, value = self.row_key(row), self.row_value(row)
        limit = self._settings.max_message_bytes
        size = len(key) + len(value) + RECORD_OVERHEAD + FIRST_EVENT_OVERHEAD
        if size > limit:
            raise EncodingError(
                f"a row of {row.table.table.id} needs {size} bytes, max-message-bytes is {limit}",
                hint="raise max-message-bytes; here TiCDC stops with ErrMessageTooLarge",
            )
        place = (row.topic, row.partition)
        batch = batches.get(place)
        if batch is not None and not batch.takes(key, value, self._settings):
            yield batches.pop(place).record()
            batch = None
        if batch is None:
            batch = batches[place] = Batch(row.topic, row.partition)
        batch.add(key, value, row.origin)

    def row_key(self, row: MountedRow) -> bytes:
        """Return the event key's JSON."""
        _, _, names = self._plan(row.table)
        rid = f',"rid":{row.row_id}' if row.row_id and self._settings.dialect.row_id else ""
        ptn = (
            f',"ptn":{row.physical_id}' if row.physical_id and self._settings.dialect.row_id else ""
        )
        return f'{{"ts":{row.commit_ts}{names}{rid}{ptn},"t":1}}'.encode()

    def row_value(self, row: MountedRow) -> bytes:
        """Return the event value's JSON: `u`, `u` with `p`, or `d`."""
        plan = self._plan(row.table)[1]
        if row.op is Op.DELETE:
            assert row.before is not None
            handle_only = self._settings.delete_only_handle
            columns = [c for c in plan if c.handle] if handle_only else plan
            return f'{{"d":{_columns(columns, row.before)}}}'.encode()
        assert row.after is not None
        text = f'{{"u":{_columns(plan, row.after)}'
        if row.before is not None and self._settings.output_old_value:
            old: Iterable[ColumnPlan] = plan
            if self._settings.only_updated_columns:
                old = [c for c in plan if row.before[c.ordinal] != row.after[c.ordinal]]
            written = _columns(old, row.before)
            text += f',"p":{written}' if written != "{}" else ""
        return (text + "}").encode()

    def _plan(self, table: MountedTable) -> tuple[MountedTable, tuple[ColumnPlan, ...], str]:
        found = self._plans.get(id(table))
        if found is None:
            name = table.table.id
            names = f',"scm":{go_string(name.schema)},"tbl":{go_string(name.name)}'
            # The table is kept beside its plan, so that its identity cannot be reused.
            found = self._plans[id(table)] = (table, self._column_plans(table), names)
        return found

    def _column_plans(self, table: MountedTable) -> tuple[ColumnPlan, ...]:
        dialect = self._settings.dialect
        writers: Mapping[ColumnKind, Writer] = WRITERS_4_0_4 if dialect.text_base64 else WRITERS
        plans: list[tuple[bytes, ColumnPlan]] = []
        for ordinal in table.emitted:
            column = table.table.columns[ordinal]
            handle = ordinal in table.handle
            prefix = f'{go_string(column.name)}:{{"t":{table.codes[ordinal]}'
            prefix += ',"h":true' if handle else ""
            prefix += f',"f":{table.flags[ordinal]}' if dialect.flags else ""
            plan = ColumnPlan(ordinal, handle, prefix + ',"v":', writers[column.kind])
            plans.append((column.name.encode(), plan))
        return tuple(plan for _, plan in sorted(plans, key=lambda pair: pair[0]))

    def _ddl(self, event: DdlEvent) -> Iterator[Record]:
        scm = f',"scm":{go_string(event.schema)}' if event.schema else ""
        tbl = f',"tbl":{go_string(event.table)}' if event.table else ""
        query = event.query if self._settings.dialect.restored_query else event.source
        key = f'{{"ts":{event.commit_ts}{scm}{tbl},"t":2}}'.encode()
        value = f'{{"q":{go_string(query)},"t":{event.type}}}'.encode()
        for partition in range(event.partitions):
            yield Record(
                event.topic, partition, frame_keys([key]), frame_values([value]), (event.origin,)
            )

    def _resolved(self, mark: ResolvedMark) -> Record:
        key = f'{{"ts":{mark.ts},"t":3}}'.encode()
        return Record(
            mark.topic, mark.partition, frame_keys([key]), frame_values([b""]), (mark.origin,)
        )


class Batch:
    """The events that will share a message."""

    def __init__(self, topic: str, partition: int) -> None:
        """Start empty."""
        self.topic = topic
        self.partition = partition
        self._keys: list[bytes] = []
        self._values: list[bytes] = []
        self._origins: list[Origin] = []
        self._length = 8 + RECORD_OVERHEAD

    def takes(self, key: bytes, value: bytes, settings: Settings) -> bool:
        """Tell whether one more event may join."""
        if len(self._keys) >= settings.max_batch_size:
            return False
        return self._length + len(key) + len(value) + EVENT_OVERHEAD <= settings.max_message_bytes

    def add(self, key: bytes, value: bytes, origin: Origin) -> None:
        """Take an event."""
        self._keys.append(key)
        self._values.append(value)
        self._origins.append(origin)
        self._length += len(key) + len(value) + EVENT_OVERHEAD

    def record(self) -> Record:
        """Return the message."""
        key, value = frame_keys(self._keys), frame_values(self._values)
        return Record(self.topic, self.partition, key, value, tuple(self._origins))


def _flush(batches: dict[tuple[str, int], Batch], topic: str | None) -> Iterator[Record]:
    for place in sorted(batches):
        if topic is None or place[0] == topic:
            yield batches.pop(place).record()


def _columns(plans: Iterable[ColumnPlan], row: Row) -> str:
    parts: list[str] = []
    for plan in plans:
        value = row[plan.ordinal]
        parts.append(f"{plan.prefix}{'null' if value is None else plan.write(value)}}}")
    return "{" + ",".join(parts) + "}"
