"""The author's expectations, held against a plan: tables, events, records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from heapq import merge

from harness.engine.plan.case import Plan
from harness.errors import DecodingError, Location, Problem, ScenarioError
from harness.model.record import Record
from harness.model.source_events import DdlEvent, RowEvent
from harness.scenario.document import ExpectedTable
from harness.scenario.expand import PLAIN
from harness.verdict.author import check_events, check_rows
from harness.verdict.author_records import check_records
from harness.verdict.event_pattern import SentEvent
from harness.verdict.record_pattern import Message
from harness.verdict.stopped import check_stop, split_stop

_TABLES_HINT = "`harness preview` shows the events; correct the SQL or the expectation"
_EVENTS_HINT = "`harness preview` shows the events in order of emission"
_RECORDS_HINT = "`harness preview` shows the records, partition by partition"


def author_problems(planned: Plan) -> tuple[Problem, ...]:
    """Hold the author's expectations against records and fold; return what does not hold.

    ScenarioError names a record that cannot be read.
    """
    found = [*_tables(planned)]
    if planned.case.delivery is None:
        found += [*_events(planned), *_records(planned)]
    return tuple(found)


def _tables(planned: Plan) -> Iterator[Problem]:
    case, scenario = planned.case, planned.case.scenario
    tables: dict[str, ExpectedTable] = {
        **scenario.expect.tables,
        **scenario.expect.tables_by_protocol.get(case.protocol, {}),
        **scenario.expect.tables_by_delivery.get(case.delivery or "", {}),
    }
    for name, table in tables.items():
        what = check_rows(planned.expected, name, table.rows)
        if what is not None:
            where = scenario.place(table.line)
            text = f"{case.id}: expect.tables does not hold: {what}"
            yield Problem(where, text, hint=_TABLES_HINT)


def _events(planned: Plan) -> Iterator[Problem]:
    case = planned.case
    items = case.scenario.expect.events.get(case.protocol)
    if items is None:
        return
    listed, error = split_stop(items)
    found = check_events(listed, sent_events(planned), case.partitions)
    stop = check_stop(error, planned.stopped)
    if stop is not None:
        found = (len(items) - 1, stop)
    if found is not None:
        number, what = found
        text = f"{case.id}: expect.events.{case.protocol} does not hold: {what}"
        yield Problem(_place(planned, "events", number), text, hint=_EVENTS_HINT)


def _records(planned: Plan) -> Iterator[Problem]:
    case = planned.case
    statements = case.scenario.expect.records.get(case.protocol, ())
    axes: Mapping[str, object] = {
        "partitions": case.partitions,
        "dialect": case.dialect,
        "profile": case.profile or PLAIN,
    }
    for path, what in check_records(statements, sent_events(planned), case.partitions, axes):
        text = f"{case.id}: expect.records.{case.protocol} does not hold: {what}"
        yield Problem(_place(planned, "records", *path), text, hint=_RECORDS_HINT)


def _place(planned: Plan, kind: str, *path: str | int) -> Location:
    """Return where a part of an expectation stands, or the smallest part around it that does."""
    expect = planned.case.scenario.expect
    whole = (kind, planned.case.protocol, *path)
    around = (expect.places.get(whole[:length]) for length in range(len(whole), 0, -1))
    found = next((place for place in around if place is not None), None)
    return found or planned.case.scenario.place(expect.line)


def sent_events(planned: Plan) -> Sequence[SentEvent]:
    """Return the decoded events of the undisturbed records, broadcasts folded into one.

    Those of a partition are in the order sent, those of two as the source has them: the wire has no
    order between partitions. A broadcast stands where its last copy does. ScenarioError names the
    line whose record the harness's own decoder refuses.
    """
    vendor = {event.origin.event: event for event in planned.events}
    partitions: dict[int, set[int]] = {}
    offsets: Counter[tuple[str, int]] = Counter()
    # A change that is several records (a deletion and its tombstone) is as many events; the copies
    # of a broadcast are one.
    found: dict[tuple[int, int], SentEvent] = {}
    messages: dict[tuple[int, int], list[Message]] = {}
    sent: dict[tuple[str, int], list[tuple[int, int]]] = {}
    for record in planned.records:
        offset = offsets[record.topic, record.partition]
        offsets[record.topic, record.partition] += 1
        try:
            decoded = planned.wire.decode(record.key, record.value)
        except DecodingError as error:
            raise _unread(planned, record, offset, error) from error
        for index, (event, origin) in enumerate(zip(decoded, record.origins, strict=True)):
            source = vendor.get(origin.event)
            table = source.table if isinstance(source, RowEvent) else None
            broadcast = source is not None and table is None
            partitions.setdefault(origin.event, set()).add(record.partition)
            action = source.action if isinstance(source, DdlEvent) else ""
            place = (origin.event, 0 if broadcast else len(found))
            found.setdefault(place, SentEvent(event, table, frozenset(), action))
            messages.setdefault(place, []).append(Message(record, offset, index))
            sent.setdefault((record.topic, record.partition), []).append(place)
    ordered = dict.fromkeys(reversed([*merge(*sent.values())]))
    return [
        replace(
            found[place],
            partitions=frozenset(partitions[place[0]]),
            messages=tuple(messages[place]),
        )
        for place in reversed(ordered)
    ]


def _unread(planned: Plan, record: Record, offset: int, error: DecodingError) -> ScenarioError:
    """Return the refusal of a record that is sent, at the line that it comes from."""
    scenario = planned.case.scenario
    where = scenario.place(record.origins[0].line) if record.origins else scenario.place(1)
    place = f"{record.topic}/{record.partition}@{offset}"
    text = f"{planned.case.id}: the harness cannot read what is sent at {place}: {error.what}"
    return ScenarioError((Problem(where, text, error.expected, error.hint),))
