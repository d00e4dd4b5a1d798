"""A stream of messages from files, into Delta tables: what a team's own job does, but for Kafka.

Each file is a micro-batch. A driver that is to be killed is a process of its own:
`python -m tests.cdc_spark.delta.files_lab DIRECTORY POINT:N`.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import SparkSession

from cdc_spark import Changefeed, error_of, in_order, read_delta, write_delta
from cdc_spark.conformance import class_archive
from cdc_spark.conformance.sinks import crash_points
from cdc_spark.conformance.spark_settings import JAVA_OPTIONS
from cdc_spark.delta import tables
from harness import services
from harness.load.session import end
from tests.cdc_spark.conftest import quiet
from tests.cdc_spark.messages import Message

ROOT = Path(__file__).parents[3]
SHAPE = pa.schema(
    [
        ("topic", pa.string()),
        ("partition", pa.int32()),
        ("offset", pa.int64()),
        ("key", pa.binary()),
        ("value", pa.binary()),
        ("headers", pa.list_(pa.struct([("key", pa.string()), ("value", pa.binary())]))),
    ]
)
COLUMNS = (
    "topic string, partition int, offset bigint, key binary, value binary,"
    " headers array<struct<key: string, value: binary>>"
)
SETTINGS: Mapping[str, str] = {
    "spark.master": "local[2]",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    # One session serves all files of tests: the profiling compiler pays, as in a production driver.
    JAVA_OPTIONS: "-XX:+UseSerialGC",
    "spark.sql.warehouse.dir": str(Path(tempfile.gettempdir(), "cdc-spark-warehouse")),
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.task.maxFailures": "1",
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    "spark.databricks.delta.snapshotPartitions": "1",
    "spark.sql.sources.parallelPartitionDiscovery.parallelism": "4",
}


_SHARED: list[Any] = []  # the session of this process, while it lives


def shared_session() -> Any:
    """Return a session that has Delta: one for all files of tests that a process runs.

    A Java that has run a while is several times as fast as one that starts.
    """
    if not _SHARED:
        _SHARED.append(started())
    return _SHARED[0]


def end_shared_session() -> None:
    """End it, if it lives: before a session with other settings, and at the end."""
    while _SHARED:
        end(_SHARED.pop())


def started(*more: str, **settings: str) -> Any:
    """Return a session with Delta, the jars of more groups, and settings besides."""
    groups = ("spark", "delta", *more)
    jars = [str(path) for group in groups for path in services.jars(group, on_event=quiet)]
    os.environ |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    os.environ["JAVA_HOME"] = str(services.find_java("spark").home)
    archive = class_archive.find(os.environ, jars)
    made = archive.options() if archive and archive.made else ()  # by a run of the consumer
    options = [SETTINGS[JAVA_OPTIONS], *(f'"{option}"' for option in made)]
    own = {"spark.driver.extraClassPath": os.pathsep.join(jars), JAVA_OPTIONS: " ".join(options)}
    builder: Any = SparkSession.builder
    for name, value in {**SETTINGS, **own, **settings}.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    return spark


@dataclass(frozen=True)
class FilesLab:
    """A changefeed whose messages are files, with its tables and its checkpoint."""

    directory: Path
    changefeed: Changefeed
    checkpoint: str = "checkpoint"
    ends: dict[tuple[str, int], int] = field(default_factory=dict[tuple[str, int], int])
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])  # of `write_delta`

    @property
    def root(self) -> Path:
        """Return the directory of the tables."""
        return self.directory / "tables"

    def send(self, *messages: Message, topic: str = "t", partition: int = 0) -> None:
        """Send messages to a partition: a micro-batch."""
        first = self.ends.get((topic, partition), 0)
        self.ends[topic, partition] = first + len(messages)
        headers = [{"key": "h", "value": b"\0\xff"}]
        rows = [
            dict(zip(SHAPE.names, (topic, partition, at, *one, headers), strict=True))
            for at, one in enumerate(messages, first)
        ]
        source = self.directory / "messages"
        source.mkdir(parents=True, exist_ok=True)
        number = sum(1 for _ in source.iterdir())
        path = self.directory / "scratch.parquet"
        pq.write_table(pa.Table.from_pylist(rows, schema=SHAPE), path)
        os.utime(path, (number + 1, number + 1))  # files are read in the order of their times
        path.replace(source / f"{number}.parquet")

    def differing(self, **differs: Any) -> FilesLab:
        """Return the lab with another changefeed: what a restart with other options has."""
        return replace(self, changefeed=replace(self.changefeed, **differs))

    def run(self, spark: Any) -> None:
        """Apply all that is there; raises the error of ours that the query fails with."""
        stream = spark.readStream.schema(COLUMNS).option("maxFilesPerTrigger", "1")
        self.apply(stream.parquet((self.directory / "messages").as_uri()))

    def apply(self, messages: Any) -> None:
        """Apply a stream of messages as far as it goes, as `run` does."""
        writer = write_delta(
            in_order(messages, self.changefeed),
            self.changefeed,
            root=self.root.as_uri(),
            checkpoint=(self.directory / self.checkpoint).as_uri(),
            **self.options,
        )
        query = writer.trigger(availableNow=True).start()
        try:
            query.awaitTermination()
        except Exception as failure:  # noqa: BLE001 - whatever the query fails with
            raise (error_of(failure) or failure) from None

    def rows(self, spark: Any, table: str = "t") -> list[tuple[Any, ...]]:
        """Return the rows of a table, in order."""
        frame = read_delta(spark, self.root.as_uri())["test", table]
        return sorted((tuple(row) for row in frame.collect()), key=repr)

    def copied(self, name: str) -> Path:
        """Return a copy of a directory of the lab's."""
        return Path(shutil.copytree(self.directory / name, self.directory / f"{name}-copy"))

    def bring_back(self, name: str) -> None:
        """Put the copy of a directory in its place."""
        shutil.rmtree(self.directory / name)
        shutil.copytree(self.directory / f"{name}-copy", self.directory / name)


def main(directory: str, point: str) -> None:
    """Run the lab of a directory, and die at a point."""
    reach = crash_points({"HARNESS_CRASHPOINT": point})
    tables.Sink = partial(tables.Sink, reach=reach)  # type: ignore[misc,assignment]
    lab = FilesLab(Path(directory), Changefeed("open", {"t": 1}, poison="dead_letter"))
    lab.run(shared_session())
    end_shared_session()


if __name__ == "__main__":
    main(*sys.argv[1:])
