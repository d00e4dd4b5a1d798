# ruff: noqa: INP001 - an example, not a package
"""A PySpark job that makes Parquet tables of a TiCDC Open Protocol changefeed, once, at any size.

    spark-submit latest_rows.py BOOTSTRAP TOPIC OUT

It reads the topic from its beginning to where it ends now, which should not move meanwhile. Of each
row the event of the greatest commit ts counts, and at one commit ts an upsert before a delete; so
duplicates do not matter, nor does the order of partitions. DDL is followed: a row goes through the
statements that came after it, on the executors, so that TRUNCATE and DROP take it away, RENAME
moves it, and a new column has its default. A row without a key or an id is refused, and so is a
statement whose effect no event tells. OUT gets a directory for each table, its columns as text.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any

import pandas as pd
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from cdc_spark import Replica, decode_open

LAST = ["schema", "table", "id", "ts", "there", "row"]
FOLLOWED = "schema string, table string, id string, ts decimal(20,0), there boolean, row string"
MARK = "\0"  # no column of TiDB's has this name; what is under it goes where the row goes


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
    # Only messages with this text can hold a statement: the others need not be decoded twice.
    few = messages.where("""instr(cast(value AS string), '"q":') > 0""")
    named = (
        decode_open(few).where("op = 'ddl'").select("op", "schema", "table", "commit_ts", "query")
    )
    ddl = [row.asDict() for row in named.distinct().orderBy("commit_ts").collect()]
    rows = latest(decode_open(messages), ddl)
    rows.write.mode("overwrite").partitionBy("schema", "table").parquet(f"{out}/.rows")

    stored = spark.read.parquet(f"{out}/.rows")
    for schema, table in stored.select("schema", "table").distinct().collect():
        of = stored.where((f.col("schema") == schema) & (f.col("table") == table))
        texts = of.select(f.from_json("row", "map<string,string>").alias("row"))
        names = texts.select(f.explode(f.map_keys("row"))).distinct().orderBy("col").collect()
        columns = [f.col("row")[name].alias(name) for (name,) in names]
        texts.select(*columns).write.mode("overwrite").parquet(f"{out}/{schema}.{table}")


def latest(events: DataFrame, ddl: list[dict[str, Any]]) -> DataFrame:
    """Return the rows that there are in the end: schema, table, and the row as JSON.

    `ddl` are the statements in their order. A row comes before the statement of its own commit ts.
    """
    times = [f.lit(one["commit_ts"]) for one in ddl]
    behind = f.filter(f.array(*times), lambda ts: ts >= f.col("commit_ts"))
    there = f.expr("op = 'upsert'").alias("there")
    last = f.struct(
        f.col("commit_ts").alias("ts"), there, f.expr("ifnull(after, before)").alias("row")
    )
    keyed = f.when(f.col("identity") != "", f.col("identity")).otherwise(
        f.raise_error(f.lit("a row without a key or an id"))
    )
    newest = (
        events.where("op in ('upsert', 'delete')")
        .withColumn("follow", f.size(behind) if ddl else f.lit(0))
        .groupBy("schema", "table", keyed.alias("id"), "follow")
        .agg(f.max(last).alias("last"))
    )

    def through(batches: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        for batch in batches:
            for (follow,), rows in batch.groupby(["follow"]):
                yield followed(rows.to_dict("records"), ddl, len(ddl) - int(follow))

    flat = newest.select("schema", "table", "id", "last.*", "follow")
    if ddl:  # names and columns change, so a row is known by its key alone from here on
        flat = flat.mapInPandas(through, FOLLOWED)
    last = f.max(f.struct("ts", "there", "row")).alias("last")
    of_key = flat.groupBy("schema", "table", "id").agg(last)
    return of_key.where("last.there").select("schema", "table", "last.row")


def followed(rows: list[dict[str, Any]], ddl: list[dict[str, Any]], first: int) -> pd.DataFrame:
    """Return rows, the deleted ones too, as the statements from the `first` on leave them."""
    replica = Replica()
    for statement in ddl[:first]:
        replica.apply(statement)
    for number, one in enumerate(rows):
        marked = json.dumps(json.loads(one["row"]) | {MARK: number})
        image = {"op": "upsert", "key": [], "identity": "", "before": None, "after": marked}
        replica.apply({**image, "schema": one["schema"], "table": one["table"]})
    for statement in ddl[first:]:
        replica.apply(statement)
    found = []
    for (schema, table), left in replica.rows().items():
        for row in left:
            one = rows[row.pop(MARK)]
            key = json.dumps(json.loads(one["id"])[2:])
            found.append((schema, table, key, one["ts"], one["there"], json.dumps(row)))
    return pd.DataFrame(found, columns=LAST)


if __name__ == "__main__":
    main(*sys.argv[1:])
