"""Rows, tombstones, changed keys and TRUNCATE: which records there are, and in which order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any, Final

from harness.codecs.connect.schema import ConnectRecord, Header, Schema, SchemaType
from harness.codecs.debezium.emitter import NEW_KEY, OLD_KEY
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.mysql.edits import (
    by_default,
    each,
    headers,
    ignoring,
    one,
    row,
    stream,
    valued,
    values,
    without_header,
)
from harness.mutants.producers.patch import Patch
from harness.mutants.producers.records import (
    CHANGE,
    SCHEMA_CHANGE,
    TOMBSTONE,
    Halves,
    Records,
    Values,
    changed_columns,
    key_changes,
    kind,
    late_inserts,
    of_a_schema,
    op,
    swapped,
    tombstone_of_updates,
)


def _of(operation: str, change: Callable[[Values], object]) -> Patch:
    """Return the patch that changes, in place, the value of each change of one operation."""
    return values(CHANGE, lambda value: change(value) if value["op"] == operation else None)


def _for(right: str, wrong: str, held: str) -> str:
    return wrong if held == right else held


def _ops() -> Iterator[WrongProducer]:
    for right, wrong, what in (
        ("c", "i", "create"),
        ("c", "r", "create"),
        ("u", "c", "update"),
        ("d", "r", "delete"),
    ):
        yield row(
            f"op-{wrong}-for-{right}",
            "event.op",
            f"It writes op {wrong} for {right}.",
            valued(CHANGE, "op", partial(_for, right, wrong)),
            also=f"row.{what}",
        )


def _halves(change: Halves) -> Patch:
    """Return the patch that changes the halves of each key change."""
    return stream(key_changes(change))


def _update(
    gone: ConnectRecord, tombstones: list[ConnectRecord], new: ConnectRecord
) -> Iterable[ConnectRecord]:
    del tombstones
    return (replace(new, value={**new.value, "op": "u", "before": gone.value["before"]}),)


def _own_key(name: str) -> Patch:
    """Return the patch that puts the record's own key into a header of another key."""

    def changed(record: ConnectRecord) -> Records:
        own = tuple(replace(h, value=record.key) if h.key == name else h for h in record.headers)
        return (replace(record, headers=own),)

    return each(changed)


def _key_headers() -> Iterator[WrongProducer]:
    for name, clause in ((NEW_KEY, "pk-update.new-key"), (OLD_KEY, "pk-update.old-key")):
        word = name.removeprefix("__debezium.")
        yield row(f"without-{word}", clause, f"It leaves `{name}` out.", without_header(name))
        yield row(f"{word}-its-own", clause, f"It puts the own key into `{name}`.", _own_key(name))


def _twice(record: ConnectRecord) -> Records:
    return (record, record)


def _tombstones(change: Callable[[ConnectRecord], Iterable[ConnectRecord]]) -> Patch:
    return each(lambda record: change(record) if kind(record) == TOMBSTONE else (record,))


def _never_without(
    gone: ConnectRecord, tombstones: list[ConnectRecord], new: ConnectRecord
) -> Records:
    """Return a key change with a tombstone, whatever was asked for."""
    return (gone, *(tombstones or [replace(gone, value=None, value_schema=None)]), new)


def _keyed_by(record: ConnectRecord, other: ConnectRecord) -> ConnectRecord:
    return replace(record, key=other.key, key_schema=other.key_schema)


def _swapped_place(topic: str) -> str:
    prefix, database, table = topic.split(".", 2)
    return f"{prefix}.{table}.{database}"


# The halves of a key change of which one has the key of the other: which, what is said, how.
_OTHER_KEYS: Final[tuple[tuple[str, str, Halves], ...]] = (
    (
        "deleted-by-the-new-key",
        "keys the delete of a changed key by the new one",
        lambda gone, tombstones, new: (_keyed_by(gone, new), *tombstones, new),
    ),
    (
        "tombstone-of-the-new-key",
        "keys the tombstone of a changed key by the new one",
        lambda gone, tombstones, new: (gone, *(_keyed_by(one, new) for one in tombstones), new),
    ),
    (
        "created-by-the-old-key",
        "keys the create of a changed key by the old one",
        lambda gone, tombstones, new: (gone, *tombstones, _keyed_by(new, gone)),
    ),
)


def _without_new_key(record: ConnectRecord) -> Records:
    own = tuple(header for header in record.headers if header.key != NEW_KEY)
    return (replace(record, headers=own),)


def _late_keys(given: Records) -> Iterator[ConnectRecord]:
    last: dict[str, ConnectRecord] = {}
    for record in given:
        if kind(record) != TOMBSTONE:
            yield record
            continue
        before = last.get(record.topic, record)
        last[record.topic] = record
        yield replace(record, key=before.key, key_schema=before.key_schema)


def _early_tombstones(given: Records) -> Iterator[ConnectRecord]:
    held: list[ConnectRecord] = []
    for record in given:
        if op(record) == "d":
            yield from held
            held = [record]
        else:
            yield record
            yield from held
            held = []
    yield from held


def _swapped(given: Records) -> Iterator[ConnectRecord]:
    """Yield each two creates that follow each other in a topic the other way round."""

    def follows(held: ConnectRecord, record: ConnectRecord) -> bool:
        return op(record) == "c" and record.topic == held.topic

    return swapped(given, lambda record: op(record) == "c", follows)


def _without_database(topic: str) -> str:
    prefix, _, rest = topic.partition(".")
    return f"{prefix}.{rest.partition('.')[2]}"


def _to_its_own(letter: str, record: ConnectRecord) -> Records:
    own = op(record) == letter
    return (replace(record, topic=f"{record.topic}.{letter}") if own else record,)


def _first_of_event(record: ConnectRecord) -> Records:
    return () if op(record) and record.value["source"]["row"] else (record,)


def _first_of(letter: str, record: ConnectRecord) -> Records:
    return _first_of_event(record) if op(record) == letter else (record,)


def _keyed_truncate(record: ConnectRecord) -> Records:
    if op(record) != "t":
        return (record,)
    return (replace(record, key=dict[str, Any](), key_schema=Schema(SchemaType.STRUCT)),)


def _renamed(old: str, new: str) -> Callable[[tuple[Header, ...]], tuple[Header, ...]]:
    return lambda given: tuple(replace(h, key=new) if h.key == old else h for h in given)


ROWS: Final = (
    *_ops(),
    *_key_headers(),
    row(
        "create-with-the-old-row",
        "row.create",
        "It writes the new row into before as well.",
        _of("c", lambda value: value.update(before=value["after"])),
    ),
    row(
        "create-without-the-new-row",
        "row.create",
        "It leaves after null in a create.",
        _of("c", lambda value: value.update(after=None)),
    ),
    row(
        "update-without-the-old-row",
        "row.update",
        "It leaves before null in an update.",
        _of("u", lambda value: value.update(before=None)),
    ),
    row(
        "update-of-the-old-row",
        "row.update",
        "It writes the old row of an update for the new one.",
        _of("u", lambda value: value.update(after=value["before"])),
    ),
    row(
        "delete-without-the-old-row",
        "row.delete",
        "It leaves before null in a delete.",
        _of("d", lambda value: value.update(before=None)),
    ),
    row(
        "delete-with-the-old-row-twice",
        "row.delete",
        "It writes the old row into after as well.",
        _of("d", lambda value: value.update(after=value["before"])),
    ),
    row(
        "one-row-an-event",
        "event.per-row",
        "It sends the first row alone of an event of the log.",
        each(_first_of_event),
    ),
    *(
        row(
            f"one-{word}-an-event",
            "event.per-row",
            f"It sends the first {word} alone of an event of the log.",
            each(partial(_first_of, letter)),
        )
        for letter, word in (("c", "insert"), ("u", "update"), ("d", "delete"))
    ),
    row(
        "third-record-lost",
        "delivery.exactly-once",
        "It loses the third record of each run.",
        stream(lambda given: (record for number, record in enumerate(given) if number != 2)),
    ),
    row("twice", "delivery.exactly-once", "It sends each record twice.", each(_twice)),
    row(
        "creates-swapped",
        "order.as-logged",
        "It sends each two inserts that follow each other the other way round.",
        stream(_swapped),
    ),
    row(
        "inserts-late",
        "order.per-key",
        "It sends the insert of a row behind the row's update.",
        stream(late_inserts),
    ),
    row(
        "inserts-in-partition-0",
        "order.per-key",
        "It sends inserts to partition 0, and all else where the key belongs.",
        one(CHANGE, lambda record: replace(record, partition=0) if op(record) == "c" else record),
    ),
    row(
        "moved-key-created-first",
        "pk-update.sequence",
        "It sends the create of a changed key first.",
        _halves(lambda gone, tombstones, new: (new, gone, *tombstones)),
    ),
    row(
        "moved-key-tombstone-last",
        "pk-update.sequence",
        "It sends the tombstone of a changed key last.",
        _halves(lambda gone, tombstones, new: (gone, new, *tombstones)),
    ),
    row(
        "moved-key-without-tombstone",
        "pk-update.sequence",
        "It sends no tombstone for a changed key.",
        _halves(lambda gone, _, new: (gone, new)),
    ),
    row(
        "moved-key-updated",
        "pk-update.sequence",
        "It sends a changed key as an update.",
        _halves(_update),
    ),
    row(
        "moved-key-tombstone-always",
        "pk-update.sequence",
        "It sends a tombstone for a changed key where tombstones.on.delete is false, too.",
        _halves(_never_without),
    ),
    *(
        row(f"moved-key-{name}", "pk-update.sequence", f"It {says}.", _halves(change))
        for name, says, change in _OTHER_KEYS
    ),
    row("no-tombstones", "tombstone.follows", "It sends no tombstones.", _tombstones(lambda _: ())),
    row(
        "tombstones-first",
        "tombstone.follows",
        "It sends a tombstone before its delete.",
        stream(_early_tombstones),
    ),
    row(
        "tombstones-without-a-key",
        "tombstone.follows",
        "It sends tombstones without a key.",
        _tombstones(lambda record: (replace(record, key=None, key_schema=None),)),
    ),
    row(
        "tombstones-of-the-key-before",
        "tombstone.follows",
        "It gives a tombstone the key of the tombstone before it in its topic.",
        stream(_late_keys),
    ),
    row(
        "new-row-of-changed-columns",
        "tombstone.compaction",
        "It sends those columns of an update's new row only that changed.",
        values(CHANGE, changed_columns),
    ),
    row(
        "tombstones-of-updates",
        "tombstone.compaction",
        "It sends a tombstone behind an update, which compaction leaves alone of the row.",
        each(tombstone_of_updates),
    ),
    row(
        "tombstones-of-a-schema",
        "tombstone.no-schema",
        "It gives a tombstone the schema of a value.",
        stream(of_a_schema),
    ),
    row(
        "tombstones-without-a-key-schema",
        "tombstone.no-schema",
        "It gives a tombstone's key no schema.",
        _tombstones(lambda record: (replace(record, key_schema=None),)),
    ),
    row(
        "tombstones-without-headers",
        "tombstone.headers",
        "It sends tombstones without headers.",
        _tombstones(lambda record: (replace(record, headers=()),)),
    ),
    row(
        "tombstones-without-the-new-key",
        "tombstone.headers",
        "It leaves `__debezium.newkey` out of the tombstone of a changed key.",
        _tombstones(_without_new_key),
    ),
    row(
        "tombstones-always",
        "tombstone.off",
        "It pays no heed to tombstones.on.delete.",
        ignoring("tombstones.on.delete"),
    ),
    row(
        "truncates-always",
        "truncate.skipped",
        "It sends TRUNCATE without being asked to.",
        by_default("skipped.operations", "none"),
    ),
    row(
        "truncates-never",
        "truncate.event",
        "It sends no TRUNCATE, whatever it is asked to skip.",
        each(lambda record: () if op(record) == "t" else (record,)),
    ),
    row(
        "truncate-as-a-delete",
        "truncate.event",
        "It writes op d for a TRUNCATE.",
        valued(CHANGE, "op", partial(_for, "t", "d")),
    ),
    row(
        "truncate-with-an-empty-row",
        "truncate.event",
        "It writes a row of zeros into before of a TRUNCATE.",
        _of("t", lambda value: value.update(before={"id": 0, "job": None})),
    ),
    row(
        "truncate-with-an-empty-row-after",
        "truncate.event",
        "It writes a row of zeros into after of a TRUNCATE.",
        _of("t", lambda value: value.update(after={"id": 0, "job": None})),
    ),
    row(
        "truncate-with-a-key",
        "truncate.no-key",
        "It gives a TRUNCATE a key without columns.",
        each(_keyed_truncate),
    ),
    *(
        row(
            f"without-{name.lower()}",
            "header.context",
            f"It leaves the header `{name}` out.",
            without_header(f"__debezium.context.{name}"),
        )
        for name in ("connectorLogicalName", "taskId", "connectorName")
    ),
    row(
        "task-by-another-name",
        "header.context",
        "It calls the header of the task otherwise.",
        headers(_renamed("__debezium.context.taskId", "__debezium.context.task")),
    ),
    row(
        "statements-without-context",
        "header.context",
        "It sends statements without headers.",
        one(SCHEMA_CHANGE, lambda record: replace(record, headers=())),
    ),
    row(
        "context-always",
        "header.context",
        "It pays no heed to extended.headers.enabled.",
        ignoring("extended.headers.enabled"),
    ),
    row(
        "topic-without-the-database",
        "topic.name",
        "It leaves the database out of topics.",
        one(CHANGE, lambda record: replace(record, topic=_without_database(record.topic))),
    ),
    row(
        "topic-of-the-table-ahead",
        "topic.name",
        "It writes the table before the database in topics.",
        one(CHANGE, lambda record: replace(record, topic=_swapped_place(record.topic))),
    ),
    row(
        "topic-without-the-table",
        "topic.name",
        "It leaves the table out of topics.",
        one(CHANGE, lambda record: replace(record, topic=record.topic.rpartition(".")[0])),
    ),
    row(
        "tables-share-a-topic",
        "topic.per-table",
        "It sends all tables of a database to one topic.",
        each(
            lambda record: (
                replace(record, topic=f"{record.topic.rpartition('.')[0]}.rows")
                if op(record)
                else record,
            )
        ),
    ),
    row(
        "topic-without-the-prefix",
        "topic.name",
        "It leaves the prefix out of topics.",
        one(CHANGE, lambda record: replace(record, topic=record.topic.partition(".")[2])),
    ),
    row(
        "topic-by-slashes",
        "topic.name",
        "It joins the parts of a topic by hyphens.",
        one(CHANGE, lambda record: replace(record, topic=record.topic.replace(".", "-"))),
    ),
    *(
        row(
            f"topic-of-{word}",
            "topic.per-table",
            f"It sends {word} to a topic of their own.",
            each(partial(_to_its_own, letter)),
        )
        for letter, word in (("c", "inserts"), ("u", "updates"), ("d", "deletes"))
    ),
)
