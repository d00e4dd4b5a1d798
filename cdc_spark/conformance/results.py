"""One Spark job writes the results of all changefeeds.

Each changefeed's request and its applied changes meet in one task, the request first, the
changes of all its buckets in the order of their effect; `result_writer` does the rest. Before that
large changefeeds are folded in their buckets side by side, where that is the same
(`bucket_results`).
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
from cdc_spark.conformance import bucket_results, changefeeds, result_writer, sinks
from cdc_spark.conformance.changefeeds import timelines
from cdc_spark.conformance.job import Job
from cdc_spark.conformance.stream import applied_path, tasks
from cdc_spark.events import Kind
from cdc_spark.gc_pause import gc_paused
from cdc_spark.ordering import buckets
from cdc_spark.ordering.hold import arrival_of
from cdc_spark.untyped import ArrowBatch, Frame, Session

Request = Mapping[str, Any]
REQUEST = -1  # the seq of the row that holds a changefeed's request, before those of all changes


def write_results(spark: Session, job: Job, unread: Mapping[int, str]) -> int:
    """Write the results of all changefeeds; return how many.

    `unread` says of changefeeds, by ordinal, where they were not read to the end.
    """
    if sinks.chosen() == sinks.DELTA:
        from cdc_spark.conformance import delta_results  # noqa: PLC0415 - only where it is chosen

        return delta_results.write_results(spark, job, unread)
    number = changefeeds.buckets(os.environ)
    requests = list(_requests(job, unread))
    path = applied_path(job)
    applied = None
    if (path / "_spark_metadata").exists():  # not when there was nothing to read
        applied = spark.read.schema(rows.sql(rows.RELEASED)).parquet(str(path))
    done = frozenset[int]()
    if applied is not None and number > 1:
        done = _apart(spark, _large(job, requests), applied, number)
    rest = [_row(one) for one in requests if one["feed"] not in done]
    if not rest:
        return len(done)
    frame = spark.createDataFrame(rest, rows.sql(rows.RELEASED))
    if applied is not None:
        others = f"feed NOT IN ({', '.join(map(str, done))})" if done else "true"
        frame = frame.unionByName(applied.where(others))
    written = (
        buckets.in_order_of_effect(frame.repartition(tasks(spark), "feed"))
        .select(*rows.APPLIED)
        .mapInArrow(write_all, rows.sql(rows.WRITTEN))
        .collect()
    )
    return len(done) + len(written)


def _large(job: Job, requests: Sequence[Request]) -> list[Request]:
    """Return the changefeeds that are worth the work of all cores, and their buckets their rows."""
    asked = [
        one
        for one in requests
        if not (one["events"] or one["needs"] or one["unread"])
        and not any(table["rows"] for table in job.changefeeds[int(one["feed"])].tables)
    ]
    spread = timelines(job, os.environ) if asked else {}
    return [one for one in asked if spread[one["feed"]].spreads]


def _apart(
    spark: Session, requests: Sequence[Request], applied: Frame, number: int
) -> frozenset[int]:
    """Fold changefeeds in their buckets, side by side; return those whose answers are written."""
    if not requests:
        return frozenset()
    asked = {request["feed"]: request for request in requests}
    own = applied.where(f"feed IN ({', '.join(map(str, asked))})")
    others = [name for name in rows.RELEASED if name != "bucket"]
    to_all = f"explode(sequence(0, {number - 1})) AS bucket"
    ddl = own.where(f"kind = {int(Kind.DDL)}").selectExpr(*others, to_all)
    frame = (
        spark.createDataFrame(
            [_row(one, bucket) for one in requests for bucket in range(number)],
            rows.sql(rows.RELEASED),
        )
        .unionByName(own.where(f"kind <> {int(Kind.DDL)}"))
        .unionByName(ddl)
    )
    placed = buckets.in_tasks(frame, number).sortWithinPartitions(
        "feed", "bucket", *buckets.order()[1:]
    )
    outcomes: dict[int, dict[int, str]] = {}
    for feed, bucket, outcome in (
        placed.select(*rows.APPLIED, "bucket")
        .mapInArrow(write_parts, rows.sql(rows.PART))
        .collect()
    ):
        outcomes.setdefault(feed, {})[bucket] = outcome
    done: set[int] = set()
    for feed, found in outcomes.items():
        directory = Path(asked[feed]["directory"])
        if bucket_results.agree(list(found.values())):
            bucket_results.join(directory, found)
            done.add(feed)
        else:
            bucket_results.remove(directory)
    return frozenset(done)


def _requests(job: Job, unread: Mapping[int, str]) -> Iterator[Request]:
    """Yield what is asked of each changefeed."""
    for feed, changefeed in enumerate(job.changefeeds):
        yield {
            "feed": feed,
            "directory": str(changefeed.directory),
            "topics": [topic.name for topic in changefeed.topics],
            "tables": list(changefeed.tables),
            "needs": changefeed.needs,
            "unread": unread.get(feed, ""),
            "by_record": changefeed.by_record,
            "lenient": job.lenient,
            "events": changefeeds.hands_back_events(changefeed, os.environ),
        }


def _row(request: Request, bucket: int = 0) -> tuple[Any, ...]:
    """Return a request in the shape of a change, before all others of its changefeed."""
    payload = json.dumps(request)
    return (
        request["feed"],
        REQUEST,
        0,
        "0",
        "",
        "",
        payload,
        0,
        0,
        REQUEST,
        bucket,
        None,
        "0",
        REQUEST,
    )


def write_all(batches: Iterator[ArrowBatch]) -> Iterator[ArrowBatch]:
    """Write results, on the executors; rows of shape `APPLIED` come in their order, by feed."""
    applied = (row for batch in batches for row in rows.tuples(batch))
    for feed, changes in groupby(applied, key=itemgetter(0)):
        asked = json.loads(next(changes)[6])
        rest = _changes(changes, asked["topics"])  # noqa: B031 - all but the request
        with gc_paused():
            result_writer.write(bucket_results.of_request(asked), rest)
        yield rows.batch_of(rows.WRITTEN, [(feed,)])


def write_parts(batches: Iterator[ArrowBatch]) -> Iterator[ArrowBatch]:
    """Write the buckets' parts of results; rows come in their order, by changefeed and bucket."""
    applied = (row for batch in batches for row in rows.tuples(batch))
    for (feed, bucket), changes in groupby(applied, key=itemgetter(0, -1)):
        asked = json.loads(next(changes)[6])
        rest = _changes((one[:-1] for one in changes), asked["topics"])  # noqa: B031 - as above
        with gc_paused():
            outcome = bucket_results.write_part(bucket_results.of_request(asked), bucket, rest)
        yield rows.batch_of(rows.PART, [(feed, bucket, outcome)])


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
