"""What a connector stores while it runs, and where another run goes on from it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.codecs.connect.schema import ConnectRecord
from harness.codecs.debezium.errors import ConnectorFailed
from harness.codecs.debezium_vitess.encode import ConnectorEnvironment, offsets_of
from harness.codecs.debezium_vitess.tasks import NO_OFFSETS, Offsets
from harness.codecs.debezium_vitess.vgtid import parse
from harness.model.vstream import StreamError, VStreamResponse
from harness.mutants.producers.patch import applied
from harness.mutants.producers.table import PRODUCERS
from tests.codecs.debezium_vitess.streams import (
    HOST,
    begin,
    connector,
    field,
    row,
    transaction,
    vgtid,
)

GONE = VStreamResponse(error=StreamError("UNAVAILABLE", "vtgate gone"))
START = 10
# How many rows the transactions behind the start have.
SIZES = st.lists(st.integers(1, 3), min_size=1, max_size=4)


def log(sizes: Sequence[int]) -> Mapping[int, VStreamResponse]:
    """Return the transactions of a shard's log by number, as many rows in each as asked for."""
    return {
        number: transaction(
            number, field(), *(row(None, [b"%d%d" % (number, n), b"x"]) for n in range(size))
        )
        for number, size in enumerate(sizes, START + 1)
    }


def run(
    whole: Mapping[int, VStreamResponse], offsets: Offsets, *, metadata: bool
) -> list[ConnectRecord]:
    """Return the records of a run, up to its end or until VTGate goes away."""
    return list(sent(running(whole, offsets, metadata=metadata)))


def running(
    whole: Mapping[int, VStreamResponse], offsets: Offsets, *, metadata: bool
) -> Iterator[ConnectRecord]:
    """Return the records of a run over what is behind the position that it asks for."""
    settings = {
        "provide.transaction.metadata": str(metadata).lower(),
        "vitess.vgtid": f'[{{"keyspace":"ks","shard":"0","gtid":"{HOST}{START}"}}]',
    }
    made = connector(settings, ConnectorEnvironment(offsets=offsets))
    (asked,) = made.requests()
    behind = number(asked.position.shards[0].gtid)
    return made.run(response for n, response in whole.items() if n > behind)


def sent(records: Iterator[ConnectRecord]) -> Iterator[ConnectRecord]:
    """Yield the records of a run up to its end, or until VTGate goes away."""
    try:
        yield from records
    except ConnectorFailed as failed:
        if not (failed.retriable and "UNAVAILABLE" in str(failed)):
            raise


def cut_off(whole: Mapping[int, VStreamResponse]) -> Mapping[int, VStreamResponse]:
    """Return a log in the last transaction of which VTGate goes away, behind its first row."""
    last = max(whole)
    part = VStreamResponse((begin(), field(), row(None, [b"%d0" % last, b"x"]), vgtid(last)))
    return {**whole, last: part, last + 1: GONE}


def number(gtid: str) -> int:
    """Return the number that a GTID ends with."""
    return int(gtid.removeprefix(HOST))


def stored(record: ConnectRecord) -> int:
    """Return the number of the position that Connect stores with a record."""
    return number(parse(record.source_offset["vgtid"]).shards[0].gtid)


def belongs(record: ConnectRecord) -> int:
    """Return the number of the transaction that a record is of."""
    text = record.value["source"]["vgtid"] if "source" in record.value else record.value["id"]
    return number(parse(text).shards[0].gtid)


def ends(record: ConnectRecord) -> bool:
    """Return whether a record is the END of its transaction."""
    return record.value.get("status") == "END"


@given(SIZES, st.booleans(), st.integers(1))
def test_a_run_goes_on_behind_what_was_stored(
    sizes: Sequence[int],
    metadata: bool,  # noqa: FBT001
    stop: int,
) -> None:
    """Wherever a run stops, the next one sends all that is behind the stored position, once."""
    whole = log(sizes)
    first = run(whole, NO_OFFSETS, metadata=metadata)
    before = first[: stop % len(first) + 1]
    again = run(whole, offsets_of(before), metadata=metadata)
    rest = [record for record in first if belongs(record) > stored(before[-1])]
    assert [(r.topic, r.value) for r in again] == [(r.topic, r.value) for r in rest]
    assert {belongs(r) for r in (*before, *again)} == set(whole)


def test_who_ignores_what_is_stored_is_seen() -> None:
    """A run goes on behind what is stored, with all that is; one that begins anew is noticed."""
    assert after_an_orderly_stop() == {13, 14}
    assert after_an_orderly_stop("vitess-stored-position-ignored") == {11, 12, 13, 14}


def after_an_orderly_stop(mutant: str = "") -> set[int]:
    """Return what a run sends that begins after 13 and 14 were committed, 11 and 12 stored."""
    whole = log([1, 2, 1, 2])
    before = run({n: whole[n] for n in (11, 12)}, NO_OFFSETS, metadata=True)
    with applied(PRODUCERS[mutant].patch) if mutant else nullcontext():
        return {belongs(record) for record in run(whole, offsets_of(before), metadata=True)}


def test_who_repeats_what_was_stored_is_seen() -> None:
    """A connector stopped in good order sends nothing again; one that does is noticed."""
    assert after_an_orderly_stop() == {13, 14}
    assert after_an_orderly_stop("vitess-repeats-what-was-stored") == {12, 13, 14}


def test_who_loses_what_was_committed_meanwhile_is_seen() -> None:
    """A connector that was stopped sends all of the meantime; one that does not is noticed."""
    assert after_an_orderly_stop() == {13, 14}
    assert after_an_orderly_stop("vitess-loses-a-transaction-stopped") == {14}


@given(SIZES, st.booleans(), st.integers(1))
def test_a_vtgate_that_goes_away_loses_nothing(
    sizes: Sequence[int],
    metadata: bool,  # noqa: FBT001
    stop: int,
) -> None:
    """However much of a stream is in Kafka when VTGate goes away, a restart sends all the rest."""
    whole = log([*sizes, 2])
    first = run(cut_off(whole), NO_OFFSETS, metadata=metadata)
    before = first[: stop % len(first) + 1]
    again = run(whole, offsets_of(before), metadata=metadata)
    assert rows_of((*before, *again)) == rows_of(run(whole, NO_OFFSETS, metadata=metadata))


@pytest.mark.parametrize("metadata", [False, True])
def test_who_loses_changes_with_vtgate_is_seen(metadata: bool) -> None:  # noqa: FBT001
    """A run goes on from what is stored when VTGate goes away; who loses or repeats is seen."""
    whole = log([1, 2, 2])
    wanted = rows_of(run(whole, NO_OFFSETS, metadata=metadata))
    with pytest.raises(ConnectorFailed, match="UNAVAILABLE") as gone:
        list(running(cut_off(whole), NO_OFFSETS, metadata=metadata))
    assert gone.value.retriable
    for mutant, lost, sent_again in (
        ("", set[int](), {12, 13}),
        ("vitess-loses-a-transaction-crashed", {121}, {13}),
        ("vitess-stored-position-ignored", set[int](), {11, 12, 13}),
    ):
        with applied(PRODUCERS[mutant].patch) if mutant else nullcontext():
            first = run(cut_off(whole), NO_OFFSETS, metadata=metadata)
            (at,) = (n for n, record in enumerate(first) if record.key == {"id": 120})
            before = first[: at + 1]
            again = run(whole, offsets_of(before), metadata=metadata)
        assert {belongs(record) for record in again} == sent_again
        assert wanted - rows_of((*before, *again)) == lost


def rows_of(records: Sequence[ConnectRecord]) -> set[int]:
    """Return the ids of the rows that records are of."""
    return {record.key["id"] for record in records if "op" in record.value}


def test_who_stores_no_vgtid_is_seen() -> None:
    """Each record stores a VGTID, all shards in a list; who stores a GTID alone is noticed."""
    for mutant, shards in (("", ["0"]), ("vitess-stores-a-gtid", [])):
        with applied(PRODUCERS[mutant].patch) if mutant else nullcontext():
            texts = [r.source_offset["vgtid"] for r in run(log([1, 2]), NO_OFFSETS, metadata=True)]
        assert texts
        for text in texts:
            found = parse(text).shards if text.startswith("[") else ()
            assert [shard.shard for shard in found] == shards


@given(SIZES, st.booleans())
def test_the_position_before_is_stored_until_the_commit(
    sizes: Sequence[int],
    metadata: bool,  # noqa: FBT001
) -> None:
    """Each record but an END stores the transaction before its own, so all of its own repeats."""
    for record in run(log(sizes), NO_OFFSETS, metadata=metadata):
        assert stored(record) == belongs(record) - (not ends(record))
