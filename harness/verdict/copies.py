"""How often a row without a key may be there, where nothing distinguishes a copy from a second row.

Without row ids on the wire a consumer may take two equal events of one commit ts for one that came
twice, or it may apply whatever it reads: a stream is delivered at least once, so both are right.
A row that is there as often as one of the readings says, or in between, is held against nobody.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from harness.model.change import Op
from harness.model.finding import Finding, FindingKind
from harness.model.source_events import RowEvent, SourceEvent
from harness.model.table import TableId
from harness.verdict.case import Judged
from harness.verdict.expected import Expected, TableState
from harness.verdict.text import key_text

COUNTS: Mapping[FindingKind, int] = {
    FindingKind.MISSING_ROW: -1,
    FindingKind.EXTRA_ROW: 1,
    FindingKind.DUPLICATE_ROW: 1,
}
Tables = Mapping[TableId, TableState]


def are_undecidable(judged: Judged, expected: Expected, findings: Sequence[Finding]) -> bool:
    """Return whether only the numbers of rows differ, and by no more than copies explain."""
    loose = {str(table) for table, state in expected.tables.items() if state.keyless}
    if judged.row_ids or any(f.kind not in COUNTS or f.table not in loose for f in findings):
        return False
    differs: Counter[tuple[str, str]] = Counter()
    for finding in findings:
        differs[finding.table, finding.key] += COUNTS[finding.kind]
    counted = [_counts(tables) for tables in _readings(judged, expected)]
    exact = counted[0]
    return all(
        min(one[row] for one in counted) <= exact[row] + more <= max(one[row] for one in counted)
        for row, more in differs.items()
    )


def _counts(tables: Tables) -> Counter[tuple[str, str]]:
    """Return how often each row of a table without a key is there, by its text."""
    return Counter(
        (str(table), key_text(state.source_table, row))
        for table, state in tables.items()
        if state.keyless
        for row in state.multiset
    )


def _readings(judged: Judged, expected: Expected) -> Iterator[Tables]:
    """Yield the tables that consumers may rightly end with: first those that are expected."""
    yield expected.tables
    yield expected.again(tuple(_once(expected.applied)))
    every = tuple(_every(judged, expected.applied))
    yield expected.again(every)
    # A copy behind the resolved event that has completed it is known: so may be that of a removal,
    # and that of an update, which removes a row and adds one.
    yield expected.again(tuple(_every(judged, expected.applied, {Op.INSERT, Op.UPDATE})))
    yield expected.again(tuple(_every(judged, expected.applied, {Op.INSERT})))
    scattered = _scattered(judged, expected)
    if scattered:
        yield expected.again(tuple(_too_early(every, scattered)))


def _once(applied: Iterable[SourceEvent]) -> Iterator[SourceEvent]:
    """Yield events as who takes two equal ones of a commit ts for one."""
    seen: set[object] = set()
    for event in applied:
        if isinstance(event, RowEvent):
            same = (event.table.table.id, event.commit_ts, event.op, event.before, event.after)
            if same in seen:
                continue
            seen.add(same)
        yield event


def _every(
    judged: Judged, applied: Iterable[SourceEvent], ops: Container[Op] = frozenset(Op)
) -> Iterator[SourceEvent]:
    """Yield each row event of these kinds as often as it lies on the topic, the others once."""
    for event in applied:
        if isinstance(event, RowEvent) and event.op in ops:
            yield from [event] * judged.copies_of(event.origin.event)
        else:
            yield event


def _too_early(
    events: Iterable[SourceEvent], scattered: frozenset[TableId]
) -> Iterator[SourceEvent]:
    """Yield events as who reads each removal before the row that it is about."""
    for event in events:
        if not isinstance(event, RowEvent) or event.table.table.id not in scattered:
            yield event
        elif event.op is not Op.DELETE:
            yield replace(event, before=None)


def _scattered(judged: Judged, expected: Expected) -> frozenset[TableId]:
    """Return the tables whose rows lie in several partitions with nothing to order them by.

    TiCDC dates every event; Debezium gives a row without a key to whatever partition is next.
    """
    if not expected.unordered:
        return frozenset()
    found: dict[TableId, set[tuple[str, int]]] = {}
    for event in expected.applied:
        if isinstance(event, RowEvent):
            there = judged.places.get(event.origin.event, ())
            found.setdefault(event.table.table.id, set()).update(
                (place.topic, place.partition) for place in there
            )
    return frozenset(table for table, partitions in found.items() if len(partitions) > 1)
