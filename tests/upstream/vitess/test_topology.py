"""Shards cover every keyspace id once, and vindexes are Vitess's own functions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import UsageError
from harness.model.columns import Column, ColumnKind
from harness.model.table import TableId
from harness.upstream.vitess.topology import Vindex, topology
from harness.upstream.vitess.vindex import VINDEXES

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


def test_keyspace_ids_are_those_that_vitess_publishes() -> None:
    """`numeric` is the number, big-endian; `binary` the bytes; `binary_md5` their MD5."""
    assert VINDEXES["numeric"](ID, 1) == b"\0\0\0\0\0\0\0\1"
    assert VINDEXES["binary"](NAME, "test1") == b"test1"
    # go/vt/vtgate/vindexes/binarymd5_test.go: TestBinaryMD5Map, "test1".
    assert VINDEXES["binary_md5"](NAME, "test1").hex() == "5a105e8b9d40e1329780d62ea2265d8a"


@pytest.mark.parametrize(("vindex", "value"), [("numeric", None), ("binary", None)])
def test_null_has_no_keyspace_id(vindex: str, value: None) -> None:
    """Vitess refuses a row whose vindex column is NULL."""
    with pytest.raises(UsageError, match="vindex of column"):
        VINDEXES[vindex](ID, value)
