"""Shards cover every keyspace id once, and vindexes are Vitess's own functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import UsageError
from harness.model.columns import Column, ColumnKind
from harness.model.table import TableId
from harness.model.values import Value
from harness.sources.vitess.topology import Vindex, topology
from harness.sources.vitess.vindex import VINDEXES

ID = Column(1, "id", ColumnKind.BIGINT, nullable=False)
NAME = Column(2, "name", ColumnKind.VARCHAR)
T = TableId("shop", "t")


@pytest.mark.parametrize(
    ("shards", "said"),
    [
        (("-80",), "the one shard"),
        (("-40", "80-"), "do not cover"),
        (("-80", "40-"), "do not cover"),
        (("-80", "80-c0"), "do not cover"),
        (("-8", "8-"), "names no shard"),
        (("-80", "eighty"), "names no shard"),
        (("0", "1"), "names no shard"),
    ],
)
def test_shards_that_leave_a_gap_or_overlap_are_refused(shards: tuple[str, ...], said: str) -> None:
    """A row without a shard, or with two, would be lost or sent twice."""
    with pytest.raises(UsageError, match=said):
        topology("shop", shards, {})


def test_an_unknown_vindex_is_refused_with_those_that_there_are() -> None:
    """The message lists what may be written instead."""
    with pytest.raises(UsageError, match="unknown vindex 'md5'") as refusal:
        topology("shop", ("-80", "80-"), {T: Vindex("id", "md5")})
    assert "numeric" in refusal.value.expected


@given(st.integers(-(1 << 63), (1 << 64) - 1))
def test_every_number_has_exactly_one_shard(number: int) -> None:
    """The shard is the one whose range the number's first byte lies in."""
    keyspace = topology("shop", ("c0-", "-40", "40-c0"), {T: Vindex("id", "numeric")})
    first = (number % (1 << 64)) >> 56
    wanted = "-40" if first < 0x40 else "40-c0" if first < 0xC0 else "c0-"
    assert keyspace.shard_of(T, ID, number) == wanted


# Vindex -> value and keyspace id, from vitess b4b5583 go/vt/vtgate/vindexes/: hash_test.go
# TestHashMap, reverse_bits_test.go TestReverseBitsMap, numeric_test.go TestNumericMap,
# xxhash_test.go TestXXHashMap, binarymd5_test.go TestBinaryMD5Map, null_test.go TestNullMap.
PUBLISHED: Mapping[str, Sequence[tuple[Value, str]]] = {
    "hash": [
        (1, "166b40b44aba4bd6"),
        (2, "06e7ea22ce92708f"),
        (3, "4eb190c9a2fa169c"),
        (4, "d2fd8867d50d2dfe"),
        (5, "70bb023c810ca87a"),
        (6, "f098480ac4c4be71"),
    ],
    "reverse_bits": [
        (1, "8000000000000000"),
        (2, "4000000000000000"),
        (3, "c000000000000000"),
        (4, "2000000000000000"),
        (5, "a000000000000000"),
        (6, "6000000000000000"),
    ],
    "numeric": [(1, "0000000000000001"), (8, "0000000000000008")],
    "xxhash": [
        ("test1", "d01ab7e4d6978f0b"),
        ("test2", "87eb11714c0a0e89"),
        ("testaverylongvaluetomakesurethisworks", "81d8c38e0d850e6a"),
        (1, "d46405367612b4b7"),
        (None, "99e9d85137db46ef"),
        (-1, "d8e2a6a7c8c7623d"),
        (18446744073709551615, "477cfa8d6d8f1f8d"),
        (9223372036854775807, "b37eb01f7bffafd8"),
        (-9223372036854775808, "102c27ddb26a609e"),
    ],
    "binary": [("test1", "7465737431")],
    "binary_md5": [
        ("Test", "0cbc6611f5540bd0809a388dc95a615b"),
        ("TEST", "033bd94b1168d7e4f0d644c3c95e35bf"),
    ],
    "null": [(1, "00"), (6, "00")],
}


@pytest.mark.parametrize("vindex", VINDEXES)
def test_keyspace_ids_are_those_that_vitess_publishes(vindex: str) -> None:
    """Every vindex gives the keyspace ids of Vitess's own tests."""
    for value, wanted in PUBLISHED[vindex]:
        column = ID if isinstance(value, int) else NAME
        assert VINDEXES[vindex](column, value).hex() == wanted, value


@given(st.integers(-(1 << 63), (1 << 64) - 1))
def test_numbers_that_are_one_modulo_two_to_the_64_share_a_shard(number: int) -> None:
    """A negative number is hashed as the unsigned one with its bits, as Vitess does."""
    for vindex in ("hash", "numeric", "reverse_bits"):
        found = VINDEXES[vindex](ID, number)
        assert len(found) == 8
        assert found == VINDEXES[vindex](ID, number % (1 << 64))


@pytest.mark.parametrize(("vindex", "value"), [("hash", None), ("numeric", None), ("binary", None)])
def test_null_has_no_keyspace_id(vindex: str, value: None) -> None:
    """Vitess refuses a row whose vindex column is NULL."""
    with pytest.raises(UsageError, match="vindex of column"):
        VINDEXES[vindex](ID, value)
