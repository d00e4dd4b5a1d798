"""When an event's time has come: what waits, what is dropped, and what must not be."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest

from harness.model.decoded import DecodedEvent, EventKind
from harness.model.values import Value
from harness.reference_consumer.hold import Hold

TOPIC = "ticdc"


def put(ts: int, key: int = 1, v: str = "a", row_id: int | None = None) -> DecodedEvent:
    """Return an insert into a keyed table."""
    after: dict[str, Value] = {"id": key, "v": v}
    return DecodedEvent(
        EventKind.INSERT, ts, "shop", "t", after=after, handle=("id",), row_id=row_id
    )


def gone(ts: int, key: int = 1) -> DecodedEvent:
    """Return a delete from a keyed table."""
    return DecodedEvent(EventKind.DELETE, ts, "shop", "t", before={"id": key}, handle=("id",))


def ddl(ts: int, query: str = "CREATE TABLE `t`") -> DecodedEvent:
    """Return a DDL event."""
    return DecodedEvent(EventKind.DDL, ts, "shop", "t", query=query, type=3)


def mark(ts: int) -> DecodedEvent:
    """Return a resolved event."""
    return DecodedEvent(EventKind.RESOLVED, ts)


def loose(ts: int, row_id: int | None) -> DecodedEvent:
    """Return an insert into a keyless table."""
    return replace(put(ts), handle=(), row_id=row_id)


class Room:
    """A waiting room for two partitions that remembers what left it."""

    def __init__(self, complete: str = "at-or-below", partitions: int = 2) -> None:
        """Start empty."""
        self.hold = Hold({(TOPIC, partition) for partition in range(partitions)}, complete)
        self.offset = 0

    def take(self, *arrivals: tuple[int, DecodedEvent]) -> list[tuple[str, int, str]]:
        """Take (partition, event) pairs; return kind, ts and what of each event that was ready."""
        ready: list[tuple[str, int, str]] = []
        for partition, event in arrivals:
            self.offset += 1
            place = (TOPIC, partition, self.offset)
            ready += [_brief(due.event) for due in self.hold.take(event, place)]
        return ready


def _brief(event: DecodedEvent) -> tuple[str, int, str]:
    image = event.before if event.kind is EventKind.DELETE else event.after
    return (event.kind.value, event.commit_ts, event.query or str((image or {})["id"]))


def marks(ts: int, partitions: Iterable[int] = (0, 1)) -> list[tuple[int, DecodedEvent]]:
    """Return a mark on each partition."""
    return [(partition, mark(ts)) for partition in partitions]


def test_waits_for_all_partitions() -> None:
    """A row is ready when every partition has passed it, an idle one included."""
    room = Room()
    assert room.take((0, put(5)), (0, mark(9))) == []
    assert room.take((1, mark(4))) == []
    assert room.take((1, mark(5))) == [("insert", 5, "1")]


@pytest.mark.parametrize(("complete", "ready"), [("at-or-below", 1), ("below", 0)])
def test_a_row_at_the_mark(complete: str, ready: int) -> None:
    """A mark completes its own ts, or only what lies below it."""
    room = Room(complete)
    assert len(room.take((0, put(5)), *marks(5))) == ready
    assert len(room.take(*marks(6))) == 1 - ready


def test_commit_order() -> None:
    """What is complete comes by commit ts; at one ts DDL, then deletes, then puts, as they came."""
    room = Room()
    room.take((1, put(7, 3)), (0, put(5, 2)), (0, gone(5, 2)), (1, put(5, 1)), (0, ddl(5)))
    assert room.take(*marks(7)) == [
        ("ddl", 5, "CREATE TABLE `t`"),
        ("delete", 5, "2"),
        ("insert", 5, "2"),
        ("insert", 5, "1"),
        ("insert", 7, "3"),
    ]


def test_timestamps_are_numbers() -> None:
    """A ts of more digits is later, whatever its first digit."""
    room = Room()
    room.take((0, put(10)), (0, put(9)))
    assert [ts for _, ts, _ in room.take(*marks(9), *marks(10))] == [9, 10]


def test_marks_that_go_back() -> None:
    """A mark below an earlier one means nothing: nothing is taken back or held longer."""
    room = Room()
    room.take(*marks(6))
    assert room.take(*marks(3), (0, put(7)), (1, mark(7))) == []
    assert room.take((0, mark(7))) == [("insert", 7, "1")]
    room = Room()
    room.take((0, put(5)), (0, mark(6)), (0, mark(3)))
    assert room.take((1, mark(6))) == [("insert", 5, "1")]


def test_replay_of_what_was_applied() -> None:
    """What comes again at or below the ts that was applied is dropped, marks and DDL with it."""
    room = Room()
    first = [(0, ddl(4)), (0, put(5)), *marks(5)]
    assert len(room.take(*first)) == 2
    assert room.take(*first, (0, put(3, 9)), *marks(5)) == []
    assert room.take(*marks(8)) == []


def test_row_below_the_highest_seen() -> None:
    """A row merely below the highest ts seen is news: partitions run apart, and replays reorder."""
    room = Room()
    room.take((0, put(9, 1)), (0, mark(9)), (1, put(6, 2)), (0, put(7, 3)))
    assert [ts for _, ts, _ in room.take((1, mark(9)))] == [6, 7, 9]


def test_repeated_rows() -> None:
    """A row that is sent again before its time is one row, the first that came."""
    room = Room()
    assert len(room.take((0, put(5)), (0, put(5)), (1, put(5)), *marks(5))) == 1


def test_delete_and_put_of_one_key() -> None:
    """A delete and a put of one key at one ts are two events, each once."""
    room = Room()
    pair = [(0, put(5)), (1, gone(5))]
    assert [kind for kind, _, _ in room.take(*pair, *pair, *marks(5))] == ["delete", "insert"]


def test_one_key_at_two_times() -> None:
    """One key changed at two timestamps is two events."""
    room = Room()
    assert len(room.take((0, put(5)), (0, put(6)), *marks(6))) == 2


def test_ddl_once_over_partitions() -> None:
    """A broadcast DDL is one statement; two statements of one ts are two."""
    room = Room()
    room.take(*((p, ddl(5, query)) for query in ("RENAME a", "RENAME b") for p in (0, 1)))
    assert [query for _, _, query in room.take(*marks(5))] == ["RENAME a", "RENAME b"]


def test_same_statement_twice() -> None:
    """One statement at two timestamps runs twice."""
    room = Room()
    assert len(room.take((0, ddl(5)), (1, ddl(5)), (0, ddl(6)), (1, ddl(6)), *marks(6))) == 2


def test_keyless_rows() -> None:
    """Equal keyless rows are told apart by their row ids, and are one where there are none."""
    room = Room()
    assert len(room.take((0, loose(5, 1)), (0, loose(5, 2)), (0, loose(5, 1)), *marks(5))) == 2
    assert len(room.take((0, loose(6, None)), (0, loose(6, None)), *marks(6))) == 1


def test_places() -> None:
    """An event comes with the first record that carried it."""
    room = Room(partitions=1)
    list(room.hold.take(put(5), (TOPIC, 0, 3)))
    list(room.hold.take(put(5), (TOPIC, 0, 4)))
    (ready,) = room.hold.take(mark(5), (TOPIC, 0, 5))
    assert ready.place == (TOPIC, 0, 3)


def test_undated_deletes_wait_for_a_time() -> None:
    """A delete without a commit ts is no later than the next dated event of its partition."""
    undated = replace(gone(0), key={"id": 1})
    room = Room()
    assert room.take((0, put(5)), (0, undated), (1, mark(9))) == []
    assert [kind for kind, _, _ in room.take((0, mark(9)))] == ["insert", "delete"]


def test_an_update_into_an_inserted_row_is_no_copy() -> None:
    """Without a key and row ids, an update whose new row equals an insert's is another event."""
    inserted = loose(5, None)
    changed = replace(inserted, kind=EventKind.UPDATE, before={"id": 9, "v": "a"})
    hold = Hold({(TOPIC, 0)}, "at-or-below")
    taken = [inserted, changed, inserted, changed, mark(5)]
    ready = [one for event in taken for one in hold.take(event, (TOPIC, 0, 0))]
    assert [one.event.kind for one in ready] == [EventKind.INSERT, EventKind.UPDATE]
