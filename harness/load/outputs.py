"""Where a consumer's tables are, and how Spark reads them.

| format | OUTPUT is | a table is |
| --- | --- | --- |
| `parquet`, `delta`, `json` | a directory or any URI that Spark reads | a directory or file in it |
| `jdbc` | a JDBC address | a table there |

Delta's jars are those of the lock, unless the user names others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from harness.load.job import failed
from harness.load.session import Frame, Spark

Needs = tuple[tuple[str, ...], Mapping[str, str]]

PARQUET, DELTA, JSON, JDBC = "parquet", "delta", "json", "jdbc"
NAMED = "{schema}.{table}"
# What Spark says of a path, a table of Delta's or a database's table that is not there.
_ABSENT = (
    "PATH_NOT_FOUND",
    "DELTA_TABLE_NOT_FOUND",
    "DELTA_MISSING_DELTA_TABLE",
    "TABLE_OR_VIEW_NOT_FOUND",
    "doesn't exist",
    "does not exist",
)
_DELTA_SESSION = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    # Each part of a table's log is compiled for: fifty of them take longer than the rows.
    "spark.databricks.delta.snapshotPartitions": "2",
}
_JARS = ("spark.jars", "spark.jars.packages")
# A typed reader would guess; each value is read as the text that is there.
_OPTIONS: Mapping[str, Mapping[str, str]] = {JSON: {"primitivesAsString": "true"}}


def needs(format_: str, given: Mapping[str, str], jars: Sequence[Path]) -> Needs:
    """Return what a session needs to read a format; what a user gave (settings, jars) goes before.

    That is groups of the lock and all settings of the session.
    """
    if format_ != DELTA:
        return (), given
    own = bool(jars) or any(name in given for name in _JARS)
    return () if own else (DELTA,), {**_DELTA_SESSION, **given}


@dataclass(frozen=True, slots=True)
class Output:
    """A consumer's output; `options` are of Spark's reader, such as a database's user."""

    place: str
    format: str = PARQUET
    named: str = NAMED
    options: Mapping[str, str] = field(default_factory=dict[str, str])

    def read(self, spark: Spark, table: str) -> Frame | None:
        """Return a table, None when there is none; raises SetupError when it cannot be read."""
        schema, _, name = table.partition(".")
        called = self.named.format(schema=schema, table=name)
        options = {**_OPTIONS.get(self.format, {}), **self.options}
        reader = spark.read.format(self.format).options(**options)
        try:
            if self.format == JDBC:
                return reader.option("url", self.place).option("dbtable", called).load()
            return reader.load(f"{self.place.rstrip('/')}/{called}")
        except Exception as error:
            if any(sign in str(error) for sign in _ABSENT):
                return None
            raise failed(error, f"{called} in {self.place} cannot be read") from error
