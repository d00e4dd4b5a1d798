"""Run the job over each topic, in one Spark session, and answer with what its Delta tables hold."""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import spark_session
from adapter import Json, installed, job, say, write_table
from job import keep

NAME = "spark-delta-merge"


def main(order: Json) -> None:
    """Answer for every changefeed of the job."""
    delta = {
        "spark.databricks.delta.snapshotPartitions": "1",  # 50 are for tables of many files
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    }
    spark = spark_session.started(NAME, **delta)
    for feed in order["changefeeds"]:
        need = spark_session.lacks(feed)
        if need:
            say(order, feed, status="not-applicable", needs=need)
            continue
        try:
            for topic in spark_session.tables(feed):
                payload = spark_session.payload(feed)
                place = Path(order["work_dir"], feed["dir"], topic["canonical"])
                at = (str(place / "table"), str(place / "checkpoint"))
                found = keep(spark, spark_session.kafka(order), topic["name"], payload, at)
                rows = [json.loads(row["row"] or "{}") for row in found.collect()]
                write_table(order, feed, spark_session.table(topic), rows)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is this changefeed's
            say(order, feed, status="error", error=str(error)[:600])
        else:
            say(order, feed, status="done")


if __name__ == "__main__":
    order = job()
    if installed(order, NAME, "jars"):
        main(order)
