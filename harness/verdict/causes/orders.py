"""Deviations in when and how often events are applied: marks, order, copies."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import replace
from functools import partial

from harness.model.change import Op
from harness.model.finding import Finding, Place
from harness.model.source_events import DdlEvent, RowEvent, SourceEvent
from harness.verdict.causes.deviation import Deviation, applying, reading
from harness.verdict.causes.evidence import Evidence, identity, name_of
from harness.verdict.causes.replay import (
    Data,
    Marks,
    Rank,
    Rules,
    Waiting,
    by_time,
    each_arrival,
    one_event,
    released,
)


def deviations(case: Evidence) -> Iterator[Deviation]:
    """Yield the deviations, the specific before the general."""
    if case.expected.unordered:
        yield from _arrivals(case)
    else:
        yield from _marks(case)
        yield from _orders(case)
    yield from _copies(case)
    yield from _batches(case)


def the_mark_itself(case: Evidence) -> Iterator[Deviation]:
    """Yield what turns on one ts: whether it is complete, and several statements at it."""
    # Where all have as many digits, texts are in the order of the numbers.
    if len({len(str(one.decoded.commit_ts)) for one in case.arrivals if one.decoded.commit_ts}) > 1:
        yield _as_texts(case)
    if case.expected.unordered:
        why = "older copies replace newer rows"
        yield reading(case, "late-copy", why, Rules(same=each_arrival, dated=False))
        return
    if len({ddl.commit_ts for ddl in case.ddl}) < len(case.ddl):
        why = "several DDL statements of one ts are taken for one"
        yield reading(case, "ddl-same-ts", why, Rules(same=_ddl_by_ts))
    why = "a DDL behind the resolved event of its ts is taken for a copy"
    found = reading(case, "behind-mark", why, Rules(behind_mark=False))
    yield replace(found, place=partial(_not_executed, case, found))
    if case.expected.exclusive:
        inclusive = reading(
            case,
            "resolved-exclusive",
            "a resolved event is taken to complete its own ts",
            Rules(shift=-1),
        )
        yield inclusive
    else:
        why = "a resolved event is taken not to complete its own ts"
        found = reading(case, "resolved-inclusive", why, Rules(shift=1))
        yield replace(found, place=partial(_at_mark, case))


def _as_texts(case: Evidence) -> Deviation:
    why = "timestamps are compared as texts"
    if case.expected.unordered:
        return _dropping(case, "order", why, text=True)
    return reading(case, "order", why, Rules(rank=_as_text))


def _marks(case: Evidence) -> Iterator[Deviation]:
    why = "the greatest mark of all partitions is taken for the global one"
    yield reading(case, "resolved-global", why, Rules(limit=_greatest))
    why = "the marks of one partition are taken for the global one"
    yield reading(case, "resolved-global", why, Rules(limit=_first))
    why = "the last mark of a partition counts, not the greatest"
    yield reading(case, "resolved-back", why, Rules(limit=_last))
    yield reading(case, "late-copy", "events are applied as they arrive", Rules(rank=_as_arrived))
    why = "rows are applied that no resolved event completes"
    yield reading(case, "resolved-ignored", why, Rules(at_once=lambda _: True))


def _at_mark(case: Evidence, _: Finding) -> Place | None:
    return _mark(case)


def _not_executed(case: Evidence, deviation: Deviation, _: Finding) -> Place | None:
    executed = {one.origin for one in (deviation.applied or tuple)() if isinstance(one, DdlEvent)}
    return case.place_of(next((one for one in case.ddl if one.origin not in executed), None))


def _mark(case: Evidence) -> Place | None:
    """Return the record that completes the stream up to its global resolved ts."""
    wanted = case.expected.resolved_ts
    marks = [one for one in case.arrivals if one.decoded.commit_ts == wanted]
    marks = [one for one in marks if case.event_of(one) is None]
    return marks[-1].place if marks else None


def _greatest(marks: Marks) -> int:
    return max((max(seen, default=0) for seen in marks.values()), default=0)


def _first(marks: Marks) -> int:
    return next((max(seen, default=0) for (_, number), seen in sorted(marks.items()) if not number))


def _last(marks: Marks) -> int:
    return min((seen[-1] if seen else 0 for seen in marks.values()), default=0)


def _orders(case: Evidence) -> Iterator[Deviation]:
    why = "at one ts puts are applied before deletes"
    yield reading(case, "deletes-first", why, Rules(rank=_puts_first))
    why = "DDL runs when it arrives"
    yield reading(case, "ddl-order", why, Rules(at_once=lambda e: isinstance(e, DdlEvent)))
    last = reading(case, "ddl-order", "DDL runs after the rows", Rules(rank=_ddl_last))

    def place(finding: Finding) -> Place | None:
        return _statement(case, finding) or last.place(finding)

    yield replace(last, place=place)
    why = "what is complete is applied one partition after the other"
    yield reading(case, "interleaved", why, Rules(rank=_by_partition))
    why = "events below the highest ts seen are dropped"
    yield reading(case, "below-watermark", why, Rules(below_highest=True))


def _statement(case: Evidence, finding: Finding) -> Place | None:
    """Return the record of the last statement on a finding's table but the one that makes it."""
    mine = [ddl for ddl in case.ddl if f"{ddl.schema}.{ddl.table}" == finding.table]
    return case.place_of(mine[-1]) if mine[1:] else None


def _puts_first(one: Waiting) -> Rank:
    ts, kind, number = by_time(one)
    return (ts, {1: 2, 2: 1}.get(kind, kind), number)


def _ddl_last(one: Waiting) -> Rank:
    ts, kind, number = by_time(one)
    return (ts + 2**64 if kind == 0 else ts, kind, number)


def _by_partition(one: Waiting) -> Rank:
    return (hash_of(one), *by_time(one))


def hash_of(one: Waiting) -> int:
    """Return a number that orders the partitions."""
    return one.partition[1]


def _as_arrived(one: Waiting) -> Rank:
    return (one.arrival,)


def _as_text(one: Waiting) -> Rank:
    ts, *rest = by_time(one)
    return (int(f"{ts:<020d}"), *rest)


def _arrivals(case: Evidence) -> Iterator[Deviation]:
    why = "events below the highest ts of their table are dropped"
    yield _dropping(case, "below-watermark", why, text=False)


def _dropping(case: Evidence, cause: str, why: str, *, text: bool) -> Deviation:
    events = list(_rising(case, text=text))
    return replace(applying(case, cause, why, _listed(events)), applied=_listed(events))


def _rising(case: Evidence, *, text: bool) -> Iterator[SourceEvent]:
    greatest: dict[Hashable, str | int] = {}
    for event in released(case, Rules(same=each_arrival, dated=False)):
        if not isinstance(event, RowEvent):
            continue
        dated = event.op is not Op.DELETE
        name: Hashable = name_of(event) if text else event.table.table.id
        ts: str | int = str(event.commit_ts) if text else event.commit_ts
        last = greatest.get(name)
        if dated and last is not None and ts < last:  # type: ignore[operator]
            continue
        if dated:
            greatest[name] = ts
        yield event


def _copies(case: Evidence) -> Iterator[Deviation]:
    why = "two rows of one table and ts are taken for copies"
    yield reading(case, "same-ts", why, Rules(same=_by_ts(case)))
    why = "equal rows without a key are taken for copies of one"
    yield reading(case, "row-id", why, Rules(same=_keyless_by_value))
    why = "later changes of a row are taken for copies of its first"
    yield reading(case, "repeated", why, Rules(same=_by_key))
    why = "a row that returns to what it was is taken for a copy"
    yield reading(case, "repeated", why, Rules(same=_by_content))
    yield reading(case, "repeated", "copies are applied again", Rules(same=_each_row))
    again = Rules(same=each_arrival, dated=False)
    yield reading(case, "repeated", "copies are applied again", again)


def _by_ts(case: Evidence) -> Callable[[Data, int], Hashable]:
    """Return what names a row by its table and the ts that its message carries."""

    def name(event: Data, arrival: int) -> Hashable:
        ts = case.arrivals[arrival].decoded.commit_ts
        if isinstance(event, DdlEvent):
            return one_event(event, arrival)
        return (event.table.table.id, ts) if ts else each_arrival(event, arrival)

    return name


def _ddl_by_ts(event: Data, arrival: int) -> Hashable:
    return ("ddl", event.commit_ts) if isinstance(event, DdlEvent) else one_event(event, arrival)


def _keyless_by_value(event: Data, arrival: int) -> Hashable:
    if isinstance(event, DdlEvent) or event.table.handle:
        return one_event(event, arrival)
    return (event.table.table.id, event.commit_ts, event.op, event.before, event.after)


def _by_key(event: Data, arrival: int) -> Hashable:
    return one_event(event, arrival) if isinstance(event, DdlEvent) else name_of(event)


def _by_content(event: Data, arrival: int) -> Hashable:
    if isinstance(event, DdlEvent):
        return one_event(event, arrival)
    return (name_of(event), event.after)


def _each_row(event: Data, arrival: int) -> Hashable:
    return (
        one_event(event, arrival) if isinstance(event, DdlEvent) else each_arrival(event, arrival)
    )


def _batches(case: Evidence) -> Iterator[Deviation]:
    """Yield what it would be if all events between two statements were one batch, out of order."""
    for (cause, why), change in _IN_A_BATCH.items():
        events = _listed(_spans(case, change))
        yield replace(applying(case, cause, why, events), applied=events)


def _listed(events: list[SourceEvent]) -> Callable[[], list[SourceEvent]]:
    return lambda: events


def _spans(
    case: Evidence, change: Callable[[list[SourceEvent]], list[SourceEvent]]
) -> list[SourceEvent]:
    found: list[SourceEvent] = []
    span: list[SourceEvent] = []
    for event in released(case, Rules()):
        if isinstance(event, DdlEvent):
            found += [*change(span), event]
            span = []
        else:
            span.append(event)
    return found + change(span)


def _deletes(event: SourceEvent) -> bool:
    return isinstance(event, RowEvent) and event.op is Op.DELETE


def _first_of_each(span: list[SourceEvent]) -> list[SourceEvent]:
    first: dict[Hashable, SourceEvent] = {}
    for event in span:
        first.setdefault(name_of(event) if isinstance(event, RowEvent) else identity(event), event)
    return list(first.values())


# Cause and words -> what becomes of a batch.
_IN_A_BATCH: dict[tuple[str, str], Callable[[list[SourceEvent]], list[SourceEvent]]] = {
    ("repeated", "of a batch only the first change of each row is kept"): _first_of_each,
    ("order", "the deletes of a batch are applied behind its puts"): lambda span: sorted(
        span, key=_deletes
    ),
    ("order", "the deletes of a batch are applied before its puts"): lambda span: sorted(
        span, key=lambda event: not _deletes(event)
    ),
    ("order", "a batch is applied from its newest event to its oldest"): lambda span: span[::-1],
}
