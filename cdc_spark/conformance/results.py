"""One Spark job writes the results of all changefeeds.

Each changefeed's request and its applied changes meet in one task, the request first, the
changes of all its buckets in the order of their effect; `result_writer` does the rest.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import orjson

from cdc_spark import rows
from cdc_spark.apply.fold import Change
from cdc_spark.conformance import changefeeds, result_writer, sinks
from cdc_spark.conformance.job import Job
from cdc_spark.conformance.stream import TASKS, applied_path
from cdc_spark.events import Kind
from cdc_spark.gc_pause import gc_paused
from cdc_spark.ordering import buckets
from cdc_spark.ordering.hold import arrival_of
from cdc_spark.untyped import ArrowBatch, Session

REQUEST = -1  # the seq of the row that holds a changefeed's request, before those of all changes


def write_results(spark: Session, job: Job, unread: Mapping[int, str]) -> int:
    """Write the results of all changefeeds; return how many.

    `unread` says of changefeeds, by ordinal, where they were not read to the end.
    """
    if sinks.chosen() == sinks.DELTA:
        from cdc_spark.conformance import delta_results  # noqa: PLC0415 - only where it is chosen

        return delta_results.write_results(spark, job, unread)
    shape = rows.sql(rows.RELEASED)
    applied = spark.createDataFrame(_requests(job, unread), shape)
    path = applied_path(job)
    if (path / "_spark_metadata").exists():  # not when there was nothing to read
        applied = applied.unionByName(spark.read.schema(shape).parquet(str(path)))
    written = (
        buckets.in_order_of_effect(applied.repartition(TASKS, "feed"))
        .select(*rows.APPLIED)
        .mapInArrow(write_all, rows.sql(rows.WRITTEN))
        .collect()
    )
    return len(written)


def _requests(job: Job, unread: Mapping[int, str]) -> list[tuple[Any, ...]]:
    """Return one row for each changefeed, in the shape of a change, before all others."""
    requests: list[tuple[Any, ...]] = []
    for feed, changefeed in enumerate(job.changefeeds):
        payload = json.dumps(
            {
                "directory": str(changefeed.directory),
                "topics": [topic.name for topic in changefeed.topics],
                "tables": list(changefeed.tables),
                "needs": changefeed.needs,
                "unread": unread.get(feed, ""),
                "by_record": changefeed.by_record,
                "lenient": job.lenient,
                "events": changefeeds.tells_events(changefeed, os.environ),
            }
        )
        requests.append((feed, REQUEST, 0, "0", "", "", payload, 0, 0, REQUEST, 0, None))
    return requests


def write_all(batches: Iterator[ArrowBatch]) -> Iterator[ArrowBatch]:
    """Write results, on the executors; rows of shape `APPLIED` come in their order, by feed."""
    applied = (row for batch in batches for row in rows.tuples(batch))
    for feed, changes in groupby(applied, key=itemgetter(0)):
        asked = json.loads(next(changes)[6])
        request = result_writer.ResultRequest(
            directory=Path(asked["directory"]),
            tables=asked["tables"],
            needs=asked["needs"],
            unread=asked["unread"],
            by_record=asked["by_record"],
            lenient=asked["lenient"],
            events=asked["events"],
        )
        rest = _changes(changes, asked["topics"])  # noqa: B031 - all but the request
        with gc_paused():
            result_writer.write(request, rest)
        yield rows.batch_of(rows.WRITTEN, [(feed,)])


def _changes(applied: Iterable[tuple[Any, ...]], topics: Sequence[str]) -> Iterator[Change]:
    """Yield the changes in order; what was left waiting when all was read comes last."""
    pending = "[]"
    for _, _, kind, ts, schema, table, payload, topic, partition, offset in applied:
        if kind == Kind.PENDING:
            pending = payload
            continue
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
    for event, source, offset in map(arrival_of, orjson.loads(pending)):
        yield Change(
            kind=event.kind,
            ts=event.ts,
            schema=event.schema,
            table=event.table,
            payload=event.payload,
            topic=topics[source.topic],
            partition=source.partition,
            offset=offset,
        )
