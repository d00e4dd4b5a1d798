"""One case, planned: everything that follows from the files alone, before any service is up.

A plan needs no database, no broker and no clock; `check` and `preview` stop here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from harness.contracts import Wire
from harness.errors import HarnessError, Location, Problem, ScenarioError, StepError
from harness.faults import FAULTS
from harness.model.change import ChangeLog
from harness.model.mounted import DdlEvent, MountedRow, MountedTable, VendorEvent
from harness.model.record import Record
from harness.protocols import PROTOCOLS
from harness.scenario.document import ExpectedTable, Scenario
from harness.scenario.expand import Case
from harness.upstream.changefeed import changefeed
from harness.upstream.tidb import mount
from harness.verdict.author import SentEvent, check_events, check_rows
from harness.verdict.case import Judged, places
from harness.verdict.expected import Expected, fold


@dataclass(frozen=True, slots=True)
class Plan:
    """A case with its events, its records before and after disturbance, and its truth."""

    case: Case
    events: tuple[VendorEvent, ...]
    records: tuple[Record, ...]
    delivered: tuple[Record, ...]
    expected: Expected
    wire: Wire
    judged: Judged

    @property
    def settings(self) -> Mapping[str, Any]:
        """Return the protocol's settings as the scenario gives them."""
        return self.case.scenario.settings.get(self.case.protocol, {})

    def topics(self) -> tuple[str, ...]:
        """Return the canonical names of the topics that carry records, sorted."""
        return tuple(sorted({record.topic for record in self.records}))


def plan(case: Case, log: ChangeLog) -> Plan:
    """Plan one case over its locked change log; ScenarioError names file and line at fault."""
    scenario = case.scenario
    settings = scenario.settings.get(case.protocol, {})
    try:
        wire = PROTOCOLS[case.protocol].bind(settings, case.dialect)
        feed = changefeed(settings, case.partitions)
        events = mount(log, feed, scenario.databases, end_resolved=scenario.end_resolved)
        records = tuple(wire.encode(events))
        delivered = _disturbed(case, records)
        expected = fold(events, complete=wire.complete)
    except StepError as error:
        raise _problem(scenario, error.line, str(error.what), error) from error
    except HarnessError as error:
        raise _problem(scenario, 1, f"{case.id}: {error.what}", error) from error
    judged = Judged(
        case=case.id,
        protocol=case.protocol,
        clauses=scenario.clauses,
        line=scenario.expect.line,
        places=places(delivered),
        row_ids=wire.row_ids,
    )
    return Plan(case, events, records, delivered, expected, wire, judged)


def _problem(scenario: Scenario, line: int, what: str, error: HarnessError) -> ScenarioError:
    return ScenarioError(
        (Problem(Location(scenario.file, line), what, error.expected, error.hint),)
    )


def _disturbed(case: Case, records: tuple[Record, ...]) -> tuple[Record, ...]:
    for number, step in enumerate(case.scenario.delivery.get(case.delivery or "", ())):
        # The seed is the case's own name: the same case is disturbed in the same way everywhere.
        random = Random(f"{case.id}/{number}")
        records = FAULTS[step.fault](records, step.options, step.line, random)
    return records


def author_problems(planned: Plan) -> tuple[Problem, ...]:
    """Hold the author's expectations against records and fold; return what does not hold."""
    case, scenario = planned.case, planned.case.scenario
    problems: list[Problem] = []
    tables: dict[str, ExpectedTable] = {
        **scenario.expect.tables,
        **scenario.expect.tables_by_protocol.get(case.protocol, {}),
    }
    for name, table in tables.items():
        what = check_rows(planned.expected, name, table.rows)
        if what is not None:
            where = Location(scenario.file, table.line)
            problems.append(
                Problem(
                    where,
                    f"{case.id}: expect.tables does not hold: {what}",
                    hint="`harness preview` shows the events; correct the SQL or the expectation",
                )
            )
    items = scenario.expect.events.get(case.protocol)
    if items is not None and case.delivery is None:
        what = check_events(items, sent_events(planned), case.partitions)
        if what is not None:
            where = Location(scenario.file, scenario.expect.line)
            problems.append(
                Problem(
                    where,
                    f"{case.id}: expect.events.{case.protocol} does not hold: {what}",
                    hint="`harness preview` shows the events in order of emission",
                )
            )
    return tuple(problems)


def sent_events(planned: Plan) -> Sequence[SentEvent]:
    """Return the decoded events of the undisturbed records, broadcasts folded into one."""
    vendor = {event.origin.event: event for event in planned.events}
    partitions: dict[int, set[int]] = {}
    first: dict[int, tuple[int, SentEvent]] = {}
    for record in planned.records:
        decoded = planned.wire.decode(record.key, record.value)
        for event, origin in zip(decoded, record.origins, strict=True):
            partitions.setdefault(origin.event, set()).add(record.partition)
            source = vendor[origin.event]
            action = source.action if isinstance(source, DdlEvent) else ""
            sent = SentEvent(event, _table(source), frozenset(), action)
            first.setdefault(origin.event, (origin.event, sent))
    ordered = sorted(first.values(), key=lambda pair: pair[0])
    return [
        SentEvent(sent.decoded, sent.table, frozenset(partitions[number]), sent.action)
        for number, sent in ordered
    ]


def _table(event: VendorEvent) -> MountedTable | None:
    return event.table if isinstance(event, MountedRow) else None
