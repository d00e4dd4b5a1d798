"""Promises of transactions: whole or not at all, each key in order, replays once, order by rank."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from cdc_spark.events import Event, Kind
from cdc_spark.ordering import transactions
from cdc_spark.ordering.hold import Arrival, Source, arrival_of
from cdc_spark.ordering.transactions import Transactions

DATA, OTHER, BOUNDARIES = Source(0, 0), Source(0, 1), Source(1, 0)


def row(name: str, order: int, key: str = "k", source: Source = DATA, **more: Any) -> Arrival:
    """Return a row of a transaction; its payload says which and where in it."""
    block = {"id": name, "n": order, "shard": "0", "epoch": None, "rank": None, **more}
    event = Event(Kind.UPSERT, 1, "ks", "t", key, f"{key}:{name}.{order}", json.dumps(block))
    return Arrival(event, source, 0)


def end(name: str, count: int) -> Arrival:
    """Return a transaction's END."""
    block = json.dumps({"id": name, "count": count})
    return Arrival(Event(Kind.END, 1, transaction=block), BOUNDARIES, 0)


def gone(name: str, order: int, key: str = "k") -> Arrival:
    """Return a delete of a transaction."""
    arrival = row(name, order, who(key))
    event = arrival.event._replace(kind=Kind.DELETE, payload=f"{key} gone:{name}")
    return arrival._replace(event=event)


def who(key: str) -> str:
    """Return the identity of a key as decoders spell it."""
    return json.dumps(["ks", "t", key], separators=(",", ":"))


def tombstone(key: str = "k") -> Arrival:
    """Return a tombstone that does not tell its table."""
    body = json.dumps({"before": {"id": key}, "after": None, "key": ["id"]})
    return Arrival(Event(Kind.TOMBSTONE, payload=body), DATA, 0)


def kinds(room: Transactions, *arrivals: Arrival) -> list[str]:
    """Return what kinds of rows take effect."""
    words = [applied.arrival.event.kind for applied in room.step(arrivals)]
    return [kind.name for kind in words if kind is not Kind.PENDING]


def released(room: Transactions, *arrivals: Arrival) -> list[str]:
    """Return the payloads of the rows that take effect."""
    return [
        applied.arrival.event.payload
        for applied in room.step(arrivals)
        if applied.arrival.event.kind is not Kind.PENDING
    ]


def left(room: Transactions, *arrivals: Arrival) -> list[str]:
    """Return the payloads of the rows that are left in the last word about them."""
    words = [one.arrival.event for one in room.step(arrivals)]
    (last,) = [json.loads(event.payload) for event in words if event.kind is Kind.PENDING]
    return [arrival_of(one).event.payload for one in last]


def test_rows_wait_for_their_end() -> None:
    """Nothing of a transaction is seen before its END has been read."""
    room = Transactions()
    assert released(room, row("a", 1), row("a", 2, "l")) == []
    assert released(room, end("a", 2)) == ["k:a.1", "l:a.2"]


def test_an_end_that_comes_first_waits_for_its_rows() -> None:
    """Topics are read in any order; the count tells when all is there."""
    room = Transactions()
    assert released(room, end("a", 2), row("a", 2, "l", OTHER)) == []
    assert released(room, row("a", 1)) == ["k:a.1", "l:a.2"]


def test_an_empty_transaction_waits_for_nothing() -> None:
    """END of no rows leaves nothing behind."""
    room = Transactions()
    assert released(room, end("a", 0)) == []
    assert room.waiting == {}


def test_a_transaction_without_an_end_stays_unapplied() -> None:
    """Its rows are neither applied nor told as left."""
    room = Transactions()
    assert [*room.step([row("a", 1)])] == []


def test_two_transactions_of_a_key_keep_its_order() -> None:
    """The one whose row came first is first, whichever is complete first."""
    room = Transactions()
    assert released(room, row("a", 1), row("b", 1), end("b", 1)) == []
    assert released(room, end("a", 2), row("a", 2, "l", OTHER)) == ["k:a.1", "l:a.2", "k:b.1"]


def test_transactions_without_a_key_in_common_do_not_wait_for_each_other() -> None:
    """One that lacks its END holds up only those that touch its keys."""
    room = Transactions()
    arrivals = [row("a", 1), row("b", 1, "l", OTHER), end("b", 1)]
    assert released(room, *arrivals) == ["l:b.1"]


def test_rows_of_a_table_without_a_key_stay_in_order() -> None:
    """A table without a key is one key."""
    room = Transactions()
    assert released(room, row("a", 1, ""), row("b", 1, ""), end("b", 1)) == []
    assert released(room, end("a", 1)) == [":a.1", ":b.1"]


def test_what_was_applied_is_a_replay_when_it_comes_again() -> None:
    """Rows and boundaries that are sent again change nothing, before the end and after it."""
    room = Transactions()
    assert released(room, row("a", 1), row("a", 1), end("a", 2)) == []
    assert released(room, row("a", 2), end("a", 2)) == ["k:a.1", "k:a.2"]
    assert released(room, row("a", 1), row("a", 2), end("a", 2)) == []
    assert room.waiting == {}


def test_what_is_remembered_is_bounded() -> None:
    """The oldest transactions are forgotten."""
    room = Transactions()
    for number in range(transactions.REMEMBERED + 5):
        room.step([end(str(number), 0)])
    assert len(room.done) == transactions.REMEMBERED


def test_without_boundaries_rows_are_applied_as_they_arrive() -> None:
    """No transaction topic, or no id in the rows: the order of the key is all there is."""
    assert released(Transactions(assembled=False), row("a", 1)) == ["k:a.1"]
    assert released(Transactions(), row("", 1)) == ["k:.1"]


def test_a_row_below_its_keys_epoch_and_rank_changes_nothing() -> None:
    """Within a shard numbers decide: epoch, rank, place; another shard is not compared."""
    room = Transactions(assembled=False)
    new = {"epoch": 1, "rank": "100"}
    assert released(room, row("b", 1, **new)) == ["k:b.1"]
    assert released(room, row("a", 1, epoch=1, rank="23"), row("a", 9, epoch=0, rank="900")) == []
    assert released(room, row("c", 1, epoch=0, rank="1", shard="80-")) == ["k:c.1"]


def test_keys_are_forgotten_when_their_retention_is_over() -> None:
    """By the newest commit time of all: what a key has seen, and that a tombstone deleted it."""
    room = Transactions(assembled=False, retention_ms=100)

    def at(ms: int, key: str, rank: str) -> Arrival:
        arrival = row("", 1, who(key), epoch=1, rank=rank)
        return arrival._replace(event=arrival.event._replace(ts=ms))

    assert len(released(room, at(1000, "a", "5"), at(1000, "a", "4"))) == 1
    assert len(released(room, tombstone("b"), tombstone("b"))) == 1
    assert len(released(room, at(1100, "c", "1"), at(1090, "a", "3"))) == 1
    copy = Transactions(assembled=False, retention_ms=100)
    copy.load(room.dump())
    assert len(released(copy, at(1191, "c", "2"))) == 1
    assert list(copy.ages) == [who("c")]
    assert copy.keys.deleted == set()
    assert len(released(copy, at(1191, "a", "3"))) == 1


def test_an_old_row_counts_for_its_transaction() -> None:
    """A transaction whose row is older than its key is complete all the same."""
    room = Transactions()
    room.step([row("b", 1, epoch=1, rank="2"), end("b", 1)])
    arrivals = [row("a", 1, epoch=1, rank="1"), row("a", 2, "l", epoch=1, rank="1"), end("a", 2)]
    assert released(room, *arrivals) == ["l:a.2"]


def test_what_compaction_has_thinned_out_is_left_for_the_end() -> None:
    """Rows of a transaction with an END are told as left until they are applied."""
    room = Transactions()
    assert left(room, row("a", 1), end("a", 2), row("b", 1), end("b", 1)) == ["k:a.1", "k:b.1"]
    assert left(room, row("a", 2, "l")) == []


@given(
    st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=3), max_size=6), st.integers()
)
def test_every_legal_delivery_applies_each_transaction_once_in_its_keys_order(
    upstream: list[list[str]], seed: int
) -> None:
    """Partitions interleave, stretches repeat, batches end anywhere, the state is stored."""
    chance = Random(seed)
    streams: dict[Source, list[Arrival]] = {DATA: [], OTHER: [], BOUNDARIES: []}
    for number, keys in enumerate(upstream):
        name = f"t{number}"
        for order, key in enumerate(keys, start=1):
            source = OTHER if key == "c" else DATA
            streams[source].append(row(name, order, key, source))
        streams[BOUNDARIES].append(end(name, len(keys)))
    for stream in streams.values():
        if stream and chance.random() < 0.5:
            stream.extend(stream[chance.randint(0, len(stream) - 1) :])
    state = Transactions().dump()
    found: list[str] = []
    while any(streams.values()):
        room = Transactions()
        room.load(state)
        batch: list[Arrival] = []
        for stream in streams.values():
            cut = chance.randint(0, len(stream))
            batch += stream[:cut]
            del stream[:cut]
        found += released(room, *batch)
        state = room.dump()
    for key in "abc":
        wanted = [
            f"{key}:t{number}.{order}"
            for number, keys in enumerate(upstream)
            for order, one in enumerate(keys, start=1)
            if one == key
        ]
        assert [one for one in found if one.startswith(f"{key}:")] == wanted


def test_a_row_that_came_behind_a_tombstone_is_known() -> None:
    """A first row behind a lone tombstone ends it: what is then repeated takes no effect again."""
    room = Transactions()
    named = tombstone()
    named = named._replace(event=named.event._replace(schema="ks", table="t"))
    one, two, three = (row(name, 1, who("k")) for name in "ABC")
    assert kinds(room, named) == ["DELETE"]
    for number, arrival in enumerate((one, two, three)):
        assert kinds(room, arrival, end("ABC"[number], 1)) == ["UPSERT"]
    assert kinds(room, two, end("B", 1), three, end("C", 1)) == []


def test_a_repetition_behind_a_waiting_tombstone_takes_effect() -> None:
    """The last message of a key decides, also while its transaction waits for its END."""
    room = Transactions()
    named = tombstone()
    named = named._replace(event=named.event._replace(schema="ks", table="t"))
    first = row("A", 1, who("k"))
    assert kinds(room, named, first, named, first, end("A", 1))[-1] == "UPSERT"
    room = Transactions()
    assert kinds(room, named, first, named, end("A", 1))[-1] == "DELETE"


def test_a_repetition_without_a_key_is_known_also_behind_a_delete() -> None:
    """No tombstone names a row without a key, so nothing that comes again there is taken again."""
    removal = gone("a", 2)
    removal = removal._replace(event=removal.event._replace(identity=""))
    found = kinds(Transactions(), row("a", 1, ""), removal, row("a", 1, ""), removal, end("a", 2))
    assert found == ["UPSERT", "DELETE"]


def test_rows_without_a_key_never_wait_for_each_other_in_a_circle() -> None:
    """Two tables without a key over partitions that are read in another order: all is applied."""
    room = Transactions()
    first, second = row("A", 1, ""), row("B", 1, "", OTHER)
    others = [
        one._replace(event=one.event._replace(table="u"))
        for one in (row("A", 2, ""), row("B", 2, ""))
    ]
    assert len(kinds(room, second, first, *others, end("A", 2), end("B", 2))) == 4
