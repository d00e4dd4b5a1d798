"""The one streaming query: Kafka -> events -> held rows -> applied changes in Parquet.

Nothing here loops over changefeeds on the driver. Executors decode; one stateful operation,
grouped by changefeed and bucket, keeps each one's `Hold` between micro-batches; the file sink
commits each micro-batch once, whatever is killed when.

`applyInPandasWithState` was chosen over `transformWithStateInPandas` by measuring: with 300
changefeeds 22 s against 32 s, with one 16 s against 19 s, because the latter asks the JVM for each
key's state over a socket, and needs RocksDB and protobuf besides.
"""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyspark.errors import PySparkException

from cdc_spark import rows
from cdc_spark.conformance import changefeeds, checkpoint, sinks, source
from cdc_spark.conformance.changefeeds import routes, timelines
from cdc_spark.conformance.job import Job
from cdc_spark.ordering import buckets
from cdc_spark.ordering.operators import Decoder, Holder
from cdc_spark.untyped import Frame, Query, Session

# Streaming: between the starts of micro-batches, where there is something to read; between looks at
# whether it is enough; between looks at whether partitions were added.
INTERVAL, LOOK_S, GROWTH_S = "1 second", 0.2, 10.0

# Spark 4.1 (https://issues.apache.org/jira/browse/SPARK-55271): a query that begins with a batch
# which was planned, but not committed, before it was stopped does and commits that batch, and then
# fails: the Kafka source's metrics take an end for granted that nobody has asked for. The next
# start goes on behind the batch.
METRICS_FAILED = ("scala.collection.IterableOps.map", "scala.Option.get()")


@dataclass(frozen=True, slots=True)
class Run:
    """How the query ended: the progress of its micro-batches, and what was not read, by feed."""

    batches: tuple[Mapping[str, Any], ...]
    unread: Mapping[int, str]


def tasks(spark: Session) -> int:
    """Return the number of tasks of whatever is done: as many as the session shuffles into.

    More than one a core is more files and more forks, not more speed.
    """
    return int(spark.conf.get("spark.sql.shuffle.partitions"))


def applied_path(job: Job) -> Path:
    """Return the directory of the applied changes."""
    return job.work_dir / "applied"


def run(spark: Session, job: Job, overrides: Mapping[str, str], until: float) -> Run:
    """Read to the end offsets, or until the monotonic time `until`; resumes where it was stopped.

    Topics are as long as the job says when it starts; should one not be (its writer is late), the
    query is started again until it is. So it is for partitions that are added meanwhile.
    """
    batches: list[Mapping[str, Any]] = []
    if job.streaming:
        return _endless(spark, job, overrides, until)
    present = checkpoint.begin(spark, job)
    while source.offsets(job):
        query = _query(spark, job, present, overrides).trigger(availableNow=True).start()
        ended(query, max(1, int(until - time.monotonic())))
        batches.extend(one for one in query.recentProgress if one["numInputRows"])
        query.stop()
        unread = source.unread(job, reached(job.checkpoint))
        if not unread or time.monotonic() >= until:
            return Run(tuple(batches), unread)
        present = checkpoint.begin(spark, job)
    return Run((), {})


def _endless(spark: Session, job: Job, overrides: Mapping[str, str], until: float) -> Run:
    """Read until SIGTERM; what was read by then is the result, and nothing counts as unread.

    Nothing depends on where the stream is cut: a micro-batch that SIGTERM meets is not finished,
    and the next start does it again, from the checkpoint. While partitions of the job are not there
    yet, the query is started again now and then.
    """
    batches: list[Mapping[str, Any]] = []
    with _sigterm() as enough:
        while not enough.is_set() and time.monotonic() < until:
            present = checkpoint.begin(spark, job)
            whole = source.offsets(job, present) == source.offsets(job)
            pause = until if whole else min(until, time.monotonic() + GROWTH_S)
            writer = _query(spark, job, present, overrides)
            query = writer.trigger(processingTime=INTERVAL).start()
            _wait(query, enough, pause)
            batches += (one for one in query.recentProgress if one["numInputRows"])
            query.stop()
    return Run(tuple(batches), {})


@contextmanager
def _sigterm() -> Generator[threading.Event]:
    """Yield an event that SIGTERM sets; SIGTERM does not end the process inside the block."""
    enough = threading.Event()

    def heard(_number: int, _frame: object) -> None:
        enough.set()

    before = signal.signal(signal.SIGTERM, heard)
    try:
        yield enough
    finally:
        signal.signal(signal.SIGTERM, before)


def _wait(query: Query, enough: threading.Event, until: float) -> None:
    """Wait for SIGTERM or the monotonic time `until`; raises what the query fails with."""
    while not enough.wait(LOOK_S) and time.monotonic() < until:
        if ended(query, 0.001):
            return


def ended(query: Query, seconds: float) -> bool:
    """Return whether a query ends within some seconds; raises what it fails with.

    What Spark 4.1 fails with behind a batch that it has committed is an end: start the query again.
    """
    try:
        return bool(query.awaitTermination(seconds))
    except PySparkException as error:
        if any(word not in str(error) for word in METRICS_FAILED):
            raise
        return True


def _query(
    spark: Session, job: Job, present: Mapping[str, int], overrides: Mapping[str, str]
) -> Frame:
    """Return the writer of the query; it lacks its trigger and its start."""
    messages = source.read(spark, job, present, tasks(spark), overrides)
    number = changefeeds.buckets(os.environ)
    events = messages.mapInArrow(
        Decoder(routes(job, number, os.environ)).decode, rows.sql(rows.EVENT)
    )
    applied = (
        buckets.spread(events, number)
        .groupBy("feed", "bucket", "lane")
        .applyInPandasWithState(
            Holder(timelines(job, os.environ), buckets=number).step,
            rows.sql(rows.RELEASED),
            "hold binary",
            "append",
            "NoTimeout",
        )
    )
    return sinks.into(applied, job, applied_path(job), job.checkpoint)


def reached(checkpoint: Path) -> Mapping[str, Mapping[str, int]]:
    """Return the offsets up to which a checkpoint has everything, by topic and partition.

    A micro-batch counts when it has its file in `commits`; its file in `offsets` holds a version, a
    line of metadata, and a line for each source (Structured Streaming, OffsetSeqLog version 1).
    """
    commits = checkpoint / "commits"
    done = [int(file.name) for file in commits.glob("*") if file.name.isdigit()]
    if not done:
        return {}
    lines = (checkpoint / "offsets" / str(max(done))).read_text(encoding="utf-8").splitlines()
    offsets: Mapping[str, Mapping[str, int]] = json.loads(lines[2])
    return offsets
