"""The boundaries of transactions: their topic, their fields, their key."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any, Final

from harness.codecs.connect.schema import ConnectRecord, Schema
from harness.codecs.debezium import schemas
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.patch import Patch
from harness.mutants.producers.records import (
    BEGIN,
    BOUNDARY,
    END,
    Records,
    status_of,
    transactions,
)
from harness.mutants.producers.vitess.edits import (
    by_transaction,
    each,
    ignoring,
    moved,
    of_status,
    one,
    renamed,
    stream,
    value_schema,
    valued,
    without,
)

FIELDS: Final = schemas.BOUNDARY
# A field of a boundary -> the clause of what it holds.
HELD: Final = {
    "status": "vitess.txn.status",
    "id": "vitess.txn.id",
    "event_count": "vitess.txn.event-count",
    "data_collections": "vitess.txn.data-collections",
    "ts_ms": "vitess.txn.ts",
}


_NO_EVENT: Final = {"data_collection": "0.shop.b", "event_count": 0}


def _begin_late(those: list[ConnectRecord]) -> Iterable[ConnectRecord]:
    return (*those[1:-1], those[0], those[-1])


def _end_early(those: list[ConnectRecord]) -> Iterable[ConnectRecord]:
    return (those[0], those[-1], *those[1:-1])


def _empty(record: ConnectRecord) -> bool:
    return status_of(record) == END and not record.value["event_count"]


def _without_empty(given: Records) -> Iterator[ConnectRecord]:
    for those in transactions(given):
        if not _empty(those[-1]):
            yield from those


def _key_schema(**fields: Any) -> Patch:  # noqa: ANN401 a schema's fields
    return one(
        BOUNDARY,
        lambda record: replace(record, key_schema=_changed(record.key_schema, fields)),
    )


def _changed(schema: Schema | None, fields: dict[str, Any]) -> Schema:
    assert schema is not None
    return replace(schema, **fields)


def _value_schema(**fields: Any) -> Patch:  # noqa: ANN401 a schema's fields
    return value_schema(BOUNDARY, lambda schema: _changed(schema, fields))


def _fields() -> Iterator[WrongProducer]:
    for name in FIELDS:
        word = name.replace("_", "-")
        yield WrongProducer(
            f"vitess-boundary-without-{word}",
            HELD[name],
            f"It leaves `{name}` out of boundaries.",
            without(BOUNDARY, name),
        )
        yield WrongProducer(
            f"vitess-boundary-{word}-renamed",
            HELD[name],
            f"It calls `{name}` of boundaries otherwise.",
            renamed(BOUNDARY, name, f"{name}_"),
        )
    for first, second in pairwise(FIELDS):
        yield WrongProducer(
            f"vitess-boundary-{second}-before-{first}".replace("_", "-"),
            "vitess.txn.field-order",
            f"It puts `{second}` of a boundary before `{first}`.",
            moved(BOUNDARY, second, first),
        )


def _boundaries() -> Iterator[WrongProducer]:
    clause = "vitess.txn.boundaries"
    for status in (BEGIN, END):
        yield WrongProducer(
            f"vitess-no-{status.lower()}",
            clause,
            f"It sends no {status}.",
            each(partial(_times, status, 0)),
        )
        yield WrongProducer(
            f"vitess-{status.lower()}-twice",
            clause,
            f"It sends each {status} twice.",
            each(partial(_times, status, 2)),
        )


def _times(status: str, number: int, record: ConnectRecord) -> Records:
    """Return a boundary of a status so many times, and any other record once."""
    return (record,) * (number if status_of(record) == status else 1)


ROWS: tuple[WrongProducer, ...] = (
    *_boundaries(),
    *_fields(),
    WrongProducer(
        "vitess-begin-behind-its-events",
        "vitess.txn.boundaries",
        "It sends BEGIN behind the events of its transaction.",
        by_transaction(_begin_late),
    ),
    WrongProducer(
        "vitess-end-ahead-of-its-events",
        "vitess.txn.boundaries",
        "It sends END ahead of the events of its transaction.",
        by_transaction(_end_early),
    ),
    WrongProducer(
        "vitess-boundaries-in-the-plural",
        "vitess.txn.topic",
        "It sends boundaries to a topic of another name.",
        one(BOUNDARY, lambda record: replace(record, topic=f"{record.topic}s")),
    ),
    WrongProducer(
        "vitess-boundaries-without-the-prefix",
        "vitess.txn.topic",
        "It sends boundaries to `topic.transaction` without the topic prefix.",
        one(BOUNDARY, lambda record: replace(record, topic=record.topic.partition(".")[2] or "t")),
        also="vitess.txn.topic-setting",
    ),
    WrongProducer(
        "vitess-topic-transaction-ignored",
        "vitess.txn.topic-setting",
        "It pays no heed to topic.transaction.",
        ignoring("topic.transaction"),
        also="vitess.txn.topic",
    ),
    WrongProducer(
        "vitess-status-in-lower-case",
        "vitess.txn.status",
        "It writes the status of a boundary in lower case.",
        valued(BOUNDARY, "status", str.lower),
    ),
    WrongProducer(
        "vitess-status-commit",
        "vitess.txn.status",
        "It calls the end of a transaction COMMIT.",
        of_status(END, "status", lambda _: "COMMIT"),
    ),
    *(
        WrongProducer(
            f"vitess-{status.lower()}-of-another-id",
            "vitess.txn.id",
            f"It gives {status} another id than the events of its transaction.",
            of_status(status, "id", lambda text: f"{text} "),
        )
        for status in (BEGIN, END)
    ),
    WrongProducer(
        "vitess-boundary-in-seconds",
        "vitess.txn.ts",
        "It writes the time of a boundary in seconds.",
        valued(BOUNDARY, "ts_ms", lambda ms: ms // 1000),
    ),
    WrongProducer(
        "vitess-boundary-when-processed",
        "vitess.txn.ts",
        "It writes the time at which it handles a boundary.",
        valued(BOUNDARY, "ts_ms", lambda ms: ms + 863),
    ),
    WrongProducer(
        "vitess-begin-counts-0",
        "vitess.txn.begin-empty",
        "It writes a count of 0 into BEGIN.",
        of_status(BEGIN, "event_count", lambda _: 0),
    ),
    WrongProducer(
        "vitess-begin-of-no-tables",
        "vitess.txn.begin-empty",
        "It writes an empty list of data collections into BEGIN.",
        of_status(BEGIN, "data_collections", lambda _: []),
    ),
    WrongProducer(
        "vitess-boundary-key-without-a-name",
        "vitess.txn.key",
        "It leaves the name out of the schema of a boundary's key.",
        _key_schema(name=None),
    ),
    WrongProducer(
        "vitess-boundary-key-of-version-2",
        "vitess.txn.key",
        "It gives the schema of a boundary's key version 2.",
        _key_schema(version=2),
    ),
    WrongProducer(
        "vitess-boundary-value-without-a-name",
        "vitess.txn.key",
        "It leaves the name out of the schema of a boundary.",
        _value_schema(name=None),
    ),
    WrongProducer(
        "vitess-boundary-value-of-version-2",
        "vitess.txn.key",
        "It gives the schema of a boundary version 2.",
        _value_schema(version=2),
    ),
    WrongProducer(
        "vitess-boundary-key-missing",
        "vitess.txn.key",
        "It sends boundaries without a key.",
        one(BOUNDARY, lambda record: replace(record, key=None, key_schema=None)),
    ),
    WrongProducer(
        "vitess-boundary-keyed-by-another-id",
        "vitess.txn.key",
        "It writes the GTID alone of a boundary's id into its key.",
        one(
            BOUNDARY,
            lambda record: replace(record, key={"id": json.loads(record.key["id"])[0]["gtid"]}),
        ),
    ),
    WrongProducer(
        "vitess-empty-transactions-left-out",
        "vitess.txn.empty",
        "It sends no boundaries of a transaction without events.",
        stream(_without_empty),
    ),
    WrongProducer(
        "vitess-empty-transaction-of-null",
        "vitess.txn.empty",
        "It leaves the count of a transaction without events null.",
        of_status(END, "event_count", lambda count: count or None),
    ),
    WrongProducer(
        "vitess-empty-transaction-of-a-table",
        "vitess.txn.empty",
        "It lists a data collection without events in END.",
        of_status(END, "data_collections", lambda found: found or [dict(_NO_EVENT)]),
    ),
)
