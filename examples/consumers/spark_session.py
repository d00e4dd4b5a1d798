"""What the two Spark adapters share: a session, and what a Vitess changefeed is called."""

from __future__ import annotations

import os
import sys

from adapter import HOME, Json
from pyspark.sql import SparkSession

JSON = "org.apache.kafka.connect.json.JsonConverter"


def started(adapter: str, **conf: str) -> SparkSession:
    """Return a session with the adapter's jars."""
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


def lacks(feed: Json) -> str | None:
    """Return what a changefeed needs that these jobs do not do, or None."""
    if feed["protocol"] != "vitess":
        return f"protocol:{feed['protocol']}"
    converter = feed["settings"].get("value.converter", JSON)
    return None if converter == JSON else f"value.converter:{converter}"


def kafka(order: Json) -> dict[str, str]:
    """Return the options of Spark's Kafka source."""
    return {f"kafka.{name}": value for name, value in order["kafka"]["java"].items()}


def payload(feed: Json) -> str:
    """Return the JSON path of the envelope in a value."""
    included = str(feed["settings"].get("value.converter.schemas.enable", True)).lower()
    return "$.payload" if included == "true" else "$"


def tables(feed: Json) -> list[Json]:
    """Return the topics that hold a table's rows, and any."""
    return [
        topic
        for topic in feed["topics"]
        if topic["role"] == "data"
        and topic["canonical"].count(".") > 1
        and sum(topic["end_offsets"]) > sum(topic["start_offsets"])
    ]


def table(topic: Json) -> tuple[str, str]:
    """Return the table that a Debezium topic is named after."""
    schema, name = topic["canonical"].split(".")[-2:]
    return schema, name
