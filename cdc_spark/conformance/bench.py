"""What is measured inside a Spark session; a process of its own; a file says what to do.

Floor and ours take turns in one session with the same options, so that a busy machine troubles both
alike; the first of each is not counted, because it warms the other's code up. Processor time is
that of Java and of all its Python workers. The session has Delta, for whole runs into its tables.
"""

# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false
from __future__ import annotations

import ctypes
import json
import os
import sys
import time
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import median
from typing import Any

import psutil

from cdc_spark import decoding
from cdc_spark.conformance import job as jobs
from cdc_spark.conformance import results, session, sinks, source, stream
from cdc_spark.conformance.job import Job
from cdc_spark.untyped import Frame, Session

PASSES = 3
ADOPT = 36  # PR_SET_CHILD_SUBREAPER of <linux/prctl.h>
Spent = tuple[float, float]  # seconds of the clock and of the processors


def main(path: str) -> None:
    """Measure what the file names; write a line of JSON for each figure to the file it names."""
    adopt()
    request: dict[str, Any] = json.loads(Path(path).read_text(encoding="utf-8"))
    loaded = {name: jobs.load(where) for name, where in request["jobs"].items()}
    first = next(iter(loaded.values()))
    spark = session.start(first, session.jars(os.environ), None)
    try:
        for name, job in loaded.items():
            os.environ[sinks.VARIABLE] = sinks.DELTA if name in request["delta"] else sinks.FILES
            spent = _decode(spark, job) if name in request["decode"] else _apply(spark, job)
            driver_mb = psutil.Process().memory_info().rss / 2**20
            with Path(request["found"]).open("a", encoding="utf-8") as file:
                file.write(json.dumps({"name": name, **spent, "driver_mb": driver_mb}) + "\n")
    except Exception:
        traceback.print_exc()  # before the end of the session takes standard error away
        raise
    finally:
        session.stop(spark, first, None)


def _decode(spark: Session, job: Job) -> dict[str, Any]:
    """Return what the floor and the public function spend on the same messages."""

    def floor() -> None:
        _messages(spark, job).selectExpr("sum(length(value))").collect()

    def ours() -> None:
        events = _decoded(_messages(spark, job), job)
        events.selectExpr("count(*)", "sum(length(after))", "max(commit_ts)").collect()

    return _in_turn({"floor": floor, "ours": ours})


def _in_turn(measured: Mapping[str, Callable[[], None]]) -> dict[str, Any]:
    spent: dict[str, list[Spent]] = {name: [] for name in measured}
    for number in range(PASSES + 1):
        for name, run in measured.items():
            one = _timed(run)
            if number:
                spent[name].append(one)
    return {
        name: [median(one[of] for one in passes) for of in (0, 1)] for name, passes in spent.items()
    }


def _apply(spark: Session, job: Job) -> dict[str, Any]:
    """Return what the floor and a whole run spend: read, decode, hold, apply, write results."""

    def floor() -> None:
        _messages(spark, job).selectExpr("sum(length(value))").collect()

    def ours() -> None:
        run = stream.run(spark, job, {}, time.monotonic() + job.deadline_s)
        results.write_results(spark, job, run.unread)

    floor()
    found = {"floor": _timed(floor), "ours": _timed(ours)}
    status = json.loads((job.changefeeds[0].directory / "status.json").read_text(encoding="utf-8"))
    if status["status"] != "done":
        raise SystemExit(f"the consumer wrote no result: {status}")
    return {name: list(spent) for name, spent in found.items()}


def _messages(spark: Session, job: Job) -> Frame:
    """Return the job's messages, read once, by the options of the stream."""
    ends = {
        topic.name: {str(n): end for n, end in enumerate(topic.end_offsets)}
        for _, topic in source.wanted(job)
    }
    options = {
        **{name: value for name, value in source.OPTIONS.items() if name.startswith("kafka.")},
        **{f"kafka.{name}": value for name, value in job.kafka.items()},
        "subscribe": ",".join(ends),
        "startingOffsets": "earliest",
        "endingOffsets": json.dumps(ends),
    }
    return spark.read.format("kafka").options(**options).load()


def _decoded(messages: Frame, job: Job) -> Frame:
    protocol = job.changefeeds[0].protocol
    if protocol == "open":
        return decoding.decode_open(messages)
    url = "" if job.registry is None else job.registry.url
    if protocol == "avro":
        return decoding.decode_avro(messages, url)
    if protocol == "vitess":
        return decoding.decode_vitess(messages, url)
    return decoding.decode_debezium(messages, url)


def _timed(run: Callable[[], None]) -> Spent:
    began, cpu = time.perf_counter(), processor()
    run()
    return time.perf_counter() - began, processor() - cpu


def adopt() -> None:
    """Let processes whose parent ends come to this one, so that `processor` goes on to ask them.

    Spark's daemon of Python ends before its workers.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(ADOPT, 1, 0, 0, 0)


def processor() -> float:
    """Return the seconds that this process and all below it have had, those that ended included."""
    total = 0.0
    own = psutil.Process()
    for process in [own, *own.children(recursive=True)]:
        try:
            total += sum(process.cpu_times()[:4])
        except psutil.Error:
            continue  # it has ended meanwhile; its parent has counted it
    return total


if __name__ == "__main__":
    main(sys.argv[1])
