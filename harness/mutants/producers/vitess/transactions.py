"""Transactions: what an END counts, the order of events, the block of each event."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any, Final

from harness.codecs.connect.schema import ConnectRecord
from harness.codecs.debezium.emitter import OLD_KEY
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.patch import Patch, patch
from harness.mutants.producers.records import (
    BEGIN,
    BOUNDARY,
    CHANGE,
    END,
    Records,
    kind,
    status_of,
    transactions,
)
from harness.mutants.producers.vitess.edits import (
    by_default,
    by_transaction,
    each,
    of_status,
    renamed,
    stream,
    typed,
    valued,
    values,
    without,
)

BUFFER: Final = "harness.codecs.debezium_vitess.assembly:EventBuffer"
EMITTER: Final = "harness.codecs.debezium.emitter:RecordEmitter"
OFFSETS: Final = "harness.codecs.debezium_vitess.offsets:OffsetContext"
BLOCK: Final = ("id", "total_order", "data_collection_order")


def _reversed_rows(those: list[ConnectRecord]) -> Iterable[ConnectRecord]:
    """Return a transaction with its events from the last to the first, tombstones behind each."""
    events: list[list[ConnectRecord]] = []
    for record in those[1:-1]:
        if record.value is None and events:
            events[-1].append(record)
        else:
            events.append([record])
    return (those[0], *(record for event in reversed(events) for record in event), those[-1])


def _end_early(those: list[ConnectRecord]) -> Iterable[ConnectRecord]:
    last = max((i for i, one in enumerate(those) if kind(one) == CHANGE), default=len(those) - 1)
    return (*those[:last], those[-1], *those[last:-1])


def _mixed(given: Records) -> Iterator[ConnectRecord]:
    """Yield the last event of each transaction of several behind the first of the next."""
    late: list[ConnectRecord] = []
    for those in transactions(given):
        events = [i for i, one in enumerate(those) if kind(one) == CHANGE]
        if status_of(those[0]) != BEGIN or not events:
            yield from those
            continue
        first = events[1] if len(events) > 1 else len(those) - 1
        yield from (*those[:first], *late)
        last = max(events[-1], first)
        late = those[last:-1]
        yield from (*those[first:last], those[-1])
    yield from late


def _counting(change: Callable[[list[ConnectRecord], int], int]) -> Patch:
    """Return the patch that changes the count of each END by the records of its transaction."""

    def changed(those: list[ConnectRecord]) -> Iterable[ConnectRecord]:
        end = those[-1]
        counted = {**end.value, "event_count": change(those, end.value["event_count"])}
        return (*those[:-1], replace(end, value=counted))

    return by_transaction(changed)


def _tombstones(those: list[ConnectRecord]) -> int:
    return sum(record.value is None for record in those)


def _moves(those: list[ConnectRecord]) -> int:
    return sum(any(header.key == OLD_KEY for header in record.headers) for record in those)


def _tables(those: list[ConnectRecord]) -> int:
    return len({record.topic for record in those[1:-1]})


def _collections(change: Callable[[list[dict[str, Any]]], Any]) -> Patch:
    return of_status(
        END, "data_collections", lambda found: None if found is None else change(found)
    )


def _named(change: Callable[[str], str]) -> Patch:
    """Return the patch that changes the names of data collections."""
    return _collections(
        lambda found: [{**one, "data_collection": change(one["data_collection"])} for one in found]
    )


def _keyspace_first(name: str) -> str:
    shard, keyspace, table = name.split(".", 2)
    return f"{keyspace}.{shard}.{table}"


def _without_block(record: ConnectRecord) -> Records:
    """Return an event without a transaction, with no field for one either."""
    schema = record.value_schema
    if kind(record) != CHANGE or schema is None or record.value.get("transaction") is not None:
        return (record,)
    fields = tuple(f for f in schema.fields if f.name != "transaction")
    return (replace(record, value_schema=replace(schema, fields=fields)),)


def _filled(block: Any) -> Any:  # noqa: ANN401 a block or null
    return block or {"id": "", "total_order": 1, "data_collection_order": 1}


def _by_gtid(record: ConnectRecord) -> Records:
    """Return a record with the GTIDs of its transaction's VGTID in the place of that."""
    value = record.value or {}
    block = value.get("transaction")
    if kind(record) == BOUNDARY:
        own = {"id": _gtids(value["id"])}
        return (replace(record, key={**record.key, **own}, value={**value, **own}),)
    if block is None:
        return (record,)
    return (replace(record, value={**value, "transaction": {**block, "id": _gtids(block["id"])}}),)


def _gtids(vgtid: str) -> str:
    return ";".join(entry["gtid"] for entry in json.loads(vgtid))


def _previous(original: Callable[..., Any]) -> Callable[..., Any]:
    return lambda self, table: {**original(self, table), "vgtid": self.restart.text}


def _of_the_first_vgtid(original: Callable[..., Any]) -> Callable[..., Any]:
    def feed(self: Any, response: object) -> Any:  # noqa: ANN401 a method
        first, batch = self.vgtid, original(self, response)
        return batch if first is None or batch is None else replace(batch, vgtid=first)

    return feed


def _counted_although_skipped(original: Callable[..., None]) -> Callable[..., None]:
    def data(self: Any, shape: Any, op: str, rows: Any, origin: Any, *headers: Any) -> None:  # noqa: ANN401 a method
        original(self, shape, op, rows, origin, *headers)
        if op in self.skipped and self.metadata:
            self._count(shape.key, origin)

    return data


def _block() -> Iterator[WrongProducer]:
    clauses = {
        "id": "vitess.txn.id",
        "total_order": "vitess.txn.total-order",
        "data_collection_order": "vitess.txn.collection-order",
    }
    for name in BLOCK:
        word = name.replace("_", "-")
        yield WrongProducer(
            f"vitess-block-without-{word}",
            "vitess.txn.block",
            f"It leaves `{name}` out of an event's transaction.",
            without(CHANGE, f"transaction.{name}"),
        )
        yield WrongProducer(
            f"vitess-block-{word}-renamed",
            "vitess.txn.block",
            f"It calls `{name}` of an event's transaction otherwise.",
            renamed(CHANGE, f"transaction.{name}", f"{name}_"),
        )
        if name != "id":
            yield WrongProducer(
                f"vitess-block-{word}-from-0",
                clauses[name],
                f"It counts `{name}` from 0.",
                valued(CHANGE, f"transaction.{name}", lambda number: number and number - 1),
            )


def _orders(change: Callable[[dict[str, Any]], object]) -> Patch:
    """Return the patch that changes, in place, the transaction of each event that has one."""

    def changed(value: dict[str, Any]) -> None:
        if value.get("transaction") is not None:
            change(value["transaction"])

    return values(CHANGE, changed)


def _on_and_on(name: str, of: Callable[[ConnectRecord], str]) -> Patch:
    """Return the patch by which a count of events never begins anew, for each of these apart."""

    def changed(given: Records) -> Iterator[ConnectRecord]:
        met: Counter[str] = Counter()
        for record in given:
            block = record.value.get("transaction") if kind(record) == CHANGE else None
            if block is None:
                yield record
                continue
            met[of(record)] += 1
            own = {**block, name: met[of(record)]}
            yield replace(record, value={**record.value, "transaction": own})

    return stream(changed)


ROWS: tuple[WrongProducer, ...] = (
    *_block(),
    WrongProducer(
        "vitess-total-order-on-and-on",
        "vitess.txn.total-order",
        "It counts on in `total_order` from one transaction to the next.",
        _on_and_on("total_order", lambda _: ""),
    ),
    WrongProducer(
        "vitess-collection-order-on-and-on",
        "vitess.txn.collection-order",
        "It counts on in `data_collection_order` from one transaction to the next.",
        _on_and_on("data_collection_order", lambda record: record.topic),
    ),
    WrongProducer(
        "vitess-events-of-another-id",
        "vitess.txn.id",
        "It gives events another id than the boundaries of their transaction.",
        _orders(lambda block: block.update(id=f"{block['id']} ")),
    ),
    WrongProducer(
        "vitess-transactions-by-gtid",
        "vitess.txn.id",
        "It gives boundaries and events alike the GTIDs alone for an id.",
        each(_by_gtid),
    ),
    WrongProducer(
        "vitess-end-counts-tombstones",
        "vitess.txn.event-count",
        "It counts tombstones as events.",
        _counting(lambda those, count: count + _tombstones(those)),
    ),
    WrongProducer(
        "vitess-end-counts-tables",
        "vitess.txn.event-count",
        "It counts the tables of a transaction for its events.",
        _counting(lambda those, _: _tables(those)),
    ),
    WrongProducer(
        "vitess-end-counts-boundaries",
        "vitess.txn.event-count",
        "It counts BEGIN and END as events.",
        _counting(lambda _, count: count + 2),
    ),
    WrongProducer(
        "vitess-moved-key-counts-once",
        "vitess.txn.pk-update-counts",
        "It counts a changed key as one event.",
        _counting(lambda those, count: count - _moves(those)),
    ),
    WrongProducer(
        "vitess-skipped-events-counted",
        "vitess.txn.skipped-not-counted",
        "It counts the events that skipped.operations drops.",
        patch(f"{EMITTER}._data", _counted_although_skipped),
    ),
    WrongProducer(
        "vitess-collections-null",
        "vitess.txn.data-collections",
        "It leaves the data collections of END null.",
        of_status(END, "data_collections", lambda _: None),
    ),
    WrongProducer(
        "vitess-collections-but-one",
        "vitess.txn.data-collections",
        "It leaves the last data collection of END out.",
        _collections(lambda found: found[:-1]),
    ),
    WrongProducer(
        "vitess-collections-count-1-each",
        "vitess.txn.data-collections",
        "It counts 1 event for each data collection.",
        _collections(lambda found: [{**one, "event_count": 1} for one in found]),
    ),
    WrongProducer(
        "vitess-collections-without-shard",
        "vitess.txn.data-collection-name",
        "It names a data collection without its shard.",
        _named(lambda name: name.partition(".")[2]),
    ),
    WrongProducer(
        "vitess-collections-by-table-alone",
        "vitess.txn.data-collection-name",
        "It names a data collection by its table alone.",
        _named(lambda name: name.rpartition(".")[2]),
    ),
    WrongProducer(
        "vitess-collections-by-shard-and-keyspace",
        "vitess.txn.data-collection-name",
        "It names a data collection without its table.",
        _named(lambda name: name.rpartition(".")[0]),
    ),
    WrongProducer(
        "vitess-collections-without-keyspace",
        "vitess.txn.data-collection-name",
        "It names a data collection without its keyspace.",
        _named(lambda name: f"{name.partition('.')[0]}.{name.rpartition('.')[2]}"),
    ),
    WrongProducer(
        "vitess-collections-keyspace-first",
        "vitess.txn.data-collection-name",
        "It names the keyspace of a data collection before its shard.",
        _named(_keyspace_first),
    ),
    WrongProducer(
        "vitess-collections-by-slashes",
        "vitess.txn.data-collection-name",
        "It joins the parts of a data collection's name by slashes.",
        _named(lambda name: name.replace(".", "/")),
    ),
    WrongProducer(
        "vitess-block-null",
        "vitess.txn.block",
        "It leaves the transaction of an event null.",
        valued(CHANGE, "transaction", lambda _: None),
    ),
    WrongProducer(
        "vitess-total-order-of-the-table",
        "vitess.txn.total-order",
        "It counts the events of a table in `total_order`.",
        _orders(lambda block: block.update(total_order=block["data_collection_order"])),
    ),
    WrongProducer(
        "vitess-collection-order-of-all-tables",
        "vitess.txn.collection-order",
        "It counts the events of all tables in `data_collection_order`.",
        _orders(lambda block: block.update(data_collection_order=block["total_order"])),
    ),
    WrongProducer(
        "vitess-block-without-metadata",
        "vitess.txn.block-null",
        "It writes a transaction although metadata is off.",
        valued(CHANGE, "transaction", _filled),
    ),
    WrongProducer(
        "vitess-block-schema-without-metadata",
        "vitess.txn.block-null",
        "It leaves the field `transaction` out where metadata is off.",
        each(_without_block),
    ),
    WrongProducer(
        "vitess-block-schema-required",
        "vitess.txn.block-null",
        "It declares `transaction` as never null.",
        typed(CHANGE, "transaction", lambda schema: replace(schema, optional=False)),
    ),
    WrongProducer(
        "vitess-metadata-by-default",
        "vitess.txn.default-off",
        "It sends transaction metadata by default.",
        by_default(provide_transaction_metadata=True),
    ),
    WrongProducer(
        "vitess-vgtid-once",
        "vitess.txn.vgtid-twice",
        "It leaves the VGTID out of the source where the transaction has it.",
        values(
            CHANGE,
            lambda value: value["transaction"] and value["source"].update(vgtid=""),
        ),
    ),
    WrongProducer(
        "vitess-vgtid-in-the-source-alone",
        "vitess.txn.vgtid-twice",
        "It leaves the VGTID out of the transaction where the source has it.",
        _orders(lambda block: block.update(id="")),
    ),
    WrongProducer(
        "vitess-events-of-the-vgtid-before",
        "vitess.txn.last-vgtid",
        "It gives events the VGTID that the transaction began at.",
        patch(f"{OFFSETS}.source", _previous),
    ),
    WrongProducer(
        "vitess-events-of-the-first-vgtid",
        "vitess.txn.last-vgtid",
        "It gives events the first of several VGTIDs of their transaction.",
        patch(f"{BUFFER}.feed", _of_the_first_vgtid),
    ),
    WrongProducer(
        "vitess-transaction-turned-round",
        "vitess.txn.whole",
        "It sends the events of a transaction from the last to the first.",
        by_transaction(_reversed_rows),
    ),
    WrongProducer(
        "vitess-transactions-mixed",
        "vitess.txn.whole",
        "It sends the last event of a transaction among those of the next.",
        stream(_mixed),
    ),
    WrongProducer(
        "vitess-end-before-the-last-event",
        "vitess.txn.whole",
        "It sends END before the last event of its transaction.",
        by_transaction(_end_early),
    ),
)
