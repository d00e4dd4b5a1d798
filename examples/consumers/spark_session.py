"""What the two Spark adapters share: one session for a whole order, and a loop over its topics."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping

from adapter import DEBEZIUM, HOME, JSON, Json, installed, job, say, table_of, write_table
from pyspark.sql import SparkSession

# The session, the order, a changefeed of it and one of its topics: the rows that the job leaves.
Rows = Callable[[SparkSession, Json, Json, Json], Iterable[Mapping[str, object]]]


def answer(adapter: str, rows: Rows, **conf: str) -> None:
    """Run a job over each topic and answer for every changefeed; `conf` is the session's."""
    order = job()
    if not installed(order, adapter, "jars"):
        return
    spark = _session(adapter, **conf)
    for feed in order["changefeeds"]:
        need = _lacks(feed)
        if need:
            say(order, feed, status="not-applicable", needs=need)
            continue
        try:
            for topic in feed["topics"]:
                table = table_of(topic)
                if table and sum(topic["end_offsets"]) > sum(topic["start_offsets"]):
                    write_table(order, feed, table, rows(spark, order, feed, topic))
        except Exception as error:  # noqa: BLE001 - whatever it is, it is this changefeed's
            say(order, feed, status="error", error=str(error)[:600])
        else:
            say(order, feed, status="done")


def kafka(order: Json) -> dict[str, str]:
    """Return the options of Spark's Kafka source."""
    return {f"kafka.{name}": value for name, value in order["kafka"]["java"].items()}


def payload(feed: Json) -> str:
    """Return the JSON path of the envelope in a value."""
    included = str(feed["settings"].get("value.converter.schemas.enable", True)).lower()
    return "$.payload" if included == "true" else "$"


def _session(adapter: str, **conf: str) -> SparkSession:
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    jars = ",".join(str(jar) for jar in sorted((HOME / adapter / "jars").glob("*.jar")))
    builder = SparkSession.builder.master("local[2]").appName(adapter)
    quick = {
        "spark.jars": jars,
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "1",
        "spark.sql.session.timeZone": "UTC",
    }
    for name, value in (quick | conf).items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def _lacks(feed: Json) -> str | None:
    """Return what a changefeed needs that these jobs do not do, or None."""
    if feed["protocol"] not in DEBEZIUM:
        return f"protocol:{feed['protocol']}"
    converter = feed["settings"].get("value.converter", JSON)
    return None if converter == JSON else f"value.converter:{converter}"
