"""What the events of TiCDC's Open Protocol come to; runs on the executors.

A batch has read everything, so what the resolved ts of all partitions completes is applied at once:
by commit ts, and at one commit ts DDL first, then deletes, then what puts rows there.
"""

from __future__ import annotations

import json
from typing import Any

from pyspark.sql import DataFrame
from statements import execute
from tables import Declined, Name, Table

from cdc_spark import decode_open

# Both look alike once they are decoded.
DIALECTS = ("current", "newarch")
LARGE = "sink.kafka-config.large-message-handle.large-message-handle-option"
RANKS = {"ddl": 0, "delete": 1, "upsert": 2}


def lacking(feed: dict[str, Any]) -> str:
    """Name what a changefeed asks for and this program does not do; "" for nothing."""
    if feed["protocol"] != "open":
        return f"protocol:{feed['protocol']}"
    if feed["dialect"] not in DIALECTS:
        return f"dialect:{feed['dialect']}"
    zone = feed["settings"].get("tz", "UTC")
    if zone != "UTC":
        return f"tz:{zone}"
    large = feed["settings"].get(LARGE, "none")
    return "" if large == "none" else f"large-message-handle:{large}"


def decoded(messages: DataFrame, job: dict[str, Any]) -> DataFrame:
    """Return the events of messages; what cannot be read is one of its own."""
    del job
    return decode_open(messages, poison="dead_letter")


def materialised(
    feed: dict[str, Any], events: list[dict[str, Any]]
) -> tuple[dict[Name, Table], list[dict[str, Any]]]:
    """Return the tables of a changefeed, and the statements that were executed."""
    tables: dict[Name, Table] = {}
    ddl: list[dict[str, Any]] = []
    limit = complete_until(feed, events)
    due: dict[tuple[Any, ...], dict[str, Any]] = {}
    for event in events:
        if event["op"] in RANKS:
            due.setdefault(what(event), event)
    for event in sorted(due.values(), key=lambda one: (one["commit_ts"], RANKS[one["op"]])):
        if event["commit_ts"] > limit:
            break
        name = (event["schema"], event["table"])
        if event["op"] == "ddl":
            execute(tables, name, event["query"])
            told = {"query": event["query"], "commit_ts": str(event["commit_ts"])}
            ddl.append({**told, "schema": name[0], "table": name[1]})
            continue
        if not event["identity"]:
            # Neither a key nor a row's id: one that is sent twice is like two equal ones.
            raise Declined("rows-without-an-id")
        before, after = (json.loads(event[side] or "null") for side in ("before", "after"))
        row = before if after is None else after
        key = {column: row[column] for column in event["key"]}
        table = tables.setdefault(name, Table())
        if before is not None and (after is None or not key):
            table.remove(key, before)
        if after is not None:
            table.put(key, after)
    return tables, ddl


def complete_until(feed: dict[str, Any], events: list[dict[str, Any]]) -> int:
    """Return the last commit ts that no partition can tell of any more."""
    marks = {(t["name"], n): 0 for t in feed["topics"] for n in range(t["partitions"])}
    for event in events:
        if event["op"] == "resolved":
            place = (event["topic"], event["partition"])
            marks[place] = max(marks[place], int(event["commit_ts"]))
    return min(marks.values()) - (feed["complete"] == "below")


def what(event: dict[str, Any]) -> tuple[Any, ...]:
    """Return what two copies of an event have in common, and no other event has."""
    return (event["commit_ts"], event["op"], event["schema"], event["identity"], event["query"])
