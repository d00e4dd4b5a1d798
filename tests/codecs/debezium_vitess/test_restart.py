"""What a connector stores while it runs, and where another run goes on from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hypothesis import given
from hypothesis import strategies as st

from harness.codecs.connect.schema import ConnectRecord
from harness.codecs.debezium_vitess.encode import ConnectorEnvironment, offsets_of
from harness.codecs.debezium_vitess.tasks import NO_OFFSETS, Offsets
from harness.codecs.debezium_vitess.vgtid import parse
from harness.model.vstream import VStreamResponse
from harness.mutants.producers.patch import applied
from harness.mutants.producers.table import PRODUCERS
from tests.codecs.debezium_vitess.streams import HOST, connector, field, row, transaction

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
    """Return the records of a run over what is behind the position that it asks for."""
    settings = {
        "provide.transaction.metadata": str(metadata).lower(),
        "vitess.vgtid": f'[{{"keyspace":"ks","shard":"0","gtid":"{HOST}{START}"}}]',
    }
    made = connector(settings, ConnectorEnvironment(offsets=offsets))
    (asked,) = made.requests()
    behind = number(asked.position.shards[0].gtid)
    return list(made.run(response for n, response in whole.items() if n > behind))


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
    sent = first[: stop % len(first) + 1]
    again = run(whole, offsets_of(sent), metadata=metadata)
    rest = [record for record in first if belongs(record) > stored(sent[-1])]
    assert [(r.topic, r.value) for r in again] == [(r.topic, r.value) for r in rest]
    assert {belongs(r) for r in (*sent, *again)} == set(whole)


def test_who_ignores_what_is_stored_is_seen() -> None:
    """A connector that begins anew after a stop sends what was stored long ago, and is noticed."""
    whole = log([1, 1, 1])
    sent = run(whole, NO_OFFSETS, metadata=True)
    with applied(PRODUCERS["vitess-stored-position-ignored"].patch):
        again = run(whole, offsets_of(sent), metadata=True)
    assert {belongs(record) for record in again} == set(whole)
    assert run(whole, offsets_of(sent), metadata=True) == []


@given(SIZES, st.booleans())
def test_the_position_before_is_stored_until_the_commit(
    sizes: Sequence[int],
    metadata: bool,  # noqa: FBT001
) -> None:
    """Each record but an END stores the transaction before its own, so all of its own repeats."""
    for record in run(log(sizes), NO_OFFSETS, metadata=metadata):
        assert stored(record) == belongs(record) - (not ends(record))
