"""The context headers of a connector's records."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from harness.codecs.connect.schema import ConnectRecord, Header
from harness.codecs.debezium.schemas import STRING
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.patch import Patch
from harness.mutants.producers.records import BOUNDARY, HEARTBEAT, TOMBSTONE
from harness.mutants.producers.vitess.edits import one
from harness.mutants.producers.vitess.key_changes import headers, renamed_header, without_header

CONTEXT: Final = "__debezium.context."
NAMES: Final = ("connectorLogicalName", "taskId", "connectorName")


def _valued(name: str, value: str) -> Patch:
    return headers(
        lambda given: tuple(
            replace(header, value=value) if header.key == CONTEXT + name else header
            for header in given
        )
    )


def _given(record: ConnectRecord) -> ConnectRecord:
    own = tuple(Header(CONTEXT + name, STRING, "vitess") for name in NAMES)
    return replace(record, headers=own)


def _run_id_first(given: tuple[Header, ...]) -> tuple[Header, ...]:
    return tuple(sorted(given, key=lambda header: header.key != f"{CONTEXT}runId"))


def _slug(name: str) -> str:
    return "".join(f"-{c.lower()}" if c.isupper() else c for c in name)


ROWS: tuple[WrongProducer, ...] = (
    *(
        row
        for name in NAMES
        for row in (
            WrongProducer(
                f"vitess-without-header-{_slug(name)}",
                "vitess.header.context",
                f"It leaves the header `{CONTEXT}{name}` out.",
                without_header(CONTEXT + name),
                also="vitess.header.always",
            ),
            WrongProducer(
                f"vitess-bare-header-{_slug(name)}",
                "vitess.header.context",
                f"It calls the header `{CONTEXT}{name}` `{name}`.",
                renamed_header(CONTEXT + name, name),
            ),
        )
    ),
    WrongProducer(
        "vitess-run-id-no-uuid",
        "vitess.header.run-id",
        "It writes the task's id as the run's.",
        _valued("runId", "0"),
    ),
    WrongProducer(
        "vitess-run-id-first",
        "vitess.header.run-id",
        "It writes the run's id before the other context headers.",
        headers(_run_id_first),
    ),
    WrongProducer(
        "vitess-bare-header-run-id",
        "vitess.header.run-id",
        f"It calls the header `{CONTEXT}runId` `runId`.",
        renamed_header(f"{CONTEXT}runId", "runId"),
    ),
    WrongProducer(
        "vitess-header-task-1",
        "vitess.header.context",
        "It says task 1 of each task in the header.",
        _valued("taskId", "1"),
    ),
    WrongProducer(
        "vitess-header-prefix-of-another",
        "vitess.header.context",
        "It says another prefix in the header.",
        _valued("connectorLogicalName", "debezium"),
    ),
    WrongProducer(
        "vitess-tombstones-without-context",
        "vitess.header.context",
        "It sends tombstones without context headers.",
        one(
            TOMBSTONE,
            lambda record: replace(
                record,
                headers=tuple(h for h in record.headers if not h.key.startswith(CONTEXT)),
            ),
        ),
    ),
    WrongProducer(
        "vitess-header-of-another-connector",
        "vitess.header.connector-name",
        "It says the name given to Kafka Connect in the header.",
        _valued("connectorName", "inventory-connector"),
        also="vitess.header.context",
    ),
    WrongProducer(
        "vitess-boundaries-with-headers",
        "vitess.header.none-elsewhere",
        "It gives the context headers to the boundaries of transactions.",
        one(BOUNDARY, _given),
    ),
    WrongProducer(
        "vitess-heartbeats-with-headers",
        "vitess.heartbeat.no-headers",
        "It gives the context headers to heartbeats.",
        one(HEARTBEAT, _given),
    ),
    WrongProducer(
        "vitess-context-headers-first",
        "vitess.header.order",
        "It writes the context headers before that of a changed key.",
        headers(lambda given: given[1:] + given[:1] if len(given) > len(NAMES) else given),
    ),
)
