"""Streams of rows alone: arrival is the order, and what is older than its key saw is a copy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from harness.ddl import Catalogue
from harness.model.debezium_place import DebeziumPlace
from harness.model.decoded import DecodedEvent, EventKind
from harness.model.values import Value
from harness.reference_consumer.arrive import Arrivals
from harness.reference_consumer.tables import Tables
from tests.changelogs import T

Named = dict[str, Value]


def put(key: int, value: int, ts: int = 0, **more: Value) -> DecodedEvent:
    """Return a row as Avro tells it: the new one, and its key."""
    after: Named = {"id": key, "v": value, **more}
    handle = ("id",)
    return DecodedEvent(
        EventKind.UPSERT, ts, "shop", "t", after=after, handle=handle, key={"id": key}
    )


def gone(key: int) -> DecodedEvent:
    """Return a tombstone: the key, and no commit ts."""
    return DecodedEvent(EventKind.DELETE, 0, "shop", "t", handle=("id",), key={"id": key})


def applied(events: Sequence[DecodedEvent], *, dated: bool = True) -> list[tuple[Value, ...]]:
    """Return the rows after these events, sorted."""
    room, tables = Arrivals(dated=dated), Tables(Catalogue.empty())
    for offset, event in enumerate(events):
        for ready in room.take(event, ("t", 0, offset)):
            tables.apply_row(ready.event)
    rows = tables.all().get(T, [])
    return sorted((tuple(row.values()) for row in rows), key=repr)


def test_a_key_goes_with_its_tombstone() -> None:
    """A deletion that only its key describes removes the row, whatever else the row held."""
    assert applied([put(1, 1, 5), put(2, 2, 5), gone(1)]) == [(2, 2)]


def test_an_older_version_is_dropped_where_rows_are_dated() -> None:
    """Commit ts tell a copy from news, also across a tombstone; equal ones are applied again."""
    assert applied([put(1, 1, 5), put(1, 2, 7), put(1, 1, 5)]) == [(1, 2)]
    assert applied([put(1, 1, 5), put(1, 2, 7), gone(1), put(1, 1, 5)]) == []
    assert applied([put(1, 1, 5), gone(1), put(1, 3, 9), put(1, 3, 9)]) == [(1, 3)]


def test_arrival_decides_where_rows_are_not_dated() -> None:
    """A whole tail that is sent again ends where it ended before."""
    events = [put(1, 1), put(1, 2), gone(2), put(2, 2)]
    assert applied([*events, *events], dated=False) == applied(events, dated=False)


def test_marks_and_tombstones_of_other_kinds_apply_nothing() -> None:
    """Only row events touch a table."""
    kinds = (EventKind.TOMBSTONE, EventKind.BEGIN, EventKind.END, EventKind.HEARTBEAT)
    marks = [DecodedEvent(kind, 9, "shop", "t", key={"id": 1}) for kind in kinds]
    assert applied([put(1, 1), *marks], dated=False) == [(1, 1)]


def test_older_rows_take_the_last_shape() -> None:
    """A later column is its default where that is told, else NULL; one that went is gone."""
    tables = Tables(Catalogue.empty())
    tables.apply_row(put(1, 1, old=8))
    last = DecodedEvent(
        EventKind.UPSERT,
        0,
        "shop",
        "t",
        after={"id": 2, "v": 2, "w": 3, "x": None},
        handle=("id",),
        defaults={"w": 7},
    )
    tables.apply_row(last)
    assert tables.all()[T] == [
        {"id": 1, "v": 1, "w": 7, "x": None},
        {"id": 2, "v": 2, "w": 3, "x": None},
    ]


def test_a_tombstone_left_alone_is_the_delete() -> None:
    """Behind its delete a tombstone is nothing; where compaction took the delete, it deletes."""
    row = replace(put(1, 1), key_text="one")
    dead = replace(gone(1), key_text="one")
    alone = DecodedEvent(
        EventKind.TOMBSTONE, 0, "", "", handle=("id",), key={"id": 1}, key_text="one"
    )
    assert applied([row, alone]) == []
    assert applied([row, dead, row, alone]) == []
    assert applied([alone, row]) == [(1, 1)]
    room = Arrivals(dated=False)
    released = [list(room.take(event, ("t", 0, n))) for n, event in enumerate([row, dead, alone])]
    assert [len(ready) for ready in released] == [1, 1, 0]


def of_mariadb(kind: EventKind, number: int, key: int = 0) -> DecodedEvent:
    """Return a row, or the TRUNCATE of its table, of a transaction by its number."""
    place = DebeziumPlace(op="t" if kind is EventKind.DDL else "c", number=number)
    if kind is EventKind.DDL:
        return DecodedEvent(kind, 5, "shop", "t", place=place)
    row: Named = {"id": key, "v": number}
    return DecodedEvent(kind, 5, "shop", "t", after=row, handle=("id",), key=row, place=place)


def emptied(*events: DecodedEvent) -> list[tuple[Value, ...]]:
    """Return the rows after these events, with TRUNCATE among them."""
    room, tables = Arrivals(dated=False), Tables(Catalogue.empty())
    for offset, event in enumerate(events):
        for ready in room.take(event, ("t", 0, offset)):
            (tables.empty if event.empties else tables.apply_row)(ready.event)
    return sorted(tuple(row.values()) for row in tables.all().get(T, []))


def test_a_truncate_goes_by_its_age() -> None:
    """In a topic of several partitions it may come before older rows, and behind newer ones."""
    old, new = (of_mariadb(EventKind.INSERT, n, key) for n, key in ((1, 1), (3, 2)))
    truncate = of_mariadb(EventKind.DDL, 2)
    for order in ((old, truncate, new), (truncate, old, new), (new, old, truncate)):
        assert emptied(*order) == [(2, 3)]
    assert emptied(old, truncate, new, old, truncate, new) == [(2, 3)]
