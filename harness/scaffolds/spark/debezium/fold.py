"""What the change events of Debezium's connectors come to; runs on the executors.

All events of a key come in one partition, in order, so rows are applied as they arrive. A read that
ends at given offsets needs no boundaries of transactions: the rows of one that is cut in two there
are the rows of its first part. Whoever shows tables while they change has to wait for END.
"""

from __future__ import annotations

import json
from typing import Any

from pyspark.sql import DataFrame
from tables import Declined, Name, Row, Table, in_shape, text_of

from cdc_spark import decode_debezium, decode_vitess

DECODERS = {"vitess": decode_vitess, "debezium-mysql": decode_debezium}
DIALECTS = {
    "vitess": ("current", "2.7", "3.0", "3.1", "3.2", "3.4", "documented"),
    "debezium-mysql": ("current", "mysql"),
}


def lacking(feed: dict[str, Any]) -> str:
    """Name what a changefeed asks for and this program does not do; "" for nothing."""
    if feed["protocol"] not in DIALECTS:
        return f"protocol:{feed['protocol']}"
    return "" if feed["dialect"] in DIALECTS[feed["protocol"]] else f"dialect:{feed['dialect']}"


def decoded(messages: DataFrame, job: dict[str, Any]) -> DataFrame:
    """Return the events of messages; what cannot be read is one of its own."""
    registry = job["registry"] or {"url": "", "properties": {}}
    properties = registry["properties"]
    decode = DECODERS["my-protocol"]
    return decode(messages, registry["url"], properties=properties, poison="dead_letter")


def materialised(
    feed: dict[str, Any], events: list[dict[str, Any]]
) -> tuple[dict[Name, list[Row]], None]:
    """Return the tables of a changefeed; nothing tells of DDL, so a new shape comes with a row."""
    del feed
    tables: dict[Name, Table] = {}
    # What the last row of each message key was: its table, and whether it was deleted.
    last: dict[tuple[str, str], tuple[Table, bool]] = {}
    for event in events:
        if event["op"] == "ddl" and event["query"].startswith("TRUNCATE TABLE"):
            raise Declined("operation:t")
        if event["op"] not in ("upsert", "delete", "tombstone"):
            continue  # a boundary of a transaction, or DDL for information
        before, after = (json.loads(event[side] or "null") for side in ("before", "after"))
        row = before if after is None else after
        key = {column: row[column] for column in event["key"]}
        who = (event["topic"], text_of(key))
        if event["op"] == "tombstone":
            # It follows a delete. Compaction may leave it alone: then it deletes.
            if who in last and not last[who][1]:
                last[who][0].remove(key, row)
                last[who] = (last[who][0], True)
            continue
        table = tables.setdefault((event["schema"], event["table"]), Table())
        last[who] = (table, after is None)
        if before is not None and (after is None or not key):
            # What a row without a key looks like in its table by now.
            own = shape_of(before)
            table.remove(key, in_shape(before, own, table.shape or own))
        if after is not None:
            ts = int(event["commit_ts"] or 0)
            table.put(key, table.fitted(after, shape_of(after), ts))
    return {name: table.all() for name, table in tables.items()}, None


def shape_of(row: dict[str, Any]) -> dict[str, tuple[str, Any]]:
    """Return a row's shape; events tell neither a column's kind nor its default."""
    return dict.fromkeys(row, ("", None))
