"""What ends the consumer's query, and what is only a failure of Spark's own behind a commit."""

from __future__ import annotations

import pytest
from pyspark.errors import StreamingQueryException

from cdc_spark.conformance.stream import ended

pytestmark = pytest.mark.spark

# The texts of Spark 4.1.1 on Java 17, as a run printed them.
METRICS = (
    'Cannot invoke "scala.collection.IterableOps.map(scala.Function1)" because the return value of '
    '"scala.Option.get()" is null SQLSTATE: XXKST'
)
OTHER = 'Cannot invoke "scala.collection.IterableOps.map(scala.Function1)" because "x" is null'


class Failing:
    """A query that has failed."""

    def __init__(self, why: str) -> None:
        """Say what Spark says."""
        self.why = why

    def awaitTermination(self, seconds: float) -> bool:  # noqa: N802 - PySpark's name
        """Raise as PySpark does once a query has failed."""
        del seconds
        raise StreamingQueryException(
            f"[STREAM_FAILED] Query terminated with exception: {self.why}"
        )


def test_metrics_that_fail_behind_a_commit_are_an_end() -> None:
    """Spark 4.1 fails after the first batch of a restart: the consumer starts its query again."""
    assert ended(Failing(METRICS), 1)


def test_any_other_failure_is_raised() -> None:
    """Nothing else is taken for that: a failure of another cause reaches the consumer's end."""
    with pytest.raises(StreamingQueryException):
        ended(Failing(OTHER), 1)
