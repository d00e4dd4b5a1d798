"""How far a table's log is, and whether it has gaps.

Delta says the version to Java at once, and to SQL as the newest line of a table's history, which is
a job of Spark's; over Spark Connect there is SQL alone.
"""

from __future__ import annotations

from typing import Any

from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException

from cdc_spark.untyped import Session

# How Delta names what is wrong with a log whose entries are not all there.
_GAPS = (
    "DELTA_VERSIONS_NOT_CONTIGUOUS",
    "DELTA_TRUNCATED_TRANSACTION_LOG",
    "DELTA_LOG_FILE_NOT_FOUND",
    "DELTA_STATE_RECOVER_ERROR",
)


def has_gaps(error: Exception) -> bool:
    """Return whether an error of Delta's says that entries of a log are not there."""
    return any(name in str(error) for name in _GAPS)


def version(spark: Session, uri: str) -> int:
    """Return the version of the log of a table whose schema was just read."""
    found = _by_java(spark, uri)
    if found is None:
        name = uri.replace("`", "``")
        (last,) = spark.sql(f"DESCRIBE HISTORY delta.`{name}` LIMIT 1").collect()
        found = int(last["version"])
    return found


def _by_java(spark: Session, uri: str) -> int | None:
    try:
        java: Any = spark._jvm  # noqa: SLF001 - PySpark has no other way to Delta's own classes
        session = spark._jsparkSession  # noqa: SLF001 - as above
        log = java.org.apache.spark.sql.delta.DeltaLog.forTable(session, uri)
        return int(log.unsafeVolatileSnapshot().version())
    except (PySparkException, Py4JError, AttributeError, TypeError):
        return None
