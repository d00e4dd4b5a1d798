"""What each invariant means: a property of what was to be sent and what is delivered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from harness.faults.choose import Place, is_mark, place, ts
from harness.faults.fault import Invariant
from harness.model.record import Origin, Record

Records = Sequence[Record]
Holds = Callable[[Records, Records], bool]


def by_place(records: Records) -> Mapping[Place, list[Record]]:
    """Return the messages of each partition."""
    found: dict[Place, list[Record]] = {}
    for record in records:
        found.setdefault(place(record), []).append(record)
    return found


def events(records: Iterable[Record]) -> list[tuple[Place, Origin]]:
    """Return every event that is carried, with its partition."""
    return [(place(record), origin) for record in records for origin in record.origins]


def data(records: Iterable[Record]) -> set[tuple[Place, Origin]]:
    """Return the events that are no resolved events."""
    return {event for event in events(records) if event[1].kind != "resolved"}


def bytes_kept(before: Records, after: Records) -> bool:
    """Every message is one of those that were to be sent."""

    def said(records: Records) -> set[tuple[Place, bytes | None, bytes | None]]:
        return {(place(record), record.key, record.value) for record in records}

    return said(after) <= said(before)


def events_kept(before: Records, after: Records) -> bool:
    """Every row and DDL event comes."""
    return data(before) <= data(after)


def once(before: Records, after: Records) -> bool:
    """No event comes more often."""
    return Counter(events(after)) <= Counter(events(before))


def order_kept(before: Records, after: Records) -> bool:
    """First copies keep their order in each partition."""
    for there, records in by_place(after).items():
        intended = list(dict.fromkeys(events(by_place(before).get(there, []))))
        came = list(dict.fromkeys(events(records)))
        if came != [event for event in intended if event in set(came)]:
            return False
    return True


def last_value(before: Records, after: Records) -> bool:
    """The last message of every key is the same."""

    def lasts(records: Records) -> dict[tuple[Place, bytes], bytes | None]:
        return {(place(r), r.key): r.value for r in records if r.key is not None}

    return lasts(before) == lasts(after)


def promise(before: Records, after: Records) -> bool:
    """What a mark completes came before it."""
    for there, records in by_place(after).items():
        owed = {event for event in data(before) if event[0] == there}
        came: set[tuple[Place, Origin]] = set()
        for record in records:
            due = {event for event in owed if _due(event[1], ts(record))}
            if is_mark(record) and not due <= came:
                return False
            came |= data([record])
    return True


def _due(origin: Origin, mark: int) -> bool:
    """Return whether a mark completes an event; a DDL of its very ts may follow."""
    return origin.commit_ts < mark or (origin.commit_ts == mark and origin.kind != "ddl")


def marks_of(records: Records) -> Mapping[Place, list[int]]:
    """Return the marks' ts of each partition."""
    return {there: [ts(r) for r in rs if is_mark(r)] for there, rs in by_place(records).items()}


def rising(before: Records, after: Records) -> bool:
    """No mark is below one before it."""
    del before
    return all(marks == sorted(marks) for marks in marks_of(after).values())


def marks_kept(before: Records, after: Records) -> bool:
    """The greatest mark of each partition comes."""

    def greatest(records: Records) -> dict[Place, int]:
        return {there: max(marks) for there, marks in marks_of(records).items() if marks}

    return greatest(before) == greatest(after)


HOLDS: Mapping[Invariant, Holds] = {
    Invariant.BYTES: bytes_kept,
    Invariant.EVENTS: events_kept,
    Invariant.ONCE: once,
    Invariant.ORDER: order_kept,
    Invariant.LAST_VALUE: last_value,
    Invariant.PROMISE: promise,
    Invariant.RISING: rising,
    Invariant.MARKS: marks_kept,
}
