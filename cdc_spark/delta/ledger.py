"""What the sink knows of its tables, in a Delta table beside them: `<root>/_ledger`.

A micro-batch's lines come in one commit, after all that it wrote, and one without changes has its
line too. So a batch that the ledger has is whole, and one that it lacks starts from what it says.

| action | text |
| --- | --- |
| `batch` | whose batch it is: the id of the query, and a digest of its offsets |
| `seq` | the last change of a changefeed that the tables have; of bucket N, where path is `@N` |
| `log` | the version of a table's log after the batch; path is the table's and `@log` |
| `table` | a table, as `sketch.dump` has it; the newest line of a path counts |
| `drop` | a table that is no more; its files stay for whoever wants to look back |
| `ddl` | a statement that was executed, as a line of `ddl.jsonl` |
| `skipped` | a statement that was not executed, because its message was skipped by name |
| `error`, `needs` | why a changefeed stopped |

Who writes the first batch claims the root before it: a line of batch -1. From then on only the next
batch of the same query is let in, and only one that goes on where the tables are:

| what comes | what it is |
| --- | --- |
| the last batch, of the same offsets | it comes again after a crash, and is passed over |
| the last batch, of other offsets | a copy of the checkpoint wrote the tables |
| an older batch | the checkpoint is older than the tables |
| a batch that does not follow the last | the tables lack batches: an entry of a log was lost |
| a batch of another query | another checkpoint |
| changes of a bucket that begin above its next `seq` | the tables lack changes |
| changes that begin below it | the checkpoint lost its state |

All but the first are errors: LostTablesError where changes are missing, else ForeignTablesError.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import NamedTuple

import orjson

from cdc_spark.delta.writes import Place
from cdc_spark.errors import ForeignTablesError, LostTablesError
from cdc_spark.untyped import Frame

SHAPE = "batch bigint, feed int, action string, path string, text string"
NAME = "_ledger"
BATCH, TABLE, DROPPED, DDL, ERROR, NEEDS = "batch", "table", "drop", "ddl", "error", "needs"
SEQ, LOG, PASSED = "seq", "log", "skipped"
BUCKET = "@"  # what the path of a bucket's line begins with
LOG_OF = "@log"  # what follows a table's path in the line of its log
HISTORY = (DDL, PASSED)
CLAIM = -1
COMPACTED = 200  # batches after which the ledger is written anew, in one file
_LATEST = "max_by(struct(batch, action, text), batch) AS latest"
_NEW_ROOT = (
    "go on with the checkpoint that wrote these tables; a new checkpoint needs a new root: on these"
    " tables it would repeat changes, or miss some"
)

_TAKE_BACK = (
    f"the newest entries of {NAME}/_delta_log were lost, or the tables are an older copy: take the"
    " checkpoint back to the batch after {} (runbook: take a checkpoint back), and they come again"
)


class Identity(NamedTuple):
    """Which batch it is: the id of its query, and what its offsets are, as a digest."""

    query: str
    offsets: str


class Counted(NamedTuple):
    """The changes of a bucket in a micro-batch: the first seq, the last, and how many."""

    first: int
    last: int
    number: int


class Line(NamedTuple):
    """A line of the ledger."""

    batch: int
    feed: int
    action: str
    path: str
    text: str


@dataclass(slots=True)
class Known:
    """What the ledger says: its last batch, and each changefeed's tables and end.

    `seqs` are the last changes by changefeed, `buckets` by changefeed and bucket, `logs` the
    versions of tables' logs by changefeed and path, `version` that of the ledger's own (-1: there
    is none).
    """

    batch: int = -1
    query: str = ""
    offsets: str = ""
    version: int = -1
    tables: dict[int, list[str]] = field(default_factory=dict[int, list[str]])
    stopped: dict[int, dict[str, str]] = field(default_factory=dict[int, dict[str, str]])
    seqs: dict[int, int] = field(default_factory=dict[int, int])
    buckets: dict[tuple[int, int], int] = field(default_factory=dict[tuple[int, int], int])
    logs: dict[tuple[int, str], int] = field(default_factory=dict[tuple[int, str], int])

    def has(self, batch: int, identity: Identity, root: str) -> bool:
        """Return whether a batch is whole already.

        Raises ForeignTablesError for tables of another query, of a copy, or newer than the batch,
        LostTablesError where the ledger lacks batches before it.
        """
        if not self.query and not batch:
            return False
        if self.query and identity.query != self.query:
            raise ForeignTablesError(
                f"the tables under {root} belong to the query {self.query},"
                f" and batch {batch} is of the query {identity.query}",
                expected="the checkpoint that the tables were written with",
                hint=_NEW_ROOT,
            )
        if batch < self.batch:
            raise ForeignTablesError(
                f"the tables under {root} are at batch {self.batch}, and the checkpoint is older:"
                f" it is at batch {batch}",
                expected="the checkpoint as it was when the tables were written",
                hint=_NEW_ROOT,
            )
        if batch > self.batch + 1:
            raise LostTablesError(
                f"the tables under {root} lack batches {self.batch + 1} to {batch - 1}: their"
                f" checkpoint has done them, and {NAME} does not know of it",
                expected=f"batch {self.batch + 1}",
                hint=_TAKE_BACK.format(self.batch),
            )
        if batch == self.batch and self.offsets != identity.offsets:
            raise ForeignTablesError(
                f"batch {batch} of the tables under {root} was written from other offsets: a copy"
                " of the checkpoint writes here too, or the checkpoint is an older copy",
                expected="one checkpoint, and one query that uses it",
                hint=_NEW_ROOT,
            )
        return batch == self.batch

    def follows(self, feed: int, bucket: int, counted: Counted, root: str) -> None:
        """Raise an error where the changes of a bucket do not go on where the tables are."""
        wanted = self.buckets.get((feed, bucket), -1) + 1
        if counted.first > wanted or counted.last - counted.first + 1 != counted.number:
            raise LostTablesError(
                f"the tables under {root} lack changes {wanted} to {counted.first - 1} of bucket"
                f" {bucket}: their checkpoint has applied them, and {NAME} does not know of it",
                expected=f"changes from {wanted} on",
                hint=_TAKE_BACK.format(self.batch),
            )
        if counted.first < wanted:
            raise ForeignTablesError(
                f"the tables under {root} have changes up to {wanted - 1} of bucket {bucket}, and"
                f" the checkpoint begins at {counted.first} again",
                expected=f"changes from {wanted} on",
                hint=_NEW_ROOT,
            )


def load(place: Place) -> Known:
    """Return what the ledger says; nothing where there is none."""
    known = Known(version=place.log_version())
    if known.version < 0:
        return known
    found = _newest(place).collect()
    for one in found:
        batch, action, text = one["latest"]
        if action == BATCH:
            known.query, _, known.offsets = text.partition(" ")
        elif action == TABLE:
            known.tables.setdefault(one["feed"], []).append(text)
        elif action == SEQ and one["path"] == SEQ:
            known.seqs[one["feed"]] = int(text)
        elif action == SEQ:
            known.buckets[one["feed"], int(one["path"].removeprefix(BUCKET))] = int(text)
        elif action == LOG:
            known.logs[one["feed"], one["path"].removesuffix(LOG_OF)] = int(text)
        elif action in (ERROR, NEEDS):
            known.stopped.setdefault(one["feed"], {})[action] = text
        known.batch = max(known.batch, batch)
    return known


def _newest(place: Place) -> Frame:
    frame = place.frame().where(f"action NOT IN ({', '.join(map(repr, HISTORY))})")
    return frame.groupBy("feed", "path").agg(_expr(_LATEST))


def claim(place: Place, identity: Identity) -> bool:
    """Take an empty root for a query, once: of two that try, one does. Return whether it was this.

    The first entry of the log says whose it is; to read the ledger takes four times as long.
    """
    line = Line(CLAIM, -1, BATCH, "", f"{identity.query} ")
    own = Place(place.spark, place.uri, f"{place.app_id}/claim")
    own.append(_frame(place, [line]), 0, userMetadata=identity.query)
    first = place.spark.read.text(f"{place.uri}/_delta_log/{0:020}.json").collect()
    entries = [orjson.loads(one[0]).get("commitInfo", {}) for one in first]
    return any(one.get("userMetadata") == identity.query for one in entries)


def keep(place: Place, batch: int, identity: Identity, lines: Sequence[Line]) -> None:
    """Write a batch's lines, once; now and then all that counts, in the place of all there is."""
    own = Line(batch, -1, BATCH, "", " ".join(identity))
    frame = _frame(place, [own, *lines])
    if batch % COMPACTED or not batch:
        place.append(frame, batch)
        return
    newest = _newest(place).selectExpr(
        "latest.batch", "feed", "latest.action", "path", "latest.text"
    )
    history = place.frame().where(f"action IN ({', '.join(map(repr, HISTORY))})")
    place.append(
        newest.unionByName(history).unionByName(frame).coalesce(1), batch, mode="overwrite"
    )


def _frame(place: Place, lines: Sequence[Line]) -> Frame:
    return place.spark.createDataFrame([tuple(one) for one in lines], SHAPE).coalesce(1)


def lines_of(
    batch: int,
    seqs: Mapping[int, int],
    counts: Mapping[tuple[int, int], Counted],
    logs: Mapping[tuple[int, str], int],
) -> list[Line]:
    """Return the lines that say how far the changefeeds are, and the logs of what was written."""
    return [
        *(
            Line(batch, feed, SEQ, f"{BUCKET}{bucket}", f"{one.last}")
            for (feed, bucket), one in counts.items()
        ),
        *(Line(batch, feed, SEQ, SEQ, f"{seq}") for feed, seq in seqs.items()),
        *(Line(batch, feed, LOG, f"{path}{LOG_OF}", f"{at}") for (feed, path), at in logs.items()),
    ]


def ddl(place: Place) -> list[Line]:
    """Return the statements that were executed, in order."""
    if place.log_version() < 0:
        return []
    found = [Line(*one) for one in place.frame().where(f"action = '{DDL}'").collect()]
    return sorted(found, key=itemgetter(0, 3))  # few: by batch and path


def _expr(text: str) -> object:
    from pyspark.sql.functions import expr  # noqa: PLC0415 - the driver's, after Spark has started

    return expr(text)
