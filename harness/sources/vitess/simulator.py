"""The Vitess source simulator: from a change log to VStream responses and row events.

Rules:
* one transaction of a scenario is one transaction on every shard that it touches, each complete
  before the next begins; a row stays in statement order, nothing is netted: MySQL's binary log
  keeps every row event;
* FIELD comes before the first row of a table in a stream and again after its shape changed, for
  each shard apart (Vitess vstreamer: a new table map);
* a DDL reaches every shard, each with a position of its own;
* a connector that starts with a copy hears the rows that are there before any change, and the end
  of the copy even where there is nothing to copy;
* shards may change after a transaction: positions, fields and rows then follow the new ones;
* each task of a connector has a stream of its own, whose positions are those of its shards;
* a connector that starts from a VGTID is sent nothing of what that includes;
* a connector with an include list asks for the tables that are there when it starts, by name, or
  for all where it finds none: of others, later ones too, it is sent neither rows nor statements.

Source: Debezium Vitess connector notes §1, §2, §10 (vectors `ddl`, `tx`);
V:connection/VitessReplicationConnection.java:295 startStreaming; Vitess
go/vt/vttablet/tabletserver/vstreamer/planbuilder.go mustSendDDL.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count

from harness.ddl import Catalogue, DdlJob
from harness.ddl.charsets import MYSQL_DEFAULT_CHARSET
from harness.errors import StepError, replaying
from harness.model.change import (
    Change,
    ChangeLog,
    DdlRun,
    Op,
    Pin,
    Resolve,
    RowChanged,
    Transaction,
)
from harness.model.record import Origin, quick_origin
from harness.model.source_events import RowEvent, SourceTable
from harness.model.table import Table, TableId
from harness.model.values import Row
from harness.model.vstream import (
    Begin,
    Commit,
    Ddl,
    FieldEvent,
    Other,
    ShardGtid,
    VEvent,
    Vgtid,
    VStreamResponse,
)
from harness.sources.message_keys import Keys
from harness.sources.stored import Stored
from harness.sources.tidb.mounter import source_table
from harness.sources.vitess.copy import Copy, finished
from harness.sources.vitess.fields import fields, key_ordinals
from harness.sources.vitess.place import shard_of
from harness.sources.vitess.position import Position
from harness.sources.vitess.rows import Committed, TableRows
from harness.sources.vitess.streams import opened, resharded
from harness.sources.vitess.topology import Topology

# 2019-05-28T08:58:24Z, as in the connector's own documentation; a second a transaction.
FIRST_SECOND = 1559033904


@dataclass(frozen=True, slots=True)
class Streamed:
    """VStream responses and the row events that they mean, both in order."""

    responses: tuple[VStreamResponse, ...]
    rows: tuple[RowEvent, ...]


def stream(
    log: ChangeLog,
    topology: Topology,
    databases: Sequence[str] = (),
    keys: Keys = key_ordinals,
) -> Streamed:
    """Return the stream of one keyspace for a change log; `databases` are there besides.

    `keys` finds the columns of a table that the connector takes for its key.

    Raises StepError, which names the scenario line, when a step cannot be replayed.
    """
    cluster = Cluster(topology, databases, keys)
    for _ in replayed(cluster, log.changes):
        pass
    return Streamed(tuple(cluster.responses), tuple(cluster.rows))


def replayed(cluster: Cluster, changes: Iterable[Change]) -> Iterator[None]:
    """Replay changes one by one; after each the cluster has emitted all of its events."""
    for step, change in enumerate(changes):
        with replaying(change.line):
            match change:
                case DdlRun():
                    cluster.ddl(step, change)
                case Transaction():
                    cluster.transaction(step, change)
                case Resolve():
                    pass  # VStream knows no resolved events
        yield


class Cluster:
    """One keyspace while its log is replayed."""

    def __init__(
        self,
        topology: Topology,
        databases: Sequence[str] = (),
        keys: Keys = key_ordinals,
        *,
        meant: bool = True,
    ) -> None:
        """Start with the keyspace, and the other databases, empty.

        Without `meant` nothing says what the rows of the stream stand for.
        """
        self._keys = keys
        self._meant = meant
        self.responses: list[VStreamResponse] = []
        self.rows: list[RowEvent] = []
        self._topology = topology
        schemas = dict.fromkeys((topology.keyspace, *databases))
        self._catalogue = Catalogue.with_schemas(*schemas, charset=MYSQL_DEFAULT_CHARSET)
        self._streams = opened(topology)
        self._position = Position(topology.keyspace, tuple(self._streams), topology.starts)
        self._tables: dict[TableId, TableRows] = {}
        self._last: tuple[TableId, TableRows] | None = None
        self._described: dict[tuple[str, str], Table] = {}
        self._events = count()
        self._second = FIRST_SECOND
        # The tables that the connector asks for by name, None for all of them.
        self._asked: frozenset[TableId] | None = None
        # What is there before the connector starts; None once it has started.
        self._stored = Stored() if topology.copied_after is not None else None
        if topology.copies and self._stored is None:
            for name, shards in self._tasks():
                self.responses.append(replace(finished(topology.keyspace, shards), only_shard=name))

    def ddl(self, step: int, run: DdlRun) -> None:
        """Run a statement everywhere; statements about other databases are not this stream's."""
        if not self._streams:
            return
        applied = self._catalogue.apply(run.sql, run.schema)
        self._catalogue = applied.catalogue
        self._tables.clear()
        self._last = None
        keyspace = self._topology.keyspace
        if all(job.schema != keyspace for job in applied.jobs):
            return
        second = self._tick()
        if self._stored is not None:
            for shard in self._streams:
                self._position.advance(shard)
            for job in applied.jobs:
                self._stored.follow(job, run.line)
            return
        for shard in self._streams:
            if self._position.passed(shard):
                continue
            origin = Origin(run.line, step, next(self._events), "ddl", commit_ts=second * 1000)
            position = Vgtid(self._advance(shard), second, keyspace, shard, origin)
            event: VEvent = Other(second, keyspace, shard, origin)
            if any(map(self._sends, applied.jobs)):
                event = Ddl(run.sql, second, keyspace, shard, origin)
            self.responses.append(VStreamResponse((position, event), self._streams[shard]))

    def transaction(self, step: int, transaction: Transaction) -> None:
        """Commit a transaction on every shard that it touches, in the shards' order."""
        if not self._streams:
            return
        second = self._tick()
        by_shard: dict[str, list[RowChanged]] = {}
        pin, topology = transaction.pin or Pin(), self._topology
        # Of the only shard there is nothing to find out.
        only = None if topology.sharded or transaction.pin else topology.shards[0]
        for change in transaction.changes:
            if change.table.schema == topology.keyspace:
                table = self._rows_of(change.table, change.line).table.table
                shard = only or shard_of(topology, table, change, pin)
                by_shard.setdefault(shard, []).append(change)
        for shard in self._streams:
            if shard not in by_shard:
                continue
            if self._stored is not None:
                self._store(step, transaction, shard, second, by_shard[shard])
                continue
            if self._position.passed(shard):
                continue
            events = self._committed(step, transaction, shard, second, by_shard[shard])
            self.responses.append(VStreamResponse(tuple(events), self._streams[shard]))
        self._turn(step, transaction, second)

    def _store(
        self,
        step: int,
        transaction: Transaction,
        shard: str,
        second: int,
        changes: Sequence[RowChanged],
    ) -> None:
        """Commit a transaction that nobody streams."""
        assert self._stored is not None
        self._position.advance(shard)
        for change in changes:
            origin = self._origin(step, transaction, change.op.value, second)
            made = replace(origin, line=change.line, table=str(change.table))
            self._stored.apply(shard, change, made)

    def _turn(self, step: int, transaction: Transaction, second: int) -> None:
        """Start the connector, or change the shards, if that is to happen after a transaction."""
        if self._stored is not None and transaction.name == self._topology.copied_after:
            start = replace(self._origin(step, transaction, "copy", second), commit_ts=0)
            self._asked = self._named()
            tables = [table.id for table in self._there() if self._asks(table.id)]
            for name, shards in self._tasks():
                copy = Copy(
                    self._topology.keyspace,
                    tuple(gtid for gtid in self._position.standing() if gtid.shard in shards),
                    tables,
                    lambda table: self._source_table(table, transaction.line),
                    lambda: next(self._events),
                )
                for response in copy.responses(self._stored, self.rows, start):
                    self.responses.append(replace(response, only_shard=name))
            self._stored = None
        lost = self._topology.failovers.get(transaction.name)
        if lost is not None:
            self._position.fail_over(lost=lost)
        after = self._topology.resharded.get(transaction.name)
        if after is not None:
            before = self._topology
            self._streams = resharded(self._streams, before, after)
            self._topology = replace(
                after,
                resharded=before.resharded,
                failovers=before.failovers,
                lasting=before.lasting,
                listed=before.listed,
                stops_at_reshard=before.stops_at_reshard,
            )
            self._position.reshard(tuple(self._streams))

    def _committed(
        self,
        step: int,
        transaction: Transaction,
        shard: str,
        second: int,
        changes: Sequence[RowChanged],
    ) -> Iterator[VEvent]:
        keyspace = self._topology.keyspace
        begin = self._origin(step, transaction, "begin", second)
        # MySQL logs BEGIN with the time of the first statement.
        first = second - self._topology.lasting.get(transaction.name, 0)
        yield Begin(first, keyspace, shard, begin)
        of = Committed(step, transaction.name, shard, second)
        for change in changes:
            rows = self._rows_of(change.table, change.line)
            table = rows.table.table
            if not self._asks(table.id):
                continue
            if self._described.get((shard, rows.name)) is not table:
                self._described[shard, rows.name] = table
                infos = fields(table)
                yield FieldEvent(rows.name, infos, second, keyspace, shard, origin=begin)
            origin = rows.origin(change, of, next(self._events))
            if self._meant:
                self.rows += _meaning(rows.table, change, origin)
            yield rows.event(change, of, origin)
        end = self._origin(step, transaction, "end", second)
        yield Vgtid(self._advance(shard), second, keyspace, shard, end)
        yield Commit(second, keyspace, shard, end)

    def _named(self) -> frozenset[TableId] | None:
        """Return the tables that a connector asks for by name, None where it asks for all."""
        listed = self._topology.listed
        if listed is None:
            return None
        return frozenset(t.id for t in self._there() if listed(t.id.name)) or None

    def _there(self) -> list[Table]:
        """Return the keyspace's tables."""
        tables = (table for table in self._catalogue.tables() if not table.is_view)
        return [table for table in tables if table.id.schema == self._topology.keyspace]

    def _asks(self, table: TableId) -> bool:
        return self._asked is None or table in self._asked

    def _sends(self, job: DdlJob) -> bool:
        """Return whether a statement is sent: none of a database is."""
        names = (TableId(job.schema, job.table), TableId(job.old_schema, job.old_table))
        return bool(job.table) and any(map(self._asks, names))

    def _tasks(self) -> Iterator[tuple[str | None, list[str]]]:
        """Yield each task's stream with its shards."""
        for name in dict.fromkeys(self._streams.values()):
            yield name, [shard for shard, of in self._streams.items() if of == name]

    def _advance(self, shard: str) -> tuple[ShardGtid, ...]:
        """Count a commit on a shard; return the position behind it over its stream's shards."""
        name = self._streams[shard]
        return tuple(
            gtid for gtid in self._position.advance(shard) if self._streams[gtid.shard] == name
        )

    def _origin(self, step: int, transaction: Transaction, kind: str, second: int) -> Origin:
        return quick_origin(
            transaction.line,
            step,
            next(self._events),
            kind,
            transaction.name,
            commit_ts=second * 1000,
        )

    def _source_table(self, table_id: TableId, line: int) -> SourceTable:
        return self._rows_of(table_id, line).table

    def _rows_of(self, table_id: TableId, line: int) -> TableRows:
        """Return what makes a table's events; StepError for a table that is not there."""
        if self._last is not None and self._last[0] is table_id:
            return self._last[1]
        known = self._tables.get(table_id)
        if known is None:
            try:
                table = self._catalogue.table(table_id)
            except KeyError:
                raise StepError(
                    f"table {table_id} does not exist",
                    line=line,
                    expected="a table that an earlier step has made",
                ) from None
            keyed = replace(source_table(table), handle=self._keys(table))
            known = self._tables[table_id] = TableRows(self._topology.keyspace, keyed)
        self._last = (table_id, known)
        return known

    def _tick(self) -> int:
        self._second += 1
        return self._second - 1


def _meaning(table: SourceTable, change: RowChanged, origin: Origin) -> list[RowEvent]:
    """Return a change as row events; one that moves the key is a delete and an insert."""
    row = RowEvent(change.op, table, change.before, change.after, origin.commit_ts, "", 0, origin)
    before, after = change.before, change.after
    if before is None or after is None or not table.handle:
        return [row]
    if _key(table, before) == _key(table, after):
        return [row]
    return [
        replace(row, op=Op.DELETE, after=None),
        replace(row, op=Op.INSERT, before=None),
    ]


def _key(table: SourceTable, row: Row) -> Row:
    return tuple(row[ordinal] for ordinal in table.handle)
