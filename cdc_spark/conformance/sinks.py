"""Where a run's applied changes go: `HARNESS_SPARK_SINK`.

| sink | what it is |
| --- | --- |
| `files` (default) | all changefeeds' changes in one Parquet sink, folded when the run is over |
| `delta` | the production sink: a Delta table for each table, kept as changes come (`delta`) |

Both get the same changes in the same order, and give the same results.

With `HARNESS_CRASHPOINT=name:n` the process dies of SIGKILL when it passes that point of the Delta
sink the n-th time: nothing is cleaned up, nothing is flushed. The points are in
`delta.crash_points`.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Mapping
from pathlib import Path

from cdc_spark.conformance.job import Job
from cdc_spark.errors import UsageError
from cdc_spark.untyped import Frame

VARIABLE = "HARNESS_SPARK_SINK"
CRASH_POINT = "HARNESS_CRASHPOINT"
FILES, DELTA = "files", "delta"
SINKS = (FILES, DELTA)
# What only a start of Spark can give; a server of Spark Connect has had its own.
AT_START = frozenset({"spark.sql.extensions", "spark.sql.catalog.spark_catalog"})
# Delta's own part of a session; small logs are read faster in one partition than in fifty.
SETTINGS: Mapping[str, Mapping[str, str]] = {
    FILES: {},
    DELTA: {
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        "spark.databricks.delta.snapshotPartitions": "1",
        # Tables of a run have a few commits; a checkpoint of the log at every tenth is for longer.
        "spark.databricks.delta.properties.defaults.checkpointInterval": "100",
        # Of each table that was written Delta keeps two megabytes of plans, for an hour, and of
        # 10,000 tables: a gigabyte is full of some hundred, and Java does nothing but collect.
        "spark.databricks.delta.delta.log.cacheSize": "200",
        # Two hundred of them leave nothing of one gigabyte for the rest.
        "spark.driver.memory": "2g",
        # A table's commit is work for Java alone: the profiling compiler halves it within a minute.
        "spark.driver.extraJavaOptions": "-XX:+UseSerialGC",
        # Else Delta asks Spark at each commit for all files of the table, to note them beside it.
        "spark.databricks.delta.allFilesInCrc.enabled": "false",
        # Nothing skips files by minima and maxima of a table that is read whole, once.
        "spark.databricks.delta.stats.collect": "false",
    },
}


def chosen(environment: Mapping[str, str] | None = None) -> str:
    """Return the sink of this run; raises UsageError for one that is not known."""
    name = (os.environ if environment is None else environment).get(VARIABLE) or FILES
    if name not in SINKS:
        raise UsageError(f"{VARIABLE} is {name!r}", expected=f"one of {', '.join(SINKS)}")
    return name


def settings(environment: Mapping[str, str] | None = None) -> Mapping[str, str]:
    """Return what the sink wants of the session."""
    return SETTINGS[chosen(environment)]


def into(applied: Frame, job: Job, path: Path, checkpoint: Path) -> Frame:
    """Return a writer of the stream of applied changes; it lacks its trigger and its start."""
    writer = applied.writeStream.option("checkpointLocation", str(checkpoint))
    if chosen() == FILES:
        return writer.format("parquet").option("path", str(path))
    from cdc_spark.conformance import delta_results  # noqa: PLC0415 - only where it is chosen

    return writer.foreachBatch(delta_results.sink(job, checkpoint, crash_points(os.environ)))


def crash_points(environment: Mapping[str, str]) -> Callable[[str], None]:
    """Return what is called with the name of each point that is passed."""
    name, _, number = environment.get(CRASH_POINT, "").partition(":")
    left = [int(number) if number.isdigit() else 1]

    def reach(at: str) -> None:
        if at == name:  # by several threads: one that is late dies with the others
            left[0] -= 1
            if not left[0]:
                os.kill(os.getpid(), signal.SIGKILL)
                threading.Event().wait()  # nothing more is done until the signal is there

    return reach
