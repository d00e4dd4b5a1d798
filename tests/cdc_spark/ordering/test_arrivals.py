"""Promises of applying rows as they arrive: no replay, tombstones count, poison ends."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from cdc_spark.events import Event, Kind
from cdc_spark.ordering.arrivals import Arrivals
from cdc_spark.ordering.hold import Arrival, Source
from cdc_spark.ordering.memory import Memory, digests_of
from cdc_spark.untyped import np

HERE, THERE = Source(0, 0), Source(0, 1)


def put(ts: int, key: str = "k", source: Source = HERE) -> Arrival:
    """Return an upsert of a key."""
    return Arrival(Event(Kind.UPSERT, ts, "s", "t", key, f"{key}@{ts}"), source, 0)


def gone(key: str = "k", source: Source = HERE) -> Arrival:
    """Return a delete that tells no time."""
    return Arrival(Event(Kind.DELETE, 0, "s", "t", key, f"{key} gone"), source, 0)


def poison(source: Source = HERE) -> Arrival:
    """Return a message that could not be read."""
    return Arrival(Event(Kind.ERROR, payload="bad"), source, 0)


def released(room: Arrivals, *arrivals: Arrival) -> list[str]:
    """Return the payloads of what takes effect."""
    return [applied.arrival.event.payload for applied in room.step(arrivals)]


def test_a_row_below_what_its_key_has_seen_is_a_replay() -> None:
    """An older version is dropped; the same version and other keys are not."""
    room = Arrivals()
    assert released(room, put(2), put(1), put(2), put(1, "other")) == ["k@2", "k@2", "other@1"]


def test_the_greatest_is_kept_across_a_delete() -> None:
    """A row that comes again behind its delete does not rise from the dead."""
    assert released(Arrivals(), put(2), gone(), put(1), put(3)) == ["k@2", "k gone", "k@3"]


def test_undated_rows_are_applied_as_they_come() -> None:
    """Without a commit ts arrival is all there is."""
    assert released(Arrivals(), put(0), gone(), put(0)) == ["k@0", "k gone", "k@0"]


def test_what_is_no_row_takes_no_effect() -> None:
    """Marks and DDL that only inform are passed over."""
    marks = [Arrival(Event(kind, 1), HERE, 0) for kind in (Kind.RESOLVED, Kind.DDL, Kind.BEGIN)]
    assert released(Arrivals(), *marks) == []


def test_a_poisoned_partition_is_not_read_on_and_others_are() -> None:
    """Nothing behind poison is applied in its partition."""
    assert released(Arrivals(), poison(), put(1), put(2, "o", THERE)) == ["bad", "o@2"]


def test_poison_that_is_set_aside_stops_nothing() -> None:
    """The lenient policy tells of the message and reads on."""
    assert released(Arrivals(lenient=True), poison(), put(1)) == ["bad", "k@1"]


HOUR = 3_600_000 << 18  # of TiCDC's timestamps


def test_a_key_is_forgotten_when_its_retention_is_over() -> None:
    """By the newest ts of all: until then an older version is a replay, afterwards it is news."""
    room = Arrivals(memory=Memory(2 * 3_600_000))
    assert released(room, put(4 * HOUR)) == [f"k@{4 * HOUR}"]
    assert released(room, put(6 * HOUR, "other"), put(HOUR)) == [f"other@{6 * HOUR}"]
    assert len(room.memory) == 2
    assert released(room, put(6 * HOUR + (1 << 18), "other")) == [f"other@{6 * HOUR + (1 << 18)}"]
    assert len(room.memory) == 1
    assert released(room, put(HOUR)) == [f"k@{HOUR}"]


def test_with_a_retention_a_state_is_as_large_as_what_changes_in_it() -> None:
    """However many keys there were."""
    state, sizes = Arrivals().dump(), list[int]()
    for hour in range(1, 40):
        room = Arrivals(memory=Memory(3 * 3_600_000))
        room.load(state)
        room.step(put(hour * HOUR, f"k{hour}-{number}") for number in range(50))
        state = room.dump()
        sizes.append(len(room.memory))
    assert sizes[3:] == [200] * 36


@given(st.lists(st.dictionaries(st.integers(0, 9), st.integers(1, 9), min_size=1), max_size=9))
def test_a_memory_is_a_dictionary(steps: list[dict[int, int]]) -> None:
    """Keys come in any order, known or not, and survive their bytes."""
    memory, wanted = Memory(), dict[int, int]()
    for step in steps:
        digests = digests_of([f"k{number}" for number in step])
        assert memory.of(digests).tolist() == [wanted.get(number, 0) for number in step]
        memory.keep(digests, np.array(list(step.values()), np.uint64))
        wanted |= step
        state, memory = memory.dump(), Memory()
        memory.load(state)
    assert len(memory) == len(wanted)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.booleans()), max_size=20), st.integers())
def test_every_legal_delivery_leaves_the_last_of_each_key(
    steps: list[tuple[str, bool]], seed: int
) -> None:
    """However stretches are sent again, and wherever batches end, the state is the upstream's."""
    chance = Random(seed)
    log = [put(ts, key) if alive else gone(key) for ts, (key, alive) in enumerate(steps, start=1)]
    wanted = {one.event.identity: one.event.kind is Kind.UPSERT for one in log}
    sent: list[Arrival] = []
    position = 0
    while position < len(log):
        sent.append(log[position])
        position += 1
        if chance.random() < 0.2:  # the producer starts again from an earlier place
            position = chance.randint(0, position)
    state = Arrivals().dump()
    found: dict[str, bool] = {}
    while sent:
        cut = chance.randint(1, len(sent))
        room = Arrivals()
        room.load(state)
        for applied in room.step(sent[:cut]):
            event = applied.arrival.event
            found[event.identity] = event.kind is Kind.UPSERT
        state, sent = room.dump(), sent[cut:]
    assert found == wanted
