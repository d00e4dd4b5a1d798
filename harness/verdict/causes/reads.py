"""Deviations in what is read at all: deletes, parts of messages, partitions, ends, restarts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache, partial
from typing import Any

from harness.model.change import Op
from harness.model.decoded import EventKind
from harness.model.finding import Finding, Place
from harness.model.source_events import DdlEvent, RowEvent, SourceEvent
from harness.verdict.case import Arrival, Partition, Where
from harness.verdict.causes.deviation import Deviation, applying, reading
from harness.verdict.causes.evidence import GONE, Evidence, identity, identity_of, name_of
from harness.verdict.causes.replay import RIGHT, Rules, each_arrival, released

_ROWS = frozenset({EventKind.INSERT, EventKind.UPDATE, EventKind.UPSERT, EventKind.DELETE})


def of_the_run(case: Evidence) -> Iterator[Deviation]:
    """Yield what may go wrong where a run was stopped, where it grew and where it ended."""
    yield from _boundaries(case)
    yield from _heartbeats(case)
    if any(one.decoded.place is not None and one.decoded.place.rank for one in case.arrivals):
        yield from _ranks(case)
    yield from _young(case)
    yield from _restarts(case)
    yield from _partitions(case)


def deviations(case: Evidence) -> Iterator[Deviation]:
    """Yield the deviations, the specific before the general."""
    yield from _deletes(case)
    yield from _transactions(case)
    yield from _updates(case)
    # Where rows alone are sent, a partition ends in one: that its kind is ignored says more.
    if case.expected.unordered and len(_row_ends(case)) <= 1 and not any(case.gaps_at_end()):
        yield _without_ends(case)


def of_messages(case: Evidence) -> Iterator[Deviation]:
    """Yield what it would be if a message were read in part, or a row's changes by their time."""
    yield from _messages(case)
    why = "a change that is not later than its row's last is dropped"
    yield reading(case, "same-ts", why, _later(case))
    # Of a row that a transaction changes more than once no report says which change was lost.
    late = {_where(one) for one in _behind_end(case)}
    if late:
        yield reading(case, "boundary", _BEHIND, Rules(lambda one: _where(one) not in late))


def _deletes(case: Evidence) -> Iterator[Deviation]:
    kinds = {one.decoded.kind for one in case.arrivals}
    if EventKind.TOMBSTONE in kinds:
        alone = Rules(reads=lambda one: one.decoded.kind is not EventKind.TOMBSTONE)
        yield reading(case, "tombstone-alone", "tombstones without their delete are ignored", alone)
    if EventKind.DELETE in kinds:
        keyed = [one for one in case.arrivals if _by_key(one)]
        if keyed:
            rules = Rules(reads=lambda one: not _by_key(one))
            yield reading(case, "delete-by-key", "deletes that carry the key alone are lost", rules)
        gone = Rules(reads=lambda one: one.decoded.kind not in GONE)
        yield reading(case, "delete", "deletes are ignored", gone)
        yield applying(case, "delete", "deleted rows stay, with NULL", lambda: _emptied(case))
        yield applying(case, "row-id", "a delete removes all equal rows", lambda: _all_equal(case))


def _by_key(arrival: Arrival) -> bool:
    decoded = arrival.decoded
    image = decoded.before
    return (
        decoded.kind is EventKind.DELETE and image is not None and set(image) == set(decoded.handle)
    )


def _emptied(case: Evidence) -> Iterator[SourceEvent]:
    there: set[object] = set()
    for event in released(case, RIGHT):
        if not isinstance(event, RowEvent) or event.op is not Op.DELETE or event.before is None:
            if isinstance(event, RowEvent) and event.after is not None:
                there.add(_key(event))
            yield event
        elif _key(event) in there and event.table.handle:
            kept = event.table.handle
            row = tuple(v if n in kept else None for n, v in enumerate(event.before))
            yield replace(event, op=Op.UPDATE, before=event.before, after=row)


def _key(event: RowEvent) -> object:
    image = event.before if event.after is None else event.after
    assert image is not None
    return (event.table.table.id, tuple(image[ordinal] for ordinal in event.table.handle))


def _all_equal(case: Evidence) -> Iterator[SourceEvent]:
    """Yield the events, each removal of a row without a key as often as such rows are there."""
    there: list[object] = []
    for event in released(case, RIGHT):
        if isinstance(event, RowEvent) and not event.table.handle:
            if event.before is not None:
                equal = there.count(event.before)
                there = [row for row in there if row != event.before]
                gone = replace(event, op=Op.DELETE, after=None)
                yield from [gone] * (equal if event.after is None else equal - 1)
            if event.after is not None:
                there.append(event.after)
        yield event


def _transactions(case: Evidence) -> Iterator[Deviation]:
    places = [one.decoded.place for one in case.arrivals if one.decoded.place is not None]
    shards = list(dict.fromkeys(place.shard for place in places if place.shard))
    for shard in shards if len(shards) > 1 else ():
        rules = Rules(reads=lambda one, shard=shard: _shard(one) in ("", shard))  # type: ignore[misc]
        yield reading(case, "shard", f"only the shard {shard} is read", rules)
    if EventKind.TOMBSTONE in {one.decoded.kind for one in case.arrivals}:
        events = cache(lambda: tuple(_taken_away(case)))
        why = "a tombstone takes away the row that its transaction puts under another key"
        found = applying(case, "tombstone", why, events)
        yield replace(found, applied=events, place=partial(_own, case))


def _ranks(case: Evidence) -> Iterator[Deviation]:
    """Yield what orders transactions by half of what orders them, or across shards."""
    across = "epochs and ranks of different shards are compared"
    yield reading(case, "rank-of-shards", across, _rising(case, _epoch_and_rank))
    yield reading(case, "epoch", "the rank decides across epochs", _rising(case, _rank))
    once = "of the changes of a row at one epoch and rank the first is taken"
    yield reading(case, "total-order", once, _rising(case, _epoch_and_rank, strictly=True))
    texts = _rising(case, lambda one: None if _rank(one) is None else str(_rank(one)))
    yield reading(case, "rank", "ranks are compared as texts", texts)


def _own(case: Evidence, finding: Finding) -> Place | None:
    """Return the last record of a finding's row."""
    return case.place_of(next(reversed(case.history(finding)), None))


def _taken_away(case: Evidence) -> Iterator[SourceEvent]:
    last: RowEvent | None = None
    for event in released(case, RIGHT):
        yield event
        if not isinstance(event, RowEvent):
            continue
        if event.op is Op.DELETE:
            last = event
        elif last is not None and event.op is Op.INSERT:
            if (last.table.table.id, last.commit_ts) == (event.table.table.id, event.commit_ts):
                yield replace(event, op=Op.DELETE, before=event.after, after=None)
            last = None


def _boundaries(case: Evidence) -> Iterator[Deviation]:
    """Yield what it would be without the rows that may be read behind the END of their transaction.

    How many of a transaction's rows that are nobody knows: those that the consumer did not report.
    """
    if case.reported is None:
        return
    lost = {identity_of(one) for one in _behind_end(case) if _is_unreported(case, one)}
    if lost:
        yield reading(case, "boundary", _BEHIND, Rules(lambda one: identity_of(one) not in lost))


_BEHIND = "rows that arrive behind their transaction's END are dropped"


def _behind_end(case: Evidence) -> Iterator[Arrival]:
    """Yield what is read behind the END of its transaction."""
    ended: set[str] = set()
    for one in case.arrivals:
        name = "" if one.decoded.place is None else one.decoded.place.transaction_id
        if one.decoded.kind is EventKind.END:
            ended.add(name)
        elif name in ended:
            yield one


def _heartbeats(case: Evidence) -> Iterator[Deviation]:
    """Yield what it would be without the rows that are not later than a heartbeat before them."""
    dropped: set[Where] = set()
    until = -1
    for one in case.arrivals:
        ts = one.decoded.commit_ts
        if one.decoded.kind is EventKind.HEARTBEAT:
            until = max(until, ts)
        elif one.decoded.kind in _ROWS and ts <= until:
            dropped.add(_where(one))
    if dropped:
        why = "rows that are not later than a heartbeat are dropped"
        yield reading(case, "heartbeat", why, Rules(lambda one: _where(one) not in dropped))


def _is_unreported(case: Evidence, one: Arrival) -> bool:
    event = case.event_of(one)
    if not isinstance(event, RowEvent) or case.reported is None:
        return False
    steps = case.reported.get(name_of(event), ())
    return (event.commit_ts, event.op is Op.DELETE) not in steps


def _shard(one: Arrival) -> str:
    return "" if one.decoded.place is None else one.decoded.place.shard


def _rank(one: Arrival) -> int | None:
    return None if one.decoded.place is None else one.decoded.place.rank


def _epoch_and_rank(one: Arrival) -> tuple[int, int] | None:
    place = one.decoded.place
    return None if place is None or place.rank is None else (place.epoch or 0, place.rank)


def _rising(case: Evidence, value: Callable[[Arrival], Any], *, strictly: bool = False) -> Rules:
    """Return the rules of who drops what is not above the greatest of its key."""
    dropped: set[Where] = set()
    greatest: dict[object, Any] = {}
    for one in case.arrivals:
        event = case.event_of(one)
        found = value(one)
        if found is None or not isinstance(event, RowEvent) or one.decoded.kind not in _ROWS:
            continue
        key = (event.table.table.id, str(one.decoded.key or _key(event)))
        last = greatest.get(key)
        if last is not None and (found < last or (strictly and found == last)):
            dropped.add(_where(one))
        greatest[key] = found if last is None else max(found, last)
    return Rules(reads=lambda one: _where(one) not in dropped)


def _later(case: Evidence) -> Rules:
    return _rising(
        case,
        lambda one: None if one.decoded.place is None else one.decoded.place.ts_ms,
        strictly=True,
    )


def _messages(case: Evidence) -> Iterator[Deviation]:
    if not any(one.number for one in case.arrivals):
        return
    first = {_where(one): one for one in reversed(case.arrivals)}
    yield reading(
        case,
        "batch",
        "only the first event of a message is read",
        Rules(lambda one: not one.number),
    )

    def same_table(one: Arrival) -> bool:
        head = first[_where(one)].decoded
        return (head.schema, head.table) == (one.decoded.schema, one.decoded.table)

    yield reading(
        case, "mixed-batch", "only one table's events of a message are read", Rules(same_table)
    )


def _restarts(case: Evidence) -> Iterator[Deviation]:
    run = case.judged.run
    if run.in_flight:

        def not_in_flight(one: Arrival) -> bool:
            return _where(one) not in run.in_flight

        why = "what was read when the consumer was stopped is lost"
        yield reading(case, "lost-at-stop", why, Rules(not_in_flight))
        why = "what waited for a resolved event when the consumer was stopped is lost"
        yield reading(case, "lost-at-stop", why, Rules(forgets=True))
        why = "what was read when the consumer was stopped is applied twice"
        yield applying(case, "read-again", why, lambda: _twice(case))
    if run.next_read is not None:
        why = "the message behind the stop is passed over"
        skips = Rules(lambda one: _where(one) != run.next_read)
        yield reading(case, "position", why, skips)
    if not case.expected.unordered or len(_row_ends(case)) > 1 or any(case.gaps_at_end()):
        yield _without_ends(case)


def _row_ends(case: Evidence) -> set[Partition]:
    """Return the partitions whose last message is about a row, none where all are deletions.

    Those alone are lost by who ignores deletions as well, which is the plainer cause.
    """
    last = {_partition(one): one.decoded.kind for one in case.arrivals}
    rows = {there for there, kind in last.items() if kind in _ROWS | GONE}
    return rows if set(last.values()) - GONE else set()


def _without_ends(case: Evidence) -> Deviation:
    last = {_partition(one): one.place.offset for one in case.arrivals}
    ends = Rules(lambda one: last[_partition(one)] != one.place.offset)
    return reading(case, "position", "the last message of each partition is not read", ends)


def _twice(case: Evidence) -> Iterator[SourceEvent]:
    in_flight = case.judged.run.in_flight
    again = {identity_of(one) for one in case.arrivals if _where(one) in in_flight}
    for event in released(case, Rules(same=each_arrival)):
        yield event
        if identity(event) in again and not isinstance(event, DdlEvent):
            yield event


def _young(case: Evidence) -> Iterator[Deviation]:
    """Yield what it would be without partitions that are new, and without how they begin."""
    for place in sorted(case.judged.run.young):
        mine = [one for one in case.arrivals if _partition(one) == place]
        offsets = list(dict.fromkeys(one.place.offset for one in mine))
        why = f"the new partition {place[1]} of {place[0]} is not read"
        yield _without(case, place, frozenset(offsets), why)
        unread = frozenset(offsets[: (len(offsets) + 1) // 2])
        yield _without(case, place, unread, f"{why} from its beginning")


def _partitions(case: Evidence) -> Iterator[Deviation]:
    places = sorted({_partition(one) for one in case.arrivals})
    for place in places if len(places) > 1 else ():
        whole = frozenset(one.place.offset for one in case.arrivals if _partition(one) == place)
        yield _without(case, place, whole, f"partition {place[1]} of {place[0]} is not read")
    if any(number for _, number in places):
        first = Rules(lambda one: not one.place.partition)
        yield reading(case, "partition", "only partition 0 of each topic is read", first)


def _without(case: Evidence, place: Partition, offsets: frozenset[int], why: str) -> Deviation:
    def reads(one: Arrival) -> bool:
        return _partition(one) != place or one.place.offset not in offsets

    return reading(case, "partition", why, Rules(reads))


def _updates(case: Evidence) -> Iterator[Deviation]:
    updates = [e for e in case.events.values() if isinstance(e, RowEvent) and e.op is Op.UPDATE]
    if not updates:
        return
    lost = Rules(lambda one: not _is_update(case, one))
    yield reading(case, "update", "updates are ignored", lost)
    why = "the old row of an update is written in the place of the new one"
    yield applying(case, "update", why, lambda: [_old(e) for e in released(case, RIGHT)])
    why = "what an update leaves unchanged is taken for NULL"
    yield applying(case, "update", why, lambda: [_changed(e) for e in released(case, RIGHT)])


def _is_update(case: Evidence, one: Arrival) -> bool:
    event = case.event_of(one)
    return isinstance(event, RowEvent) and event.op is Op.UPDATE


def _old(event: SourceEvent) -> SourceEvent:
    if isinstance(event, RowEvent) and event.op is Op.UPDATE and event.before is not None:
        return replace(event, after=event.before)
    return event


def _changed(event: SourceEvent) -> SourceEvent:
    if not isinstance(event, RowEvent) or event.op is not Op.UPDATE:
        return event
    if event.before is None or event.after is None:
        return event
    pairs = enumerate(zip(event.before, event.after, strict=True))
    row = tuple(b if n in event.table.handle or a != b else None for n, (a, b) in pairs)
    return replace(event, after=row)


def _partition(one: Arrival) -> Partition:
    return (one.place.topic, one.place.partition)


def _where(one: Arrival) -> Where:
    return (*_partition(one), one.place.offset)
