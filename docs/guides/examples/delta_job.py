# ruff: noqa: INP001 - an example, not a package
"""A PySpark job that keeps Delta tables of a TiCDC Open Protocol changefeed.

    spark-submit delta_job.py BOOTSTRAP TOPIC PARTITIONS ROOT CHECKPOINT

Every minute it applies what has come; with `--once` it applies what is there, shows the tables and
ends. ROOT and CHECKPOINT are URIs that every machine of the cluster can reach.
"""

from __future__ import annotations

import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812

from cdc_spark import Changefeed, in_order, read_delta, write_delta


def main(bootstrap: str, topic: str, partitions: str, root: str, checkpoint: str) -> None:
    """Run until somebody stops the query, or once."""
    spark = SparkSession.builder.getOrCreate()
    messages = (
        spark.readStream.format("kafka")
        .option("kafka.bootstrap.servers", bootstrap)
        .option("kafka.isolation.level", "read_committed")
        .option("subscribe", topic)
        .option("startingOffsets", "earliest")
        .option("failOnDataLoss", "true")
        .option("includeHeaders", "true")
        .load()
    )
    orders = Changefeed("open", {topic: int(partitions)}, poison="dead_letter")
    changes = in_order(messages, orders)
    writer = write_delta(changes, orders, root=root, checkpoint=checkpoint, app_id="orders")
    if "--once" not in sys.argv:
        writer.trigger(processingTime="1 minute").start().awaitTermination()
        return
    writer.trigger(availableNow=True).start().awaitTermination()
    for (schema, name), rows in read_delta(spark, root).items():
        lines = rows.select(F.to_json(F.struct("*"))).collect()
        sys.stdout.write(f"{schema}.{name}: {sorted(line for (line,) in lines)}\n")


if __name__ == "__main__":
    main(*[word for word in sys.argv[1:] if not word.startswith("--")])
