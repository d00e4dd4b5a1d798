"""Promises of ages: which of two rows of a key is older, by what each says of itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from cdc_spark.ordering.ages import Age, age_of

SERVER = "3e11fa47-71ca-11e1-9e33-c80aa9429562"
Block = Mapping[str, Any]


def ranked(shard: str, epoch: int, rank: int, n: int) -> Block:
    """Return what orders a row of Vitess."""
    return {"shard": shard, "epoch": epoch, "rank": str(rank), "n": n}


def logged(gtid: str | None, file: str = "b.000009", pos: int = 4, row: int = 0) -> Block:
    """Return what orders a row of MariaDB or MySQL."""
    place = {"gtid": gtid, "file": file, "pos": pos, "row": row}
    return {"snapshot": "false", "server_id": 1, **place}


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        (ranked("0", 1, 10**30, 2), ranked("0", 1, 10**30, 3)),
        (ranked("0", 1, 10**30, 2), ranked("0", 2, 1, 1)),
        (logged("0-1-9"), logged("0-2-10")),
        (logged(f"{SERVER}:9"), logged(f"{SERVER}:10")),
        (logged(f"{SERVER}:tag:9"), logged(f"{SERVER}:tag:10")),
        (logged(None, "b.000009"), logged(None, "b.000010")),
        (logged(None, pos=9), logged(None, pos=10)),
        (logged(None, row=9), logged(None, row=10)),
    ],
)
def test_a_row_behind_is_older(older: Block, newer: Block) -> None:
    """Places are compared as numbers; a place is not before itself."""
    one, other = age_of(older, 5), age_of(newer, 5)
    assert one is not None
    assert other is not None
    assert one.before(other)
    assert not other.before(one)
    assert not one.before(one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (ranked("0", 1, 1, 1), ranked("1", 1, 2, 1)),
        (logged("0-1-9"), logged("1-1-10")),
        (logged(f"{SERVER}:9"), logged(f"{SERVER[:-1]}3:10")),
        (logged(f"{SERVER}:9"), logged(f"{SERVER}:tag:10")),
        (logged("0-1-9"), logged(None, pos=9)),
        (logged(None), {**logged(None, pos=9), "server_id": 2}),
        (logged("0-1-9", pos=1), logged("0-1-9", pos=2)),
    ],
)
def test_places_of_two_logs_say_nothing(one: Block, other: Block) -> None:
    """Shards, domains, servers; nor do places within one transaction."""
    first, second = age_of(one, 5), age_of(other, 5)
    assert first is not None
    assert second is not None
    assert not first.before(second)
    assert not second.before(first)


@pytest.mark.parametrize(
    "block",
    [
        {},
        {"id": "t", "n": 1, "shard": "", "epoch": None, "rank": None},
        {**logged("0-1-9"), "snapshot": "true"},
        logged("something else"),
        logged(None, pos=-57),
        logged(None, file="unnumbered"),
    ],
)
def test_what_has_no_place_has_no_age(block: Block) -> None:
    """A snapshot's rows, GTIDs of no known form, places that MariaDB 11.4 does not write."""
    assert age_of(block, 5) is None


def test_a_log_that_was_begun_anew_is_not_older() -> None:
    """Behind RESET MASTER numbers begin again, and times go on."""
    last, first = age_of(logged("0-1-900"), 5), age_of(logged("0-1-1"), 6)
    assert last is not None
    assert first is not None
    assert not first.before(last)
    again = age_of(logged("0-1-1"), 5)
    assert again is not None
    assert again.before(last)


def test_ages_of_an_earlier_state_are_read() -> None:
    """Before there were times an age had four parts."""
    assert Age.load(["0", 1, "7", 2]) == Age("0", 1, 7, 2)
    kept = Age("0", 1, 10**30, 2, 5)
    assert Age.load(kept.dump()) == kept
