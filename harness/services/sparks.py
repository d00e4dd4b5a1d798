"""The releases of Spark that the bundled consumers run on, each with the jars that fit it.

PySpark brings Spark itself; its Kafka connector and Delta Lake are jars of the lock, one set for
each release. A set is complete: Maven resolves the connector, its token provider and Delta.
Iceberg's runtime is there where the example of a writer is tried.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

from harness.errors import SetupError, UsageError


@dataclass(frozen=True, slots=True)
class Release:
    """What belongs to a release of Spark: its Scala, and Delta Lake's and Iceberg's coordinates."""

    scala: str
    delta: str
    iceberg: str = ""

    def roots(self, spark: str) -> Mapping[str, str]:
        """Return the coordinates to resolve, by the lock's group."""
        connector = f"org.apache.spark:spark-sql-kafka-0-10_{self.scala}:{spark}"
        found = {f"spark-{spark}": connector, f"delta-{spark}": self.delta}
        return found | ({f"iceberg-{spark}": self.iceberg} if self.iceberg else {})


RELEASES: Mapping[str, Release] = {
    "3.5.7": Release("2.12", "io.delta:delta-spark_2.12:3.3.2"),
    "4.0.0": Release(
        "2.13",
        "io.delta:delta-spark_2.13:4.0.0",
        "org.apache.iceberg:iceberg-spark-runtime-4.0_2.13:1.11.0",
    ),
    "4.1.1": Release("2.13", "io.delta:delta-spark_4.1_2.13:4.3.0"),
    "4.2.0": Release("2.13", "io.delta:delta-spark_4.2_2.13:4.4.0"),
}
KINDS = ("spark", "delta", "iceberg")
_EXPECTED = f"one of {', '.join(RELEASES)}"


def installed() -> str | None:
    """Return the version of the PySpark of this environment; None without one."""
    try:
        return version("pyspark")
    except PackageNotFoundError:
        return None


def known(spark: str) -> str:
    """Return a version that has jars in the lock; raises UsageError for another."""
    if spark not in RELEASES:
        raise UsageError(f"there are no jars for Spark {spark}", expected=_EXPECTED)
    return spark


def own() -> str:
    """Return the version of the PySpark here, the newest without one.

    Raises SetupError for one that has no jars in the lock.
    """
    spark = installed() or [*RELEASES][-1]
    if spark not in RELEASES:
        raise SetupError(
            f"PySpark {spark} is installed, and the lock has no jars for it",
            expected=_EXPECTED,
            hint="`--spark VERSION` runs the consumer on one of them",
        )
    return spark


def group(name: str) -> str:
    """Return the lock's group of `spark`, `delta` or `iceberg` that fits the PySpark here.

    Other names are groups already. Raises SetupError as `own` does.
    """
    return f"{name}-{own()}" if name in KINDS else name
