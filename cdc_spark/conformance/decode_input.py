"""Level decode: the messages of each changefeed in a file, and what the public decoders read there.

One Spark job does all changefeeds, and executors do the work: each reads files, decodes their
messages with what runs under the public decoders, and writes results.
A call of those functions for each changefeed would cost Spark half a second each, which is a
hundred times what the messages cost.
"""

# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false
from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import orjson
import pyarrow as pa

from cdc_spark import rows
from cdc_spark.apply.ddl import Tables
from cdc_spark.apply.values import settle
from cdc_spark.conformance import result_writer
from cdc_spark.conformance.changefeeds import language_of
from cdc_spark.conformance.job import ChangefeedJob, Job
from cdc_spark.conformance.stream import tasks
from cdc_spark.decoding import NEEDED, Decoding
from cdc_spark.errors import DecodingError
from cdc_spark.events import json_text
from cdc_spark.open.values import DIALECTS
from cdc_spark.protocols import Language
from cdc_spark.set_aside import POISON_IS_AN_EVENT
from cdc_spark.untyped import ArrowBatch, Session
from cdc_spark.vectorised.blocks import PUBLIC

AT_ONCE = 1000  # messages in a batch
UNKNOWN_TYPE = 0  # of a statement: events do not carry it, and the statement's text says enough
CHANGED_ONLY = ("only-output-updated-columns", "sink.only-output-updated-columns")
TRUE = (True, "true")
_KINDS: tuple[Any, ...] = (pa.string(), pa.int32(), pa.int64(), pa.binary(), pa.binary())

Event = dict[str, Any]  # of the columns `decoding.EVENT_SCHEMA`


def decode_all(spark: Session, job: Job) -> None:
    """Write the results of all changefeeds of a job at level decode; raises Spark's errors."""
    files = {number: _input(job, feed) for number, feed in enumerate(job.changefeeds)}
    for feed in job.changefeeds:
        if feed.needs:
            result_writer.write(result_writer.ResultRequest(feed.directory, (), feed.needs), ())
    asked = [(number,) for number, feed in enumerate(job.changefeeds) if not feed.needs]
    shape = rows.sql(rows.WRITTEN)
    numbers = spark.createDataFrame(asked, shape).repartition(tasks(spark))
    numbers.mapInArrow(DecodeTask(files).decode, shape).collect()


@dataclass(frozen=True, slots=True)
class DecodeInput:
    """The input of one changefeed; plain data, which travels to executors.

    `untyped`: its wire does not distinguish text from bytes, and its DDL does. `changed`: its
    old rows have changed columns only, and the decoders complete them.
    """

    directory: Path
    records: Path
    language: Language
    lenient: bool
    untyped: bool
    changed: bool = False


@dataclass(frozen=True, slots=True)
class DecodeTask:
    """Reads files and writes results, on the executors, by the changefeeds' numbers."""

    files: Mapping[int, DecodeInput]

    def decode(self, batches: Iterator[ArrowBatch]) -> Iterator[ArrowBatch]:
        """Answer the changefeeds of some numbers; rows of shape `ANSWERED` in and out."""
        for batch in batches:
            for (number,) in rows.tuples(batch):
                _decode(self.files[number])
            yield batch


def _input(job: Job, feed: ChangefeedJob) -> DecodeInput:
    language = language_of(job, feed)
    if feed.schemas:
        language = replace(language, url=Path(feed.schemas).as_uri())
    dialect = DIALECTS.get(feed.dialect) if feed.protocol == "open" else None
    untyped = dialect is not None and not dialect.flags
    changed = any(feed.settings.get(name) in TRUE for name in CHANGED_ONLY)
    return DecodeInput(feed.directory, Path(feed.records), language, job.lenient, untyped, changed)


def _decode(source: DecodeInput) -> None:
    events = list(_events(source))
    if source.untyped:
        _settle(events)
    bad = [_letter(one) for one in events if one["op"] == "poison"]
    lines = [_line(one) for one in events if one["op"] != "poison"]
    files = {
        "events.jsonl": [_changed_columns_only(one) for one in lines] if source.changed else lines
    }
    error = ""
    if source.lenient:
        files[result_writer.LETTERS] = bad
    elif bad:
        error = "{reason} (topic {topic}, partition {partition}, offset {offset})".format(**bad[0])
    result_writer.write_folded(source.directory, (), files, "", error)


def _events(source: DecodeInput) -> Iterator[Event]:
    """Yield the events of a file's messages, in order; what cannot be read is of op `poison`."""
    decoding = Decoding(source.language, POISON_IS_AN_EVENT)
    for batch in decoding.decode(_messages(source.records)):
        for row in rows.tuples(batch):
            yield dict(zip(PUBLIC, row, strict=True))


def _messages(path: Path) -> Iterator[ArrowBatch]:
    """Yield a file's messages in the columns that the decoders need."""
    with path.open("rb") as lines:
        while some := list(islice(lines, AT_ONCE)):
            columns = zip(*map(_message, some), strict=True)
            arrays = [pa.array(c, kind) for c, kind in zip(columns, _KINDS, strict=True)]
            batch: ArrowBatch = pa.RecordBatch.from_arrays(arrays, names=list(NEEDED))
            yield batch


def _message(line: bytes) -> tuple[Any, ...]:
    message: Mapping[str, Any] = orjson.loads(line)
    parts = (message[part] for part in ("key", "value"))
    pair = (None if part is None else base64.b64decode(part) for part in parts)
    return (message["topic"], message["partition"], message["offset"], *pair)


def _settle(events: Iterable[Event]) -> None:
    """Make text or hexadecimal of what may be either, by the tables as of each event's time."""
    tables = Tables()
    for event in sorted(events, key=lambda one: (one["commit_ts"] or 0, one["op"] != "ddl")):
        schema, name = event["schema"], event["table"]
        if event["op"] == "ddl":
            with suppress(DecodingError):  # about a table that the stream did not mention
                tables.execute(schema, name, {"q": event["query"], "t": UNKNOWN_TYPE})
            continue
        columns = tables.get(schema, name).columns
        for part in ("before", "after"):
            if event[part] is not None:
                row = orjson.loads(event[part])
                settled = {one: settle(columns.get(one.lower()), row[one]) for one in row}
                event[part] = json_text(settled)


def _line(event: Event) -> dict[str, Any]:
    """Return an event as a line of events.jsonl."""
    op = event["op"]
    if op == "upsert":
        # In Open an insert has no old row; where the message does not say, any word
        # is right.
        op = event["change"] or "insert"
    return {
        "op": op,
        "schema": event["schema"] or None,
        "table": event["table"] or None,
        "before": event["before"] and orjson.loads(event["before"]),
        "after": event["after"] and orjson.loads(event["after"]),
        "commit_ts": None if event["commit_ts"] is None else str(event["commit_ts"]),
        "query": event["query"],
        **{name: event[name] for name in ("topic", "partition", "offset")},
    }


def _changed_columns_only(line: Event) -> Event:
    """Return a line whose old row has no more than its message: the columns that changed."""
    before, after = line["before"], line["after"]
    if before is None or after is None:
        return line
    changed = {name: value for name, value in before.items() if after.get(name) != value}
    return {**line, "before": changed}


def _letter(event: Event) -> dict[str, Any]:
    return {name: event[name] for name in ("topic", "partition", "offset", "reason")}
