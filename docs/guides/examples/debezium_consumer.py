#!/usr/bin/env python3
"""A consumer for Debezium's MariaDB and MySQL connectors: JSON with schemas, tables with a key."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from confluent_kafka import Consumer, KafkaException, TopicPartition

PLAIN = {"int16", "int32", "int64", "float", "double", "string", "bytes"}


class UnsupportedError(Exception):
    """Something that this consumer does not claim to handle; says what."""


def consume(job: dict, topics: list[dict]) -> Iterator[tuple]:
    """Yield key and value of every message from the start offsets up to the end offsets."""
    spans = {
        (topic["name"], number): (start, topic["end_offsets"][number])
        for topic in topics
        for number, start in enumerate(topic["start_offsets"])
    }
    ends = {place: end for place, (start, end) in spans.items() if start < end}
    kafka = job["kafka"]["librdkafka"] | {"group.id": job["kafka"]["group_id"]}
    consumer = Consumer(kafka | {"enable.auto.commit": False})
    consumer.assign([TopicPartition(*place, spans[place][0]) for place in ends])
    while ends:
        for message in consumer.consume(500, 1.0):
            if message.error():
                raise KafkaException(message.error())
            place = (message.topic(), message.partition())
            if message.offset() < ends.get(place, 0):
                yield message.key(), message.value()
            if message.offset() + 1 >= ends.get(place, 0):
                ends.pop(place, None)
    consumer.close()


def plain(row: dict, fields: list[dict]) -> dict:
    """Return a row in the contract's form; what needs more than its JSON says is not claimed."""
    found = {}
    for field in fields:
        if field["type"] not in PLAIN or "name" in field:
            raise UnsupportedError(f"type:{field.get('name', field['type'])}")
        value = row[field["field"]]
        is_binary = field["type"] == "bytes" and value is not None
        found[field["field"]] = base64.b64decode(value).hex() if is_binary else value
    return found


def materialise(messages: Iterator[tuple]) -> dict[tuple, dict]:
    """Return table -> key -> row. An event that comes again sets what it has set before."""
    tables: dict[tuple, dict] = {}
    for key, value in messages:
        if value is None:  # a tombstone: its deletion was read before
            continue
        event = json.loads(value)
        schemas = {one["field"]: one.get("fields") for one in event["schema"]["fields"]}
        change = event["payload"]
        if "op" not in change:  # a DDL statement or a transaction's end: rows say what is needed
            continue
        rows = tables.setdefault((change["source"]["db"], change["source"]["table"]), {})
        if change["op"] == "t":
            rows.clear()
            continue
        if key is None:
            raise UnsupportedError("table:keyless")
        name = json.dumps(json.loads(key)["payload"])
        if change["op"] == "d":
            rows.pop(name, None)
        else:
            rows[name] = plain(change["after"], schemas["after"])
    return tables


def encode(name: str) -> str:
    """Write a name as the contract asks: every byte outside [A-Za-z0-9_-] as %XX."""
    return quote(name, safe="").replace(".", "%2E").replace("~", "%7E")


def answer(job: dict, feed: dict, out: Path) -> dict:
    """Consume one changefeed, write its tables, and return its status."""
    if feed["protocol"] != "debezium-mysql" or any("converter" in one for one in feed["settings"]):
        return {"status": "not-applicable", "needs": f"protocol:{feed['protocol']}"}
    try:
        tables = materialise(consume(job, feed["topics"]))
    except UnsupportedError as lack:
        return {"status": "not-applicable", "needs": str(lack)}
    for (schema, name), rows in tables.items():
        if rows:
            columns = dict.fromkeys(column for row in rows.values() for column in row)
            lines = [json.dumps({one: row.get(one) for one in columns}) for row in rows.values()]
            file = out / "tables" / f"{encode(schema)}.{encode(name)}.jsonl"
            file.write_text("".join(f"{line}\n" for line in lines))
    return {"status": "done"}


if __name__ == "__main__":
    job = json.loads(Path(os.environ["HARNESS_JOB"]).read_text(encoding="utf-8"))
    for feed in job["changefeeds"]:
        out = Path(job["out_dir"], feed["dir"])
        status = answer(job, feed, out)
        (out / "status.json").write_text(json.dumps(status))
