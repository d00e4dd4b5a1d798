"""A job of forty lines, as somebody writes it who needs a table from Debezium in Spark by tonight.

The last event of a key by offset is the row; a deletion is none. Values stay the text that
JSON has.
"""

from __future__ import annotations

from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F  # noqa: N812 - as everybody writes it


def latest(spark: SparkSession, kafka: dict[str, str], topic: str, payload: str) -> DataFrame:
    """Return a topic's rows as maps of text; `payload` is the JSON path of the envelope."""
    messages = (
        spark.read.format("kafka")
        .options(**kafka)
        .option("subscribe", topic)
        .option("startingOffsets", "earliest")
        .option("endingOffsets", "latest")
        .load()
        .where("value IS NOT NULL")
    )
    value = F.col("value").cast("string")
    events = messages.select(
        F.col("key").cast("string").alias("key"),
        F.get_json_object(value, f"{payload}.op").alias("op"),
        F.from_json(F.get_json_object(value, f"{payload}.after"), "map<string,string>").alias(
            "row"
        ),
        "partition",
        "offset",
    )
    newest_first = Window.partitionBy("key").orderBy(F.desc("offset"))
    return (
        events.withColumn("age", F.row_number().over(newest_first))
        .where("age = 1 AND op <> 'd'")
        .select("row")
    )
