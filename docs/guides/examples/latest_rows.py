# ruff: noqa: INP001 - an example, not a package
"""A PySpark job that makes Parquet tables of a TiCDC Open Protocol changefeed, once, at any size.

    spark-submit latest_rows.py BOOTSTRAP TOPIC OUT

It reads the topic from its beginning to where it ends now. Of each row the event of the greatest
commit ts counts, and at one commit ts an upsert before a delete; so duplicates do not matter, nor
does the order of partitions. OUT gets a directory for each table, its columns as text.
"""

from __future__ import annotations

import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as f

from cdc_spark import decode_open


def main(bootstrap: str, topic: str, out: str) -> None:
    """Write the tables."""
    spark = SparkSession.builder.getOrCreate()
    messages = (
        spark.read.format("kafka")
        .option("kafka.bootstrap.servers", bootstrap)
        .option("subscribe", topic)
        .option("startingOffsets", "earliest")
        .option("endingOffsets", "latest")
        .option("minPartitions", "64")  # smaller tasks: each sorts what it has in memory
        .load()
    )
    events = decode_open(messages).where("op in ('upsert', 'delete')")
    newest = events.groupBy("schema", "table", "identity").agg(
        f.max(f.struct("commit_ts", f.expr("op = 'upsert'").alias("is_there"), "after")).alias(
            "last"
        )
    )
    rows = newest.where("last.is_there").select("schema", "table", "last.after")
    rows.write.mode("overwrite").partitionBy("schema", "table").parquet(f"{out}/.rows")

    stored = spark.read.parquet(f"{out}/.rows")
    for schema, table in stored.select("schema", "table").distinct().collect():
        of = stored.where((f.col("schema") == schema) & (f.col("table") == table))
        texts = of.select(f.from_json("after", "map<string,string>").alias("row"))
        names = texts.select(f.explode(f.map_keys("row"))).distinct().orderBy("col").collect()
        columns = [f.col("row")[name].alias(name) for (name,) in names]
        texts.select(*columns).write.mode("overwrite").parquet(f"{out}/{schema}.{table}")


if __name__ == "__main__":
    main(*sys.argv[1:])
