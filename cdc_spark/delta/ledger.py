"""What the sink knows of its tables, in a Delta table beside them: `<root>/_ledger`.

A micro-batch's lines come in one commit, after all that it wrote. So a batch that the ledger
has is whole, and one that it lacks starts from what the ledger says.

| action | text |
| --- | --- |
| `batch` | the id of the query whose batch it is |
| `table` | a table, as `sketch.dump` has it; the newest line of a path counts |
| `drop` | a table that is no more; its files stay for whoever wants to look back |
| `ddl` | a statement that was executed, as a line of `ddl.jsonl` |
| `error`, `needs` | why a changefeed stopped |
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from cdc_spark.delta.writes import Place
from cdc_spark.errors import SetupError

SHAPE = "batch bigint, feed int, action string, path string, text string"
NAME = "_ledger"
BATCH, TABLE, DROPPED, DDL, ERROR, NEEDS = "batch", "table", "drop", "ddl", "error", "needs"
_LATEST = "max_by(struct(action, text), batch) AS latest"


class Line(NamedTuple):
    """A line of the ledger."""

    batch: int
    feed: int
    action: str
    path: str
    text: str


@dataclass(slots=True)
class Known:
    """What the ledger says: its last batch, and each changefeed's tables and end."""

    batch: int = -1
    query: str = ""
    tables: dict[int, list[str]] = field(default_factory=dict[int, list[str]])
    stopped: dict[int, dict[str, str]] = field(default_factory=dict[int, dict[str, str]])

    def has(self, batch: int, query: str, root: str) -> bool:
        """Return whether a batch is whole already; raises SetupError for another query's tables."""
        if self.batch < 0:
            return False
        if query != self.query or batch < self.batch:
            raise SetupError(
                f"the tables under {root} are at batch {self.batch} of the query {self.query},"
                f" and this is batch {batch} of the query {query}",
                expected="the checkpoint that the tables were written with",
                hint="a new checkpoint needs a new root: on these tables it would repeat changes",
            )
        return batch == self.batch


def load(place: Place) -> Known:
    """Return what the ledger says; nothing where there is none."""
    known = Known()
    if not place.exists():
        return known
    frame = place.frame()
    grouped = frame.where(f"action <> '{DDL}'").groupBy("feed", "path").agg(_expr(_LATEST))
    last = frame.agg(_expr("max(batch) AS batch")).collect()[0]["batch"]
    for one in grouped.collect():
        action, text = one["latest"]["action"], one["latest"]["text"]
        if action == BATCH:
            known.query = text
        elif action == TABLE:
            known.tables.setdefault(one["feed"], []).append(text)
        elif action in (ERROR, NEEDS):
            known.stopped.setdefault(one["feed"], {})[action] = text
    known.batch = -1 if last is None else int(last)
    return known


def keep(place: Place, batch: int, lines: Sequence[Line]) -> None:
    """Write a batch's lines, once."""
    frame = place.spark.createDataFrame([tuple(one) for one in lines], SHAPE)
    place.append(frame.coalesce(1), batch)


def ddl(place: Place) -> list[Line]:
    """Return the statements that were executed, in order."""
    if not place.exists():
        return []
    found = place.frame().where(f"action = '{DDL}'").orderBy("batch", "path").collect()
    return [Line(*one) for one in found]


def _expr(text: str) -> object:
    from pyspark.sql.functions import expr  # noqa: PLC0415 - the driver's, after Spark has started

    return expr(text)
