"""Promises of deletes without a time: never early, before the DDL that follows, once."""

from __future__ import annotations

from cdc_spark.events import Event, Kind
from cdc_spark.ordering.hold import Arrival, Hold, Source
from cdc_spark.ordering.undated import Undated

HERE, THERE = Source(0, 0), Source(0, 1)


def room() -> Undated:
    """Return an empty room over two partitions."""
    return Undated(Hold((HERE, THERE), inclusive=True, by_place=True))


def at(kind: Kind, ts: int, name: str, source: Source = HERE, offset: int = 0) -> Arrival:
    """Return an event with a name."""
    return Arrival(Event(kind, ts, "s", "t", name, name), source, offset)


def names(found: list[object]) -> list[str]:
    """Return the names of what is applied."""
    return [one.arrival.event.payload for one in found]  # type: ignore[attr-defined]


def resolved(ts: int) -> list[Arrival]:
    """Return the resolved events of both partitions."""
    return [at(Kind.RESOLVED, ts, "", source, 9) for source in (HERE, THERE)]


def test_a_delete_waits_for_the_next_thing_that_carries_a_time() -> None:
    """Resolved events before it say nothing of it; the one behind it does."""
    held = room()
    assert held.step([*resolved(5), at(Kind.DELETE, 0, "gone")]) == []
    assert held.step([at(Kind.RESOLVED, 9, "", THERE)]) == []
    again = room()
    again.load(held.dump())
    assert names([*again.step([at(Kind.RESOLVED, 9, "")])]) == ["gone"]


def test_a_delete_keeps_its_place_among_rows_of_one_time() -> None:
    """A put that it follows is not put behind it, a put that follows it is."""
    held = room()
    arrivals = [
        at(Kind.UPSERT, 3, "k=1", offset=0),
        at(Kind.DELETE, 0, "k gone", offset=1),
        at(Kind.UPSERT, 3, "k=2", offset=2),
        *resolved(4),
    ]
    assert names([*held.step(arrivals)]) == ["k=1", "k gone", "k=2"]


def test_a_delete_comes_before_the_ddl_that_follows_it() -> None:
    """The table still has the shape that the deleted row had."""
    held = room()
    ddl = [at(Kind.DDL, 5, "alter", source, 1) for source in (HERE, THERE)]
    arrivals = [at(Kind.DELETE, 0, "gone"), *ddl, *resolved(6)]
    assert names([*held.step(arrivals)]) == ["gone", "alter"]


def test_a_delete_that_comes_again_changes_nothing() -> None:
    """In a stretch that is sent again the next thing is old, and so is the delete."""
    held = room()
    first = [at(Kind.DELETE, 0, "gone"), at(Kind.UPSERT, 3, "k")]
    assert names([*held.step([*first, *resolved(4)])]) == ["gone", "k"]
    assert held.step([*first, *resolved(5)]) == []
