"""A vendor's records beside ours: topic, partition, key, value, headers, order within a partition.

What no encoder can reproduce is taken over from theirs where it makes sense there, and named
(`freedoms`); then bytes are compared whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import Protocol, cast

from harness.model.record import Record

Headers = tuple[tuple[str, bytes | None], ...]
Place = tuple[str, int]
Lane = tuple[str, int, str]  # topic, partition, task

# Freedoms of a whole stream; `freedoms.REASONS` has the reason of each.
KEYLESS = "keyless-partition"
TASKS = "tasks-side-by-side"
TIMER = "heartbeat-timer"


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a topic, whoever sent it; `schemas` are texts that its key and value name."""

    topic: str
    partition: int
    key: bytes | None
    value: bytes | None
    headers: Headers = ()
    key_schema: str | None = None
    value_schema: str | None = None

    @property
    def place(self) -> Place:
        """Return the partition that it is in."""
        return self.topic, self.partition


def message(record: Record) -> Message:
    """Return what a topic holds of one of our records."""
    key, value = record.key_schema, record.value_schema
    return Message(
        record.topic,
        record.partition,
        record.key,
        record.value,
        record.headers,
        None if key is None else key.schema,
        None if value is None else value.schema,
    )


class Freedom(Protocol):
    """Something that two right producers may do differently."""

    @property
    def name(self) -> str:
        """Return what reports call it."""
        ...

    def taken(self, ours: Message, theirs: Message) -> Message:
        """Return our message with theirs where the freedom lies; ours itself where it does not."""
        ...


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference: the n-th message of a partition, the part of it, and both forms as text."""

    topic: str
    partition: int
    number: int
    part: str
    ours: str
    theirs: str

    def __str__(self) -> str:
        """Return it for a person."""
        return f"{self.topic}/{self.partition} #{self.number} {self.part}"


@dataclass(slots=True)
class Comparison:
    """All differences of one stream, and the freedoms that it made use of."""

    differences: list[Difference] = field(default_factory=list[Difference])
    freedoms: set[str] = field(default_factory=set[str])
    compared: int = 0


PARTS = ("key", "value", "headers", "key_schema", "value_schema")
NOTHING = "(none)"
MISSING = "missing"  # what ours has at a partition's end, and theirs has not
FREE_PLACE = -1
TASK = "__debezium.context.taskId"


@dataclass(frozen=True, slots=True)
class Rules:
    """What the two sides may do differently.

    `several_tasks`: tasks run side by side, so only the order of each one's messages is given.
    `timed` is the beginning of topics that a timer fills: how many messages theirs hold, and when
    each came, is the timer's; each must be like one of ours, and each of ours like one of theirs.
    """

    freedoms: Sequence[Freedom] = ()
    several_tasks: bool = False
    timed: str = ""


def compare(ours: Iterable[Message], theirs: Iterable[Message], rules: Rules) -> Comparison:
    """Compare two streams partition by partition."""
    found = Comparison()
    mine, yours = _by_place(ours), _by_place(theirs)
    several = {topic for topic, partition in (*mine, *yours) if partition > 0}
    lanes = _lanes(mine, several, rules, found), _lanes(yours, several, rules, found)
    for lane in sorted({*lanes[0], *lanes[1]}):
        one, other = lanes[0].get(lane, []), lanes[1].get(lane, [])
        if rules.timed and lane[0].startswith(rules.timed):
            one = _due(one, other, rules, found)
        for number, pair in enumerate(zip_longest(one, other)):
            _pair(lane[:2], number, pair, rules, found)
    return found


def _pair(
    place: Place,
    number: int,
    pair: tuple[Message | None, Message | None],
    rules: Rules,
    found: Comparison,
) -> None:
    ours, theirs = pair
    if ours is None or theirs is None:
        sides = ("" if one is None else _shown(one.value) for one in pair)
        part = MISSING if theirs is None else "extra"
        found.differences.append(Difference(*place, number, part, *sides))
        return
    found.compared += 1
    ours = _freed(ours, theirs, rules, found)
    for part in PARTS:
        one, other = getattr(ours, part), getattr(theirs, part)
        if one != other:
            found.differences.append(Difference(*place, number, part, _shown(one), _shown(other)))


def _freed(ours: Message, theirs: Message, rules: Rules, found: Comparison) -> Message:
    """Return our message with theirs wherever a freedom lies."""
    if ours == theirs:
        return ours
    for freedom in rules.freedoms:
        taken = freedom.taken(ours, theirs)
        if taken != ours:
            found.freedoms.add(freedom.name)
            ours = taken
    return ours


def _due(
    ours: Sequence[Message], theirs: Sequence[Message], rules: Rules, found: Comparison
) -> list[Message]:
    """Return for each of their timed messages one of ours that is like it, the first if none is."""
    found.freedoms.add(TIMER)
    for number, one in enumerate(ours):
        if theirs and all(_freed(one, other, rules, found) != other for other in theirs):
            place = (one.topic, one.partition)
            found.differences.append(Difference(*place, number, "unlike", _shown(one.value), ""))
    return [
        next((one for one in ours if _freed(one, other, rules, found) == other), ours[0])
        for other in theirs
        if ours
    ]


def _lanes(
    side: Mapping[Place, Sequence[Message]], several: set[str], rules: Rules, found: Comparison
) -> dict[Lane, list[Message]]:
    """Return messages by what keeps an order: a partition, or a task's part of it.

    Messages without a key have none where a topic has several partitions: a producer puts them
    wherever it has a batch open. Nor have those of several tasks that say not whose they are.
    """
    lanes: dict[Lane, list[Message]] = {}
    unordered: set[Lane] = set()
    for (topic, partition), messages in side.items():
        for message in messages:
            task = _task(message) if rules.several_tasks else ""
            free = message.key is None and topic in several
            lane = (topic, FREE_PLACE if free else partition, task)
            one = replace(message, partition=FREE_PLACE) if free else message
            lanes.setdefault(lane, []).append(one)
            found.freedoms |= {KEYLESS} if free else set()
            found.freedoms |= {TASKS} if rules.several_tasks else set()
            if free or (rules.several_tasks and not task):
                unordered.add(lane)
    for lane in unordered:
        lanes[lane].sort(key=lambda one: (one.key or b"", one.value or b""))
    return lanes


def _task(message: Message) -> str:
    return next(((value or b"").decode() for name, value in message.headers if name == TASK), "")


def _by_place(messages: Iterable[Message]) -> dict[Place, list[Message]]:
    found: dict[Place, list[Message]] = {}
    for message in messages:
        found.setdefault(message.place, []).append(message)
    return found


def _shown(value: object) -> str:
    if value is None:
        return NOTHING
    if isinstance(value, bytes):
        return value.decode(errors="backslashreplace")
    if isinstance(value, tuple):
        pairs = cast("tuple[tuple[str, object], ...]", value)
        return ", ".join(f"{name}={_shown(held)}" for name, held in pairs)
    return str(value)


def shown(differences: Sequence[Difference], most: int) -> Iterator[str]:
    """Yield the first differences, each with both forms, and how many more there are."""
    for difference in differences[:most]:
        ours, theirs = excerpt(difference)
        yield f"{difference}: ours {ours} | theirs {theirs}"
    if len(differences) > most:
        yield f"and {len(differences) - most} more"


def excerpt(difference: Difference, around: int = 60) -> tuple[str, str]:
    """Return both forms from shortly before where they part."""
    ours, theirs = difference.ours, difference.theirs
    pairs = enumerate(zip(ours, theirs, strict=False))
    at = next((n for n, (a, b) in pairs if a != b), min(len(ours), len(theirs)))
    start = max(0, at - around)
    lead = "…" if start else ""
    return lead + ours[start : at + around], lead + theirs[start : at + around]
