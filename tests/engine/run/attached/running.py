"""A system that runs already: it reads every topic of TiCDC Avro under a prefix, until it is ended.

`running.py JOB` where the file JOB says bootstrap, registry, prefix, group, and either `sink` (a
database's address) or `directory`. `how` makes it wrong: `doubles`, `stalls`, `churns`, `garbage`;
with `deletes` the broker loses what it has read, as by retention.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import mysql.connector
from confluent_kafka import Consumer, TopicPartition
from confluent_kafka.admin import AdminClient

sys.path.insert(0, str(Path(__file__).parents[2] / "sink"))

from sinking import CREATE, Reader

Row = dict[str, Any]


class Database:
    """Writes each row into the database of its case."""

    def __init__(self, address: dict[str, Any]) -> None:
        """Connect."""
        self._connection: Any = mysql.connector.connect(
            **address, collation="utf8mb4_bin", autocommit=True
        )
        self._cursor: Any = self._connection.cursor()

    def apply(self, case: str, table: tuple[str, str], key: Row, row: Row | None) -> None:
        """Put a row, or take it away."""
        database, name = f"{case}_{table[0]}", f"at_{table[1]}"
        place = f"`{database}`.`{name}`"
        if row is None:
            where = " AND ".join(f"`{column}` = %s" for column in key)
            self._cursor.execute(f"DELETE FROM {place} WHERE {where}", tuple(key.values()))
            return
        self._cursor.execute(f"CREATE DATABASE IF NOT EXISTS `{database}`")
        columns = ", ".join(f"`{column}` BIGINT" for column in row)
        self._cursor.execute(CREATE.format(database, name, columns, ", ".join(key)))
        names = ", ".join(f"`{column}`" for column in row)
        holes = ", ".join(["%s"] * len(row))
        self._cursor.execute(
            f"REPLACE INTO {place} ({names}) VALUES ({holes})", tuple(row.values())
        )


class Files:
    """Rewrites a table's file whenever a row of it changes."""

    def __init__(self, directory: Path, how: str) -> None:
        """Take where to write."""
        self._directory = directory
        self._how = how
        self._rows: dict[Path, dict[tuple[Any, ...], Row]] = {}

    def apply(self, case: str, table: tuple[str, str], key: Row, row: Row | None) -> None:
        """Put a row, or take it away."""
        path = self._directory / case / "tables" / f"{table[0]}.{table[1]}.jsonl"
        rows = self._rows.setdefault(path, {})
        if row is None:
            rows.pop(tuple(key.values()), None)
        else:
            rows[tuple(key.values())] = row
        path.parent.mkdir(parents=True, exist_ok=True)
        text = "".join(json.dumps(row) + "\n" for row in rows.values())
        self.write(path, "garbage" if self._how == "garbage" else text)

    def write(self, path: Path, text: str) -> None:
        """Write a file whole."""
        scratch = path.with_name(f".{path.name}")
        scratch.write_text(text)
        scratch.replace(path)

    def churn(self) -> None:
        """Change every file again."""
        for path in self._rows:
            self.write(path, json.dumps({"a": time.monotonic_ns(), "b": 1}) + "\n")


def main(job: dict[str, Any]) -> None:
    """Read until somebody ends it."""
    how = job["how"]
    target: Any = Database(job["sink"]) if "sink" in job else Files(Path(job["directory"]), how)
    reader = Reader(job["registry"])
    consumer = Consumer(
        {
            "bootstrap.servers": job["bootstrap"],
            "group.id": job["group"],
            "auto.offset.reset": "earliest",
            "topic.metadata.refresh.interval.ms": 300,
            "isolation.level": "read_committed",
        }
    )
    admin = AdminClient({"bootstrap.servers": job["bootstrap"]})
    consumer.subscribe([f"^{job['prefix']}.*"])
    while True:
        message = consumer.poll(0.2)
        if how == "churns":
            target.churn()
        if message is None or message.error() or how == "stalls":
            continue
        case = message.topic().removeprefix(job["prefix"]).rpartition(".")[0]
        key, schema = reader.read(message.key())
        value = message.value()
        row = reader.read(value)[0] if value else None
        if row is not None and how == "doubles":
            row["b"] *= 2
        target.apply(case, (schema["namespace"].rpartition(".")[2], schema["name"]), key, row)
        if how == "deletes" and not message.offset():
            place = TopicPartition(message.topic(), message.partition(), 1)
            for future in admin.delete_records([place]).values():
                future.result()
        consumer.commit(message=message, asynchronous=False)


if __name__ == "__main__":
    main(json.loads(Path(sys.argv[1]).read_text()))
