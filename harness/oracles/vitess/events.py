"""VStream events of the source simulator as VTGate's messages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from harness.errors import UsageError
from harness.model.vstream import (
    Begin,
    Cells,
    Commit,
    CopyCompleted,
    Ddl,
    FieldEvent,
    FieldInfo,
    Heartbeat,
    Other,
    Passed,
    ShardGtid,
    VEvent,
    Vgtid,
    VRowEvent,
)
from harness.oracles.vitess.messages import Message, Messages

# The kinds of events by the number's name; what a PASSED event is, it says itself.
TYPES: Final = {
    Begin: "BEGIN",
    Commit: "COMMIT",
    CopyCompleted: "COPY_COMPLETED",
    Ddl: "DDL",
    FieldEvent: "FIELD",
    Heartbeat: "HEARTBEAT",
    Other: "OTHER",
    VRowEvent: "ROW",
    Vgtid: "VGTID",
}
TYPE_ENUM: Final = "binlogdata.VEventType"
NULL_LENGTH: Final = -1
# Vitess go/vt/vttablet/tabletserver/vstreamer/packet_size.go, defaultPacketSize.
PACKET: Final = 250_000


class UnknownToVersion(UsageError):  # noqa: N818 - it names what is unknown, not whose fault it is
    """The protocol of this version cannot say what a scenario needs."""


class EventWriter:
    """Writes events in one version of the protocol."""

    def __init__(self, messages: Messages) -> None:
        """Take the version's messages."""
        self._messages = messages

    def responses(self, events: Iterable[VEvent]) -> Iterator[Message]:
        """Yield the messages that carry events that belong together: one, unless they are many.

        As VTGate's own: vstreamer sends what it has once that is larger than a packet.
        """
        made, size = self._messages["vtgate.VStreamResponse"](), 0
        for event in events:
            added = self.event(event)
            if size and size + added.ByteSize() > PACKET:
                yield made
                made, size = self._messages["vtgate.VStreamResponse"](), 0
            made.events.append(added)
            size += added.ByteSize()
        yield made

    def event(self, event: VEvent) -> Message:
        """Return one event."""
        kind = event.type.value if isinstance(event, Passed) else TYPES[type(event)]
        made = self._messages["binlogdata.VEvent"](
            type=self._number(TYPE_ENUM, kind),
            timestamp=event.timestamp,
            keyspace=event.keyspace,
            shard=event.shard,
        )
        match event:
            case FieldEvent():
                made.field_event.CopyFrom(self._fields(event))
            case VRowEvent():
                made.row_event.CopyFrom(self._rows(event))
            case Vgtid():
                made.vgtid.shard_gtids.extend(map(self._gtid, event.shard_gtids))
            case Ddl() | Passed():
                made.statement = event.statement
            case _:
                pass
        return made

    def result(self, columns: Iterable[str], rows: Iterable[tuple[str, ...]]) -> Message:
        """Return the result of a query whose columns are all text."""
        fields = [self.field(FieldInfo(name, "VARCHAR", "varchar(255)")) for name in columns]
        made = [self.row(tuple(cell.encode() for cell in row)) for row in rows]
        return self._messages["query.QueryResult"](fields=fields, rows=made)

    def field(self, info: FieldInfo) -> Message:
        """Return a column's description."""
        return self._messages["query.Field"](
            name=info.name,
            type=self._number("query.Type", info.type),
            column_type=info.column_type,
            flags=info.flags,
            decimals=info.decimals,
            charset=info.charset,
        )

    def row(self, cells: Cells) -> Message:
        """Return a row's cells, their lengths apart from their bytes."""
        return self._messages["query.Row"](
            lengths=[NULL_LENGTH if cell is None else len(cell) for cell in cells],
            values=b"".join(cell or b"" for cell in cells),
        )

    def _fields(self, event: FieldEvent) -> Message:
        made = self._messages["binlogdata.FieldEvent"](
            table_name=event.table,
            fields=list(map(self.field, event.fields)),
            keyspace=event.keyspace,
            shard=event.shard,
        )
        if event.enum_set_string_values:
            made.enum_set_string_values = True
        return made

    def _rows(self, event: VRowEvent) -> Message:
        made = self._messages["binlogdata.RowEvent"](
            table_name=event.table, keyspace=event.keyspace, shard=event.shard
        )
        for change in event.changes:
            added = made.row_changes.add()
            if change.before is not None:
                added.before.CopyFrom(self.row(change.before))
            if change.after is not None:
                added.after.CopyFrom(self.row(change.after))
        return made

    def _gtid(self, gtid: ShardGtid) -> Message:
        made = self._messages["binlogdata.ShardGtid"](
            keyspace=gtid.keyspace, shard=gtid.shard, gtid=gtid.gtid
        )
        for reached in gtid.table_pks:
            last = made.table_p_ks.add(table_name=reached.table)
            last.lastpk.fields.extend(map(self.field, reached.fields))
            last.lastpk.rows.extend(map(self.row, reached.rows))
        return made

    def _number(self, enum: str, name: str) -> int:
        number = self._messages.number(enum, name)
        if number is None:
            raise UnknownToVersion(f"{enum} has no {name} in this version of Vitess's client")
        return number
