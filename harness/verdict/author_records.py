"""Statements about records, `expect.records`: how many, where, in which order, with which parts.

| statement | holds when |
| --- | --- |
| `{each: event, has: record}` | there is such an event, and the record of each is so |
| `{count: n, of: event}` | so many such events are on the wire, a broadcast once a partition |
| `{messages: n, of: event}` | so many messages carry such an event |
| `{together: [event, ...]}` | all of them lie in one partition |
| `{apart: [event, ...]}` | no two of them share a partition |
| `{in-order: [event, ...]}` | neighbours share a partition, and there the first comes first |

An event is an item of `event_pattern` and means all events that it fits. `in-order` holds for all
of the first and all of the second, in each partition that they share. `when` limits a statement to
cases.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

from harness.documents import PlainObject
from harness.errors import plural
from harness.verdict.event_pattern import SHOWN, SentEvent, event_text, item_text, matches
from harness.verdict.record_pattern import Message, differences

Path = tuple[str | int, ...]
Found = Iterator[tuple[Path, str]]
_ANY: PlainObject = {"any": True}


@dataclass(frozen=True, slots=True)
class Placed:
    """An event in one message; the copies of a broadcast are as many of them."""

    event: SentEvent
    message: Message

    @property
    def text(self) -> str:
        """Return the event and where it lies, for people."""
        return f"{event_text(self.event)} in {self.message.place}"


def check_records(
    statements: Sequence[PlainObject],
    sent: Sequence[SentEvent],
    partitions: int,
    axes: Mapping[str, object],
) -> Found:
    """Yield what does not hold: the path of the key within the list, and what is there instead.

    `axes` are the case's partitions, dialect and profile, which `when` speaks of.
    """
    placed = [
        Placed(SentEvent(one.decoded, one.table, one.partitions, one.action, (message,)), message)
        for one in sent
        for message in one.messages
    ]
    wire = _Wire(placed, partitions)
    for number, statement in enumerate(statements):
        if all(axes[name] in values for name, values in statement.get("when", {}).items()):
            name = next(name for name in _STATEMENTS if name in statement)
            for path, what in _STATEMENTS[name](wire, statement):
                yield (number, *path), what


@dataclass(frozen=True, slots=True)
class _Wire:
    placed: Sequence[Placed]
    partitions: int

    def like(self, item: PlainObject) -> Sequence[Placed]:
        return [one for one in self.placed if matches(item, one.event, self.partitions)]

    def none_like(self, item: PlainObject) -> str:
        """Return a sentence for an event that is not there, with what is nearest to it."""
        kin = {name: value for name, value in item.items() if name != "record"}
        near = [*(self.like(kin) if kin else ()), *self.placed][:SHOWN]
        there = "; ".join(one.text for one in near) or "nothing"
        return f"no event is {item_text(item)}; there is {there}"


def _each(wire: _Wire, statement: PlainObject) -> Found:
    found = wire.like(statement["each"])
    if not found:
        yield ("each",), wire.none_like(statement["each"])
    for one in found:
        for path, what in differences(statement["has"], one.event.decoded, one.message):
            yield ("has", *path), f"{one.text}: {what}"
            return


def _count(wire: _Wire, statement: PlainObject) -> Found:
    yield from _number(wire, statement, "count", len(wire.like(_of(statement))))


def _messages(wire: _Wire, statement: PlainObject) -> Found:
    places = {one.message.place for one in wire.like(_of(statement))}
    yield from _number(wire, statement, "messages", len(places))


def _of(statement: PlainObject) -> PlainObject:
    of: PlainObject = statement.get("of", _ANY)
    return of


def _number(wire: _Wire, statement: PlainObject, name: str, there: int) -> Found:
    if there != statement[name]:
        found = wire.like(_of(statement)) or wire.placed
        shown = "; ".join(one.text for one in found[:SHOWN]) or "nothing"
        kind = ("event", "") if name == "count" else ("message with events", "messages with events")
        what, are = plural(there, *kind), "is" if there == 1 else "are"
        whose = item_text(_of(statement))
        yield (name,), f"{what} {are} {whose}, not {statement[name]}; there is {shown}"


def _lists(
    wire: _Wire, statement: PlainObject, name: str
) -> tuple[list[Sequence[Placed]], list[tuple[Path, str]]]:
    """Return the events of each item, and a complaint for each item that has none."""
    lists = [wire.like(item) for item in statement[name]]
    lacking: list[tuple[Path, str]] = [
        ((name, number), wire.none_like(item))
        for number, item in enumerate(statement[name])
        if not lists[number]
    ]
    return lists, lacking


def _together(wire: _Wire, statement: PlainObject) -> Found:
    lists, lacking = _lists(wire, statement, "together")
    yield from lacking
    every = [one for found in lists for one in found]
    if not lacking and len({one.message.partition for one in every}) > 1:
        yield ("together",), f"they lie apart: {'; '.join(one.text for one in every[:SHOWN])}"


def _apart(wire: _Wire, statement: PlainObject) -> Found:
    lists, lacking = _lists(wire, statement, "apart")
    yield from lacking
    for first, second in combinations(lists, 2):
        shared = {one.message.partition for one in first} & {
            one.message.partition for one in second
        }
        if shared:
            both = [one.text for one in (*first, *second) if one.message.partition in shared]
            yield ("apart",), f"they share a partition: {'; '.join(both[:SHOWN])}"
            return


def _in_order(wire: _Wire, statement: PlainObject) -> Found:
    lists, lacking = _lists(wire, statement, "in-order")
    yield from lacking
    for number, (first, second) in enumerate(pairwise(lists)):
        pairs = [
            (a, b) for a in first for b in second if a.message.partition == b.message.partition
        ]
        late = next(((a, b) for a, b in pairs if _position(a) >= _position(b)), None)
        if first and second and not pairs:
            what = f"{second[0].text} shares no partition with {first[0].text}"
            yield ("in-order", number + 1), what
        elif late is not None:
            yield ("in-order", number + 1), f"{late[1].text} comes before {late[0].text}"


def _position(one: Placed) -> tuple[int, int]:
    return (one.message.offset, one.message.index)


_STATEMENTS: Mapping[str, Callable[[_Wire, PlainObject], Found]] = {
    "each": _each,
    "count": _count,
    "messages": _messages,
    "together": _together,
    "apart": _apart,
    "in-order": _in_order,
}
