"""What a report shows of a case that did not pass: tables, the records around findings, a timeline.

It is bounded, whatever the case holds: a report that nobody can open explains nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from harness.engine.plan.case import Plan
from harness.engine.plan.delivery import decoded_or_refusal
from harness.faults.log import LogEntry
from harness.model.decoded import DecodedEvent, EventKind
from harness.model.evidence import Evidence, Point, ShownRecord
from harness.model.finding import FINDINGS, Judgement, Verdict
from harness.model.observed import Observed
from harness.verdict.table_diff import table_diffs
from harness.verdict.text import event_text

SHOWN_FOR = FINDINGS | {
    Judgement.UNDECIDED,
    Judgement.XFAIL,
    Judgement.DECLARED_LOSSY,
}
WHOLE = 24  # records of a case that is shown whole
AROUND = 2  # records on either side of one that a finding names
RECORDS_SHOWN = 40
POINTS_SHOWN = 400
VALUE_BYTES_SHOWN = 1024

Where = tuple[str, int, int]


def evidence(plan: Plan, verdict: Verdict, observed: Observed) -> Evidence | None:
    """Return what to show beside the verdict; None where it needs no explanation."""
    if verdict.came_to not in SHOWN_FOR:
        return None
    blamed = _blamed(verdict)
    lying = [
        (topic, partition, one)
        for (topic, partition), log in sorted(plan.delivery.logs.items())
        for one in log.read
    ]
    wanted = _wanted(lying, blamed)
    shown = [one for one in lying if _where(*one) in wanted][:RECORDS_SHOWN]
    points = [_point(plan, *one, blamed) for one in lying[:POINTS_SHOWN]]
    answered = observed.tables
    tables = () if answered is None else tuple(table_diffs(plan.judged, plan.expected, answered))
    return Evidence(
        tables=tables,
        records=tuple(_record(plan, *one, blamed) for one in shown),
        timeline=tuple(points),
        hidden=len(lying) - len(points),
    )


def _where(topic: str, partition: int, one: LogEntry) -> Where:
    return topic, partition, one.offset


def _blamed(verdict: Verdict) -> Mapping[Where, int]:
    """Return how many findings name each place."""
    return Counter(
        where
        for finding in verdict.findings
        for where in {(place.topic, place.partition, place.offset) for place in finding.places}
    )


def _wanted(
    lying: Sequence[tuple[str, int, LogEntry]], blamed: Mapping[Where, int]
) -> frozenset[Where]:
    """Return the places to show: all of a small case, else those around what is blamed."""
    places = [_where(*one) for one in lying]
    if len(places) <= WHOLE:
        return frozenset(places)
    near = (
        places[at]
        for number, place in enumerate(places)
        if place in blamed
        for at in range(max(0, number - AROUND), min(len(places), number + AROUND + 1))
        if places[at][:2] == place[:2]
    )
    return frozenset(near) or frozenset(places[:WHOLE])


def _record(
    plan: Plan, topic: str, partition: int, one: LogEntry, blamed: Mapping[Where, int]
) -> ShownRecord:
    key, value = one.record.key, one.record.value
    return ShownRecord(
        topic,
        partition,
        one.offset,
        tuple(_lines(plan, one)),
        None if key is None else key.hex(),
        None if value is None else value[:VALUE_BYTES_SHOWN].hex(),
        len(value or b""),
        blamed.get((topic, partition, one.offset), 0),
    )


def _lines(plan: Plan, one: LogEntry) -> Iterator[str]:
    decoded = decoded_or_refusal(plan.wire, one.record)
    if isinstance(decoded, str):
        yield f"cannot be read: {decoded}"
        return
    for event in decoded:
        yield f"{event.commit_ts} {event_text(event)}"


def _point(
    plan: Plan, topic: str, partition: int, one: LogEntry, blamed: Mapping[Where, int]
) -> Point:
    decoded = decoded_or_refusal(plan.wire, one.record)
    origin = one.record.origins[0]
    kind = "unreadable" if isinstance(decoded, str) else _kind(decoded)
    return Point(
        topic,
        partition,
        one.offset,
        kind,
        max(each.commit_ts for each in one.record.origins),
        origin.transaction or "",
        origin.line,
        blamed.get((topic, partition, one.offset), 0),
    )


def _kind(events: Sequence[DecodedEvent]) -> str:
    """Return what a record is: its events' kind, `rows` where there are several."""
    kinds = {event.kind for event in events}
    if len(kinds) == 1:
        return next(iter(kinds)).value
    return "rows" if kinds and EventKind.DDL not in kinds else EventKind.DDL.value
