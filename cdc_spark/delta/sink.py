"""Applied changes of a micro-batch -> Delta tables: what `foreachBatch` calls.

Rule 1. A batch is planned from the ledger and its marks alone, so planning it again gives the same
        operations with the same versions.
Rule 2. Every operation is done once (`writes`); then the ledger takes the batch, in one commit.
        After a crash anywhere the batch comes again, and what it had done is passed over.
Rule 3. Nothing loops over rows on the driver, and nothing is collected but marks.
Rule 4. Operations on one table are done in their order; tables know nothing of each other, so
        several are written at once.
Rule 5. What a batch does to a table that it makes is one operation, if it is little (`born`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import orjson

from cdc_spark import rows
from cdc_spark.delta import born, catalog, ledger, letters
from cdc_spark.delta.born import Born
from cdc_spark.delta.catalog import CatalogNames
from cdc_spark.delta.crash_points import Reach, nowhere
from cdc_spark.delta.ledger import Counted, Identity, Known, Line
from cdc_spark.delta.marks import LAST, Name
from cdc_spark.delta.numbering import counted, numbered, placed
from cdc_spark.delta.plan import Operation, Plan, Reshape, Write
from cdc_spark.delta.scan import Scan
from cdc_spark.delta.sketch import load
from cdc_spark.delta.upkeep import Upkeep
from cdc_spark.delta.writes import Place
from cdc_spark.errors import LostTablesError, StatementError
from cdc_spark.events import Kind
from cdc_spark.ordering import buckets
from cdc_spark.set_aside import MessagePlace, Places
from cdc_spark.untyped import Frame, Session

Counts = Mapping[tuple[int, int], Counted]  # changes of a batch, by changefeed and bucket
Logs = dict[tuple[int, str], int]  # versions of tables' logs, by changefeed and path
MANY = 10_000  # changes that are worth a shuffle, for as many tasks to make them ready for a MERGE
AT_ONCE = 2  # tables; to plan and to commit a write is work of the driver, not of Spark's tasks


@dataclass(frozen=True, slots=True)
class Feed:
    """A changefeed: its directory under the root, its topics by ordinal, its first tables."""

    directory: str
    topics: tuple[str, ...]
    tables: tuple[Mapping[str, Any], ...] = ()
    skip: Places = frozenset()
    statements: Mapping[MessagePlace, str] = field(default_factory=dict[MessagePlace, str])


class Batch(NamedTuple):
    """A micro-batch: its number, who it is, its changes, and what the driver knows of them."""

    number: int
    identity: Identity
    applied: Frame
    marks: Sequence[tuple[Any, ...]]
    counts: Counts


@dataclass(slots=True)
class Sink:
    """Writes applied changes under `root`, a URI; `identity` says which batch it is.

    `lenient`: poison goes to the table `_dead_letters`. `strict`: a changefeed that cannot go on
    fails the query before anything of the batch is written, at every restart; otherwise the ledger
    says why it stopped, and its neighbours go on. `soft`: deleted rows stay, and say so. With
    `names` tables are in the session's catalog too.
    """

    root: str
    app_id: str
    identity: Callable[[Session, int], Identity]
    feeds: Mapping[int, Feed]
    lenient: bool = False
    strict: bool = True
    reach: Reach = nowhere
    soft: bool = False
    names: CatalogNames | None = None
    upkeep: Upkeep = field(default_factory=Upkeep)
    _known: Known | None = field(default=None)
    _owner: str = ""
    _in_catalog: catalog.Paths | None = None

    def __call__(self, batch: Frame, number: int) -> None:
        """Write a micro-batch; raises an error where it cannot be taken, or not go on."""
        self.reach("start")
        here = self._place(batch.sparkSession, ledger.NAME)
        known, self._known = self._known, None  # to be read again, should this batch fail
        if known is None or known.version != here.log_version():
            known = ledger.load(here)
        identity = self.identity(batch.sparkSession, number)
        self._owner = f"query {identity.query}"
        if known.has(number, identity, self.root):
            # Spark keeps the state of a batch by its tasks, and from 4.2 on wants to see them run.
            batch.write.format("noop").mode("append").save()
            self._known = known
            return
        if self.strict and known.stopped:
            raise _stopped(known)
        kept = placed(batch).persist()
        try:
            counts, first = counted(kept)
            for (feed, bucket), one in counts.items():
                known.follows(feed, bucket, one, self.root)
            applied = numbered(kept, first, known.seqs)
            scanned = applied.select(*rows.APPLIED).mapInArrow
            marks = scanned(Scan(_shapes(known)).marks, rows.sql(rows.APPLIED)).collect()
            self._write(here, known, Batch(number, identity, applied, marks, counts))
        finally:
            kept.unpersist()
        self._known = known
        self._look_after(here, known, number)
        self.reach("commit")

    def _write(self, here: Place, known: Known, batch: Batch) -> None:
        """Write what the marks of a batch ask for, and let the ledger take it."""
        counts = batch.counts
        plans = self._planned(known, [tuple(mark) for mark in batch.marks])
        for plan in plans:
            if plan.error and self.strict:
                raise _unknown_effect(plan)
        if not known.query:
            self._claim(here, known, batch)
        logs = self._perform(known, plans, batch)
        logs |= self._set_aside(here, known, batch)
        self._name(here.spark, known, plans)
        seqs = {feed: known.seqs.get(feed, -1) for feed, _ in counts}
        for (feed, _), one in counts.items():
            seqs[feed] += one.number
        lines = [line for plan in plans for line in _lines(batch.number, plan)]
        lines += ledger.lines_of(batch.number, seqs, counts, logs)
        ledger.keep(here, batch.number, batch.identity, lines)
        self._learn(known, batch, plans)
        known.seqs |= seqs
        known.buckets |= {place: one.last for place, one in counts.items()}
        known.logs |= logs
        self._kept(here, known, batch)

    def _name(self, spark: Session, known: Known, plans: Sequence[Plan]) -> None:
        """Let the catalog have the tables, before the batch counts as done: it may come again."""
        if self.names is None:
            return
        kept = [load(text) for texts in known.tables.values() for text in texts]
        left = {feed: [load(text) for text in texts] for feed, texts in known.tables.items()}
        left |= {plan.feed: plan.sketches() for plan in plans}
        before = catalog.named(self.names, kept)
        after = catalog.named(self.names, (one for some in left.values() for one in some))
        if after != self._in_catalog:
            self._in_catalog = None
            catalog.bring(spark, self.root, catalog.Change(before, after))
            self._in_catalog = after

    def _look_after(self, here: Place, known: Known, number: int) -> None:
        if self.upkeep.due(number):
            kept = [(feed, load(text)) for feed, some in known.tables.items() for text in some]
            parts = [(self.feeds[feed].directory, one.path) for feed, one in kept if one.made]
            places = [self._place(here.spark, *some) for some in [*parts, (letters.NAME,)]]
            self.upkeep.do(places, here)

    def _claim(self, here: Place, known: Known, batch: Batch) -> None:
        """Claim an empty root; raises ForeignTablesError where another query was faster."""
        if not ledger.claim(here, batch.identity):
            ledger.load(here).has(batch.number, batch.identity, self.root)
        known.query, known.version = batch.identity.query, here.log_version()
        self.reach("claim")

    def _kept(self, here: Place, known: Known, batch: Batch) -> None:
        """Look whether the ledger has this batch and not another's; takes its version."""
        now = here.log_version()
        if now != known.version + 1:  # others have written here meanwhile
            ledger.load(here).has(batch.number, batch.identity, self.root)
        known.version = now

    def _planned(self, known: Known, marks: Sequence[tuple[Any, ...]]) -> list[Plan]:
        by_feed: dict[int, list[tuple[Any, ...]]] = {}
        if known.batch < 0:
            by_feed = {feed: [] for feed, one in self.feeds.items() if one.tables}
        for mark in marks:
            by_feed.setdefault(mark[0], []).append(mark)
        plans: list[Plan] = []
        for feed, some in sorted(by_feed.items()):
            if feed in known.stopped:
                continue
            own = self.feeds[feed]
            plan = Plan(feed, self.lenient, own.skip, own.statements)
            if feed in known.tables:
                plan.know(known.tables[feed])
            elif known.batch < 0:
                plan.start(self.feeds[feed].tables)
            plan.take(self._named(mark) for mark in sorted(some, key=_order))
            plans.append(plan)
        return plans

    def _named(self, mark: tuple[Any, ...]) -> tuple[Any, ...]:
        if mark[2] == LAST:
            return mark
        feed: int = mark[0]
        ordinal: int = mark[7]
        return (*mark[:7], self.feeds[feed].topics[ordinal], *mark[8:])

    def _perform(self, known: Known, plans: Sequence[Plan], batch: Batch) -> Logs:
        """Do what is planned, table by table; raises what the first of them fails with.

        Returns the versions of the tables' logs afterwards.
        """
        tables: dict[tuple[int, str], list[Operation]] = {}
        for plan in plans:
            for one in plan.operations:
                tables.setdefault((plan.feed, one.path), []).append(one)
        few = born.limit(batch.applied.sparkSession)
        with ThreadPoolExecutor(AT_ONCE) as pool:
            todo = {
                at: pool.submit(self._table, at, known.logs.get(at, -1), operations, batch, few)
                for at, operations in tables.items()
            }
            return {at: done.result() for at, done in todo.items()}

    def _table(
        self,
        at: tuple[int, str],
        version: int,
        operations: Sequence[Operation],
        batch: Batch,
        few: int,
    ) -> int:
        """Do what is to be done to a table; what it has noted as done is passed over."""
        place = self._place(batch.applied.sparkSession, self.feeds[at[0]].directory, at[1])
        place.at_least(version)
        writes = born.writes(operations, few)
        if writes and place.make(
            Born(tuple(operations), self.soft), _changes(batch, writes).select(*rows.APPLIED)
        ):
            self.reach("write")
            return place.log_version()
        noted = place.done() if any(isinstance(one, Reshape) for one in operations) else 0
        for one in operations:
            if one.version < noted:
                continue
            if isinstance(one, Write):
                place.write(one, _rows_of(batch, one))
            else:
                place.reshape(one, noted)
            self.reach("write")
        return place.log_version()

    def _place(self, spark: Session, *parts: str) -> Place:
        uri = "/".join(part for part in (self.root, *parts) if part)
        return Place(spark, uri, self.app_id, self.reach, self._owner, self.soft)

    def _set_aside(self, here: Place, known: Known, batch: Batch) -> Logs:
        """Write the messages of a batch that could not be read, with all that was in them."""
        if not self.lenient or all(mark[2] != Kind.ERROR for mark in batch.marks):
            return {}
        place = self._place(here.spark, letters.NAME)
        place.at_least(known.logs.get((-1, letters.NAME), -1))
        topics = {number: feed.topics for number, feed in self.feeds.items()}
        found = batch.applied.where(f"kind = {int(Kind.ERROR)}").select(*rows.APPLIED)
        frame = found.mapInArrow(letters.Letters(topics, batch.number).rows, letters.SHAPE)
        place.append(frame, batch.number, mergeSchema="true")
        self.reach("letters")
        return {(-1, letters.NAME): place.log_version()}

    @staticmethod
    def _learn(known: Known, batch: Batch, plans: Sequence[Plan]) -> None:
        known.batch, known.offsets = batch.number, batch.identity.offsets
        for plan in plans:
            tables = {load(text).path: text for text in known.tables.get(plan.feed, ())}
            for path, text, dropped in plan.changed():
                if dropped:
                    del tables[path]
                else:
                    tables[path] = text
            known.tables[plan.feed] = list(tables.values())
            if plan.error:
                known.stopped[plan.feed] = {ledger.ERROR: plan.error}


def _unknown_effect(plan: Plan) -> StatementError:
    place = "" if plan.stopped_at is None else f"{tuple(plan.stopped_at)!r}"
    return StatementError(
        plan.error,
        hint="nothing of this batch was written or committed;"
        f" statements={{{place}: 'SQL'}} executes another text in its place,"
        f" skip=[{place}] none",
    )


def _stopped(known: Known) -> LostTablesError:
    why = next(iter(next(iter(known.stopped.values())).values()))
    return LostTablesError(
        f"these tables stopped, and lack all that came later: {why}",
        hint="begin with a new checkpoint and a new root",
    )


def _lines(number: int, plan: Plan) -> Iterator[Line]:
    for path, text, dropped in plan.changed():
        yield Line(number, plan.feed, ledger.DROPPED if dropped else ledger.TABLE, path, text)
    for at, line in enumerate(plan.ddl):
        yield Line(number, plan.feed, ledger.DDL, f"{at:09}", orjson.dumps(line).decode())
    for at, line in enumerate(plan.passed):
        yield Line(number, plan.feed, ledger.PASSED, f"{at:09}", orjson.dumps(line).decode())
    if plan.error:
        yield Line(number, plan.feed, ledger.ERROR, ledger.ERROR, plan.error)
    if plan.needs:
        yield Line(number, plan.feed, ledger.NEEDS, ledger.NEEDS, plan.needs)


def _shapes(known: Known) -> dict[Name, tuple[bytes, int]]:
    found: dict[Name, tuple[bytes, int]] = {}
    for feed, tables in known.tables.items():
        for sketch in map(load, tables):
            if sketch.shape is not None:
                name = (feed, sketch.schema.lower(), sketch.name.lower())
                found[name] = (sketch.shape.text, sketch.shape.ts)
    return found


def _rows_of(batch: Batch, write: Write) -> Frame:
    """Return the changes that a write is about; many of a table with a key in their buckets.

    Of a key one task has all, in their order.
    """
    found = _changes(batch, [write])
    number = 1 + max((one for feed, one in batch.counts if feed == write.feed), default=0)
    if write.key and number > 1 and write.last - write.first >= MANY:
        found = buckets.in_tasks(found, number).sortWithinPartitions("seq")
    return found.select(*rows.APPLIED)


def _changes(batch: Batch, writes: Sequence[Write]) -> Frame:
    """Return the changes that writes are about, of one changefeed, with their buckets."""
    kinds = f"{int(Kind.DELETE)}, {int(Kind.UPSERT)}"
    found = [
        f"seq BETWEEN {one.first} AND {one.last}"
        f" AND lower(schema) = {_literal(one.schema.lower())}"
        f" AND lower(table) = {_literal(one.table.lower())}"
        for one in writes
    ]
    any_of = " OR ".join(found)
    rows_alone = f"feed = {writes[0].feed} AND kind IN ({kinds}) AND ({any_of})"
    return batch.applied.where(rows_alone)


def _literal(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _order(mark: tuple[Any, ...]) -> tuple[int, int]:
    """Return the order of a mark: by seq; the form of a row comes before the row's own mark."""
    return (mark[1], mark[2])
