"""What the change events of TiCDC's Avro messages come to; runs on the executors."""

from __future__ import annotations

import json
from typing import Any

from pyspark.sql import DataFrame
from tables import Name, Row, Table, text_of

from cdc_spark import decode_avro

DIALECTS = ("current", "6")


def lacking(feed: dict[str, Any]) -> str:
    """Name what a changefeed asks for and this program does not do; "" for nothing."""
    if feed["protocol"] != "avro":
        return f"protocol:{feed['protocol']}"
    if feed["dialect"] not in DIALECTS:
        return f"dialect:{feed['dialect']}"
    zone = feed["settings"].get("tz", "UTC")
    if zone != "UTC":
        return f"tz:{zone}"
    return "avro-enable-watermark" if feed["complete"] else ""


def decoded(messages: DataFrame, job: dict[str, Any]) -> DataFrame:
    """Return the events of messages; what cannot be read is one of its own."""
    registry = job["registry"]
    properties = registry["properties"]
    return decode_avro(messages, registry["url"], properties=properties, poison="dead_letter")


def materialised(
    feed: dict[str, Any], events: list[dict[str, Any]]
) -> tuple[dict[Name, list[Row]], None]:
    """Return the tables of a changefeed; nothing tells of DDL, so a new shape comes with a row.

    A stream that is sent again brings older versions back: what is below the greatest commit ts
    that its key has seen is dropped. A delete has none, so the greatest is kept across it.
    """
    del feed
    tables: dict[Name, Table] = {}
    greatest: dict[tuple[Name, str], int] = {}
    for event in events:
        name = (event["schema"], event["table"])
        table = tables.setdefault(name, Table())
        row = json.loads(event["before"] if event["op"] == "delete" else event["after"])
        key = {column: row[column] for column in event["key"]}
        if event["op"] == "delete":
            table.remove(key, row)
            continue
        who, ts = (name, text_of(key)), int(event["commit_ts"] or 0)
        if ts and ts < greatest.get(who, 0):
            continue
        greatest[who] = max(ts, greatest.get(who, 0))
        # Events tell neither a new column's kind nor its default: older rows have NULL there.
        table.put(key, table.fitted(row, dict.fromkeys(row, ("", None)), ts))
    return {name: table.all() for name, table in tables.items()}, None
