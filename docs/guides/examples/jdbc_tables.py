# ruff: noqa: INP001 - an example, not a package
"""A writer for the tables of a MySQL-compatible server: rows by key, statements as they come.

    spark-submit jdbc_tables.py BOOTSTRAP TOPIC PARTITIONS HOST:PORT USER CHECKPOINT

The password is in MYSQL_PWD. Each step is one transaction, which notes the step in the table
`cdc.steps`; a step that is noted is passed over. A statement commits by itself, so it is noted
before it as begun: where it fails when it comes again because it is done already, it is done.

Tables without a key are refused, and a column of bytes has its hexadecimal digits. A micro-batch's
rows go through the driver: enough for some thousand rows a second.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import mysql.connector
from pyspark.sql import DataFrame, SparkSession

from cdc_spark import Changefeed, Step, in_order, write_tables

STEPS = (
    "CREATE TABLE IF NOT EXISTS cdc.steps (query CHAR(36) NOT NULL, batch BIGINT NOT NULL,"
    " number BIGINT NOT NULL, begun BOOL NOT NULL, one TINYINT PRIMARY KEY DEFAULT 1)"
)
# A table or column that is there already, or is no more: what a statement meets that was done.
DONE = frozenset({1007, 1008, 1050, 1051, 1054, 1060, 1061, 1091, 1146})


class MariaDbTables:
    """Tables of a server, under the names that they have in the changefeed."""

    def __init__(self, **server: str | int) -> None:
        """Connect, and make the table of steps."""
        self.connection: Any = mysql.connector.connect(**server)
        cursor = self.connection.cursor()
        cursor.execute("CREATE DATABASE IF NOT EXISTS cdc")
        cursor.execute(STEPS)

    def rows(self, step: Step, schema: str, table: str, changes: DataFrame) -> None:
        """Replace and delete rows, with the step in one transaction."""
        with self.transaction(step) as cursor:
            if cursor is None:
                return
            for change in changes.toLocalIterator():
                if not change["key"]:
                    raise ValueError(f"{schema}.{table} has no key")
                image = json.loads(change["after"] or change["before"])
                target = f"{quoted(schema)}.{quoted(table)}"
                if change["_op"] == "delete":
                    image = {name: image[name] for name in change["key"]}
                    where = " AND ".join(f"{quoted(name)} = %s" for name in image)
                    text = f"DELETE FROM {target} WHERE {where}"  # noqa: S608 - quoted names
                else:
                    names = ", ".join(quoted(name) for name in image)
                    marks = ", ".join(["%s"] * len(image))
                    text = f"REPLACE INTO {target} ({names}) VALUES ({marks})"  # noqa: S608 - as above
                cursor.execute(text, list(image.values()))

    def statement(self, step: Step, schema: str, table: str, query: str) -> None:
        """Execute a statement in its database; `table` is in its text."""
        del table
        last, begun = self.noted(step)
        if last > step or (last == step and not begun):
            return
        self.note(step, begun=True)
        self.connection.commit()
        cursor = self.connection.cursor()
        try:
            if schema:
                cursor.execute(f"CREATE DATABASE IF NOT EXISTS {quoted(schema)}")
                cursor.execute(f"USE {quoted(schema)}")
            cursor.execute(query)
        except mysql.connector.Error as error:
            if last != step or error.errno not in DONE:
                raise
        self.note(step, begun=False)
        self.connection.commit()

    def set_aside(self, step: Step, messages: DataFrame) -> None:
        """Refuse what could not be read: this writer has no place for it."""
        raise ValueError(f"{messages.count()} messages of batch {step.batch} were set aside")

    @contextmanager
    def transaction(self, step: Step) -> Iterator[Any]:
        """Yield a cursor for what a step does; None where it is done."""
        last, _ = self.noted(step)
        if last >= step:
            yield None
            return
        try:
            yield self.connection.cursor()
            self.note(step, begun=False)
            self.connection.commit()
        except BaseException:
            self.connection.rollback()
            raise

    def noted(self, step: Step) -> tuple[Step, bool]:
        """Return the last step, and whether it is begun and not done."""
        cursor = self.connection.cursor()
        cursor.execute("SELECT query, batch, number, begun FROM cdc.steps FOR UPDATE")
        query, batch, number, begun = cursor.fetchone() or (step.query, -1, -1, 0)
        if query != step.query:
            raise ValueError(f"the tables belong to the query {query}, not to {step.query}")
        return Step(query, batch, number), bool(begun)

    def note(self, step: Step, *, begun: bool) -> None:
        """Note a step; the caller commits."""
        self.connection.cursor().execute(
            "REPLACE INTO cdc.steps (query, batch, number, begun) VALUES (%s, %s, %s, %s)",
            (*step, begun),
        )


def quoted(name: str) -> str:
    """Return a name as SQL has it."""
    return f"`{name.replace('`', '``')}`"


def main(
    bootstrap: str, topic: str, partitions: str, server: str, user: str, checkpoint: str
) -> None:
    """Apply what has come every ten seconds, until somebody stops the query."""
    spark = SparkSession.builder.getOrCreate()
    messages = (
        spark.readStream.format("kafka")
        .option("kafka.bootstrap.servers", bootstrap)
        .option("kafka.isolation.level", "read_committed")
        .option("subscribe", topic)
        .option("startingOffsets", "earliest")
        .option("failOnDataLoss", "true")
        .load()
    )
    host, _, port = server.partition(":")
    writer = MariaDbTables(host=host, port=int(port), user=user, password=os.environ["MYSQL_PWD"])
    orders = Changefeed("open", {topic: int(partitions)})
    query = write_tables(in_order(messages, orders), orders, writer, checkpoint=checkpoint)
    query.trigger(processingTime="10 seconds").start().awaitTermination()


if __name__ == "__main__":
    main(*sys.argv[1:])
