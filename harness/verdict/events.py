"""Row events, where the consumer hands them back: all applied, per key in order, none invented.

An insert and an update are both "put": without old values the wire does not distinguish them, and a
re-applied put is harmless. What may repeat is the consumer's guarantee; the tables show whether a
repetition did harm.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from harness.model.change import Op
from harness.model.finding import Finding, FindingKind
from harness.model.observed import ObservedEvent
from harness.model.source_events import DdlEvent, RowEvent, SourceTable
from harness.protocols.clauses import cause_clause
from harness.verdict.case import Judged
from harness.verdict.expected import Expected
from harness.verdict.read import raw_key
from harness.verdict.text import key_text

# Table and key; commit ts and whether the event is a delete.
Name = tuple[str, str]
Step = tuple[int, bool]
# A tombstone that compaction left, or that came again, says no time: tables show whether it harmed.
Kind = tuple[str, str, bool]  # table, key, whether it is a delete
UNDATED_DELETE: Step = (0, True)


class Reported(NamedTuple):
    """An event as the consumer reported it: the step that it is, and whether it has a commit ts."""

    step: Step
    dated: bool

    def may_be(self, wanted: Step) -> bool:
        """Return whether it is a step; without a time it may be any of its kind."""
        return self.step == wanted if self.dated else self.step[1] == wanted[1]


def _is_whole(judged: Judged, event: RowEvent) -> bool:
    return event.origin.event not in judged.compacted


def compare_events(
    judged: Judged, expected: Expected, answer: Sequence[ObservedEvent]
) -> Iterator[Finding]:
    """Yield a finding for each event missing, unexpected, or applied against its key's order."""
    wanted: dict[Name, list[RowEvent]] = {}
    for event in expected.applied:
        if isinstance(event, RowEvent) and event.table.handle:
            wanted.setdefault((str(event.table.table.id), _key(event)), []).append(event)
    emptied = [event for event in expected.applied if isinstance(event, DdlEvent) and event.before]
    got = _answered(judged, expected, answer)
    early = {event.commit_ts for event in expected.held}
    undated = any(event.commit_ts is None for event in answer)
    left_behind = _left_behind(expected)
    for name, events in wanted.items():
        steps = [(event.commit_ts, event.op is Op.DELETE) for event in events]
        # Of events without a time it is not known which one came again.
        reported = got.pop(name, []) if undated else list(dict.fromkeys(got.pop(name, [])))
        seen = [one.step for one in reported]
        own = [e for e in emptied if e.before and str(e.before.table.id) == name[0]]
        due = [
            e
            for n, e in enumerate(events)
            if not _overtaken(judged, expected, e, (*events[n + 1 :], *_behind(e, own)))
        ]
        yield from _missing(judged, name, due, seen)
        for step in dict.fromkeys(seen):
            if step not in steps and step != UNDATED_DELETE and (name, step) not in left_behind:
                yield _unexpected(judged, name, step, early)
        kept = [step for step in seen if step in steps]
        # Of what compaction took it is not known whether it was read, so either order is right.
        left = [(e.commit_ts, e.op is Op.DELETE) for e in events if _is_whole(judged, e)]
        orders = ([s for s in dict.fromkeys(one) if s in kept] for one in (steps, left))
        if not any(_in_order(order, reported) for order in orders):
            yield Finding(
                FindingKind.EVENT_ORDER,
                f"the events of {name[0]} {name[1]} were applied out of order",
                cause_clause(judged.protocol, "order") or judged.main_clause(),
                events[-1].origin.line,
                table=name[0],
                key=name[1],
                expected=_steps_text(steps),
                actual=_steps_text(kept),
                places=judged.places_of(events),
            )
    for name, reported in got.items():
        for step in dict.fromkeys(one.step for one in reported):
            if (name, step) not in left_behind:
                yield _unexpected(judged, name, step, early)


def _left_behind(expected: Expected) -> frozenset[tuple[Name, Step]]:
    """Return the deletes of keys from which updates move: these may be reported as two events."""
    return frozenset(
        ((str(event.table.table.id), old), (event.commit_ts, True))
        for event in expected.applied
        if isinstance(event, RowEvent) and event.table.handle
        if event.before is not None and event.after is not None
        for old in [key_text(event.table, event.before)]
        if old != _key(event)
    )


def _in_order(steps: Sequence[Step], reported: Sequence[Reported]) -> bool:
    """Return whether the steps are among the reported ones, in this order."""
    left = iter(reported)
    return all(any(one.may_be(step) for one in left) for step in steps)


def _behind(event: RowEvent, statements: Sequence[DdlEvent]) -> Iterator[DdlEvent]:
    """Yield the statements that stand behind a row's event."""
    return (one for one in statements if one.origin.event > event.origin.event)


def _overtaken(
    judged: Judged, expected: Expected, event: RowEvent, later: Sequence[RowEvent | DdlEvent]
) -> bool:
    """Return whether a later event of the key may be read first, which leaves nothing to apply.

    Where marks or DDL hold rows back until all is there, none is.
    """
    if not expected.unordered or not later:
        return False
    here = _partitions(judged, [event])
    return bool(here) and not _partitions(judged, later) <= here


def _partitions(judged: Judged, events: Sequence[RowEvent | DdlEvent]) -> set[tuple[str, int]]:
    return {(place.topic, place.partition) for place in judged.places_of(events)}


def _missing(
    judged: Judged, name: Name, events: Sequence[RowEvent], seen: Sequence[Step]
) -> Iterator[Finding]:
    for event in events:
        there = event.origin.event not in judged.compacted
        if there and (event.commit_ts, event.op is Op.DELETE) not in seen:
            yield Finding(
                FindingKind.EVENT_MISSING,
                f"the {event.op.value} of {name[0]} {name[1]} at commit ts {event.commit_ts} "
                "was not applied",
                cause_clause(judged.protocol, event.op.value) or judged.main_clause(),
                event.origin.line,
                table=name[0],
                key=name[1],
                places=judged.places_of([event]),
            )


def _unexpected(judged: Judged, name: Name, step: Step, early: AbstractSet[int]) -> Finding:
    duty = "resolved-ignored" if step[0] in early else ""
    return Finding(
        FindingKind.EVENT_UNEXPECTED,
        f"an event of {name[0]} {name[1]} was applied that the stream does not complete: "
        f"{_steps_text([step])}",
        cause_clause(judged.protocol, duty) or judged.main_clause(),
        judged.line,
        table=name[0],
        key=name[1],
        actual=_steps_text([step]),
    )


def _answered(
    judged: Judged, expected: Expected, answer: Sequence[ObservedEvent]
) -> dict[Name, list[Reported]]:
    """Group the answers by table and key, reading keys by the version at their commit ts.

    Where a consumer reports no commit ts, its n-th put or delete of a key is the n-th that can
    still be read and that it did not report with one.
    """
    events = [e for e in (*expected.applied, *expected.held) if isinstance(e, RowEvent)]
    undated_changes: dict[Kind, list[int]] = {}
    for event in events:
        if event.origin.event not in judged.compacted - judged.places.keys():
            kind = (str(event.table.table.id), _key(event), event.op is Op.DELETE)
            undated_changes.setdefault(kind, []).append(event.commit_ts)
    read = [(kind, reported) for reported, kind in _kinds(events, answer, undated_changes.keys())]
    dated = {(kind, reported.commit_ts) for kind, reported in read}
    left = {
        kind: [ts for ts in all_of if (kind, ts) not in dated] or all_of[-1:]
        for kind, all_of in undated_changes.items()
    }
    got: dict[Name, list[Reported]] = {}
    for kind, reported in read:
        ts = reported.commit_ts
        if ts is None:
            due = left.get(kind, [0])
            ts = due.pop(0) if len(due) > 1 else due[0]
        step = (ts, reported.op is Op.DELETE)
        got.setdefault(kind[:2], []).append(Reported(step, reported.commit_ts is not None))
    return got


def _kinds(
    events: Sequence[RowEvent], answer: Sequence[ObservedEvent], known: AbstractSet[Kind]
) -> Iterator[tuple[ObservedEvent, Kind]]:
    """Yield each answer with its table, key and whether it deletes; keyless ones are left out."""
    versions: dict[tuple[str, int | None], dict[tuple[str, ...], SourceTable]] = {}
    for event in events:
        source, table = event.table, str(event.table.table.id)
        names = tuple(source.table.columns[ordinal].name for ordinal in source.handle)
        for ts in (event.commit_ts, None):
            versions.setdefault((table, ts), {})[names] = source
    for reported in answer:
        table, delete = str(reported.table), reported.op is Op.DELETE
        image = (reported.before if delete else reported.after) or {}
        there = versions.get((table, reported.commit_ts), {})
        keys = [raw_key(source, image) for names, source in there.items() if names]
        key = next((key for key in keys if (table, key, delete) in known), None)
        if key is not None or () not in there:
            yield reported, (table, key or (keys or ["?"])[-1], delete)


def _key(event: RowEvent) -> str:
    image = event.before if event.op is Op.DELETE else event.after
    assert image is not None
    return key_text(event.table, image)


def _steps_text(steps: Sequence[Step]) -> str:
    return ", ".join(f"{'delete' if delete else 'put'}@{ts}" for ts, delete in steps)
