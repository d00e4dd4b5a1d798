"""Every fault of the table keeps the laws of faults; new ones are held to them by being listed."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.contracts import Fault
from harness.errors import StepError
from harness.faults import FAULTS
from harness.model.record import Origin, Record

# Options under which each fault finds something to act on in the streams below.
OPTIONS: Mapping[str, Mapping[str, Any]] = {
    "duplicate": {"transaction": "t1", "times": 2},
    "replay": {"from": "t1", "to": "t2", "times": 2},
}
LINE = 12


def record(number: int, transaction: str | None, key: str, partition: int) -> Record:
    """Return a record of one row event."""
    origin = Origin(number, number, number, "insert", transaction, "shop.t", key, 100 + number)
    return Record("ticdc", partition, b"k%d" % number, b"v%d" % number, (origin,))


@st.composite
def streams(draw: st.DrawFn) -> tuple[Record, ...]:
    """Draw a stream in which t1 comes first, then t2, between marks and other transactions."""
    names = [None, "t0", "t1", *draw(st.lists(st.sampled_from([None, "t1", "t2"]))), "t2", None]
    partitions = draw(st.lists(st.integers(0, 2), min_size=len(names), max_size=len(names)))
    return tuple(
        record(number, name, f"id={number}", partition)
        for number, (name, partition) in enumerate(zip(names, partitions, strict=True))
    )


def first_copies(records: tuple[Record, ...]) -> list[Record]:
    """Return each record once, in the order in which it first comes."""
    return list(dict.fromkeys(records))


def test_every_fault_is_held_to_the_laws() -> None:
    """Each fault has options here."""
    assert set(OPTIONS) == set(FAULTS)


@pytest.mark.parametrize("name", FAULTS)
@given(records=streams(), seed=st.integers())
def test_same_seed_same_disturbance(name: str, records: tuple[Record, ...], seed: int) -> None:
    """A fault depends on nothing but its arguments."""
    fault = FAULTS[name]
    once = fault(records, OPTIONS[name], LINE, Random(seed))
    assert fault(records, OPTIONS[name], LINE, Random(seed)) == once


@pytest.mark.parametrize("name", ["duplicate", "replay"])
@given(records=streams(), seed=st.integers())
def test_repetitions_only_repeat(name: str, records: tuple[Record, ...], seed: int) -> None:
    """A repetition loses nothing, alters nothing, and leaves first copies in their order."""
    disturbed = FAULTS[name](records, OPTIONS[name], LINE, Random(seed))
    assert first_copies(disturbed) == list(records)
    assert len(disturbed) > len(records)


def check_refusal(fault: Fault, options: Mapping[str, Any], said: str) -> None:
    """Assert that a fault with nothing to act on says so, with its line."""
    records = (record(0, "t1", "a=1,b=null", 0), record(1, "t2", "a=12", 0))
    with pytest.raises(StepError, match=said) as refusal:
        fault(records, options, LINE, Random(0))
    assert refusal.value.line == LINE


@pytest.mark.parametrize(
    ("fault", "options", "said"),
    [
        ("duplicate", {"transaction": "t9"}, "no row of transaction 't9' is sent"),
        ("duplicate", {"transaction": "t1", "key": {"a": 2}}, "with key a=2"),
        ("duplicate", {"transaction": "t1", "key": {"a": 1, "b": 2}}, "with key a=1, b=2"),
        ("duplicate", {"transaction": "t2", "key": {"a": 1}}, "with key a=1"),
        ("replay", {"from": "t9"}, "no message carries a row of transaction 't9'"),
        ("replay", {"from": "t1", "to": "t9"}, "no message carries a row of transaction 't9'"),
        ("replay", {"from": "t2", "to": "t1"}, "replay from 't2' to 't1' is empty"),
    ],
)
def test_nothing_to_act_on(fault: str, options: Mapping[str, Any], said: str) -> None:
    """A fault that would change nothing is the author's mistake, told with its line."""
    check_refusal(FAULTS[fault], options, said)
