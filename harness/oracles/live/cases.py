"""Scenarios as the cases of level live, with a producer that the run starts itself."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from harness.engine.run import jobs
from harness.engine.run.context import RunContext
from harness.engine.run.declared import Subject, settled
from harness.engine.run.preflight import service_changed
from harness.engine.run.services import started_alone
from harness.engine.sink.sink import sink_of
from harness.errors import plural
from harness.model.change import ChangeLog
from harness.model.events import CaseFinished, PhaseFinished, PhaseStarted, ServiceChanged
from harness.model.level import Level
from harness.model.observed import Observed
from harness.model.standing import Standing
from harness.oracles.live.meanwhile import Meanwhile, only_after
from harness.oracles.live.producer import LIVE_FAULTS, producing
from harness.oracles.live.scenes import Play, Scene, copied_twice, scenes
from harness.oracles.live.verdicts import Account, account, case_of, unasked, verdict
from harness.oracles.mariadb.configuration import ADDED, MARIADB, PROFILES, of_connector
from harness.oracles.mariadb.oracle import CLOCK_MARGIN_NS
from harness.oracles.mariadb.statements import cannot
from harness.protocols.protocol import ProtocolSpec
from harness.record.server import Upstream
from harness.record.session import sql_steps
from harness.runner.contract.job import NOTHING, ChangefeedJob
from harness.runner.run import RunPlan
from harness.runner.run import run as run_consumer
from harness.scenario.document import Scenario, TransactionStep
from harness.scenario.expand import words_of
from harness.services import ServiceEvent, Services

SERVICES: Final = ("kafka", "mariadb")
# Unlike an oracle's, a live connector finds a server again that was away, and at once.
PATIENT: Final[Mapping[str, str]] = {
    "connect.keep.alive.interval.ms": "1000",
    "retriable.restart.connector.wait.ms": "500",
}
# What a scenario's settings may begin with: nothing that renames topics, hides the marker or needs
# a registry.
SETTINGS: Final = (
    *(name for profile in PROFILES.values() for name in profile),
    "value.converter.replace.null.with.default",
    "field.name.adjustment.mode",
    "schema.name.adjustment.mode",
    "column.exclude.list",
    "column.mask.",
    "column.truncate.",
    "skip.messages.without.change",
)
NO_JSON: Final = "which transaction a record is of is read in JSON alone"
NO_MARKERS: Final = "it may hide the markers that show where a scenario's records end"


@dataclass(frozen=True, slots=True)
class LiveCases:
    """Scenarios' SQL under a producer of the run's own, each undisturbed or under each fault.

    `counts` are filled by the run: what became of the records, and of whose word the truth was.
    """

    producer: str
    protocol: ProtocolSpec
    plays: Sequence[Play]
    log_of: Callable[[Scenario], ChangeLog]
    counts: dict[str, Any] = field(default_factory=dict[str, Any])

    @property
    def ids(self) -> Sequence[str]:
        """Return the ids of the cases."""
        return [case_of(play, self.protocol).id for play in self.plays]

    @property
    def level(self) -> str:
        """Return what reports call the level."""
        return Level.LIVE.value

    def finished(self, context: RunContext) -> Iterator[CaseFinished]:
        """Run the SQL while connectors follow and the consumer reads, ask it for the rest, judge.

        A consumer that cannot read meanwhile is asked when all SQL has run.
        """
        with started_alone(context, SERVICES, "services") as services, services.blamed():
            began = time.time_ns() - CLOCK_MARGIN_NS
            meanwhile = Meanwhile(context, services, self.protocol, self.log_of)
            why = only_after(context.consumer, context.source.settings)
            with context.bus.phase("follow", plural(len(self.plays), "scenario")):
                found = list(self._scenes(context, services, None if why else meanwhile))
            clock = began, time.time_ns() + CLOCK_MARGIN_NS
            known = [self._known(scene, clock) for scene in found]
            asked = [one for one in known if unasked(one) is None]
            answers = dict(meanwhile.answers)
            left = [one for one in asked if one.case.id not in answers]
            self.counts.update(asked=len(asked), meanwhile=len(asked) - len(left), after=why)
            self._say(context, known)
            answers |= _asked(context, services, left)
        for one in known:
            yield self._judged(context, one, answers.get(one.case.id))

    def _scenes(
        self, context: RunContext, services: Services, meanwhile: Meanwhile | None
    ) -> Iterator[Scene]:
        own = {play.name: case_of(play, self.protocol).settings for play in self.plays}

        def heard(event: ServiceEvent) -> None:
            context.bus.publish(service_changed(event))

        def configure(play: str, name: str, server: Upstream, directory: Path) -> dict[str, str]:
            return {
                **ADDED,
                **PATIENT,
                **{key: _text(value) for key, value in own[play].items()},
                **of_connector(MARIADB, name, server, directory),
            }

        directory = context.identity.directory / "producer"
        environment = context.environment
        with producing(services, directory, environment, heard, (MARIADB, configure)) as producer:
            if meanwhile is None:
                yield from scenes(producer, self.plays)
            else:
                yield from scenes(producer, self.plays, meanwhile.reading, meanwhile.at_once)

    def _known(self, scene: Scene, clock: tuple[int, int]) -> Account:
        return account(scene, self.log_of(scene.performed.play.scenario), self.protocol, clock)

    def _say(self, context: RunContext, known: Sequence[Account]) -> None:
        """Publish what the producer came to: failures, and its records beside ours."""
        for one in known:
            done = one.scene.performed
            if done.failed:
                ends = f"the topics of {one.case.id} end where the connector fails: {done.failed}"
                context.bus.publish(ServiceChanged("connector", "lost", ends))
        compared = [one for one in known if not one.lacking]
        found = {
            "predicted": sum(not one.differences for one in compared),
            "compared": len(compared),
            "repeats": sum(one.repeats for one in compared),
            "by-select": sum(one.by_select for one in compared),
            "differences": {one.case.id: one.differences for one in compared if one.differences},
            "by-topics": [one.case.id for one in compared if not one.by_select],
        }
        self.counts.update(found)
        for line in predicted_lines(self.counts):
            context.bus.publish(PhaseStarted("records", line))
            context.bus.publish(PhaseFinished("records", 0.0))

    def _judged(
        self, context: RunContext, known: Account, observed: Observed | None
    ) -> CaseFinished:
        scenario, found, shown = known.case.scenario, unasked(known), None
        if found is None and observed is not None:
            found, shown = verdict(known, observed, context.consumer)
            tables = known.folding.expected(context.consumer.design).tables
            subject = Subject(known.judged, tables, words_of(known.case))
            found = settled(subject, found, context.declared)
        assert found is not None
        fault = known.scene.performed.play.fault
        words = ["--live", self.producer, *(["--live-fault", fault] if fault else []), scenario.id]
        return CaseFinished(
            known.case.id,
            known.case.protocol,
            scenario.file,
            scenario.title,
            found,
            context.repeat(words),
            "" if observed is None else observed.log,
            clauses=scenario.clauses,
            evidence=shown,
            standing=Standing.PROGRAM,  # a real producer wrote the topics
        )


def _asked(
    context: RunContext, services: Services, known: Sequence[Account]
) -> Mapping[str, Observed]:
    """Let the consumer read the topics; return its answers by case."""
    consumer = context.consumer
    if not known:
        return {}
    numbers = jobs.opaque(len(known))
    with (
        sink_of(services, consumer, context.identity.name) as sink,
        context.bus.phase("consume", consumer.name),
    ):
        feeds: list[ChangefeedJob] = []
        for index, (number, one) in enumerate(zip(numbers, known, strict=True)):
            databases: Mapping[str, str] = NOTHING
            if sink is not None:
                databases = sink.databases(one.shapes(consumer), index)
            feeds.append(_feed(number, one, databases))
        plan = RunPlan(
            tuple(feeds),
            jobs.kafka_job(services.kafka, f"harness-live-{context.identity.name}"),
            context.directory,
            context.limits.deadline_s,
            parallelism=context.starts_at_once,
            sink=None if sink is None else sink.job,
        )
        environment, check = context.environment, services.check
        observed = run_consumer(consumer, plan, environment=environment, should_abort=check)
        return observed if sink is None else sink.answers(feeds, observed)


def _feed(number: int, one: Account, databases: Mapping[str, str]) -> ChangefeedJob:
    return ChangefeedJob(
        id=one.case.id,
        alias=f"c{number:06d}",
        dir=f"{number:06d}",
        protocol=one.case.protocol,
        dialect=one.case.dialect,
        complete=None,
        settings=dict(one.settings),
        topics=one.scene.topics,
        databases=databases,
    )


def predicted_lines(counts: Mapping[str, Any]) -> Iterator[str]:
    """Yield what became of the records, for a person."""
    for case, differences in counts["differences"].items():
        yield f"{case} differs from what was predicted: {differences[0]}"
    again = f", {plural(counts['repeats'], 'record')} sent again" if counts["repeats"] else ""
    yield f"as predicted {counts['predicted']} / compared {counts['compared']}{again}"
    why = f": {counts['after']}" if counts["after"] else ""
    yield f"read while the SQL ran {counts['meanwhile']} / asked {counts['asked']}{why}"
    if counts["by-topics"]:
        named = ", ".join(counts["by-topics"])
        yield f"judged by what topics tell, which is not what the SELECT says: {named}"


def unplayable(scenario: Scenario, protocol: ProtocolSpec, faults: Sequence[str] = ()) -> str:
    """Return why a scenario is no case of a live run, "" if it is one under each fault."""
    given = scenario.settings.get(protocol.name, {})
    strange = sorted(name for name in given if not name.startswith(SETTINGS))
    if scenario.keyspace.copied_after is not None:
        return "a live connector starts where the run says, which is no part of the scenario"
    if any(LIVE_FAULTS[fault].copies for fault in faults) and not any(
        isinstance(step, TransactionStep) for step in sql_steps(scenario)
    ):
        return "it has no transaction, so that a connector finds nothing to copy"
    if not strange:
        return cannot(scenario)
    why = NO_JSON if any(".converter" in name for name in strange) else NO_MARKERS
    return cannot(scenario) or f"a live run cannot set {', '.join(strange)}: {why}"


def plays_of(scenarios: Sequence[Scenario], faults: Sequence[str]) -> Sequence[Play]:
    """Return each scenario under each fault, undisturbed where there are none."""
    pairs = [(one, fault) for fault in (faults or ("",)) for one in scenarios]
    return [Play(n, _under(one, fault), fault) for n, (one, fault) in enumerate(pairs)]


def _under(scenario: Scenario, fault: str) -> Scenario:
    copies = fault in LIVE_FAULTS and LIVE_FAULTS[fault].copies
    return copied_twice(scenario) if copies else scenario


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
