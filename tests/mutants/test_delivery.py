"""Deliveries in memory: what Kafka allows, and nothing else."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from harness.faults.log import simulate_log
from harness.model.record import Record
from harness.mutants.delivery import Delivery, Message, deliver, lying

RECORDS = st.lists(st.integers(0, 2), max_size=12).map(
    lambda numbers: [
        Record("t", partition, b"k", str(number).encode(), ())
        for number, partition in enumerate(numbers)
    ]
)


def delivered(records: list[Record], seed: int) -> Delivery:
    """Return a delivery of records that nothing was done to."""
    logs = simulate_log(records)
    return deliver(lying(records, logs, dict.fromkeys(logs, 0)), seed)


def of_partition(messages: tuple[Message, ...], partition: int) -> list[Message]:
    """Return a partition's messages, in order."""
    return [message for message in messages if message.partition == partition]


@given(RECORDS, st.integers(0, 50))
def test_a_partition_keeps_its_order(records: list[Record], seed: int) -> None:
    """Every message comes once, and each partition's in the order in which they were sent."""
    messages = delivered(records, seed).messages()
    for partition in range(3):
        sent = [record.value for record in records if record.partition == partition]
        assert [message.value for message in of_partition(messages, partition)] == sent


@given(RECORDS, st.integers(0, 50))
def test_offsets_rise_to_the_end(records: list[Record], seed: int) -> None:
    """Offsets rise within a partition and stay below its end; only markers leave gaps."""
    found = delivered(records, seed)
    for partition in {record.partition for record in records}:
        offsets = [message.offset for message in of_partition(found.messages(), partition)]
        assert all(0 < later - earlier <= 2 for earlier, later in pairwise(offsets))
        assert offsets[-1] < found.ends["t", partition] <= offsets[-1] + 3


@given(RECORDS, st.integers(0, 50))
def test_a_seed_is_a_delivery(records: list[Record], seed: int) -> None:
    """The same seed gives the same delivery; 0 is the order of sending, without gaps or stops."""
    assert delivered(records, seed) == delivered(records, seed)
    plain = delivered(records, 0)
    assert [message.value for message in plain.messages()] == [record.value for record in records]
    assert plain.stopped is None
    assert sum(plain.ends.values()) == len(records)


@given(RECORDS, st.integers(1, 50))
def test_a_consumer_is_stopped_where_it_reads(records: list[Record], seed: int) -> None:
    """A delivery other than the plain one stops the consumer once, and ends with a marker."""
    found = delivered(records, seed)
    if records:
        assert found.stopped in range(len(found.batches))
        last = found.messages()[-1]
        assert found.ends[last.place] > last.offset + 1
