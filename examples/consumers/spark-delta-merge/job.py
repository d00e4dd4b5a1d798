"""foreachBatch and MERGE into Delta Lake, as tutorials teach it for Debezium.

Kept with the mistakes that they have in common; the public matrix has their ids.
"""

from __future__ import annotations

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - as everybody writes it

MERGE = """
MERGE INTO delta.`{path}` t USING changes s ON t.key = s.key
WHEN MATCHED AND s.op = 'd' THEN DELETE
WHEN MATCHED THEN UPDATE SET row = s.row
WHEN NOT MATCHED THEN INSERT (key, row) VALUES (s.key, s.row)
"""


def keep(
    spark: SparkSession, kafka: dict[str, str], topic: str, payload: str, at: tuple[str, str]
) -> DataFrame:
    """Merge a topic into a Delta table, and return it; `at` is its path and the checkpoint's."""
    path, checkpoint = at
    spark.sql(f"CREATE TABLE IF NOT EXISTS delta.`{path}` (key STRING, row STRING) USING delta")

    def upsert(batch: DataFrame, _: int) -> None:
        value = F.col("value").cast("string")
        changes = batch.select(  # S1: a tombstone is a row of NULLs, and no deletion
            F.col("key").cast("string").alias("key"),
            F.get_json_object(value, f"{payload}.op").alias("op"),
            F.get_json_object(value, f"{payload}.after").alias("row"),
            F.get_json_object(value, f"{payload}.ts_ms").cast("long").alias("ts_ms"),
        )
        # S2: the newest by time, though many changes have one, a delete and its key again too
        newest = changes.orderBy(F.desc("ts_ms")).dropDuplicates(["key"])
        newest.createOrReplaceTempView("changes")
        batch.sparkSession.sql(MERGE.format(path=path))

    (
        spark.readStream.format("kafka")
        .options(**kafka)
        .option("subscribe", topic)
        .option("startingOffsets", "earliest")
        .load()
        .writeStream.foreachBatch(upsert)
        .option("checkpointLocation", checkpoint)
        .trigger(availableNow=True)
        .start()
        .awaitTermination()
    )
    return spark.read.format("delta").load(path)
