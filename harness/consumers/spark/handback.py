"""The answer: one Spark job folds every changefeed's applied changes and writes its result files.

Law: `status.json` comes last and appears whole, so an answer without it is no answer. Writing again
gives the same files, so a killed hand-back is simply run again.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, Self
from urllib.parse import quote

import orjson

from harness.consumers.spark import rows
from harness.consumers.spark.apply.fold import Change, Fold
from harness.consumers.spark.apply.tables import Table
from harness.consumers.spark.job import Job
from harness.consumers.spark.open_protocol.events import Kind
from harness.consumers.spark.stream import TASKS, applied_path
from harness.consumers.spark.untyped import ArrowBatch, Session

QUESTION = -1  # the seq of the row that describes a changefeed; it comes before all changes
NAME_BYTES_MAX = 255


def hand_back(spark: Session, job: Job, unread: Mapping[int, str]) -> int:
    """Write the answers of all changefeeds; return how many.

    `unread` says of changefeeds, by ordinal, where they were not read to the end.
    """
    shape = rows.sql(rows.APPLIED)
    questions = spark.createDataFrame(_questions(job, unread), shape)
    path = applied_path(job)
    changes = questions
    if (path / "_spark_metadata").exists():  # not when there was nothing to read
        changes = questions.unionByName(spark.read.schema(shape).parquet(str(path)))
    answered = (
        changes.repartition(TASKS, "feed")
        .sortWithinPartitions("feed", "seq")
        .mapInArrow(answer, rows.sql(rows.ANSWERED))
        .collect()
    )
    return len(answered)


def _questions(job: Job, unread: Mapping[int, str]) -> list[tuple[Any, ...]]:
    """Return one row for each changefeed, in the shape of an applied change."""
    questions: list[tuple[Any, ...]] = []
    for feed, changefeed in enumerate(job.changefeeds):
        payload = json.dumps(
            {
                "directory": str(changefeed.directory),
                "topics": [topic.name for topic in changefeed.topics],
                "tables": list(changefeed.tables),
                "needs": changefeed.needs,
                "unread": unread.get(feed, ""),
            }
        )
        questions.append((feed, QUESTION, 0, "0", "", "", payload, 0, 0, 0))
    return questions


def answer(batches: Iterator[ArrowBatch]) -> Iterator[ArrowBatch]:
    """Fold and write, on the executors; rows come sorted by changefeed and seq."""
    applied = (row for batch in batches for row in rows.tuples(batch))
    for feed, changes in groupby(applied, key=itemgetter(0)):
        _answer_one(changes)
        yield rows.batch_of(rows.ANSWERED, [(feed,)])


def _answer_one(applied: Iterator[tuple[Any, ...]]) -> None:
    question = json.loads(next(applied)[6])
    directory = Path(question["directory"])
    if question["needs"]:
        _begin(directory)
        _status(directory, {"status": "not-applicable", "needs": question["needs"]})
        return
    fold = Fold()
    fold.start(question["tables"])
    _begin(directory)
    with Lines(directory / "events.jsonl") as events, Lines(directory / "ddl.jsonl") as ddl:
        for change in _changes(applied, question["topics"]):
            line = fold.apply(change)
            if line is None:
                break
            (ddl if change.kind is Kind.DDL else events).write(line)
    error = fold.error or question["unread"]
    if error:
        _status(directory, {"status": "error", "error": error})
        return
    _write_tables(directory, fold.tables)
    _status(directory, {"status": "done"})


def _changes(applied: Iterable[tuple[Any, ...]], topics: Sequence[str]) -> Iterator[Change]:
    for _, _, kind, ts, schema, table, payload, topic, partition, offset in applied:
        yield Change(
            kind=Kind(kind),
            ts=int(ts),
            schema=schema,
            table=table,
            payload=payload,
            topic=topics[int(topic)],
            partition=partition,
            offset=offset,
        )


def _begin(directory: Path) -> None:
    """Make a result directory empty, whatever an earlier hand-back left there."""
    shutil.rmtree(directory / "tables", ignore_errors=True)
    (directory / "tables").mkdir(parents=True)
    for name in ("status.json", "tables.json"):
        (directory / name).unlink(missing_ok=True)


def _write_tables(directory: Path, tables: Iterable[Table]) -> None:
    renamed: dict[str, Mapping[str, str]] = {}
    for table in tables:
        name = file_name(table.schema, table.name)
        if len(name) > NAME_BYTES_MAX:
            name = f"{len(renamed) + 1}.jsonl"
            renamed[name] = {"schema": table.schema, "name": table.name}
        with Lines(directory / "tables" / name) as lines:
            for row in table:
                lines.write(row)
    if renamed:
        (directory / "tables.json").write_bytes(orjson.dumps(renamed))


def file_name(schema: str, table: str) -> str:
    """Return the name of a table's file: all but `[A-Za-z0-9_-]` is percent-encoded UTF-8."""
    parts = (
        quote(part, safe="").replace(".", "%2E").replace("~", "%7E") for part in (schema, table)
    )
    return ".".join(parts) + ".jsonl"


def _status(directory: Path, status: Mapping[str, str]) -> None:
    scratch = directory / ".status.json"
    scratch.write_bytes(orjson.dumps(status))
    scratch.replace(directory / "status.json")


@dataclass(slots=True)
class Lines:
    """A file of JSON lines, written in blocks."""

    path: Path
    _file: Any = field(default=None, init=False)

    def __enter__(self) -> Self:
        """Open the file, empty."""
        self._file = self.path.open("wb")
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file."""
        self._file.close()

    def write(self, line: Mapping[str, Any]) -> None:
        """Write one line."""
        self._file.write(orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE))
