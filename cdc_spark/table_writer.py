"""Changes in steps, for tables of any kind: what a team implements for Iceberg, JDBC, or its own.

A micro-batch is cut into steps: a DDL statement, or what changed in one table between statements,
a row for each key. Steps come in the order of effect, one after the other.

Rule 1. A micro-batch that comes again has the same steps, each with the number that it had.
Rule 2. A micro-batch counts as done when the writer is through all of its steps; nothing comes from
        the next one before.
So a writer that keeps a step's number in one transaction with what the step changes has done each
step once, whatever dies when.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, NamedTuple, Protocol

import orjson
from pyspark.sql.functions import col

from cdc_spark import rows
from cdc_spark.change_rows import CHANGE_DATA, apart
from cdc_spark.changefeed import Changefeed
from cdc_spark.delta.letters import SHAPE, Letters
from cdc_spark.delta.tables import identity_of
from cdc_spark.events import Kind
from cdc_spark.ordering import buckets
from cdc_spark.set_aside import MessagePlace, Places, places, statements
from cdc_spark.untyped import ArrowBatch, Frame, Query, Session, pa

TABLE_CHANGES: Sequence[str] = (
    "_op",
    "_commit_ts",
    "_table_version",
    "key",
    "before",
    "after",
    "_bucket",
    "_seq",
)
_TYPES = ", ".join(f"{name} {kind}" for name, kind, _ in CHANGE_DATA)
_PART, _WHO = "part", "who"  # how many statements came before; whose row it is
_KEYED = ("key", "before", "after", "_bucket", "_seq")
_IS_DDL = f"kind = {int(Kind.DDL)}"
_IS_ROW = f"kind IN ({int(Kind.DELETE)}, {int(Kind.UPSERT)})"


class Step(NamedTuple):
    """Which step it is: the query's id, its micro-batch, and the number in it, from 0."""

    query: str
    batch: int
    number: int


class TableWriter(Protocol):
    """What writes tables of one kind; its methods are called on the driver.

    A step comes again after a crash. A writer either keeps the last step that it has done, in the
    transaction in which it does it, and passes over those that are not behind it (batch and number
    rise), or writes so that a repetition does nothing. Another query's step is for it to refuse:
    tables belong to one checkpoint.
    """

    def rows(self, step: Step, schema: str, table: str, changes: Frame) -> None:
        """Write what changed in a table.

        `changes` has the columns `TABLE_CHANGES` of change data, a row for each key: its last
        change. Of a table without a key (`key` is empty) it has all changes, ordered by `_seq`
        within `_bucket`: a table without a key is a multiset, and equal rows are in one bucket.
        """
        ...

    def statement(self, step: Step, schema: str, table: str, query: str) -> None:
        """Do what a DDL statement does; an exception stops the query before the next step."""
        ...

    def set_aside(self, step: Step, messages: Frame) -> None:
        """Keep messages that could not be read, with the columns of `read_dead_letters`."""
        ...


def write_tables(
    changes: Frame, changefeed: Changefeed, writer: TableWriter, *, checkpoint: str
) -> Any:  # noqa: ANN401 - a DataStreamWriter
    """Return a stream writer that hands a changefeed's changes to `writer`, step by step.

    `changes` are those of `in_order`, `checkpoint` is a URI. `skip` and `statements` of the
    changefeed count here too. What `writer` raises stops the query, and its micro-batch comes again
    at the next start.
    """
    checkpoint = checkpoint.rstrip("/")
    steps = Steps(
        writer,
        checkpoint,
        tuple(changefeed.topics),
        places(changefeed.skip),
        statements(changefeed.statements),
    )
    query: Query = changes.writeStream.foreachBatch(steps)
    return query.option("checkpointLocation", checkpoint)


@dataclass(frozen=True, slots=True)
class Steps:
    """Cuts micro-batches into steps."""

    writer: TableWriter
    checkpoint: str
    topics: tuple[str, ...]
    skip: Places
    supplied: Mapping[MessagePlace, str]

    def __call__(self, batch: Frame, number: int) -> None:
        """Do a micro-batch."""
        spark, kept = batch.sparkSession, batch.persist()
        try:
            query, at = self._query(spark, number), count()
            if not kept.where(f"kind = {int(Kind.ERROR)}").isEmpty():
                self.writer.set_aside(Step(query, number, next(at)), self._letters(kept, number))
            found = _statements(kept)
            parts = _parts(kept) if found else kept.selectExpr("*", f"0L AS {_PART}")
            tables = _tables(parts)
            for part in range(len(found) + 1):
                for schema, table in tables.get(part, ()):
                    changes = _changes(parts, part, schema, table)
                    self.writer.rows(Step(query, number, next(at)), schema, table, changes)
                if part < len(found):
                    self._statement(Step(query, number, next(at)), found[part])
        finally:
            kept.unpersist()

    def _statement(self, step: Step, found: Any) -> None:  # noqa: ANN401 - a Row
        """Let the writer do a statement, unless it is to be skipped."""
        place = MessagePlace(self.topics[found["topic"]], found["partition"], found["offset"])
        if place in self.skip:
            return
        query = self.supplied.get(place) or orjson.loads(found["payload"])["q"]
        self.writer.statement(step, found["schema"], found["table"], query)

    def _letters(self, kept: Frame, batch: int) -> Frame:
        aside = kept.where(f"kind = {int(Kind.ERROR)}").select(*rows.APPLIED)
        return aside.mapInArrow(Letters({0: self.topics}, batch).rows, SHAPE).drop("feed")

    def _query(self, spark: Session, batch: int) -> str:
        metadata = spark.read.text(f"{self.checkpoint}/metadata").collect()
        return identity_of(metadata[0][0], str(batch)).query


def _statements(kept: Frame) -> list[Any]:
    """Return the statements of a micro-batch, in their order; they are few."""
    found: list[Any] = kept.where(_IS_DDL).orderBy(*buckets.order()).collect()
    return found


def _parts(kept: Frame) -> Frame:
    """Return changes with the number of statements before them."""
    one = f"if({_IS_DDL}, 1L, 0L)"
    before = f"sum({one}) OVER (PARTITION BY feed ORDER BY {', '.join(buckets.ORDER[1:])}"
    return kept.selectExpr("*", f"{before} ROWS UNBOUNDED PRECEDING) - {one} AS {_PART}")


def _tables(parts: Frame) -> dict[int, list[tuple[str, str]]]:
    """Return which tables have rows in each part, in one order at every time."""
    frame = parts.where(_IS_ROW).select(_PART, "schema", "table").distinct()
    found: list[tuple[int, str, str]] = [(one[0], one[1], one[2]) for one in frame.collect()]
    tables: dict[int, list[tuple[str, str]]] = {}
    for part, schema, table in sorted(found):
        tables.setdefault(part, []).append((schema, table))
    return tables


def _changes(parts: Frame, part: int, schema: str, table: str) -> Frame:
    """Return the last change of each key of a table in a part, and all changes without a key."""
    own = parts.where(_IS_ROW).where(col(_PART) == part)
    own = own.where((col("schema") == schema) & (col("table") == table)).drop(_PART)
    named = own.mapInArrow(_named, f"{_TYPES}, {_WHO} string")
    nth = f"row_number() OVER (PARTITION BY {_WHO} ORDER BY _seq DESC) AS nth"
    return named.selectExpr("*", nth).where("nth = 1").select(*TABLE_CHANGES)


def _named(batches: Iterator[ArrowBatch]) -> Iterator[ArrowBatch]:
    """Yield change data with what tells keys of a table apart; rows without a key are all apart."""
    for batch in apart(batches):
        who = [
            _who(*one) for one in zip(*(batch[name].to_pylist() for name in _KEYED), strict=True)
        ]
        yield batch.append_column(_WHO, pa.array(who, pa.string()))


def _who(key: Sequence[str], before: str | None, after: str | None, bucket: int, seq: int) -> str:
    if not key:
        return f"{bucket}/{seq}"
    image = orjson.loads(after or before or "{}")
    return orjson.dumps([image.get(name) for name in key]).decode()
