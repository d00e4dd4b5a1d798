"""Epochs, ranks and the order of a transaction's parts."""

from __future__ import annotations

from contextlib import nullcontext
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.codecs.connect.errors import JavaError
from harness.codecs.debezium.errors import ConnectorFailed
from harness.codecs.debezium_vitess.dialect import DIALECTS
from harness.codecs.debezium_vitess.encode import ConnectorEnvironment, offsets_of
from harness.codecs.debezium_vitess.ordering import (
    TransactionOrdering,
    check_servers,
    next_epochs,
    rank,
    transaction_epoch,
)
from harness.codecs.debezium_vitess.ordering import gtid_set as gtid
from harness.codecs.debezium_vitess.settings import ORDERED_FACTORY
from harness.codecs.debezium_vitess.vgtid import parse, position
from harness.model.vstream import ShardGtid, TablePk, Vgtid, VStreamResponse
from tests.codecs.debezium_vitess.streams import (
    ID,
    begin,
    commit,
    connector,
    emitted,
    field,
    row,
    transaction,
    vgtid,
)

METADATA = {"provide.transaction.metadata": "true"}
ORDERED = {**METADATA, "transaction.metadata.factory": ORDERED_FACTORY}
HOSTS = st.lists(st.sampled_from("abcdef"), min_size=1, max_size=6, unique=True)
NAMES = st.text(st.characters(codec="utf-8"), max_size=6)


def at(text: str, shard: str = "0") -> ShardGtid:
    """Return a shard's position."""
    return ShardGtid("ks", shard, text)


@given(HOSTS, st.lists(st.integers(1, 2**63), min_size=6, max_size=6))
def test_rank(hosts: list[str], numbers: list[int]) -> None:
    """A rank is the sum of the hosts' last numbers, with or without a version before them."""
    pairs = list(zip(hosts, numbers, strict=False))
    text = ",".join(f"{host}:1-{number}" for host, number in pairs)
    total = Decimal(sum(number for _, number in pairs))
    assert rank(text) == rank(f"MySQL56/{text}") == total
    assert gtid(text).hosts == frozenset(hosts)


def test_first_interval() -> None:
    """Of a host's intervals only the first counts."""
    assert rank("MySQL56/uuid:1-5:7-9") == 5


@given(HOSTS, HOSTS, st.integers(0, 5))
def test_epoch(before: list[str], after: list[str], epoch: int) -> None:
    """An epoch stays while no host is lost, and rises by one when one is."""
    old, new = (",".join(f"{host}:1-2" for host in hosts) for hosts in (before, after))
    found = next_epochs({"0": epoch}, position((at(old),)), position((at(new),)), inherit=False)
    assert found == {"0": epoch + (not set(before) <= set(after))}


@pytest.mark.parametrize("start", ["current", ""])
def test_first_epoch(start: str) -> None:
    """The first transaction behind a start that is not a position has the next epoch."""
    before = position((at(start),))
    assert next_epochs({"0": 4}, before, position((at("a:1-2"),)), inherit=False) == {"0": 5}
    assert next_epochs({"0": 4}, before, before, inherit=False) == {"0": 4}


def test_back_to_current() -> None:
    """A position does not become `current` again."""
    with pytest.raises(JavaError, match="cannot be override value"):
        next_epochs({"0": 1}, position((at("a:1"),)), position((at("current"),)), inherit=False)


@pytest.mark.parametrize(
    ("inherit", "expected"), [(False, {"-40": 0, "40-80": 0}), (True, {"-40": 6, "40-80": 6})]
)
def test_reshard(inherit: bool, expected: dict[str, int]) -> None:  # noqa: FBT001
    """New shards start at nothing, or one above those whose keys they took; the old are gone."""
    before = position((at("a:1", "-80"), at("a:1", "80-")))
    after = position((at("a:1", "-40"), at("a:1", "40-80")))
    assert next_epochs({"-80": 5, "80-": 7}, before, after, inherit=inherit) == expected


def test_epochs_of_transactions() -> None:
    """In 2.7 the first transaction has 0, and each shard counts at transactions of its own."""
    first = position((at("a:1", "-80"), at("current", "80-")))
    then = position((at("b:1", "-80"), at("a:1", "80-")))
    begun = transaction_epoch({}, None, first, "-80")
    assert begun == {"-80": 0}
    assert transaction_epoch(begun, first, then, "80-") == {"-80": 0, "80-": 1}
    assert transaction_epoch(begun, first, then, "-80") == {"-80": 1}
    assert transaction_epoch(begun, first, first, "-80") == begun
    with pytest.raises(JavaError, match="Gtid for shard missing, shard: -40"):
        transaction_epoch(begun, first, position((at("a:1", "-40"),)), "-40")


def test_epochs_of_transactions_after_a_restart() -> None:
    """2.7 goes on from the transaction that its offset was in, and begins anew without one."""
    first, then = (position((at(gtid),)) for gtid in ("a:1,b:1", "b:1"))
    stored = {"vgtid": then.text, "transaction_epoch": '{"0":3}'}
    for under_way, epoch in (({"transaction_id": first.text}, 4), ({}, 0)):
        ordering = TransactionOrdering({}, None, inherit=False, rules=DIALECTS["2.7"].epochs)
        ordering.load({**stored, **under_way})
        assert ordering.begin("0", position((at("b:2"),)))["transaction_epoch"] == epoch


@given(HOSTS, HOSTS)
def test_servers_that_are_exchanged(before: list[str], after: list[str]) -> None:
    """Up to 3.0 a GTID set may gain servers or lose some, not both at once."""
    old, new = (
        position((at(",".join(f"{host}:1-2" for host in hosts)),)) for hosts in (before, after)
    )
    exchanged = bool(set(before) - set(after)) and bool(set(after) - set(before))
    with pytest.raises(JavaError, match="determine epoch") if exchanged else nullcontext():
        check_servers(old, new, ["0"])
    check_servers(position((at("current"),)), new, ["0"])
    check_servers(old, new, ["-80"])


@given(st.lists(st.tuples(NAMES, NAMES, NAMES), min_size=1, max_size=4))
def test_position_text(shards: list[tuple[str, str, str]]) -> None:
    """A position read back from its text is the same position."""
    written = position(tuple(ShardGtid(*shard) for shard in shards))
    assert parse(written.text) == written


def test_table_keys_in_text() -> None:
    """How far a copy has come is part of the position, and comes back."""
    pk = TablePk("kv", (ID,), ((b"12",), (None,)))
    written = position((ShardGtid("ks", "0", "", (pk,)),))
    assert '"rows":[{"lengths":["2"],"values":"12"},{"lengths":["-1"],"values":""}]' in written.text
    read = parse(written.text).shards[0].table_pks[0]
    assert (read.table, read.rows, read.fields[0].name) == ("kv", pk.rows, "id")
    assert written.copies


@given(st.lists(st.sampled_from(["kv", "w", "x"]), max_size=12))
def test_counts(tables: list[str]) -> None:
    """An END marker counts what the blocks number: in all, and by table."""
    fields = [field(table=f"ks.{name}") for name in ("kv", "w", "x")]
    rows = [row(None, [b"1", b"x"], f"ks.{name}") for name in tables]
    first, *data, last = emitted([transaction(5, *fields, *rows)], METADATA)
    assert (first.value["status"], last.value["status"]) == ("BEGIN", "END")
    assert [record.value["transaction"]["total_order"] for record in data] == [
        n + 1 for n in range(len(tables))
    ]
    assert last.value["event_count"] == len(tables)
    counted = {e["data_collection"]: e["event_count"] for e in last.value["data_collections"]}
    assert counted == {f"0.ks.{name}": tables.count(name) for name in set(tables)}
    assert {record.value["id"] for record in (first, last)} == {
        record.value["source"]["vgtid"] for record in data
    } or not data


def test_skipped_are_not_counted() -> None:
    """An operation that is skipped is not counted either."""
    events = (field(), row(None, [b"1", b"x"]), row([b"1", b"x"], [b"1", b"y"]))
    *_, last = emitted([transaction(5, *events)], {**METADATA, "skipped.operations": "u"})
    assert last.value["event_count"] == 1


def test_restart() -> None:
    """After a restart the epochs go on, and the position is the last END marker's."""
    first = connector(ORDERED)
    records = list(first.run([transaction(5, field(), row(None, [b"1", b"x"]))]))
    stored = offsets_of(records)
    again = connector(ORDERED, ConnectorEnvironment(offsets=stored))
    assert again.requests()[0].position.text == records[-1].source_offset["vgtid"]
    _, data, _ = again.run([transaction(6, field(), row(None, [b"2", b"x"]))])
    assert data.value["transaction"]["transaction_epoch"] == 1
    assert data.value["transaction"]["transaction_rank"] == 6


def test_unranked() -> None:
    """A GTID set of MariaDB's form stops the ordered connector, and no other."""
    events = VStreamResponse((begin(), field(), Vgtid((at("MariaDB/0-1592148-45"),)), commit()))
    assert len(emitted([events], METADATA)) == 2
    with pytest.raises(ConnectorFailed, match="Index 1 out of bounds for length 1"):
        emitted([events], ORDERED)


def test_shards_apart() -> None:
    """A table has one shape on each shard."""
    one = field(ID, shard="-80")
    two = field(shard="80-")
    responses = [
        VStreamResponse((begin(), one, two, vgtid(5), commit())),
        transaction(6, row(None, [b"1"], shard="-80"), row(None, [b"2", b"x"], shard="80-")),
    ]
    first, second = emitted(responses)
    assert (first.value["after"], second.value["after"]) == ({"id": 1}, {"id": 2, "v": "x"})
    assert first.topic == second.topic
