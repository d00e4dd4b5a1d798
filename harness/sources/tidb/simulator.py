"""The TiDB source simulator: a change log becomes the stream that TiCDC's encoders are given.

Rules, each with its source beside the code that keeps it:
* what filters and a missing valid index leave out (`puller`, `change_filter`, `eligibility`);
* one event for each row of a transaction, filtered, then split where a unique key changes, in the
  newer architecture the other way round (`store`, `split`, `rows`), each to its topic and partition
  (`dispatcher`, `dispatch`);
* a DDL is broadcast to all partitions of its topic, chosen by the table's old name, and a resolved
  event at its commit ts follows on every topic (tiflow c7b2588 owner/ddl_sink.go:311);
* a changefeed may stop with an error: what was sent before stands, and ends with a resolved event
  just below the commit ts at which it stopped;
* else a case ends with a resolved event strictly above its last commit on every partition of every
  topic, unless the scenario says otherwise.

The start ts of a transaction or DDL is its commit ts less one, the latest that there can be.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count

from harness.ddl.change import full_name
from harness.ddl.feature_comments import with_feature_comments
from harness.ddl.jobs import ActionType
from harness.errors import SourceStopped, StepError, replaying
from harness.model.change import Change, ChangeLog, DdlRun, Op, Pin, Resolve, Transaction
from harness.model.record import Origin
from harness.model.source_events import (
    ChangefeedStopped,
    DdlEvent,
    ResolvedEvent,
    RowEvent,
    SourceEvent,
)
from harness.model.table import Table, TableId
from harness.sources.clock import Clock
from harness.sources.decision import SINK, Decision, Explained, stop
from harness.sources.tidb.changefeed import Changefeed
from harness.sources.tidb.cluster import Cluster, RanJob
from harness.sources.tidb.ddl_filter import SYNTAX, filter_ddl
from harness.sources.tidb.dispatcher import Dispatcher
from harness.sources.tidb.eligibility import UNCODED
from harness.sources.tidb.puller import RENAME_FAILED, Puller
from harness.sources.tidb.rows import Committed, TableRows
from harness.sources.tidb.server_zone import printer
from harness.sources.tidb.store import NetChange

# What an author can do about an error, where the words do not say it.
_REMEDIES = {
    UNCODED: "set `force-replicate: true`, or keep a valid index",
    SYNTAX: "write the partition's name without backquotes",
    RENAME_FAILED: "let filter.rules cover the old name as well",
}


@dataclass(frozen=True, slots=True)
class Mounted:
    """What a changefeed sends for a change log, in emission order, and how it was decided.

    `stopped` is the error that ended it, None when it goes on; `decisions` holds what became
    of each DDL job and each row change, in order.
    """

    events: tuple[SourceEvent, ...]
    stopped: ChangefeedStopped | None = None
    decisions: tuple[Explained, ...] = ()


def unexpected(stopped: ChangefeedStopped) -> StepError:
    """Return the error for an author who did not mean the changefeed to stop."""
    return StepError(
        f"the changefeed stops with {stopped.code}: {stopped.what}",
        line=stopped.origin.line,
        expected="steps that the changefeed can follow",
        hint=_REMEDIES.get(stopped.cause or stopped.code, ""),
    )


def follow(
    log: ChangeLog, feed: Changefeed, databases: Sequence[str] = (), *, end_resolved: bool = True
) -> Mounted:
    """Return what the changefeed sends, up to the end or to where it stops.

    Raises StepError, which names the scenario line, when a step cannot be replayed.
    """
    tidb = TiDB(feed, databases, end_resolved=end_resolved)
    events = tuple(emitted(tidb, log.changes, end_resolved=end_resolved))
    return Mounted(events, tidb.stopped, tuple(tidb.decisions))


def emitted(
    tidb: TiDB, changes: Iterable[Change], *, end_resolved: bool = True
) -> Iterator[SourceEvent]:
    """Yield what a changefeed sends, change by change; nothing of what was sent is kept.

    Raises StepError, which names the scenario line, when a step cannot be replayed.
    """
    step, line = -1, 1
    for step, change in enumerate(changes):
        line = change.line
        try:
            with replaying(change.line):
                events = tuple(tidb.take(step, change))
        except ValueError as error:
            raise StepError(
                str(error), line=change.line, expected="a step that TiDB can take"
            ) from error
        yield from events
    if end_resolved:
        yield from tidb.take(step + 1, Resolve(line=line))


class TiDB:
    """One upstream cluster and the changefeed that watches it."""

    def __init__(
        self,
        feed: Changefeed,
        databases: Sequence[str] = (),
        *,
        end_resolved: bool = True,
        explain: bool = True,
    ) -> None:
        """Start with the given databases, empty; without `explain` no decision is kept."""
        self.stopped: ChangefeedStopped | None = None
        self.decisions: list[Explained] = []
        self._feed = feed
        self._explain = explain
        self._end_resolved = end_resolved
        self._clock = Clock()
        self._cluster = Cluster(databases, stored=feed.stored, newer=feed.newer)
        self._puller = Puller(
            feed.filters,
            self._cluster.catalogue,
            feed.rules(),
            force_replicate=feed.force_replicate,
            newer=feed.newer,
        )
        # In order of first use; a topic that lost its last table still gets its marks.
        self._topics = {feed.topic: None}
        self._routes: dict[TableId, tuple[str, Dispatcher | None]] = {}
        self._makers: dict[TableId, TableRows] = {}
        self._events = count()

    def take(self, step: int, change: Change) -> Iterator[SourceEvent]:
        """Let a step happen upstream, and yield what the changefeed sends of it."""
        match change:
            case DdlRun():
                yield from self._ddl(step, change)
            case Transaction():
                yield from self._transaction(step, change)
            case Resolve():
                ts = self._clock.mark(change.ts)
                if self.stopped is None:
                    yield from self._marks(step, change.line, ts, change.partitions)

    # ---- DDL ----------------------------------------------------------------------------------

    def _ddl(self, step: int, run: DdlRun) -> Iterator[SourceEvent]:
        ran = self._cluster.ddl(run)
        commit_ts = self._clock.commit(run.pin.ts if run.pin else None)
        # Of one statement, each table that is dropped is a job with a ts of its own; several
        # tables that are renamed are one job.
        separate = [each for each in ran[1:] if each.job.action is not ActionType.RENAME_TABLE]
        renames = sum(each.job.action is ActionType.RENAME_TABLE for each in ran)
        later = {id(each.job): self._clock.commit() for each in separate}
        if self.stopped is not None:
            return
        judged = self._puller.judge([each.job for each in ran], commit_ts - 1)
        marked = commit_ts
        emitted = ended = False
        for job, decision in filter_ddl(judged, self._feed, commit_ts - 1):
            ts = later.get(id(job), commit_ts)
            if emitted and ts != marked:
                yield from self._marks(step, run.line, marked, None)
            marked = ts
            name = _job_name(job.schema, job.table)
            old = _job_name(job.old_schema, job.old_table)
            subject = f"{job.action.display_name} {name if old == name else f'{old} to {name}'}"
            self._decided(step, run.line, subject, decision)
            if decision.sent:
                emitted = True
                each = next(each for each in ran if each.job is job)
                yield self._ddl_event(step, run, each, ts, several=renames > 1)
            if decision.code:
                ended = True
                self._stop(step, run.line, decision, ts, kind="ddl", table=name)
        if emitted:
            yield from self._marks(step, run.line, marked, None)
        elif ended:
            yield from self._last_marks(step, run.line, commit_ts)

    def _ddl_event(
        self, step: int, run: DdlRun, ran: RanJob, commit_ts: int, *, several: bool
    ) -> DdlEvent:
        """Return a job's event; `several` says that its statement renames several tables."""
        job = ran.job
        origin = Origin(
            line=run.line,
            step=step,
            event=next(self._events),
            kind="ddl",
            table=_job_name(job.schema, job.table),
            commit_ts=commit_ts,
        )
        name, old = TableId(job.schema, job.table), TableId(job.old_schema, job.old_table)
        query = job.query
        if self._feed.newer and job.action is ActionType.RENAME_TABLE:
            # However it was written: ticdc b813e76 logservice/schemastore,
            # `buildPersistedDDLEventForRenameTable`; pkg/common/event/util.go `SplitQueries`.
            end = ";" if several else ""
            query = f"RENAME TABLE {full_name(old)} TO {full_name(name)}{end}"
        if job.exchanged and self._feed.newer:
            # Its event is one of the table without partitions, routed by the other
            # (ticdc b813e76 downstreamadapter/sink/eventrouter/event_router.go `GetTopicForDDL`).
            name = job.exchanged[0].id
        elif job.exchanged:
            # Its event starts from the table without partitions
            # (tiflow c7b2588 dispatcher/event_router.go `GetTopicForDDL`).
            old = job.exchanged[0].id
        topic, _ = self._route(old)
        return DdlEvent(
            type=int(job.action),
            query=query,
            source=with_feature_comments(job.source),
            schema=name.schema,
            table=name.name,
            before=ran.before,
            after=ran.after,
            commit_ts=commit_ts,
            topic=topic,
            partitions=self._feed.partitions,
            origin=origin,
            action=job.action.display_name.replace(" ", "_"),
            exchanged=ran.exchanged,
        )

    # ---- rows ---------------------------------------------------------------------------------

    def _transaction(self, step: int, transaction: Transaction) -> Iterator[SourceEvent]:
        pin = transaction.pin or Pin()
        commit_ts = self._clock.commit(pin.ts)
        net = self._cluster.commit(transaction)
        if self.stopped is not None:
            return
        rows: list[RowEvent] = []
        of = Committed(step, transaction.name, pin, commit_ts)
        for table, changes in net:
            try:
                sent = self._sent(step, table, changes, commit_ts)
                if sent:
                    rows += self._maker(table).made(sent, of, self._events)
            except SourceStopped as error:
                decision = stop(SINK, error.code, error.what)
                subject = f"transaction {transaction.name}"
                self._decided(step, transaction.line, subject, decision)
                self._stop(step, transaction.line, decision, commit_ts, table=str(table.id))
                yield from self._last_marks(step, transaction.line, commit_ts)
                return
        yield from rows

    def _sent(
        self, step: int, table: Table, changes: Sequence[NetChange], commit_ts: int
    ) -> Sequence[NetChange]:
        """Return what is sent of changes: filters see updates before the sink splits them.

        In the newer architecture they see the halves of those that are not ignored as updates
        (ticdc b813e76 pkg/eventservice/event_scanner.go `appendRow`).
        """
        if self._feed.splits_first and self._puller.replicates(table).sent:
            changes = self._maker(table).split(self._updates_judged(step, table, changes))
            return self._filtered(step, table, changes, commit_ts)
        passed = self._filtered(step, table, changes, commit_ts)
        if self._feed.raw_changes or not passed:
            return passed
        return self._maker(table).split(passed)

    def _updates_judged(
        self, step: int, table: Table, changes: Sequence[NetChange]
    ) -> Sequence[NetChange]:
        """Return the changes without the updates that `ignore-event` names."""
        decision = self._feed.filters.kind(Op.UPDATE, table)
        if decision.sent:
            return changes
        for net in changes:
            if net.op is Op.UPDATE:
                self._decided(step, net.change.line, f"{net.op.value} {table.id}", decision)
        return [net for net in changes if net.op is not Op.UPDATE]

    def _filtered(
        self, step: int, table: Table, changes: Sequence[NetChange], commit_ts: int
    ) -> list[NetChange]:
        """Return the changes that pass, each judged by its kind and its images."""
        replicated = self._puller.replicates(table)
        if not self._explain and replicated.sent and self._feed.filters.passes_rows:
            return list(changes)
        passed: list[NetChange] = []
        printed = printer(table, self._feed.zone)
        for net in changes:
            decision = replicated
            if replicated.sent:
                images = (printed(net.before), printed(net.after))
                decision = self._feed.filters.row(net.op, table, images, commit_ts - 1)
            if decision.sent:
                passed.append(net)
            self._decided(step, net.change.line, f"{net.op.value} {table.id}", decision)
        return passed

    def _decided(self, step: int, line: int, subject: str, decision: Decision) -> None:
        if self._explain:
            self.decisions.append(Explained(step, line, subject, decision))

    def _maker(self, table: Table) -> TableRows:
        """Return what makes a table's row events, found once for each of its versions."""
        mounted = self._cluster.mounted(table)
        made = self._makers.get(table.id)
        if made is None or made.table is not mounted:
            made = TableRows(mounted, *self._route(table.id), self._feed)
            self._makers[table.id] = made
        return made

    def _route(self, table_id: TableId) -> tuple[str, Dispatcher | None]:
        """Return topic and dispatcher of a table, found once."""
        if table_id not in self._routes:
            topic = self._feed.topic_for(table_id)
            self._topics.setdefault(topic)
            self._routes[table_id] = topic, self._feed.rule(table_id)
        return self._routes[table_id]

    # ---- marks and the end --------------------------------------------------------------------

    def _marks(
        self, step: int, line: int, ts: int, partitions: Sequence[int] | None
    ) -> Iterator[ResolvedEvent]:
        """Promise completeness on all partitions of every topic, or on those that are named."""
        event = next(self._events)
        for table in self._puller.replicated():
            self._route(table.id)
        for topic in self._topics:
            for partition in range(self._feed.partitions) if partitions is None else partitions:
                if partition < self._feed.partitions:
                    origin = Origin(line, step, event, "resolved", None, None, None, ts)
                    yield ResolvedEvent(ts, topic, partition, origin)

    def _last_marks(self, step: int, line: int, commit_ts: int) -> Iterator[ResolvedEvent]:
        """Promise what was sent before a changefeed stopped at this commit ts."""
        if self._end_resolved:
            yield from self._marks(step, line, commit_ts - 1, None)

    def _stop(
        self,
        step: int,
        line: int,
        decision: Decision,
        commit_ts: int,
        *,
        kind: str = "transaction",
        table: str,
    ) -> None:
        origin = Origin(
            line=line,
            step=step,
            event=next(self._events),
            kind=kind,
            table=table,
            commit_ts=commit_ts,
        )
        self.stopped = ChangefeedStopped(
            decision.code, decision.reason, commit_ts, origin, decision.cause
        )


def _job_name(schema: str, table: str) -> str:
    return f"{schema}.{table}" if table else schema
