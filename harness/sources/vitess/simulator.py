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
* shards may change after a transaction: positions, fields and rows then follow the new ones.

Source: Debezium Vitess connector notes §1, §2, §10 (vectors `ddl`, `tx`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count

from harness.ddl import Catalogue
from harness.errors import StepError, UsageError
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
    VEvent,
    Vgtid,
    VStreamResponse,
)
from harness.sources.tidb.mounter import source_table
from harness.sources.vitess.copy import Copy, Stored, finished
from harness.sources.vitess.fields import fields, key_ordinals
from harness.sources.vitess.message_keys import Keys
from harness.sources.vitess.place import shard_of
from harness.sources.vitess.position import Position
from harness.sources.vitess.rows import Committed, TableRows
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
        try:
            match change:
                case DdlRun():
                    cluster.ddl(step, change)
                case Transaction():
                    cluster.transaction(step, change)
                case Resolve():
                    pass  # VStream knows no resolved marks
        except StepError:
            raise
        except UsageError as error:
            raise StepError(
                error.what, line=change.line, expected=error.expected, hint=error.hint
            ) from error
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
        self._catalogue = Catalogue.with_schemas(*dict.fromkeys((topology.keyspace, *databases)))
        self._position = Position(topology.keyspace, topology.streamed)
        self._tables: dict[TableId, TableRows] = {}
        self._last: tuple[TableId, TableRows] | None = None
        self._described: dict[tuple[str, str], Table] = {}
        self._events = count()
        self._second = FIRST_SECOND
        # Set by the reshard at which the connector stops: nobody reads what follows.
        self._ended = False
        # What is there before the connector starts; None once it has started.
        self._stored = Stored() if topology.copied_after is not None else None
        if topology.copies and self._stored is None:
            self.responses.append(finished(topology.keyspace, topology.streamed))

    def ddl(self, step: int, run: DdlRun) -> None:
        """Run a statement everywhere; statements about other databases are not this stream's."""
        if self._ended:
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
            for shard in self._topology.streamed:
                self._position.advance(shard)
            for job in applied.jobs:
                self._stored.follow(job.before, job.after)
            return
        for shard in self._topology.streamed:
            origin = Origin(run.line, step, next(self._events), "ddl", commit_ts=second * 1000)
            position = Vgtid(self._position.advance(shard), second, keyspace, shard, origin)
            statement = Ddl(run.sql, second, keyspace, shard, origin)
            self.responses.append(VStreamResponse((position, statement)))

    def transaction(self, step: int, transaction: Transaction) -> None:
        """Commit a transaction on every shard that it touches, in the shards' order."""
        if self._ended:
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
        for shard in self._topology.streamed:
            if shard not in by_shard:
                continue
            if self._stored is not None:
                self._store(step, transaction, shard, second, by_shard[shard])
                continue
            events = self._committed(step, transaction, shard, second, by_shard[shard])
            self.responses.append(VStreamResponse(tuple(events)))
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
            copy = Copy(
                self._topology.keyspace,
                self._position.standing(),
                lambda table: self._mounted(table, transaction.line),
                lambda: next(self._events),
            )
            self.responses += copy.responses(self._stored, self.rows, start)
            self._stored = None
        after = self._topology.resharded.get(transaction.name)
        if after is not None:
            self._ended = self._topology.stops_at_reshard
            self._topology = replace(after, resharded=self._topology.resharded)
            self._position.reshard(after.streamed)

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
        yield Begin(second, keyspace, shard, begin)
        of = Committed(step, transaction.name, shard, second)
        for change in changes:
            rows = self._rows_of(change.table, change.line)
            table = rows.table.table
            if self._described.get((shard, rows.name)) is not table:
                self._described[shard, rows.name] = table
                infos = fields(table)
                yield FieldEvent(rows.name, infos, second, keyspace, shard, origin=begin)
            origin = rows.origin(change, of, next(self._events))
            if self._meant:
                self.rows += _meaning(rows.table, change, origin)
            yield rows.event(change, of, origin)
        end = self._origin(step, transaction, "end", second)
        yield Vgtid(self._position.advance(shard), second, keyspace, shard, end)
        yield Commit(second, keyspace, shard, end)

    def _origin(self, step: int, transaction: Transaction, kind: str, second: int) -> Origin:
        return quick_origin(
            transaction.line,
            step,
            next(self._events),
            kind,
            transaction.name,
            commit_ts=second * 1000,
        )

    def _mounted(self, table_id: TableId, line: int) -> SourceTable:
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
                raise StepError(f"table {table_id} does not exist", line=line) from None
            mounted = replace(source_table(table), handle=self._keys(table))
            known = self._tables[table_id] = TableRows(self._topology.keyspace, mounted)
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
