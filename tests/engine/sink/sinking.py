"""A consumer of TiCDC Avro that writes into a database, rightly or as $SINKING says.

It keeps no checkpoint: started again it applies everything anew, which ends in the same tables.
"""

from __future__ import annotations

import io
import json
import os
import struct
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import fastavro
import mysql.connector
from confluent_kafka import Consumer, TopicPartition

Row = dict[str, Any]
HOW = os.environ.get("SINKING", "")
CREATE = "CREATE TABLE IF NOT EXISTS `{}`.`{}` ({}, PRIMARY KEY ({}), applied_at TIMESTAMP)"


class Reader:
    """Reads what the registry's schemas describe."""

    def __init__(self, url: str) -> None:
        """Take the registry's address."""
        self._url = url
        self._schemas: dict[int, Any] = {}

    def read(self, data: bytes) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return a record and its schema."""
        (number,) = struct.unpack(">I", data[1:5])
        if number not in self._schemas:
            with urlopen(f"{self._url}/schemas/ids/{number}") as answer:
                self._schemas[number] = json.loads(json.load(answer)["schema"])
        schema = self._schemas[number]
        record: Any = fastavro.schemaless_reader(io.BytesIO(data[5:]), schema, None)
        return record, schema


class Target:
    """The databases of one changefeed."""

    def __init__(self, cursor: Any, databases: dict[str, str]) -> None:
        """Take a cursor, and the database of each schema."""
        self._cursor = cursor
        self._databases = databases

    def apply(self, schema: dict[str, Any], key: Row, row: Row | None) -> None:
        """Put a row, or take it away."""
        database = self._databases[schema["namespace"].rpartition(".")[2]]
        name = schema["name"]
        if row is None:
            if HOW != "keeps-deleted":
                where = " AND ".join(f"`{column}` = %s" for column in key)
                self._cursor.execute(
                    f"DELETE FROM `{database}`.`{name}` WHERE {where}", tuple(key.values())
                )
            return
        if HOW in {"own", "loses-a-column"}:
            self._create(database, name, key, row)
        if HOW == "doubles":
            row = {n: v * 2 if isinstance(v, int) and n not in key else v for n, v in row.items()}
        if HOW == "loses-a-column":
            row = key
        names = ", ".join(f"`{column}`" for column in row)
        holes = ", ".join(["%s"] * len(row))
        self._cursor.execute(
            f"REPLACE INTO `{database}`.`{name}` ({names}) VALUES ({holes})", tuple(row.values())
        )

    def _create(self, database: str, name: str, key: Row, row: Row) -> None:
        kept = key if HOW == "loses-a-column" else row
        columns = ", ".join(f"`{column}` BIGINT" for column in kept)
        self._cursor.execute(CREATE.format(database, name, columns, ", ".join(key)))


def consume(job: dict[str, Any], feed: dict[str, Any], target: Target) -> None:
    """Apply every message of a changefeed."""
    reader = Reader(job["registry"]["url"])
    consumer = Consumer({**job["kafka"]["librdkafka"], "group.id": job["kafka"]["group_id"]})
    ends = {(t["name"], n): end for t in feed["topics"] for n, end in enumerate(t["end_offsets"])}
    places = [TopicPartition(*place, 0) for place in ends]
    consumer.assign(places)
    while any(max(at.offset, 0) < ends[at.topic, at.partition] for at in consumer.position(places)):
        message = consumer.poll(0.5)
        if message is None:
            continue
        key, schema = reader.read(message.key())
        value = message.value()
        target.apply(schema, key, reader.read(value)[0] if value else None)
    consumer.close()


def main() -> None:
    """Do the job that $HARNESS_JOB names."""
    job: dict[str, Any] = json.loads(Path(os.environ["HARNESS_JOB"]).read_bytes())
    sink = {name: value for name, value in job["sink"].items() if name != "kind"}
    connection = mysql.connector.connect(**sink, collation="utf8mb4_bin", autocommit=True)
    for feed in job["changefeeds"]:
        consume(job, feed, Target(connection.cursor(), feed["databases"]))
        status = Path(job["out_dir"], feed["dir"], "status.json")
        status.write_text('{"status": "done"}')


if __name__ == "__main__":
    main()
