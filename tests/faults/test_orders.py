"""All orders of reading: as many as counted, each once, each legal, each as likely."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.faults.orders import (
    count_orders,
    enumerate_orders,
    numbered_order,
    orders,
    sample_order,
)
from harness.model.record import Origin, Record
from tests.faults.invariants import by_place

SIZES = st.lists(st.integers(0, 3), min_size=1, max_size=3)


def records(*sizes: int, topics: bool = False) -> tuple[Record, ...]:
    """Return messages, so many for each partition (or topic of two partitions)."""
    return tuple(
        Record(
            f"t{place}" if topics else "t",
            number % 2 if topics else place,
            b"%d" % number,
            b"",
            (Origin(1, 0, number, "insert"),),
        )
        for place, size in enumerate(sizes)
        for number in range(size)
    )


@given(SIZES)
def test_every_order_once(sizes: list[int]) -> None:
    """There are as many orders as counted, all different, and none changes a partition."""
    sent = records(*sizes)
    found = list(enumerate_orders(sent))
    assert len(found) == len(set(found)) == count_orders(sent)
    assert all(by_place(order) == by_place(sent) for order in found)


@given(SIZES)
def test_every_order_has_its_number(sizes: list[int]) -> None:
    """An order is found by its number, and there is none beyond the last."""
    sent = records(*sizes)
    count = count_orders(sent)
    assert [numbered_order(sent, number) for number in range(count)] == [*enumerate_orders(sent)]
    for beyond in (-1, count):
        with pytest.raises(IndexError):
            numbered_order(sent, beyond)


@pytest.mark.parametrize(
    ("sizes", "count"), [((1, 1), 2), ((2, 2), 6), ((3, 3, 3), 1680), ((5,), 1), ((), 1)]
)
def test_counts(sizes: tuple[int, ...], count: int) -> None:
    """The count is the multinomial of the partitions' sizes."""
    assert count_orders(records(*sizes)) == count


def test_topics_keep_their_own_order() -> None:
    """Across topics the whole order within each topic holds, over its partitions too."""
    sent = records(2, 2, topics=True)
    found = set(enumerate_orders(sent, "topics"))
    assert len(found) == count_orders(sent, "topics") == 6
    assert count_orders(sent) == 24
    for order in found:
        for topic in ("t0", "t1"):
            assert [r for r in order if r.topic == topic] == [r for r in sent if r.topic == topic]


def test_samples_are_uniform() -> None:
    """Each of the six merges of two and two messages comes up about as often as any other."""
    sent, random = records(2, 2), Random(0)
    seen = Counter(sample_order(sent, random) for _ in range(6000))
    assert set(seen) == set(enumerate_orders(sent))
    assert all(850 < count < 1150 for count in seen.values())


def test_few_are_listed_and_many_sampled() -> None:
    """Up to a number all orders come, above it that many samples."""
    assert list(orders(records(2, 2), 6, Random(0))) == list(enumerate_orders(records(2, 2)))
    sampled = list(orders(records(9, 9, 9), 20, Random(0)))
    assert len(sampled) == 20
    assert all(by_place(order) == by_place(records(9, 9, 9)) for order in sampled)
