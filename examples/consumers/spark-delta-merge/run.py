"""Run the job over each topic, in one Spark session, and answer with what its Delta tables hold."""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from adapter import Json
from job import keep
from pyspark.sql import SparkSession
from spark_session import answer, kafka, payload

DELTA = {
    "spark.databricks.delta.snapshotPartitions": "1",  # 50 are for tables of many files
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
}


def rows(spark: SparkSession, order: Json, feed: Json, topic: Json) -> list[Json]:
    """Return the rows of the Delta table that the job merges a topic into."""
    place = Path(order["work_dir"], feed["dir"], topic["canonical"])
    at = (str(place / "table"), str(place / "checkpoint"))
    found = keep(spark, kafka(order), topic["name"], payload(feed), at)
    return [json.loads(row["row"] or "{}") for row in found.collect()]


if __name__ == "__main__":
    answer("spark-delta-merge", rows, **DELTA)
