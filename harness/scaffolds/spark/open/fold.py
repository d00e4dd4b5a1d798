"""What the events of TiCDC's Open Protocol come to; runs on the executors.

A batch has read everything, so what the resolved ts of all partitions completes is applied at once:
by commit ts, and at one commit ts deletes first, then what puts rows there, then DDL, which rows of
its own ts come before. What a statement does to rows is the library's to know.
"""

from __future__ import annotations

from typing import Any

from pyspark.sql import DataFrame
from tables import Declined, Name, Row

from cdc_spark import DecodingError, Replica, decode_open

# Both look alike once they are decoded.
DIALECTS = ("current", "newarch")
LARGE = "sink.kafka-config.large-message-handle.large-message-handle-option"
RANKS = {"delete": 0, "upsert": 1, "ddl": 2}


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
) -> tuple[dict[Name, list[Row]], list[dict[str, Any]]]:
    """Return the tables of a changefeed, and the statements that were executed."""
    replica = Replica(feed["tables"])
    ddl: list[dict[str, Any]] = []
    limit = complete_until(feed, events)
    due: dict[tuple[Any, ...], dict[str, Any]] = {}
    for event in events:
        if event["op"] in RANKS:
            due.setdefault(what(event), event)
    for event in sorted(due.values(), key=lambda one: (one["commit_ts"], RANKS[one["op"]])):
        if event["commit_ts"] > limit:
            break
        if event["op"] == "ddl":
            named = {name: event[name] for name in ("query", "schema", "table")}
            ddl.append({**named, "commit_ts": str(event["commit_ts"])})
        elif not event["identity"]:
            # Neither a key nor a row's id: one that is sent twice is like two equal ones.
            raise Declined("rows-without-an-id")
        try:
            replica.apply(event)
        except DecodingError as error:  # a statement that says nothing of the rows
            raise Declined(f"ddl:{error.what}") from error
    return replica.rows(), ddl


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
