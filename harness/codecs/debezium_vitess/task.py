"""One task: the responses of one stream in, Connect records out.

Source: V:VitessStreamingChangeEventSource.java, V:connection/VStreamOutputMessageDecoder.java,
C:pipeline/EventDispatcher.java, C:relational/RelationalChangeRecordEmitter.java; vitess NOTES §1 to
§10.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Final

from harness.codecs.connect.errors import (
    CONNECT_EXCEPTION,
    ILLEGAL_ARGUMENT,
    ILLEGAL_STATE,
    JavaError,
)
from harness.codecs.connect.java import map_text, split
from harness.codecs.connect.schema import Offset
from harness.codecs.debezium.columns import ColumnType
from harness.codecs.debezium.emitter import Emitted
from harness.codecs.debezium.errors import ConnectorFailed
from harness.codecs.debezium.tables import TableShape
from harness.codecs.debezium.topics import TableKey
from harness.codecs.debezium_vitess.assembly import EventBuffer
from harness.codecs.debezium_vitess.emission import VitessEmitter
from harness.codecs.debezium_vitess.errors import broken_stream, while_processing
from harness.codecs.debezium_vitess.quoted_names import CellSources, cell_sources, moved
from harness.codecs.debezium_vitess.types import column_of
from harness.codecs.debezium_vitess.vgtid import VgtidPosition, position
from harness.codecs.debezium_vitess.vstream_text import row_text, table_name
from harness.model.record import Origin
from harness.model.vstream import (
    Begin,
    Cells,
    Commit,
    CopyCompleted,
    Ddl,
    FieldEvent,
    Heartbeat,
    Other,
    RowChange,
    VEvent,
    VRowEvent,
    VStreamResponse,
)

SECOND: Final = 1_000_000_000
NOWHERE: Final = Origin(line=0, step=0, event=0, kind="vstream")


@dataclass(slots=True)
class Task:
    """The state of one stream; `copying` while its tables are being copied."""

    emitter: VitessEmitter
    keyspace: str
    copying: bool
    shards: frozenset[str] | None = None
    assembly: EventBuffer = field(default_factory=EventBuffer)
    shapes: dict[TableKey, TableShape] = field(default_factory=dict[TableKey, TableShape])
    names: dict[tuple[str, str], TableKey | None] = field(
        default_factory=dict[tuple[str, str], "TableKey | None"]
    )
    sources: dict[TableKey, CellSources | None] = field(
        default_factory=dict[TableKey, "CellSources | None"]
    )
    position: VgtidPosition | None = None
    last: VgtidPosition | None = None

    def feed(self, response: VStreamResponse) -> Iterator[Emitted]:
        """Yield the records that a response completes.

        Raises ConnectorFailed where the task stops, after the records before that.
        """
        failure: ConnectorFailed | None = None
        try:
            self._respond(response)
        except ConnectorFailed as failed:
            failure = failed
        except JavaError as error:
            failure = while_processing(error)
        yield from self.emitter.taken()
        if failure is not None:
            raise failure

    def _respond(self, response: VStreamResponse) -> None:
        if response.error is not None:
            raise broken_stream(response.error.status, response.error.description)
        batch = self.assembly.feed(response)
        if batch is None:
            return
        self.position = None
        if batch.vgtid is not None:
            documented = self.emitter.dialect.documented
            self.position = position(batch.vgtid.shard_gtids, documented=documented)
        # A writer is fast with many rows at once; the stream often has one row an event.
        joined = self.emitter.writer is not None
        for event in _joined(batch.events) if joined else batch.events:
            if isinstance(event, CopyCompleted):
                self.copying = False
            self._handle(event)

    def _handle(self, event: VEvent) -> None:
        match event:
            case VRowEvent():
                self._rows(event)
            case FieldEvent():
                self._fields(event)
            case Begin():
                self._begin(event)
            case Commit():
                self._commit(event)
            case Other():
                self._remember()
                self.emitter.state.rotate(self.position, event.timestamp * SECOND)
            case Ddl():
                self._ddl(event)
            case Heartbeat():
                self.emitter.heartbeat(event.origin or NOWHERE)
            case _:
                pass

    def _remember(self) -> None:
        """Keep the position as the transaction's id; without one the last id stays."""
        if self.position is not None:
            self.last = self.position

    def _begin(self, event: Begin) -> None:
        self._remember()
        if self.last is None:
            return
        self.emitter.state.rotate(self.position, event.timestamp * SECOND)
        self.emitter.begin(self.last, event.shard, event.timestamp, event.origin or NOWHERE)

    def _commit(self, event: Commit) -> None:
        if self.last is None:
            return
        self.emitter.state.reset(self.position, event.timestamp * SECOND)
        self.emitter.commit(event.timestamp, event.origin or NOWHERE)
        self.emitter.heartbeat(event.origin or NOWHERE)

    def _ddl(self, event: Ddl) -> None:
        self._remember()
        state = self.emitter.state
        state.rotate(self.position, event.timestamp * SECOND)
        state.shard = event.shard
        if not self.emitter.schema_changes:
            return
        key = TableKey(event.shard, event.keyspace, table_name(event.statement))
        state.timestamp = event.timestamp * SECOND
        self.emitter.records.schema_change(
            key, self.keyspace, event.statement, event.origin or NOWHERE
        )

    def _key(self, table: str, shard: str) -> TableKey | None:
        """Return a table's key; None for a name that is not `keyspace.table`."""
        if (table, shard) not in self.names:
            parts = split(table, ".")
            key = TableKey(shard, *parts) if len(parts) == 2 else None
            self.names[table, shard] = key
        return self.names[table, shard]

    def _fields(self, event: FieldEvent) -> None:
        key = self._key(event.table, event.shard)
        if key is None:
            return
        texts = self.copying or event.enum_set_string_values
        columns: list[ColumnType] = []
        for info in event.fields:
            _check_name(info.name, key)
            columns.append(column_of(info, texts=texts))
        if self.emitter.included(key):
            self.shapes[key] = self.emitter.shaper.shape(key, columns)
            self.sources[key] = cell_sources(columns)

    def _rows(self, event: VRowEvent) -> None:
        key = self._key(event.table, event.shard)
        if key is None:
            return
        shape, sources = self.shapes.get(key), self.sources.get(key)
        if sources is not None:
            event = replace(event, changes=tuple(moved(one, sources) for one in event.changes))
        if shape is not None:
            self._stand(key)
            if self.emitter.written(shape, event):
                return
        for change in event.changes:
            if change.before is None and change.after is None:
                continue
            if shape is not None:
                width = len(shape.columns)
                for cells in (change.before, change.after):
                    if cells is not None and len(cells) != width:
                        raise _miscounted(shape, cells)
            self._row(key, shape, change, change.origin or event.origin or NOWHERE)

    def _stand(self, key: TableKey) -> None:
        """Note where and when a row was changed."""
        state, commit = self.emitter.state, self.assembly.commit
        state.timestamp = None if commit is None else commit * SECOND
        state.shard = key.catalog

    def _row(
        self, key: TableKey, shape: TableShape | None, change: RowChange, origin: Origin
    ) -> None:
        emitter = self.emitter
        self._stand(key)
        if shape is None and not emitter.included(key):
            emitter.heartbeat(origin)
            return
        try:
            emitter.change(_known(key, shape), change, origin)
        except JavaError as error:
            if emitter.failure_mode == "fail":
                raise _at_offset(emitter.state.offset(), error) from error
            return
        emitter.heartbeat(origin)


def _joined(events: Iterable[VEvent]) -> Iterator[VEvent]:
    """Yield events, ROW events of one table that follow each other as one."""
    for place, stretch in groupby(events, _place):
        if place is None:
            yield from stretch
            continue
        rows = [event for event in stretch if isinstance(event, VRowEvent)]
        if len(rows) == 1:
            yield rows[0]
            continue
        changes = tuple(
            change if change.origin is not None else replace(change, origin=event.origin)
            for event in rows
            for change in event.changes
        )
        yield replace(rows[0], changes=changes, origin=None)


def _place(event: VEvent) -> tuple[str, str] | None:
    return (event.table, event.shard) if isinstance(event, VRowEvent) else None


def _known(key: TableKey, shape: TableShape | None) -> TableShape:
    if shape is None:
        raise JavaError(ILLEGAL_ARGUMENT, f"No metadata registered for captured table {key}")
    return shape


def _at_offset(offset: Offset, error: JavaError) -> JavaError:
    return JavaError(
        CONNECT_EXCEPTION, f"Error while processing event at offset {map_text(offset)}", error
    )


def _check_name(name: str, key: TableKey) -> None:
    if not name:
        raise JavaError(
            ILLEGAL_ARGUMENT,
            f"Empty column name from schema: {key.schema}, table: {key.table}",
        )
    if name.startswith("@"):
        raise JavaError(
            ILLEGAL_ARGUMENT,
            f"Illegal prefix '@' for column: {name}, from schema: {key.schema}, table: {key.table}",
        )


def _miscounted(shape: TableShape, cells: Cells) -> JavaError:
    return JavaError(
        ILLEGAL_STATE,
        f"The number of columns in the ROW event {row_text(cells)} is different from the "
        f"in-memory table schema {shape}.",
    )
