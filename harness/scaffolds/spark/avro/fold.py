"""What the change events of one changefeed come to; runs on the executors."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

DIALECTS = ("current", "6")
Answer = tuple[str, str, str, list[str]]


def lacking(feed: dict[str, Any], mode: str) -> str:
    """Name what a changefeed asks for and this program does not do; "" for nothing."""
    if mode != "bounded":
        return f"mode:{mode}"
    if feed["protocol"] != "avro":
        return f"protocol:{feed['protocol']}"
    if feed["dialect"] not in DIALECTS:
        return f"dialect:{feed['dialect']}"
    return "avro-enable-watermark" if feed["complete"] else ""


def materialised(events: list[dict[str, Any]]) -> Iterator[Answer]:
    """Yield error, schema, table and rows for each table; one error and nothing else if it failed.

    A stream that is sent again brings older versions back: what is below the greatest commit ts
    that its key has seen is dropped. A delete has none, so the greatest is kept across it.
    """
    tables: dict[tuple[str, str], dict[str, dict[str, Any]]] = {}
    greatest: dict[str, int] = {}
    shapes: dict[tuple[str, str], tuple[int, list[str]]] = {}
    for event in events:
        if event["op"] == "poison":
            place = f"{event['topic']}/{event['partition']}@{event['offset']}"
            yield f"{place}: {event['reason']}", "", "", []
            return
        table, identity = (event["schema"], event["table"]), event["identity"]
        rows = tables.setdefault(table, {})
        if event["op"] == "delete":
            rows.pop(identity, None)
            continue
        ts = int(event["commit_ts"] or 0)
        if ts and ts < greatest.get(identity, 0):
            continue
        greatest[identity] = max(ts, greatest.get(identity, 0))
        row = json.loads(event["after"])
        shaped_at, shape = shapes.get(table, (0, list(row)))
        if ts >= shaped_at:
            if set(shape) != set(row):
                tables[table] = rows = {name: in_shape(old, row) for name, old in rows.items()}
            shapes[table] = (ts, list(row))
        else:
            row = in_shape(row, shape)
        rows[identity] = row
    for (schema, table), found in tables.items():
        yield "", schema, table, [json.dumps(row) for row in found.values()]


def in_shape(row: dict[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """Return a row with the columns of another shape; events do not tell the defaults."""
    return {name: row.get(name) for name in names}
