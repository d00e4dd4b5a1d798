"""Heartbeats: their topic, their content, and when they come."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Final

from harness.codecs.connect.schema import ConnectRecord, Field, Header, Schema
from harness.codecs.debezium.schemas import INT64, STRING
from harness.model.binlog import LogSnapshot
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.mysql.edits import (
    CONNECTOR,
    by_default,
    ignoring,
    key_renamed,
    one,
    renamed,
    row,
    stream,
    valued,
)
from harness.mutants.producers.patch import Patch, patch
from harness.mutants.producers.records import CHANGE, HEARTBEAT, Records, kind

_HEADER: Final = Header("__debezium.context.connectorName", STRING, "mariadb")


def _fields(**changes: Any) -> Patch:  # noqa: ANN401 a record's fields
    """Return the patch that changes fields of each heartbeat."""
    return one(HEARTBEAT, lambda record: replace(record, **changes))


def _of_schema(part: str, change: Callable[[Schema], Schema]) -> Patch:
    """Return the patch that changes the schema of each heartbeat's key or value."""

    def changed(record: ConnectRecord) -> ConnectRecord:
        schema = getattr(record, f"{part}_schema")
        assert schema is not None
        fields: dict[str, Any] = {f"{part}_schema": change(schema)}
        return replace(record, **fields)

    return one(HEARTBEAT, changed)


def _named_by_connector(schema: Schema) -> Schema:
    return replace(schema, name=(schema.name or "").replace(".common.", ".mariadb."))


def _optional(schema: Schema) -> Schema:
    fields = (replace(f, schema=replace(f.schema, optional=True)) for f in schema.fields)
    return replace(schema, fields=tuple(fields))


# What is wrong in a heartbeat's schema: a name for it, what it does to the part, how.
_SCHEMAS: Final[tuple[tuple[str, str, Callable[[Schema], Schema]], ...]] = (
    (
        "schema-of-connector",
        "names the schema of a heartbeat's {} after the connector",
        _named_by_connector,
    ),
    (
        "schema-of-version-2",
        "gives the schema of a heartbeat's {} version 2",
        lambda schema: replace(schema, version=2),
    ),
    ("field-optional", "makes the field of a heartbeat's {} optional", _optional),
)


def _schemas() -> Iterator[WrongProducer]:
    for name, words, change in _SCHEMAS:
        for part in ("key", "value"):
            yield row(
                f"heartbeat-{part}-{name}",
                "heartbeat.schema",
                f"It {words.format(part)}.",
                _of_schema(part, change),
            )


def _among_rows(given: Records) -> Iterator[ConnectRecord]:
    """Send each heartbeat to the topic of the last row before it."""
    topic = ""
    for record in given:
        if kind(record) == CHANGE:
            topic = record.topic
        yield replace(record, topic=topic) if topic and kind(record) == HEARTBEAT else record


def _pointed(topic: str) -> str:
    beginning, _, prefix = topic.rpartition("_")
    return topic if "." in topic else f"{beginning}.{prefix}"


def _of_another_server(record: ConnectRecord) -> ConnectRecord:
    return replace(record, key={"serverName": f"{record.key['serverName']}_"})


def _counted(record: ConnectRecord) -> ConnectRecord:
    schema = record.value_schema
    assert schema is not None
    wider = replace(schema, fields=(*schema.fields, Field("count", INT64)))
    return replace(record, value={**record.value, "count": 1}, value_schema=wider)


def _without_copies(original: Callable[..., None]) -> Callable[..., None]:
    """Return a connector that asks its timer behind a copy, as behind any event."""

    def beat(self: Any, event: Any) -> None:  # noqa: ANN401 a method of any instance
        if not isinstance(event, LogSnapshot):
            original(self, event)

    return beat


ROWS: Final[tuple[WrongProducer, ...]] = (
    row(
        "no-heartbeats",
        "heartbeat.topic",
        "It sends no heartbeats.",
        ignoring("heartbeat.interval.ms"),
    ),
    row(
        "heartbeat-prefix-ignored",
        "heartbeat.topic",
        "It pays no heed to topic.heartbeat.prefix.",
        ignoring("topic.heartbeat.prefix"),
    ),
    row(
        "heartbeats-among-rows",
        "heartbeat.topic",
        "It sends heartbeats to the topic of a table.",
        stream(_among_rows),
    ),
    row(
        "heartbeats-without-the-topic-prefix",
        "heartbeat.topic",
        "It sends heartbeats to the topic of topic.heartbeat.prefix, without the topic prefix.",
        one(HEARTBEAT, lambda record: replace(record, topic=record.topic.partition(".")[0])),
    ),
    row(
        "heartbeats-to-a-topic-of-a-task",
        "heartbeat.topic",
        "It writes the task's number behind the topic prefix in the topic of heartbeats.",
        one(HEARTBEAT, lambda record: replace(record, topic=f"{record.topic}.0")),
    ),
    row(
        "heartbeats-joined-by-points",
        "topic.delimiter",
        "It joins the parts of the heartbeats' topic by a point whatever topic.delimiter says.",
        one(HEARTBEAT, lambda record: replace(record, topic=_pointed(record.topic))),
    ),
    row(
        "heartbeats-unasked",
        "heartbeat.interval",
        "It sends heartbeats that nobody asked for.",
        by_default("heartbeat.interval.ms", "1"),
    ),
    row(
        "heartbeats-behind-every-event",
        "heartbeat.interval",
        "It sends a heartbeat behind every event, whatever the interval.",
        patch(
            "harness.codecs.debezium.emitter:RecordEmitter.heartbeat",
            lambda original: lambda *given, **_: original(*given, at_once=True),
        ),
    ),
    row(
        "heartbeat-of-another-server",
        "heartbeat.content",
        "It writes another name into the key of a heartbeat.",
        one(HEARTBEAT, _of_another_server),
    ),
    row(
        "heartbeat-key-field-renamed",
        "heartbeat.content",
        "It calls `serverName` in the key of a heartbeat `server`.",
        key_renamed(HEARTBEAT, "serverName", "server"),
    ),
    row(
        "heartbeat-value-field-renamed",
        "heartbeat.content",
        "It calls `ts_ms` in the value of a heartbeat `ts`.",
        renamed(HEARTBEAT, "ts_ms", "ts"),
    ),
    row(
        "heartbeat-in-seconds",
        "heartbeat.content",
        "It writes the time of a heartbeat in seconds.",
        valued(HEARTBEAT, "ts_ms", lambda ms: ms // 1000),
    ),
    row(
        "heartbeat-by-the-log",
        "heartbeat.content",
        "It writes the time of the log for that of a heartbeat.",
        one(HEARTBEAT, lambda record: replace(record, value={"ts_ms": record.origin.commit_ts})),
    ),
    row(
        "heartbeat-with-a-count",
        "heartbeat.content",
        "It writes a second field into heartbeats.",
        one(HEARTBEAT, _counted),
    ),
    row(
        "heartbeat-without-key",
        "heartbeat.content",
        "It sends heartbeats without a key.",
        _fields(key=None, key_schema=None),
    ),
    *_schemas(),
    row(
        "heartbeats-to-partition-1",
        "heartbeat.partition",
        "It sends heartbeats to partition 1.",
        _fields(partition=1),
    ),
    row(
        "heartbeats-by-key",
        "heartbeat.partition",
        "It puts heartbeats where their key belongs.",
        _fields(partition=None),
    ),
    row(
        "heartbeats-with-headers",
        "heartbeat.no-headers",
        "It gives the context headers to heartbeats.",
        _fields(headers=(_HEADER,)),
    ),
    row(
        "copy-without-heartbeat",
        "heartbeat.behind-copy",
        "It sends no heartbeat behind what it reads at its start.",
        patch(f"{CONNECTOR}._beat", _without_copies),
    ),
)
