#!/usr/bin/env python3
"""A consumer for TiCDC's Open Protocol: rows of keyed tables, held until they are resolved."""

from __future__ import annotations

import base64
import json
import os
import struct
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from confluent_kafka import Consumer, KafkaException, TopicPartition

DDL, RESOLVED = 2, 3
ADDS_ONLY = {1, 3, 7, 8}  # create schema, create table, add index, drop index: rows stay
EMPTIES = {4, 11}  # drop table, truncate table


class UnsupportedError(Exception):
    """Something that this consumer does not claim to handle; says what."""


def frames(batch: bytes) -> Iterator[bytes]:
    """Split a batch: each part is preceded by its length, 8 bytes big-endian."""
    while batch:
        (length,) = struct.unpack_from(">Q", batch)
        yield batch[8 : 8 + length]
        batch = batch[8 + length :]


def consume(job: dict, topics: list[dict]) -> Iterator[tuple]:
    """Yield topic, partition, key and value of every message below the end offsets."""
    starts, ends = {}, {}
    for topic in topics:
        for partition, end in enumerate(topic["end_offsets"]):
            if (start := topic["start_offsets"][partition]) < end:
                starts[topic["name"], partition] = start
                ends[topic["name"], partition] = end
    kafka = job["kafka"]["librdkafka"] | {"group.id": job["kafka"]["group_id"]}
    consumer = Consumer(kafka | {"enable.auto.commit": False})
    consumer.assign([TopicPartition(*place, start) for place, start in starts.items()])
    while ends:
        for message in consumer.consume(500, 0.1):
            place, error = (message.topic(), message.partition()), message.error()
            if error:
                raise KafkaException(error)
            if message.offset() < ends.get(place, 0):
                yield *place, message.key(), message.value()
        # The position, not the last message: behind it there may be markers, which nobody is given.
        for there in consumer.position([TopicPartition(*place) for place in ends]):
            if there.offset >= ends[there.topic, there.partition]:
                del ends[there.topic, there.partition]
    consumer.close()


def key_of(columns: dict) -> tuple:
    """Return the handle key; integers as text, for job.json writes large ones so."""
    key = tuple(sorted((name, str(c["v"])) for name, c in columns.items() if c.get("h")))
    if not key:
        raise UnsupportedError("table:keyless")
    return key


def value_of(column: dict) -> object:
    """Return a value in the contract's form."""
    value, kind, is_binary = column["v"], column["t"], column["f"] & 1
    if value is not None and kind in {249, 250, 251, 252}:  # the text and blob family
        raw = base64.b64decode(value)
        return raw.hex() if is_binary else raw.decode()
    if kind in {15, 254} and is_binary:  # varbinary and binary have escapes of their own
        raise UnsupportedError("type:binary")
    return value


def apply(rows: dict, event: dict, value: dict) -> None:
    """Apply one DDL statement or one row event to a table."""
    if event["t"] == DDL:
        if value["t"] in EMPTIES:
            rows.clear()
        elif value["t"] not in ADDS_ONLY:
            raise UnsupportedError(f"ddl:{value['t']}")
        return
    for before in value.keys() & {"p", "d"}:
        rows.pop(key_of(value[before]), None)
    if "u" in value:
        rows[key_of(value["u"])] = {name: value_of(column) for name, column in value["u"].items()}


def materialise(feed: dict, messages: Iterator[tuple]) -> dict[tuple, dict]:
    """Return table -> key -> row, of everything that all partitions say is complete."""
    resolved = {(t["name"], p): 0 for t in feed["topics"] for p in range(t["partitions"])}
    held = []
    for topic, partition, key_batch, value_batch in messages:
        for key, value in zip(frames(key_batch[8:]), frames(value_batch), strict=True):
            event = json.loads(key)
            if event["t"] == RESOLVED:
                resolved[topic, partition] = max(resolved[topic, partition], event["ts"])
            else:
                held.append((event, json.loads(value)))
    bound = min(resolved.values()) + (feed["complete"] == "at-or-below")
    tables: dict[tuple, dict] = {}
    for table in feed["tables"]:
        rows = tables[table["schema"], table["name"]] = {}
        for row in table["rows"]:
            rows[tuple(sorted((name, str(row[name])) for name in table["key"]))] = row
    # By commit ts, whatever the order between partitions was: so a duplicate does no harm. Of one
    # commit ts deletes come first, for a row whose key changes is a delete and an insert.
    held.sort(key=lambda pair: (pair[0]["ts"], pair[0]["t"] != DDL, "u" in pair[1]))
    for event, value in held:
        if event["ts"] < bound:
            apply(tables.setdefault((event["scm"], event.get("tbl")), {}), event, value)
    return tables


def encode(name: str) -> str:
    """Write a name as the contract asks: every byte outside [A-Za-z0-9_-] as %XX."""
    return quote(name, safe="").replace(".", "%2E").replace("~", "%7E")


def answer(job: dict, feed: dict, out: Path) -> dict:
    """Consume one changefeed, write its tables, and return its status."""
    if (feed["protocol"], feed["dialect"]) != ("open", "current"):
        return {"status": "not-applicable", "needs": f"{feed['protocol']}:{feed['dialect']}"}
    try:
        tables = materialise(feed, consume(job, feed["topics"]))
    except UnsupportedError as lack:
        return {"status": "not-applicable", "needs": str(lack)}
    for (schema, name), rows in tables.items():
        if rows:
            lines = "".join(json.dumps(row) + "\n" for row in rows.values())
            (out / "tables" / f"{encode(schema)}.{encode(name)}.jsonl").write_text(lines)
    return {"status": "done"}


if __name__ == "__main__":
    job = json.loads(Path(os.environ["HARNESS_JOB"]).read_text(encoding="utf-8"))
    for feed in job["changefeeds"]:
        out = Path(job["out_dir"], feed["dir"])
        status = answer(job, feed, out)
        (out / "status.json").write_text(json.dumps(status))
