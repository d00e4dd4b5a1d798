"""A run of the consumer, as the consumer contract asks: `python -m cdc_spark`.

| environment | meaning |
| --- | --- |
| `HARNESS_JOB` | the path of job.json |
| `HARNESS_JOBS` | instead: a file with paths of jobs, one a line, done in turn in one session |
| `HARNESS_SPARK_JARS` | the Kafka connector's jars, joined as in PATH |
| `HARNESS_SPARK_ARCHIVES` | a directory for archives of Java's classes (default: none are kept) |
| `HARNESS_SPARK_BATCH` | messages in a micro-batch at most (default: as `source` has it) |
| `HARNESS_SPARK_BUCKETS` | of (table, key), in which a changefeed is ordered (default: 2) |
| `HARNESS_SPARK_EVENTS` | messages of a changefeed up to which its row events are in the answer |
| `HARNESS_SPARK_REMOTE` | a server of Spark Connect (default: a Spark of our own) |
| `HARNESS_SPARK_POISON` | for messages that cannot be read: `fail` (default) or `dead_letter` |

Row events are for judges: of a changefeed with more messages than `HARNESS_SPARK_EVENTS` (default:
100,000; 0: of none) the answer has the tables and the DDL, and rows that were replaced before
anybody could see them are not worked on one by one.

With `fail` an unreadable message gives its changefeed the status error; with `dead_letter` it is
written to the changefeed's `dead_letters.jsonl` with topic, partition, offset and reason, and the
rest is applied.

Exit code 0 when every changefeed has its status; else the code of the error, with a sentence on
standard error. What Java said is in the first job's work directory, `spark.log`. The times of a
run's phases go to `timings.json` in its out directory.
"""

from __future__ import annotations

import json
import sys
import time
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path

from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException

from cdc_spark.conformance import (
    decode_input,
    failures,
    result_writer,
    results,
    session,
    stream,
)
from cdc_spark.conformance import job as jobs
from cdc_spark.conformance.job import Job
from cdc_spark.conformance.timings import Stopwatch, report
from cdc_spark.decoding import FAIL
from cdc_spark.errors import CdcSparkError, UsageError
from cdc_spark.untyped import Session

JOBS = "HARNESS_JOBS"
BATCH = "HARNESS_SPARK_BATCH"
POISON = "HARNESS_SPARK_POISON"
READING_SHARE = 0.9  # of the deadline; the rest is for saying how far we came


def main(environment: Mapping[str, str]) -> int:
    """Run the jobs; return the exit code."""
    watch = Stopwatch(time.monotonic)
    try:
        todo = _jobs(environment)
        if all(feed.needs for job in todo for feed in job.changefeeds):
            _decline(todo)  # a session would start for nothing
            return 0
        started = session.begin(todo[0], environment)
    except CdcSparkError as error:
        sys.stderr.write(f"{error}\n")
        return int(error.exit_code)
    watch.lap("session")
    log = todo[0].work_dir / session.LOG
    try:
        for job in todo:
            _consume(started.spark, job, _overrides(environment), watch, log)
            watch = Stopwatch(time.monotonic)
    except CdcSparkError as error:
        sys.stderr.write(f"{error}\n")
        sys.stderr.flush()
        return int(error.exit_code)
    finally:
        started.end()
    return 0


def _decline(todo: Sequence[Job]) -> None:
    """Answer jobs of which we can do nothing."""
    for job in todo:
        for feed in job.changefeeds:
            result_writer.write(result_writer.ResultRequest(feed.directory, (), feed.needs), ())


_JOBS = "a file with the path of a job.json on each line"


def _jobs(environment: Mapping[str, str]) -> list[Job]:
    """Return the jobs of this run, one or more; raises UsageError."""
    poison = environment.get(POISON) or FAIL
    listing = environment.get(JOBS)
    if not listing:
        return [jobs.load(environment.get("HARNESS_JOB", ""), poison)]
    try:
        paths = Path(listing).read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError) as error:
        raise UsageError(f"{JOBS} cannot be read: {error}", expected=_JOBS) from error
    if not paths:
        raise UsageError(f"{JOBS} names {listing}, which names no job", expected=_JOBS)
    return [jobs.load(path, poison) for path in paths]


def _consume(
    spark: Session, job: Job, overrides: Mapping[str, str], watch: Stopwatch, log: Path
) -> None:
    until = watch.started + job.deadline_s * READING_SHARE
    try:
        if job.decoding:
            decode_input.decode_all(spark, job)
            return
        run = stream.run(spark, job, overrides, until)
        watch.lap("stream")
        results.write_results(spark, job, run.unread)
        watch.lap("results")
    except (PySparkException, Py4JError) as error:
        with log.open("a", encoding="utf-8") as file:
            traceback.print_exc(file=file)
        raise failures.explained(error, log) from error
    timings = report(job, run.batches, watch)
    (job.out_dir / "timings.json").write_text(json.dumps(timings, indent=1), encoding="utf-8")


def _overrides(environment: Mapping[str, str]) -> Mapping[str, str]:
    batch = environment.get(BATCH)
    return {"maxOffsetsPerTrigger": batch} if batch else {}
