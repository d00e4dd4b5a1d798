"""One case, planned: everything that follows from the files alone, before any service is up.

A plan needs no database, no broker and no clock; `check` and `preview` stop here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass

from harness.contracts import BoundCodec
from harness.engine.plan.delivery import Arrivals, Delivery, disturbed
from harness.engine.plan.encoded import Encoded, encoded
from harness.engine.plan.settings import check_names, named_place, refused_settings
from harness.engine.plan.surviving_rows import surviving_events, visible_events
from harness.errors import HarnessError, Location, Problem, ScenarioError, StepError
from harness.faults.actions import sent as messages_sent
from harness.model.change import ChangeLog
from harness.model.columns import Column
from harness.model.record import Record
from harness.model.settings import Settings
from harness.model.source_events import ChangefeedStopped, SourceEvent
from harness.protocols import PROTOCOLS
from harness.protocols.clauses import CLAUSES, governs
from harness.scenario.expand import Case
from harness.sources.decision import Explained
from harness.sources.source import SourceConfig, SourceOutput
from harness.sources.tidb.refusal import ChangefeedError
from harness.sources.tidb.simulator import unexpected
from harness.verdict.case import Judged
from harness.verdict.expected import Expected
from harness.verdict.folding import Folding
from harness.verdict.stopped import split_stop

# By which a registry or a broker does not answer for a while: what a consumer then gives up for.
AWAY = frozenset({"registry.may-be-away", "registry.may-err", "kafka.brokers-fail"})


@dataclass(frozen=True, slots=True)
class Plan:
    """A case with its events, its records before and after disturbance, and its truth.

    `delivery` says what is done on the way, `delivered` the messages that are sent and not aborted,
    in that order. `settings` are the scenario's for the protocol, completed by what only the
    upstream knows. `stopped` is the error that ended a changefeed, `decisions` what its
    filters made of each DDL job and row. `topic` is there even if nothing is sent.
    """

    case: Case
    events: tuple[SourceEvent, ...]
    records: tuple[Record, ...]
    delivery: Delivery
    expected: Expected
    folding: Folding
    wire: BoundCodec
    judged: Judged
    settings: Settings
    stopped: ChangefeedStopped | None = None
    decisions: tuple[Explained, ...] = ()
    topic: str = ""

    @property
    def delivered(self) -> tuple[Record, ...]:
        """Return the messages that reach the topics to be read, in the order of sending."""
        return messages_sent(self.delivery.steps)

    def topics(self) -> tuple[str, ...]:
        """Return the canonical names of the topics that carry records, sorted.

        A changefeed that sends nothing has one topic all the same, and it is empty.
        """
        return tuple(sorted({record.topic for record in self.records})) or (self.topic,)


@dataclass(frozen=True, slots=True)
class Emission:
    """What a case's upstream emits; cases that differ in their delivery alone have the same."""

    source: SourceOutput
    wire: BoundCodec
    encoded: Encoded


def _emission(case: Case, log: ChangeLog) -> Emission:
    source = PROTOCOLS[case.protocol].source.simulate(log, stage_of(case))
    wire = PROTOCOLS[case.protocol].codec.bind(source.settings, case.dialect)
    return Emission(source, wire, encoded(wire, source))


def plan(case: Case, log: ChangeLog, known: dict[Hashable, Emission] | None = None) -> Plan:
    """Plan one case over its locked change log; ScenarioError names file and line at fault.

    `known` remembers the emissions of this log; without it nothing is remembered.
    """
    scenario = case.scenario
    check_names(case)
    try:
        emission = _remembered(case, log, {} if known is None else known)
        source, wire, sent = emission.source, emission.wire, emission.encoded
        if sent.stopped is not None and not _expected_stop(case):
            raise unexpected(sent.stopped)
        delivery = disturbed(case, sent.records, wire)
        folding = _folding(case, emission, delivery)
        expected = folding.expected()
    except StepError as error:
        raise _problem(scenario.place(error.line), str(error.what), error) from error
    except (ChangefeedError, ScenarioError) as error:
        raise ScenarioError(refused_settings(case, error)) from error
    except HarnessError as error:
        where = named_place(case, error.what)
        raise _problem(where, f"{case.id}: {error.what}", error) from error
    judged = Judged(
        case=case.id,
        protocol=case.protocol,
        clauses=by_point(case),
        line=scenario.expect.line,
        places=delivery.places,
        messages=Counter(origin.event for record in sent.records for origin in record.origins),
        row_ids=wire.row_ids,
        compacted=delivery.compacted,
        hostile=delivery.hostile,
        faults=tuple(step.fault for step in scenario.delivery.get(case.delivery or "", ())),
        arrivals=Arrivals(delivery, wire),
        settings=source.settings,
        dialect=case.dialect,
    )
    return Plan(
        case=case,
        events=sent.events,
        records=sent.records,
        delivery=delivery,
        expected=expected,
        folding=folding,
        wire=wire,
        judged=judged,
        settings=source.settings,
        stopped=sent.stopped,
        decisions=source.decisions,
        topic=source.topic,
    )


def _folding(case: Case, emission: Emission, delivery: Delivery) -> Folding:
    """Return the events that the tables follow from, as far as the wire lets a consumer see."""
    wire, source = emission.wire, emission.source
    protocol = PROTOCOLS[case.protocol]
    events = tuple(e for e in emission.encoded.events if e.origin.event not in delivery.uncommitted)

    def carries(column: Column) -> bool:
        return protocol.carries_default(column, source.settings)

    if wire.complete is not None:
        return Folding(events, events, wire.complete, carries)
    visible_of = visible_events(protocol, source.settings, case.dialect)
    visible = tuple(visible_of(surviving_events(events, delivery, wire)))
    emitted = tuple(visible_of(events)) if delivery.compacted else visible
    return Folding(visible, emitted, None, carries)


def by_point(case: Case) -> tuple[str, ...]:
    """Return the clauses that the scenario cites; those that speak of the protocol come first.

    Before them stand those by which a service may be away in this delivery.
    """
    steps = case.scenario.delivery.get(case.delivery or "", ())
    away = AWAY.intersection(step.allowed_by.get(case.protocol, "") for step in steps)

    def rank(identifier: str) -> int:
        clause = CLAUSES.get(identifier)
        foreign = clause is None or not governs(clause, case.protocol)
        return 0 if identifier in away else 1 + foreign

    return tuple(sorted(case.scenario.clauses, key=rank))


def _remembered(case: Case, log: ChangeLog, known: dict[Hashable, Emission]) -> Emission:
    name = (case.protocol, case.dialect, case.profile, case.partitions, id(case.changefeed))
    if name not in known:
        known[name] = _emission(case, log)
    return known[name]


def _expected_stop(case: Case) -> str:
    """Return the error that the author expects to stop the changefeed, "" for none.

    Under a changefeed file that the author did not know, any stop is as good as expected.
    """
    if case.changefeed is not None:
        return case.changefeed.file
    return split_stop(case.scenario.expect.events.get(case.protocol, ()))[1]


def stage_of(case: Case) -> SourceConfig:
    """Return what the case says of its upstream beside the change log."""
    scenario = case.scenario
    return SourceConfig(
        settings=case.settings,
        databases=scenario.databases,
        partitions=case.partitions,
        end_resolved=scenario.end_resolved,
        shards=scenario.keyspace.shards,
        vindexes=scenario.keyspace.vindexes,
        copied_after=scenario.keyspace.copied_after,
        broken_off=scenario.keyspace.broken_off,
        resharded=scenario.keyspace.resharded,
        failovers=scenario.keyspace.failovers,
        lasting=scenario.keyspace.lasting,
        dialect=case.dialect,
    )


def names_schemas(case: Case) -> bool:
    """Return whether the case's records name schemas of a registry."""
    return PROTOCOLS[case.protocol].codec.needs_registry(case.settings)


def _problem(where: Location, what: str, error: HarnessError) -> ScenarioError:
    return ScenarioError((Problem(where, what, error.expected, error.hint),))
