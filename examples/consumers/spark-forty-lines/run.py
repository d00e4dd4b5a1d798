"""Run the job of forty lines over each topic, in one Spark session."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from adapter import Json
from job import latest
from pyspark.sql import SparkSession
from spark_session import answer, kafka, payload


def rows(spark: SparkSession, order: Json, feed: Json, topic: Json) -> list[Json]:
    """Return the rows that the job finds in a topic."""
    found = latest(spark, kafka(order), topic["name"], payload(feed))
    return [row["row"] for row in found.collect()]


if __name__ == "__main__":
    answer("spark-forty-lines", rows)
