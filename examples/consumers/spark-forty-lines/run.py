"""Run the job of forty lines over each topic, in one Spark session."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import spark_session
from adapter import Json, installed, job, say, write_table
from job import latest

NAME = "spark-forty-lines"


def main(order: Json) -> None:
    """Answer for every changefeed of the job."""
    spark = spark_session.started(NAME)
    for feed in order["changefeeds"]:
        need = spark_session.lacks(feed)
        if need:
            say(order, feed, status="not-applicable", needs=need)
            continue
        try:
            for topic in spark_session.tables(feed):
                payload = spark_session.payload(feed)
                found = latest(spark, spark_session.kafka(order), topic["name"], payload)
                rows = [row["row"] for row in found.collect()]
                write_table(order, feed, spark_session.table(topic), rows)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is this changefeed's
            say(order, feed, status="error", error=str(error)[:600])
        else:
            say(order, feed, status="done")


if __name__ == "__main__":
    order = job()
    if installed(order, NAME, "jars"):
        main(order)
