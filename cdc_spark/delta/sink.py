"""Applied changes of a micro-batch -> Delta tables: what `foreachBatch` calls.

Rule 1. A batch is planned from the ledger and its marks alone, so planning it again gives the same
        operations with the same versions.
Rule 2. Every operation is done once (`writes`); then the ledger takes the batch, in one commit.
        After a crash anywhere the batch comes again, and what it had done is passed over.
Rule 3. Nothing loops over rows on the driver, and nothing is collected but marks.
Rule 4. Operations on one table are done in their order; tables know nothing of each other, so
        several are written at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any

import orjson

from cdc_spark import rows
from cdc_spark.delta import ledger
from cdc_spark.delta.ledger import Known, Line
from cdc_spark.delta.marks import LAST, Name
from cdc_spark.delta.plan import Operation, Plan, Reshape, Write
from cdc_spark.delta.scan import Scan
from cdc_spark.delta.sketch import load
from cdc_spark.delta.writes import Place
from cdc_spark.errors import DecodingError
from cdc_spark.events import Kind
from cdc_spark.untyped import Frame, Session

AT_ONCE = 2  # tables; to plan and to commit a write is work of the driver, not of Spark's tasks
LETTERS = "_dead_letters"
LETTER = "feed int, topic string, partition int, offset bigint, reason string"


Reach = Callable[[str], None]  # called with the name of each point that a write passes


def nowhere(_: str) -> None:
    """Pass a point of a write, without an effect."""


@dataclass(frozen=True, slots=True)
class Feed:
    """A changefeed: its directory under the root, its topics by ordinal, its first tables."""

    directory: str
    topics: tuple[str, ...]
    tables: tuple[Mapping[str, Any], ...] = ()


@dataclass(slots=True)
class Sink:
    """Writes applied changes under `root`, a URI; `query` returns the id of the streaming query.

    `lenient`: poison goes to the table `_dead_letters`. `strict`: a changefeed that cannot go on
    fails the query; otherwise the ledger says why it stopped, and its neighbours go on.
    """

    root: str
    app_id: str
    query: Callable[[Session], str]
    feeds: Mapping[int, Feed]
    lenient: bool = False
    strict: bool = True
    reach: Reach = nowhere
    _known: Known | None = field(default=None)
    _query: str = ""

    def __call__(self, batch: Frame, number: int) -> None:
        """Write a micro-batch; raises DecodingError where the changefeed cannot go on."""
        known, self._known = self._known, None  # to be read again, should this batch fail
        here = Place(batch.sparkSession, f"{self.root}/{ledger.NAME}", self.app_id)
        if known is None:
            known, self._query = ledger.load(here), self.query(batch.sparkSession)
        if known.has(number, self._query, self.root):
            self._known = known
            return
        applied = batch.repartition("feed").sortWithinPartitions("feed", "seq").persist()
        try:
            marks = applied.mapInArrow(Scan(_shapes(known)).marks, rows.sql(rows.APPLIED)).collect()
            plans = self._planned(known, [tuple(mark) for mark in marks])
            self._perform(plans, applied)
            self._set_aside(here, number, marks)
        finally:
            applied.unpersist()
        lines = [line for plan in plans for line in _lines(number, plan)]
        if lines or known.batch < 0:
            ledger.keep(here, number, [Line(number, -1, ledger.BATCH, "", self._query), *lines])
            self._learn(known, number, self._query, plans)
        self._known = known
        self.reach("commit")
        for plan in plans:
            if plan.error and self.strict:
                self._known = None
                raise DecodingError(plan.error)

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
            plan = Plan(feed, self.lenient)
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

    def _perform(self, plans: Sequence[Plan], applied: Frame) -> None:
        """Do what is planned, table by table; raises what the first of them fails with."""
        tables: dict[tuple[int, str], list[Operation]] = {}
        for plan in plans:
            for one in plan.operations:
                tables.setdefault((plan.feed, one.path), []).append(one)
        with ThreadPoolExecutor(AT_ONCE) as pool:
            todo = [
                pool.submit(self._table, self._place(applied, *at), operations, applied)
                for at, operations in tables.items()
            ]
            for done in todo:
                done.result()

    def _table(self, place: Place, operations: Sequence[Operation], applied: Frame) -> None:
        """Do what is to be done to a table; what it has noted as done is passed over."""
        noted = place.done() if any(isinstance(one, Reshape) for one in operations) else 0
        for one in operations:
            if one.version < noted:
                continue
            if isinstance(one, Write):
                place.write(one, _rows_of(applied, one))
            else:
                place.reshape(one, noted)
            self.reach("write")

    def _place(self, frame: Frame, feed: int, path: str) -> Place:
        directory = self.feeds[feed].directory
        parts = [part for part in (self.root, directory, path) if part]
        return Place(frame.sparkSession, "/".join(parts), self.app_id)

    def _set_aside(self, here: Place, number: int, marks: Sequence[tuple[Any, ...]]) -> None:
        if not self.lenient:
            return
        letters: list[tuple[Any, ...]] = [
            (feed, self.feeds[feed].topics[topic], partition, offset, reason)
            for feed, _, kind, _, _, _, reason, topic, partition, offset in marks
            if kind == Kind.ERROR
        ]
        if letters:
            place = replace(here, uri=f"{self.root}/{LETTERS}")
            place.append(here.spark.createDataFrame(letters, LETTER), number)
            self.reach("write")

    @staticmethod
    def _learn(known: Known, number: int, query: str, plans: Sequence[Plan]) -> None:
        known.batch, known.query = number, query
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


def _lines(number: int, plan: Plan) -> Iterator[Line]:
    for path, text, dropped in plan.changed():
        yield Line(number, plan.feed, ledger.DROPPED if dropped else ledger.TABLE, path, text)
    for at, line in enumerate(plan.ddl):
        yield Line(number, plan.feed, ledger.DDL, f"{at:09}", orjson.dumps(line).decode())
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


def _rows_of(applied: Frame, write: Write) -> Frame:
    """Return the changes that a write is about."""
    schema, table = (_literal(one.lower()) for one in (write.schema, write.table))
    kinds = f"{int(Kind.DELETE)}, {int(Kind.UPSERT)}"
    return applied.where(
        f"feed = {write.feed} AND seq BETWEEN {write.first} AND {write.last} AND kind IN ({kinds})"
        f" AND lower(schema) = {schema} AND lower(table) = {table}"
    )


def _literal(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _order(mark: tuple[Any, ...]) -> tuple[int, int]:
    """Return the order of a mark: by seq; the form of a row comes before the row's own mark."""
    return (mark[1], mark[2])
