"""The TiDB personality: a change log becomes the stream that TiCDC's encoders are given.

Rules, each with its source beside the code that keeps it:
* one event for each row of a transaction, split where a unique key changes (`store`, `split`);
* a table without a valid index is not replicated unless `force-replicate`;
* a DDL is broadcast to all partitions of its topic and a resolved mark at its commit ts follows
  (tiflow c7b2588 owner/ddl_sink.go:311);
* a case ends with a resolved mark strictly above its last commit on every partition, unless the
  scenario says otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import count

from harness.ddl import Catalogue, DdlJob
from harness.errors import StepError, UsageError
from harness.model.canonical import canonical
from harness.model.change import ChangeLog, DdlRun, Pin, Resolve, Transaction
from harness.model.mounted import DdlEvent, MountedRow, MountedTable, ResolvedMark, VendorEvent
from harness.model.record import Origin
from harness.model.reshape import reshape
from harness.model.table import Table, TableId
from harness.model.values import Row, Value
from harness.upstream.changefeed import Changefeed
from harness.upstream.clock import Clock
from harness.upstream.dispatch import partition_of, value_text
from harness.upstream.mount import eligible, mounted_table
from harness.upstream.replicated import replicated
from harness.upstream.split import split_updates
from harness.upstream.store import NetChange, TableStore, int_handle, signed


def mount(
    log: ChangeLog, feed: Changefeed, databases: Sequence[str] = (), *, end_resolved: bool = True
) -> tuple[VendorEvent, ...]:
    """Return what TiCDC's encoder is given for a change log, in emission order.

    Raises StepError, which names the scenario line, when a step cannot be replayed.
    """
    tidb = TiDB(feed, databases)
    events: list[VendorEvent] = []
    for step, change in enumerate(log.changes):
        try:
            match change:
                case DdlRun():
                    events += tidb.ddl(step, change)
                case Transaction():
                    events += tidb.transaction(step, change)
                case Resolve():
                    events += tidb.resolve(step, change)
        except StepError:
            raise
        except UsageError as error:
            raise StepError(
                error.what, line=change.line, expected=error.expected, hint=error.hint
            ) from error
        except ValueError as error:
            raise StepError(str(error), line=change.line) from error
    if end_resolved:
        last = log.changes[-1].line if log.changes else 1
        events += tidb.resolve(len(log.changes), Resolve(line=last))
    return tuple(events)


class TiDB:
    """One upstream cluster and the changefeed that watches it."""

    def __init__(self, feed: Changefeed, databases: Sequence[str] = ()) -> None:
        """Start with the given databases, empty."""
        self._feed = feed
        self._clock = Clock()
        self._catalogue = Catalogue.with_schemas(*databases)
        self._stores: dict[TableId, TableStore] = {}
        self._mounted: dict[TableId, MountedTable] = {}
        self._events = count()

    def ddl(self, step: int, run: DdlRun) -> Iterator[VendorEvent]:
        """Run a DDL statement: change catalogue and stored rows, emit what is replicated."""
        applied = self._catalogue.apply(run.sql, run.schema)
        self._catalogue = applied.catalogue
        commit_ts = self._clock.commit(run.pin.ts if run.pin else None)
        emitted = False
        for job in applied.jobs:
            before = self._mounted.pop(job.before.id, None) if job.before is not None else None
            after = mounted_table(job.after) if job.after is not None else None
            self._follow(job, after)
            if not replicated(job, force_replicate=self._feed.force_replicate):
                continue
            emitted = True
            origin = Origin(
                line=run.line,
                step=step,
                event=next(self._events),
                kind="ddl",
                table=f"{job.schema}.{job.table}" if job.table else job.schema,
                commit_ts=commit_ts,
            )
            yield DdlEvent(
                type=int(job.action),
                query=job.query,
                source=job.source,
                schema=job.schema,
                table=job.table,
                before=before,
                after=after,
                commit_ts=commit_ts,
                topic=self._feed.topic,
                partitions=self._feed.partitions,
                origin=origin,
                action=job.action.display_name.replace(" ", "_"),
            )
        if emitted:
            yield from self._marks(step, run.line, commit_ts, None)

    def transaction(self, step: int, transaction: Transaction) -> Iterator[VendorEvent]:
        """Commit a transaction: one event for each row that changed, table by table."""
        pin = transaction.pin or Pin()
        commit_ts = self._clock.commit(pin.ts)
        touched: dict[TableId, None] = {}
        for change in transaction.changes:
            store = self._stores.get(change.table)
            if store is None:
                raise StepError(f"table {change.table} does not exist", line=change.line)
            store.apply(change)
            touched[change.table] = None
        for table_id in sorted(touched, key=lambda t: self._stores[t].table.physical_id):
            store = self._stores[table_id]
            changes = split_updates(store.table, store.commit())
            if not eligible(store.table, force_replicate=self._feed.force_replicate):
                continue
            for net in changes:
                yield self._row(step, transaction.name, pin, net, commit_ts)

    def resolve(self, step: int, resolve: Resolve) -> Iterator[VendorEvent]:
        """Promise completeness on all partitions, or on those that the scenario names."""
        yield from self._marks(step, resolve.line, self._clock.mark(resolve.ts), resolve.partitions)

    def _marks(
        self, step: int, line: int, ts: int, partitions: Sequence[int] | None
    ) -> Iterator[ResolvedMark]:
        event = next(self._events)
        for partition in range(self._feed.partitions) if partitions is None else partitions:
            if partition >= self._feed.partitions:
                continue
            origin = Origin(line, step, event, "resolved", None, None, None, ts)
            yield ResolvedMark(ts, self._feed.topic, partition, origin)

    def _row(self, step: int, name: str, pin: Pin, change: NetChange, commit_ts: int) -> MountedRow:
        store = self._stores[change.change.table]
        table = self._mounted[store.table.id]
        image = change.before if change.after is None else change.after
        assert image is not None
        origin = Origin(
            line=change.change.line,
            step=step,
            event=next(self._events),
            kind=change.op.value,
            transaction=name,
            table=str(store.table.id),
            key=key_text(table, image),
            commit_ts=commit_ts,
        )
        return MountedRow(
            op=change.op,
            table=table,
            before=change.before,
            after=change.after,
            commit_ts=commit_ts,
            topic=self._feed.topic,
            partition=self._partition(pin, table, image, commit_ts),
            origin=origin,
            row_id=signed(int(change.key[0] or 0)) if int_handle(store.table) else 0,
        )

    def _partition(self, pin: Pin, table: MountedTable, image: Row, commit_ts: int) -> int:
        pinned = next((row.partition for row in pin.rows if _has(table, image, row.key)), None)
        pinned = pin.partition if pinned is None else pinned
        if pinned is not None:
            if pinned >= self._feed.partitions:
                raise UsageError(
                    f"a row is pinned to partition {pinned}",
                    expected=f"a partition below {self._feed.partitions}: they count from 0",
                )
            return pinned
        rule = self._feed.rule(table.table.id)
        return partition_of(rule, table, image, commit_ts, self._feed.partitions)

    def _follow(self, job: DdlJob, mounted: MountedTable | None) -> None:
        """Let the stored rows follow a schema change."""
        before, after = job.before, job.after
        store = self._stores.pop(before.id, None) if before is not None else None
        if after is None or mounted is None:
            if before is None and job.table == "":
                self._forget_dropped()
            return
        same_data = (
            store is not None and before is not None and before.physical_id == after.physical_id
        )
        if store is not None and same_data:
            store.reshape(after, lambda row: reshape(_known(before), after, row))
        else:
            store = TableStore(after)
        self._stores[after.id] = store
        self._mounted[after.id] = mounted

    def _forget_dropped(self) -> None:
        alive = {table.id for table in self._catalogue.tables()}
        for table_id in [table_id for table_id in self._stores if table_id not in alive]:
            del self._stores[table_id]


def _has(table: MountedTable, row: Row, wanted: Mapping[str, Value]) -> bool:
    """Tell whether the table has these columns and the row these values, in any spelling."""
    try:
        return all(
            row[table.table.position(name)] == canonical(table.table.column(name), value)
            for name, value in wanted.items()
        )
    except (KeyError, ValueError):
        return False


def _known(table: Table | None) -> Table:
    assert table is not None
    return table


def key_text(table: MountedTable, row: Row) -> str:
    """Return a row's handle key as text: `id=1,name=x`; the whole row without a handle."""
    ordinals = table.handle or table.emitted
    return ",".join(
        f"{column.name}={value_text(column.kind, row[i]).decode('utf-8', 'backslashreplace')}"
        for i in ordinals
        for column in [table.table.columns[i]]
    )
