"""All the orders in which partitions may be read: counted, listed when few, sampled when many.

Kafka orders the messages of a partition and nothing else, so every merge of the partitions is an
order that a reader may meet; across topics the whole order within each topic may be held instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import comb
from random import Random

from harness.faults.choose import grouped, place
from harness.model.record import Record

PARTITIONS = "partitions"
TOPICS = "topics"


def queues(records: Sequence[Record], across: str = PARTITIONS) -> list[list[Record]]:
    """Return the messages in the groups that keep their order."""
    return grouped(records, place if across == PARTITIONS else lambda record: record.topic)


def count_orders(records: Sequence[Record], across: str = PARTITIONS) -> int:
    """Return how many orders there are: the multinomial of the groups' sizes."""
    return _merges([len(queue) for queue in queues(records, across)])


def enumerate_orders(
    records: Sequence[Record], across: str = PARTITIONS
) -> Iterator[tuple[Record, ...]]:
    """Yield every order once; their number grows fast, see `count_orders`."""
    groups = queues(records, across)
    heads = [0] * len(groups)
    order: list[int] = []

    def further() -> Iterator[tuple[Record, ...]]:
        if len(order) == len(records):
            yield _along(groups, order)
        for number, group in enumerate(groups):
            if heads[number] < len(group):
                heads[number] += 1
                order.append(number)
                yield from further()
                order.pop()
                heads[number] -= 1

    yield from further()


def numbered_order(
    records: Sequence[Record], number: int, across: str = PARTITIONS
) -> tuple[Record, ...]:
    """Return the order that `enumerate_orders` yields at a place, counted from 0.

    It is found without those before it. Raises IndexError beyond the last one.
    """
    groups = queues(records, across)
    left = [len(group) for group in groups]
    if not 0 <= number < _merges(left):
        raise IndexError(number)
    order: list[int] = []
    while len(order) < len(records):
        for group, count in enumerate(left):
            if not count:
                continue
            left[group] -= 1
            begin_so = _merges(left)
            if number < begin_so:
                order.append(group)
                break
            number -= begin_so
            left[group] += 1
    return _along(groups, order)


def sample_order(
    records: Sequence[Record], random: Random, across: str = PARTITIONS
) -> tuple[Record, ...]:
    """Return one order; each is as likely as any other."""
    groups = queues(records, across)
    # A shuffle of one token for each message is a uniform choice among the distinct words.
    order = [number for number, group in enumerate(groups) for _ in group]
    random.shuffle(order)
    return _along(groups, order)


def orders(
    records: Sequence[Record], most: int, random: Random, across: str = PARTITIONS
) -> Iterator[tuple[Record, ...]]:
    """Yield every order when there are at most `most`, else `most` sampled ones."""
    if count_orders(records, across) <= most:
        yield from enumerate_orders(records, across)
        return
    for _ in range(most):
        yield sample_order(records, random, across)


def _merges(sizes: Sequence[int]) -> int:
    count, total = 1, 0
    for size in sizes:
        total += size
        count *= comb(total, size)
    return count


def _along(groups: Sequence[Sequence[Record]], order: Sequence[int]) -> tuple[Record, ...]:
    heads = [iter(group) for group in groups]
    return tuple(next(heads[number]) for number in order)
