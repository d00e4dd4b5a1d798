"""Which records come again, where, and how often."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

import pytest

from harness.faults import FAULTS
from harness.model.record import Origin, Record


def record(name: str, *rows: tuple[str | None, str | None], partition: int = 0) -> Record:
    """Return a record called `name` that carries these rows (transaction, key)."""
    origins = tuple(Origin(1, 0, 0, "insert", transaction, "s.t", key) for transaction, key in rows)
    return Record("ticdc", partition, name.encode(), None, origins)


MARK = record("mark", (None, None))
A = record("a", ("t1", "id=1,x=null"))
B = record("b", ("t1", "id=2,x=7"), ("t2", "id=1,x=7"), partition=1)
C = record("c", ("t2", "id=3,x=null"))
RECORDS = (MARK, A, B, MARK, C, MARK)


def names(records: tuple[Record, ...]) -> str:
    """Return the records' names."""
    return " ".join(record.key.decode() for record in records if record.key is not None)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"transaction": "t1"}, "mark a a b b mark c mark"),
        ({"transaction": "t2", "times": 3}, "mark a b b b b mark c c c c mark"),
        ({"transaction": "t1", "key": {"id": 1}}, "mark a a b mark c mark"),
        ({"transaction": "t1", "key": {"x": 7, "id": 2}}, "mark a b b mark c mark"),
        ({"transaction": "t1", "key": {"x": None}}, "mark a a b mark c mark"),
        ({"transaction": "t2", "key": {"x": 7}}, "mark a b b mark c mark"),
    ],
)
def test_duplicate(options: Mapping[str, Any], expected: str) -> None:
    """A message with a chosen row comes again at once; columns of the key in any order choose."""
    assert names(FAULTS["duplicate"](RECORDS, options, 1, Random(0))) == expected


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"from": "t1"}, "a b mark c mark"),
        ({"from": "t2"}, "b mark c mark"),
        ({"from": "t1", "to": "t1"}, "a b"),
        ({"from": "t2", "to": "t2"}, "b mark c"),
        ({"from": "t2", "to": "t2", "times": 2}, "b mark c b mark c"),
    ],
)
def test_replay(options: Mapping[str, Any], expected: str) -> None:
    """What lies between the first and the last message of the named transactions comes again."""
    replayed = FAULTS["replay"](RECORDS, options, 1, Random(0))
    assert names(replayed) == f"{names(RECORDS)} {expected}"
