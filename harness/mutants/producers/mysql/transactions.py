"""Transaction metadata: the boundaries on their topic, and each event's block."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any, Final

from harness.codecs.connect.schema import ConnectRecord
from harness.codecs.debezium import schemas
from harness.codecs.debezium.emitter import LATER, MILLISECOND
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.mysql.edits import (
    GTID_FORMS,
    by_transaction,
    each,
    ignoring,
    key_renamed,
    moved,
    of_status,
    one,
    renamed,
    row,
    stream,
    valued,
    values,
    without,
)
from harness.mutants.producers.patch import Patch
from harness.mutants.producers.records import (
    BEGIN,
    BOUNDARY,
    CHANGE,
    END,
    TOMBSTONE,
    Records,
    Values,
    kind,
    status_of,
)

BLOCK: Final = {
    "id": "txn.block-id",
    "total_order": "txn.total-order",
    "data_collection_order": "txn.collection-order",
}
# A field of a boundary -> the clause of what it holds.
HELD: Final = {
    "status": "txn.status",
    "id": "txn.id",
    "event_count": "txn.event-count",
    "data_collections": "txn.data-collections",
    "ts_ms": "txn.ts",
}


def _times(status: str, number: int, record: ConnectRecord) -> Records:
    """Return a boundary of a status so many times, and any other record once."""
    return (record,) * (number if status_of(record) == status else 1)


def _but_of_empty(status: str, given: Records) -> Iterator[ConnectRecord]:
    """Leave out a boundary of each transaction of whose rows none is sent."""
    records = list(given)
    ends = [record.value for record in records if status_of(record) == END]
    empty = {value["id"] for value in ends if value["event_count"] == 0}
    for record in records:
        if status_of(record) != status or record.value["id"] not in empty:
            yield record


def _boundaries() -> Iterator[WrongProducer]:
    for status in (BEGIN, END):
        word = status.lower()
        yield row(
            f"no-{word}",
            "txn.boundaries",
            f"It sends no {status}.",
            each(partial(_times, status, 0)),
        )
        yield row(
            f"no-{word}-of-what-is-left-out",
            "txn.boundaries",
            f"It sends no {status} of a transaction of whose rows none is sent.",
            stream(partial(_but_of_empty, status)),
        )
        yield row(
            f"{word}-twice",
            "txn.boundaries",
            f"It sends each {status} twice.",
            each(partial(_times, status, 2)),
        )
        yield row(
            f"{word}-of-another-id",
            "txn.id",
            f"It writes the number alone of a GTID as the id of {status}.",
            of_status(status, "id", lambda gtid: gtid.rpartition("-")[2]),
        )


def _ids() -> Iterator[WrongProducer]:
    for status in (BEGIN, END):
        for end, words, change in GTID_FORMS:
            yield row(
                f"{status.lower()}-id-{end}",
                "txn.id",
                f"It {words} as the id of {status}.",
                of_status(status, "id", change),
            )


def _fields() -> Iterator[WrongProducer]:
    for name, clause in HELD.items():
        word = name.replace("_", "-")
        yield row(
            f"boundary-without-{word}",
            clause,
            f"It leaves `{name}` out of boundaries.",
            without(BOUNDARY, name),
        )
        yield row(
            f"boundary-{word}-renamed",
            clause,
            f"It calls `{name}` of boundaries otherwise.",
            renamed(BOUNDARY, name, f"{name}_"),
        )
    for first, second in pairwise(schemas.BOUNDARY):
        yield row(
            f"boundary-{second}-ahead".replace("_", "-"),
            "txn.field-order",
            f"It writes `{second}` of a boundary before `{first}`.",
            moved(BOUNDARY, second, first),
        )
    for name, clause in BLOCK.items():
        word = name.replace("_", "-")
        yield row(
            f"block-without-{word}",
            "txn.block",
            f"It leaves `{name}` out of an event's `transaction`.",
            without(CHANGE, f"transaction.{name}"),
        )
        yield row(
            f"block-{word}-renamed",
            "txn.block",
            f"It calls `{name}` of an event's `transaction` otherwise.",
            renamed(CHANGE, f"transaction.{name}", f"{name}_"),
        )
        yield row(
            f"block-{word}-wrong",
            clause,
            f"It writes another `{name}` into an event's `transaction`.",
            valued(
                CHANGE,
                f"transaction.{name}",
                lambda held: held - 1 if isinstance(held, int) else f"{held} ",
            ),
        )


def _begin_late(those: list[ConnectRecord]) -> Records:
    return (*those[1:-1], those[0], those[-1])


def _end_early(those: list[ConnectRecord]) -> Records:
    return (those[0], those[-1], *those[1:-1])


def _tombstones_counted(those: list[ConnectRecord]) -> Records:
    """Return a transaction whose END counts tombstones as events."""
    end = those[-1]
    count = end.value["event_count"] + sum(kind(one) == TOMBSTONE for one in those)
    return (*those[:-1], replace(end, value={**end.value, "event_count": count}))


def _blocks(change: Callable[[Values], object]) -> Patch:
    """Return the patch that changes, in place, the transaction of each event that has one."""
    return valued(CHANGE, "transaction", lambda block: block and _changed({**block}, change))


def _changed(block: Values, change: Callable[[Values], object]) -> Values:
    change(block)
    return block


def _filled(block: Values | None) -> Values:
    return block or {"id": "", "total_order": 1, "data_collection_order": 1}


def _of_ddl(record: ConnectRecord) -> bool:
    return status_of(record) == BEGIN and record.origin.kind == "ddl"


def _ended(record: ConnectRecord) -> Records:
    """Return the BEGIN of a DDL statement with an END of nothing."""
    if not _of_ddl(record):
        return (record,)
    end = {**record.value, "status": END, "event_count": 0, "data_collections": []}
    return (record, replace(record, value=end))


def _by_points(record: ConnectRecord) -> Records:
    row = kind(record) in {CHANGE, TOMBSTONE}
    return (replace(record, topic=record.topic.replace("_", ".")) if row else record,)


def _tables(change: Callable[[str], str], collections: list[dict[str, Any]] | None) -> Any:  # noqa: ANN401 a list or null
    return collections and [
        {**each, "data_collection": change(each["data_collection"])} for each in collections
    ]


def _going_on(
    field: str, part: Callable[[ConnectRecord], str], given: Records
) -> Iterator[ConnectRecord]:
    """Count the events of each part of the stream on over all transactions."""
    counts: Counter[str] = Counter()
    for record in given:
        block = record.value["transaction"] if kind(record) == CHANGE else None
        if block is None:
            yield record
            continue
        counts[part(record)] += 1
        own = {**block, field: counts[part(record)]}
        yield replace(record, value={**record.value, "transaction": own})


ROWS: Final = (
    *_boundaries(),
    *_ids(),
    *_fields(),
    row(
        "status-commit",
        "txn.status",
        "It calls the end of a transaction COMMIT.",
        valued(BOUNDARY, "status", lambda status: "COMMIT" if status == END else status),
    ),
    row(
        "status-start",
        "txn.status",
        "It calls the begin of a transaction START.",
        valued(BOUNDARY, "status", lambda status: "START" if status == BEGIN else status),
    ),
    row(
        "boundary-in-seconds",
        "txn.ts",
        "It writes the time of a boundary in seconds.",
        valued(BOUNDARY, "ts_ms", lambda ms: ms // 1000),
    ),
    row(
        "boundary-by-its-own-clock",
        "txn.ts",
        "It writes the time of a boundary by its own clock, as fine as that is.",
        valued(BOUNDARY, "ts_ms", lambda ms: ms + LATER // MILLISECOND),
    ),
    row(
        "begin-counts-0",
        "txn.begin-empty",
        "It writes a count of 0 into BEGIN.",
        of_status(BEGIN, "event_count", lambda _: 0),
    ),
    row(
        "begin-of-no-tables",
        "txn.begin-empty",
        "It writes an empty list of tables into BEGIN.",
        of_status(BEGIN, "data_collections", lambda _: []),
    ),
    row(
        "end-counts-one-less",
        "txn.event-count",
        "It counts one event less in END.",
        of_status(END, "event_count", lambda count: count - 1),
    ),
    row(
        "end-counts-tombstones",
        "txn.event-count",
        "It counts tombstones as events.",
        by_transaction(_tombstones_counted),
    ),
    row(
        "end-counts-1-for-each-table",
        "txn.data-collections",
        "It counts one event for each table of END.",
        of_status(END, "data_collections", lambda c: c and [{**x, "event_count": 1} for x in c]),
    ),
    row(
        "end-without-the-last-table",
        "txn.data-collections",
        "It leaves the last table out of END.",
        of_status(END, "data_collections", lambda found: found and found[:-1]),
    ),
    row(
        "begin-behind-its-rows",
        "txn.boundaries",
        "It sends BEGIN behind the rows of its transaction.",
        by_transaction(_begin_late),
    ),
    row(
        "end-ahead-of-its-rows",
        "txn.boundaries",
        "It sends END ahead of the rows of its transaction.",
        by_transaction(_end_early),
    ),
    row(
        "total-order-of-the-table",
        "txn.total-order",
        "It counts the events of a table in `total_order`.",
        _blocks(lambda block: block.update(total_order=block["data_collection_order"])),
    ),
    row(
        "collection-order-of-all-tables",
        "txn.collection-order",
        "It counts the events of all tables in `data_collection_order`.",
        _blocks(lambda block: block.update(data_collection_order=block["total_order"])),
    ),
    row(
        "total-order-over-transactions",
        "txn.total-order",
        "It goes on with `total_order` in the next transaction.",
        stream(partial(_going_on, "total_order", lambda _: "")),
    ),
    row(
        "collection-order-over-transactions",
        "txn.collection-order",
        "It goes on with the `data_collection_order` of a table in the next transaction.",
        stream(partial(_going_on, "data_collection_order", lambda record: record.topic)),
    ),
    row(
        "block-without-metadata",
        "txn.block-null",
        "It fills an event's `transaction` without metadata.",
        valued(CHANGE, "transaction", _filled),
    ),
    row(
        "end-without-databases",
        "txn.data-collections",
        "It leaves the database out of the tables of END.",
        of_status(END, "data_collections", partial(_tables, lambda name: name.rpartition(".")[2])),
    ),
    row(
        "end-without-names-of-tables",
        "txn.data-collections",
        "It names a table of END by its database alone.",
        of_status(END, "data_collections", partial(_tables, lambda name: name.partition(".")[0])),
    ),
    row(
        "end-by-slashes",
        "txn.data-collections",
        "It joins database and table of END by a slash.",
        of_status(END, "data_collections", partial(_tables, lambda name: name.replace(".", "/"))),
    ),
    row(
        "boundaries-to-another-topic",
        "txn.topic",
        "It sends boundaries to a topic of another name.",
        one(BOUNDARY, lambda record: replace(record, topic=f"{record.topic}s")),
    ),
    row(
        "boundary-keyed-by-another-id",
        "txn.key",
        "It writes another id into the key of a boundary.",
        one(BOUNDARY, lambda record: replace(record, key={"id": "0-1-0"})),
    ),
    row(
        "boundary-key-field-renamed",
        "txn.key",
        "It calls `id` in the key of a boundary `txId`.",
        key_renamed(BOUNDARY, "id", "txId"),
    ),
    row(
        "boundaries-without-the-prefix",
        "txn.topic",
        "It leaves the prefix out of the topic of boundaries.",
        one(BOUNDARY, lambda record: replace(record, topic=record.topic.removeprefix("mysql."))),
    ),
    row(
        "boundaries-joined-by-points",
        "topic.delimiter",
        "It joins the parts of the transaction topic by a point whatever topic.delimiter says.",
        one(BOUNDARY, lambda record: replace(record, topic=record.topic.replace("_", ".", 1))),
        also="txn.topic",
    ),
    row(
        "rows-joined-by-points",
        "topic.delimiter",
        "It joins the parts of a table's topic by a point whatever topic.delimiter says.",
        each(_by_points),
    ),
    row(
        "boundary-without-a-key",
        "txn.key",
        "It sends boundaries without a key.",
        one(BOUNDARY, lambda record: replace(record, key=None, key_schema=None)),
    ),
    row(
        "no-blocks",
        "txn.block",
        "It leaves an event's `transaction` null with metadata on.",
        values(CHANGE, lambda value: value.update(transaction=None)),
    ),
    row(
        "block-out-of-the-schema",
        "txn.block-null",
        "It leaves `transaction` out of the value without metadata.",
        without(CHANGE, "transaction"),
    ),
    row(
        "no-begin-of-ddl",
        "txn.ddl-begin",
        "It sends no BEGIN of a DDL statement.",
        each(lambda record: () if _of_ddl(record) else (record,)),
    ),
    row(
        "end-of-ddl",
        "txn.ddl-begin",
        "It sends an END of a DDL statement.",
        each(_ended),
    ),
    row(
        "metadata-ignored",
        "txn.boundaries",
        "It pays no heed to provide.transaction.metadata.",
        ignoring("provide.transaction.metadata"),
    ),
)
