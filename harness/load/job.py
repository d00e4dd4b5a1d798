"""The jobs: messages into Kafka by Spark's own sink, and the expected state into Parquet.

One task writes a partition of every topic, in the generator's order. The sink gives each
task one producer, and an idempotent producer keeps the order of what it is given.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from harness.errors import SetupError, UsageError
from harness.load.encoding import Encoding
from harness.load.executors import LEFT, MESSAGE, Leaver, Writer
from harness.load.session import Frame, Spark
from harness.load.spec import Spec, as_json, checked
from harness.load.surviving_tables import LeftTable, left_tables
from harness.load.topics import Ends, end_offsets
from harness.services import Kafka, java_properties

WORKLOAD = "workload"  # beside the expected tables: what they are of
# The producer's properties; what the user's own file says wins.
PRODUCER: Mapping[str, str] = {
    "acks": "all",
    "enable.idempotence": "true",
    # A producer that has time fills its batches; nobody waits for a single record.
    "linger.ms": "20",
    "batch.size": "262144",
    "buffer.memory": "33554432",
    "max.request.size": "33554432",
}


@dataclass(frozen=True, slots=True)
class LoadOptions:
    """Where and how to write; `tasks` is at most the number of partitions.

    `rate` is events a second in all, None as fast as it goes. `producer` are Java's properties.
    """

    encoding: Encoding
    kafka: Kafka
    tasks: int | None = None
    rate: float | None = None
    producer: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class Loaded:
    """What was written: end offsets by topic, and the seconds of the writing alone."""

    ends: Ends
    seconds: float

    @property
    def records(self) -> int:
        """Return how many records there are in all."""
        return sum(map(sum, self.ends.values()))


def load(spark: Spark, options: LoadOptions) -> Loaded:
    """Write the workload; raises SetupError when Spark or Kafka fails."""
    spec = options.encoding.spec
    tasks = task_count(spark, spec, options.tasks)
    rate = None if options.rate is None else options.rate / tasks
    properties = {
        **PRODUCER,
        **java_properties(options.kafka.client),
        **options.producer,
    }
    messages = _numbers(spark, spec, tasks).mapInArrow(
        Writer(options.encoding, rate).messages, MESSAGE
    )
    sink: Any = messages.write.format("kafka").option("includeHeaders", "true")
    began = time.monotonic()
    try:
        sink.options(**{f"kafka.{name}": value for name, value in properties.items()}).save()
    except Exception as error:
        raise failed(error, "the workload could not be written") from error
    seconds = time.monotonic() - began
    return Loaded(end_offsets(options.kafka, options.encoding.topics, spec.partitions), seconds)


def expected(spark: Spark, spec: Spec, tasks: int | None = None) -> dict[str, Frame]:
    """Return the expected tables, computed from the generator, by name.

    They are kept on the executors' disks once computed, so that each costs no pass of its own.
    """
    from pyspark.storagelevel import StorageLevel  # noqa: PLC0415 - only where Spark is

    numbers = _numbers(spark, spec, task_count(spark, spec, tasks))
    left = numbers.mapInArrow(Leaver(spec).rows, LEFT).persist(StorageLevel.DISK_ONLY)
    return {table.name: _typed(left, table) for table in left_tables(spec)}


def write_expected(spark: Spark, spec: Spec, tables: Mapping[str, Frame], directory: str) -> None:
    """Write each expected table as Parquet below a directory, over what is there, and the spec."""
    from pyspark.sql.functions import lit  # noqa: PLC0415 - only where Spark is

    try:
        for name, frame in tables.items():
            frame.write.mode("overwrite").parquet(f"{directory}/{name}")
        # Made by Java: rows from Python would start a worker for a single text.
        text = spark.range(1).select(lit(as_json(spec)).alias("value"))
        text.coalesce(1).write.mode("overwrite").text(f"{directory}/{WORKLOAD}")
    except Exception as error:
        raise failed(error, f"the expected state could not be written to {directory}") from error


def read_expected(spark: Spark, directory: str) -> tuple[Spec, dict[str, Frame]]:
    """Return the spec and the tables that `write_expected` wrote; UsageError where it did not."""
    try:
        (row,) = spark.read.text(f"{directory}/{WORKLOAD}").collect()
    except Exception as error:
        raise UsageError(
            f"{directory} holds no expected state",
            expected="the directory of `harness load --expected`",
            hint=str(error).splitlines()[0],
        ) from error
    spec = checked(json.loads(row.value))
    frames = {
        table.name: spark.read.parquet(f"{directory}/{table.name}") for table in left_tables(spec)
    }
    return spec, frames


def task_count(spark: Spark, spec: Spec, given: int | None) -> int:
    """Return how many tasks share the partitions: as given, else one a core."""
    cores = given if given is not None else spark.sparkContext.defaultParallelism
    return max(1, min(spec.partitions, int(cores)))


def failed(error: Exception, what: str) -> SetupError:
    """Return what Spark failed with, in its first lines."""
    lines = [line for line in str(error).splitlines() if line.strip()]
    causes = [line.strip() for line in lines if "Error:" in line or "Exception:" in line]
    return SetupError(
        f"{what}: {(causes or lines or [type(error).__name__])[-1 if causes else 0]}",
        hint="the driver's and executors' logs have the whole story",
    )


def _numbers(spark: Spark, spec: Spec, tasks: int) -> Frame:
    """Return the numbers of the generator partitions, dealt out to tasks one by one.

    With a skew the first partitions are the heaviest, and Spark would give one task all of them.
    """
    dealt = [number for task in range(tasks) for number in range(task, spec.partitions, tasks)]
    order = f"array({', '.join(map(str, dealt))})"
    return spark.range(0, spec.partitions, 1, tasks).selectExpr(f"{order}[cast(id as int)] as id")


def _typed(left: Frame, table: LeftTable) -> Frame:
    columns = [
        f"cast(values[{number}] as {kind}) as `{name}`"
        for number, (name, kind) in enumerate(table.columns.items())
    ]
    return left.where(left["table"] == table.name).selectExpr(*columns)
