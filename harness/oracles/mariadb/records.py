"""Which of a connector's messages belong to a scenario, and the numbers that its log gave them.

A server counts its transactions on (`0-1-17`), whoever they are of; our encoder counts from the
scenario's first. So theirs are counted from there as well: which step a record is of, and the order
of steps, is compared, not free.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from confluent_kafka import TopicPartition

from harness.oracles.compare import Message, Place
from harness.oracles.freedoms import TIME
from harness.oracles.mariadb.configuration import HEARTBEATS
from harness.oracles.mariadb.statements import Execution

NUMBERED: Final = re.compile(rb'"(?:gtid|id)":"(0-1-)(\d+)"')

# By connector, which topics begin with, and by the number of a transaction.
ByTransaction = Mapping[tuple[str, int], list[Message]]
Ends = Mapping[TopicPartition, int]


def numbered(messages: Iterable[Message]) -> Iterator[tuple[int, Message]]:
    """Yield messages with the number of their transaction; a tombstone's is that before it."""
    last: dict[Place, int] = {}
    for one in messages:
        found = NUMBERED.search(one.value or b"")
        last[one.place] = int(found[2]) if found else last.get(one.place, 0)
        yield last[one.place], one


def by_transaction(messages: Iterable[Message]) -> ByTransaction:
    """Return messages by connector and transaction."""
    found: dict[tuple[str, int], list[Message]] = {}
    for number, one in numbered(messages):
        found.setdefault((one.topic.partition(".")[0], number), []).append(one)
    return found


def of_scenario(messages: ByTransaction, connector: str, execution: Execution) -> Iterator[Message]:
    """Yield what a connector sent of an execution, its first transaction as number 1."""
    for count, number in enumerate(execution.numbers, 1):
        for one in messages.get((connector, number), ()):
            yield recounted(one, number, number - count)


def copied(messages: ByTransaction, connector: str, hidden: str) -> Iterator[Message]:
    """Yield what a connector sent before it followed the log, nothing of database `hidden`."""
    for one in messages.get((connector, 0), ()):
        if not of_database(one, hidden):
            yield one


def of_database(message: Message, name: str) -> bool:
    """Return whether a message is of a row, or of a statement, of a database."""
    said = b'"databaseName":"%s"' % name.encode()
    return message.topic.split(".")[1:2] == [name] or said in (message.value or b"")


def recounted(message: Message, number: int, first: int) -> Message:
    """Return a message of transaction `number` counted from behind transaction `first`."""
    key, value = (_counted(text, number, first) for text in (message.key, message.value))
    return replace(message, key=key, value=value)


def _counted(text: bytes | None, number: int, first: int) -> bytes | None:
    def counted(found: re.Match[bytes]) -> bytes:
        if int(found[2]) != number:
            return found[0]
        return found[0].replace(found[1] + found[2], found[1] + b"%d" % (number - first))

    return None if text is None else NUMBERED.sub(counted, text)


def beats(messages: Iterable[Message], connector: str) -> Iterator[Message]:
    """Yield the heartbeats of a connector, one of each form: they belong to no scenario."""
    seen: set[Message] = set()
    for one in messages:
        form = replace(one, value=TIME.sub(b"", one.value or b""))
        if one.topic == f"{HEARTBEATS}.{connector}" and form not in seen:
            seen.add(form)
            yield one


def of_slice(
    messages: Iterable[Message], connector: str, begins: Ends, ends: Ends, marks: str
) -> Iterator[Message]:
    """Yield what a connector sent between two moments, but for the markers."""
    counts: Counter[Place] = Counter()
    for one in messages:
        at, place = counts[one.place], TopicPartition(*one.place)
        counts[one.place] += 1
        own = one.topic.partition(".")[0] == connector and not of_database(one, marks)
        if own and begins.get(place, 0) <= at < ends.get(place, 0):
            yield one
