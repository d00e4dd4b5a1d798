"""Promises of holding events back for resolved events."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from cdc_spark.events import Event, Kind
from cdc_spark.ordering.columns import size
from cdc_spark.ordering.hold import Applied, Arrival, Hold, Source, arrivals_of

P0, P1, OTHER = Source(0, 0), Source(0, 1), Source(1, 0)


def upsert(ts: int, who: str = "k") -> Event:
    """Return an upsert of the row with that key."""
    return Event(Kind.UPSERT, ts, "test", "t", who, "{}")


def delete(ts: int, who: str = "k") -> Event:
    """Return a delete of the row with that key."""
    return Event(Kind.DELETE, ts, "test", "t", who, "{}")


def ddl(ts: int, query: str = "DROP TABLE t") -> Event:
    """Return a DDL event."""
    return Event(Kind.DDL, ts, "test", "t", query, "{}")


def resolved(ts: int) -> Event:
    """Return a resolved event."""
    return Event(Kind.RESOLVED, ts)


def on(source: Source, *events: Event, offset: int = 0) -> list[Arrival]:
    """Return the arrivals of events on one partition."""
    return [Arrival(event, source, offset + at) for at, event in enumerate(events)]


def brief(applied: Iterable[Applied]) -> list[tuple[int, Kind, str]]:
    """Return what was applied, in order."""
    events = [one.arrival.event for one in applied]
    return [(event.ts, event.kind, event.identity) for event in events]


def two_partitions(*, inclusive: bool = True) -> Hold:
    """Return the state of a changefeed with one topic of two partitions."""
    return Hold((P0, P1), inclusive)


def test_rows_wait_for_the_slowest_partition() -> None:
    """The global watermark is the minimum; a silent partition holds everything back."""
    hold = two_partitions()
    assert hold.step(on(P0, upsert(5), resolved(9))) == []
    assert hold.step(on(P1, resolved(4))) == []
    assert brief(hold.step(on(P1, resolved(5)))) == [(5, Kind.UPSERT, "k")]


def test_partitions_of_other_topics_count() -> None:
    """A changefeed's timeline goes over all its topics."""
    hold = Hold((P0, OTHER), inclusive=True)
    assert hold.step(on(P0, upsert(5), resolved(9))) == []
    assert len(hold.step(on(OTHER, resolved(9)))) == 1


def test_completeness_has_two_readings() -> None:
    """A resolved event covers its own ts in current TiCDC, and does not in the 2020 document."""
    events = [*on(P0, upsert(5), resolved(5)), *on(P1, resolved(5))]
    assert len(two_partitions().step(events)) == 1
    strict = two_partitions(inclusive=False)
    assert strict.step(events) == []
    assert len(strict.step([*on(P0, resolved(6)), *on(P1, resolved(6))])) == 1


def test_marks_may_go_backwards() -> None:
    """A resolved event below an earlier one changes nothing."""
    hold = two_partitions()
    hold.step([*on(P0, resolved(10), resolved(3)), *on(P1, resolved(10), resolved(2))])
    assert hold.applied_watermark == 10
    assert hold.step(on(P0, upsert(7))) == []
    assert size(hold.held) == 0


def test_replays_below_the_applied_mark_are_dropped() -> None:
    """What was complete already is not applied again, row or DDL."""
    hold = two_partitions()
    first = [*on(P0, ddl(4), upsert(5), resolved(9)), *on(P1, ddl(4), resolved(9))]
    assert len(hold.step(first)) == 2
    assert (
        hold.step([*on(P0, ddl(4), upsert(5), resolved(20)), *on(P1, ddl(4), resolved(20))]) == []
    )


def test_rows_below_the_highest_seen_are_not_replays() -> None:
    """A row withheld while later ones went ahead is applied, in its place."""
    hold = two_partitions()
    hold.step(on(P0, upsert(8, "late"), upsert(5, "early")))
    applied = hold.step([*on(P0, resolved(9)), *on(P1, resolved(9))])
    assert [ts for ts, _, _ in brief(applied)] == [5, 8]


def test_at_one_ts_deletes_come_first_and_ddl_last() -> None:
    """A key that moved is deleted before it is inserted, on whatever partition; DDL follows."""
    hold = two_partitions()
    arrived = [
        *on(P0, ddl(5), upsert(5, "a"), resolved(9)),
        *on(P1, ddl(5), delete(5, "a"), delete(5, "b"), resolved(9)),
    ]
    kinds = [kind for _, kind, _ in brief(hold.step(arrived))]
    assert kinds == [Kind.DELETE, Kind.DELETE, Kind.UPSERT, Kind.DDL]


def test_a_broadcast_ddl_is_one() -> None:
    """A DDL comes once although each partition has it; a second text at its ts is another."""
    hold = two_partitions()
    both = (ddl(5, "RENAME TABLE a TO b"), ddl(5, "RENAME TABLE b TO a"))
    applied = hold.step([*on(P0, *both, resolved(9)), *on(P1, *both, *both, resolved(9))])
    assert [identity for _, _, identity in brief(applied)] == [event.identity for event in both]


def test_a_ddl_may_come_behind_the_mark_of_its_ts() -> None:
    """It is executed once, whatever micro-batch it is in; its copies are copies there as well."""
    hold = two_partitions()
    assert not hold.step([*on(P0, resolved(5)), *on(P1, resolved(5))])
    copy = two_partitions()
    copy.load(hold.dump())
    assert brief(copy.step(on(P1, ddl(5)))) == [(5, Kind.DDL, ddl(5).identity)]
    hold.load(copy.dump())
    assert not hold.step(on(P0, ddl(5), ddl(4)))
    assert brief(hold.step(on(P0, ddl(5, "another")))) == [(5, Kind.DDL, "another")]
    assert not hold.step([*on(P0, resolved(6)), *on(P1, resolved(6), ddl(5))])


def test_duplicates_are_known_by_ts_kind_and_identity() -> None:
    """Of two deliveries one counts; a delete and an upsert of one key and ts are two events."""
    hold = two_partitions()
    arrived = on(P0, upsert(5), upsert(5), delete(5), delete(5), upsert(6), upsert(5, "other"))
    hold.step(arrived)
    assert size(hold.held) == 4


def test_rows_without_identity_are_counted_up_to_their_partitions_mark() -> None:
    """Equal rows of a keyless table all count; past its partition's watermark a row is a replay."""
    hold = two_partitions()
    hold.step(on(P0, upsert(5, ""), upsert(5, ""), resolved(5), upsert(5, "")))
    assert size(hold.held) == 2


def test_a_poisoned_partition_stops_its_changefeed_there() -> None:
    """What was complete before the poison is applied; nothing behind it is."""
    hold = two_partitions()
    poison = Event(Kind.ERROR, payload="bad frame")
    arrived = [
        *on(P0, upsert(5), resolved(6), poison, upsert(7), resolved(9)),
        *on(P1, upsert(6, "b"), upsert(7, "c"), resolved(9)),
    ]
    assert [ts for ts, _, _ in brief(hold.step(arrived))] == [5, 6, 0]
    assert hold.step([*on(P0, resolved(99)), *on(P1, resolved(99))]) == []


def test_state_survives_its_bytes() -> None:
    """A state that was written and read goes on as if it had not been."""
    hold = two_partitions()
    poison = Event(Kind.ERROR, payload="bad frame")
    arrived = [
        *on(P0, upsert(2**64 - 1), ddl(7), resolved(9)),
        *on(P1, upsert(8, ""), resolved(3), poison),
    ]
    hold.step(arrived)
    copy = two_partitions()
    copy.load(hold.dump())
    assert copy.dump() == hold.dump()
    assert arrivals_of(copy.held) == arrivals_of(hold.held)


# A step of a log is one commit ts: rows by key (how they change, on which partition), or a DDL.
ROWS = st.dictionaries(
    st.sampled_from(("a", "b", "c")),
    st.tuples(st.sampled_from([(delete,), (upsert,), (delete, upsert)]), st.integers(0, 1)),
)
LOGS = st.lists(st.one_of(ROWS, st.just("ddl")), max_size=8)
Rows = dict[str, tuple[tuple[Callable[[int, str], Event], ...], int]]


def sent(chance: Random, log: list[Rows | str]) -> tuple[list[Event], list[Event]]:
    """Return what each of two partitions is sent by ts, a resolved event above all at the end."""
    streams: tuple[list[Event], list[Event]] = ([], [])
    for ts, step in enumerate(log, start=1):
        if isinstance(step, str):
            for stream in streams:
                if chance.random() < 0.5:  # a clock sends it, a queue the DDL
                    stream.append(resolved(ts))
                stream.append(ddl(ts, f"ALTER {ts}"))
        else:
            for who, (changes, partition) in step.items():
                streams[partition].extend(change(ts, who) for change in changes)
        for stream in streams:
            if chance.random() < 0.5:
                stream.append(resolved(ts))
    return [*streams[0], resolved(len(log) + 1)], [*streams[1], resolved(len(log) + 1)]


def resent(chance: Random, stream: list[Event]) -> list[Event]:
    """Return the stream with stretches of its past sent again in between, as restarts do."""
    again: list[Event] = []
    for at, event in enumerate(stream):
        again.append(event)
        if chance.random() < 0.2:
            again.extend(stream[chance.randint(0, at) : at + 1])
    return again


def batches(chance: Random, streams: Sequence[list[Event]]) -> Iterator[list[Arrival]]:
    """Yield the streams cut into micro-batches, each partition in its own order."""
    waiting = {Source(0, at): on(Source(0, at), *stream) for at, stream in enumerate(streams)}
    while any(waiting.values()):
        batch: list[Arrival] = []
        for source, events in waiting.items():
            taken = chance.randint(0, min(4, len(events)))
            batch.extend(events[:taken])
            waiting[source] = events[taken:]
        yield batch


@given(LOGS, st.integers())
def test_every_legal_delivery_gives_one_timeline(log: list[Rows | str], seed: int) -> None:
    """Duplicates, replays, interleaving and micro-batches do not change what is applied."""
    chance = Random(seed)
    streams = sent(chance, log)
    plain = two_partitions()
    expected = plain.step([*on(P0, *streams[0]), *on(P1, *streams[1])])
    applied: list[Applied] = []
    state = two_partitions().dump()
    for batch in batches(chance, [resent(chance, stream) for stream in streams]):
        hold = two_partitions()
        hold.load(state)
        applied.extend(hold.step(batch))
        state = hold.dump()
    assert brief(applied) == brief(expected)
    assert [one.seq for one in applied] == list(range(len(applied)))
