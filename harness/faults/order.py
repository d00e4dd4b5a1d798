"""Messages in another order: across partitions at will, within one only where that was seen.

Source: clause `kafka.no-order-across-partitions`; rows within a partition out of order:
https://github.com/pingcap/tiflow/issues/11823, https://github.com/pingcap/ticdc/issues/4051.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from fnmatch import fnmatchcase
from itertools import groupby
from random import Random

from harness.errors import StepError
from harness.faults.choose import Place, chosen, completed, is_mark, is_rows, nothing, place, ts
from harness.faults.fault import Disturbance, Invariant
from harness.faults.option import KEY, PARTITION, TRANSACTION, Option, Options, Takes
from harness.faults.orders import (
    PARTITIONS,
    TOPICS,
    count_orders,
    numbered_order,
    queues,
    sample_order,
)
from harness.model.record import Record


def interleave(records: Sequence[Record], options: Options, random: Random) -> tuple[Record, ...]:
    """Merge the partitions (or topics) anew, each in its own order.

    Every merge is equally likely, unless `order` numbers one of them.
    """
    across = options.text("across")
    if len(queues(records, across)) < 2:
        what = f"there are no two {across} to interleave"
        raise nothing(what, options.line, f"two {across} with messages")
    if "order" not in options:
        return sample_order(records, random, across)
    count, number = count_orders(records, across), options.number("order")
    if number > count:
        what = f"there are {count} orders of the messages across {across}, none has number {number}"
        raise nothing(what, options.line, f"a number from 1 to {count}")
    return numbered_order(records, number - 1, across)


def ahead(records: Sequence[Record], options: Options, random: Random) -> tuple[Record, ...]:
    """Send everything of some topic or partition before everything else."""
    del random
    there, others = _parted(records, options)
    return (*there, *others)


def behind(records: Sequence[Record], options: Options, random: Random) -> tuple[Record, ...]:
    """Send everything of some topic or partition after everything else."""
    del random
    there, others = _parted(records, options)
    return (*others, *there)


def _parted(records: Sequence[Record], options: Options) -> tuple[list[Record], list[Record]]:
    def is_there(record: Record) -> bool:
        topic, partition = options.text("topic", "*"), options.number("partition", record.partition)
        return fnmatchcase(record.topic, topic) and record.partition == partition

    there = [record for record in records if is_there(record)]
    others = [record for record in records if not is_there(record)]
    if not there or not others:
        names = ", ".join(sorted({f"{record.topic}/{record.partition}" for record in records}))
        share = "none" if not there else "all"
        raise StepError(
            f"{share} of the messages are there", line=options.line, expected=f"some of {names}"
        )
    return there, others


def withhold(records: Sequence[Record], options: Options, random: Random) -> tuple[Record, ...]:
    """Hold messages back as long as their partition's marks leave it true that all was sent."""
    del random
    held: defaultdict[Place, list[Record]] = defaultdict(list)
    out: list[Record] = []
    for record, is_chosen in zip(records, chosen(records, options), strict=True):
        if is_chosen:
            held[place(record)].append(record)
            continue
        if is_mark(record):
            due, held[place(record)] = completed(held[place(record)], ts(record))
            out += due
        out.append(record)
    out += [record for queue in held.values() for record in queue]
    if _by_place(out) == _by_place(records):
        raise nothing(
            "nothing stands between the rows and their resolved event",
            options.line,
            "other messages before the resolved event that completes the rows",
        )
    return tuple(out)


def reorder(records: Sequence[Record], options: Options, random: Random) -> tuple[Record, ...]:
    """Shuffle the row messages between two other messages of their partition."""
    shuffled = {
        here: iter(list(_shuffled(queue, random)))
        for here, queue in _by_place(records).items()
        if options.number("partition", here[1]) == here[1]
    }
    out = tuple(
        next(shuffled[place(record)]) if place(record) in shuffled else record for record in records
    )
    if out == tuple(records):
        raise nothing(
            "no partition has two different row messages side by side",
            options.line,
            "two row messages in one partition with no other message between them",
        )
    return out


def _shuffled(queue: Sequence[Record], random: Random) -> Iterator[Record]:
    for rows, stretch in groupby(queue, is_rows):
        messages = list(stretch)
        if rows and len(set(messages)) > 1:
            # Turning by at least one place leaves nothing as it was.
            turned = random.sample(messages, len(messages))
            while turned == messages:
                turned = turned[1:] + turned[:1]
            messages = turned
        yield from messages


def _by_place(records: Sequence[Record]) -> dict[Place, list[Record]]:
    found: dict[Place, list[Record]] = {}
    for record in records:
        found.setdefault(place(record), []).append(record)
    return found


_ALL = frozenset(Invariant)
_WHERE = (
    Option("topic", Takes.TEXT, "The topic's name without prefix; `*` and `?` stand for others."),
    PARTITION,
)


def _moved(name: str, meaning: str, change: Callable[..., tuple[Record, ...]]) -> Disturbance:
    example = {"topic": "*.transaction"}
    return Disturbance(name, meaning, _ALL, _WHERE, change, some_of=_NAMES, example=example)


_NAMES = tuple(option.name for option in _WHERE)

ROWS: tuple[Disturbance, ...] = (
    Disturbance(
        "interleave",
        "Merges partitions, or whole topics, in another order; each keeps its own.",
        _ALL,
        (
            Option(
                "across",
                Takes.WORD,
                "What is merged: partitions, each in its order, or topics, each in its order.",
                PARTITIONS,
                words=(PARTITIONS, TOPICS),
            ),
            Option(
                "order",
                Takes.NUMBER,
                "The order with this number among all there are, the first of which empties one "
                "partition after the other; without it one is drawn, each as likely as any other.",
            ),
        ),
        interleave,
        example={"across": "topics"},
    ),
    _moved(
        "ahead",
        "Sends everything of a topic or partition before everything else, as a transaction topic "
        "that is ahead of its data.",
        ahead,
    ),
    _moved(
        "behind",
        "Sends everything of a topic or partition after everything else, as a transaction topic "
        "that is behind its data.",
        behind,
    ),
    Disturbance(
        "withhold",
        "Holds messages back, behind newer ones of their partition, but not behind the resolved "
        "event that completes them.",
        _ALL - {Invariant.ORDER, Invariant.LAST_VALUE},
        (TRANSACTION, KEY),
        withhold,
        example={"transaction": "t2", "key": {"a": 1}},
    ),
    Disturbance(
        "reorder",
        "Shuffles the row messages of a partition between two resolved events or DDL events, as "
        "retries of a producer do.",
        _ALL - {Invariant.ORDER, Invariant.LAST_VALUE},
        (
            Option(
                PARTITION.name,
                Takes.NUMBER,
                "The partition, counted from 0; without it, every partition.",
                least=0,
                most=PARTITION.most,
            ),
        ),
        reorder,
        example={"partition": 0},
    ),
)
