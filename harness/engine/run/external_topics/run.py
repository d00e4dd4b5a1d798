"""A run at level live: SELECT, read the topics' ends, consume, SELECT again, judge.

The upstream is only read, the topics are only read, and nothing is started but the consumer, and
the database of one that writes into a database.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from harness.engine.run import jobs
from harness.engine.run.context import RunContext
from harness.engine.run.external_topics.document import LiveFile
from harness.engine.run.external_topics.judged import (
    CONTROL,
    DISPUTED,
    TITLE,
    case_id,
    declared_or_not,
    shapes_for,
    undisputed,
    verdict,
)
from harness.engine.run.external_topics.source import Snapshot, changed, snapshot
from harness.engine.run.external_topics.topics import ends_now
from harness.engine.run.services import started_alone
from harness.engine.sink.sink import Sink, sink_of
from harness.errors import UsageError
from harness.model.events import CaseFinished
from harness.model.level import Level
from harness.model.observed import Observed
from harness.model.standing import Standing
from harness.model.table import TableId
from harness.runner.commands import Whereabouts
from harness.runner.contract.job import ChangefeedJob
from harness.runner.contract.job_file import Complete
from harness.runner.manifest import Consumer
from harness.runner.run import RunPlan, regrouped
from harness.runner.run import run as run_consumer
from harness.runner.targets import BUNDLED, parse
from harness.services import Services, Settings


@dataclass(frozen=True, slots=True)
class ExternalTables:
    """The tables of one live file: each is a case."""

    live: LiveFile

    @property
    def ids(self) -> Sequence[str]:
        """Return the ids of the tables' cases."""
        return [case_id(self.live, name) for name in self.live.tables]

    @property
    def level(self) -> str:
        """Return what reports call the level."""
        return Level.LIVE.value

    def finished(self, context: RunContext) -> Iterator[CaseFinished]:
        """Let the consumer read the topics; yield each table as it is judged."""
        live, phase = self.live, context.bus.phase
        wanted = ["kafka", *(["registry"] if live.names_schemas else [])]
        wanted += ["mariadb"] if context.consumer.result.in_database else []
        with started_alone(context, wanted, "services") as services:
            with phase("select", str(live.upstream)):
                before = snapshot(live)
            reading = _Reading(context, services, _asked(live, context, services))
            with (
                sink_of(services, context.consumer, context.identity.name) as sink,
                phase("consume", context.consumer.name),
            ):
                observed = reading.consumed(live, before, sink)
            with phase("select again", str(live.upstream)):
                moved = changed(before, snapshot(live))
            yield from self._judged(reading, before, moved, observed)

    def _judged(
        self, reading: _Reading, truth: Snapshot, moved: frozenset[TableId], observed: Observed
    ) -> Iterator[CaseFinished]:
        live, context = self.live, reading.context
        found = {name: verdict(live, truth, name, observed) for name in live.tables}
        disputed = any(one.judgement in DISPUTED for one, _ in found.values())
        control: Observed | None = None
        if disputed and context.consumer.argv != BUNDLED[CONTROL].argv:
            control = reading.control()
        for name, (one, shown) in found.items():
            settled = undisputed(live, truth, name, one, control, moved=name in moved)
            settled = declared_or_not(live, truth, name, settled, context.declared)
            yield CaseFinished(
                case_id(live, name),
                live.protocol,
                live.shown,
                TITLE,
                settled,
                context.repeat(("--live", live.shown)),
                observed.log,
                evidence=shown,
                standing=Standing.PROGRAM,  # a real producer wrote the topics
            )


@dataclass(frozen=True, slots=True)
class _Reading:
    """What is asked of every consumer of the topics: the one to be judged, and the control."""

    context: RunContext
    services: Services
    asked: RunPlan

    def consumed(self, live: LiveFile, truth: Snapshot, sink: Sink | None) -> Observed:
        """Return the consumer's answer, out of the sink's databases where it writes into one."""
        consumer = self.context.consumer
        if sink is None:
            return self._answer(consumer, self.asked)
        (feed,) = self.asked.changefeeds
        databases = sink.databases(shapes_for(live, truth, feed.id), 0)
        feed = replace(feed, databases=databases)
        asked = replace(self.asked, changefeeds=(feed,), sink=sink.job)
        return sink.answer(feed, self._answer(consumer, asked))

    def control(self) -> Observed:
        """Let the reference consumer read the same offsets."""
        consumer = parse(CONTROL, Whereabouts.here())
        again = replace(
            self.asked,
            kafka=regrouped(self.asked.kafka, CONTROL),
            run_dir=self.context.identity.directory / CONTROL,
        )
        with self.context.bus.phase("control", CONTROL):
            return self._answer(consumer, again)

    def _answer(self, consumer: Consumer, asked: RunPlan) -> Observed:
        environment = self.context.environment
        (observed,) = run_consumer(
            consumer, asked, environment=environment, should_abort=self.services.check
        ).values()
        return observed


def _asked(live: LiveFile, context: RunContext, services: Services) -> RunPlan:
    complete = live.wire.complete
    feed = ChangefeedJob(
        id=f"live[{live.protocol}]",
        dir="0000",
        protocol=live.protocol,
        topics=ends_now(services.kafka.client, live),
        dialect=live.dialect,
        complete=None if complete is None else Complete(complete),
        settings=dict(live.settings),
    )
    registry = jobs.registry_job(services.registry) if live.names_schemas else None
    group = f"harness-live-{context.identity.name}"
    return RunPlan(
        (feed,),
        jobs.kafka_job(services.kafka, group),
        context.directory,
        context.limits.deadline_s,
        registry=registry,
    )


def refuse_external(live: LiveFile, consumer: Consumer, settings: Settings) -> None:
    """Raise UsageError for what cannot be certified on these topics."""
    if not consumer.supports(live.protocol):
        raise UsageError(
            f"nothing is applicable: {consumer.name} does not declare the protocol {live.protocol}",
            expected="topics of a protocol that the consumer declares",
        )
    if consumer.attach is not None:
        raise UsageError(
            f"{consumer.name} runs already, and nobody knows when it has read these topics to the"
            " ends that the SELECT belongs to",
            expected="a consumer that is started for the run, and ends at the offsets of its job",
            hint="certify it at level materialise, on topics that the harness fills",
        )
    services = {"kafka": "kafka.bootstrap.servers"}
    services |= {"registry": "registry.url"} if live.names_schemas else {}
    for service, setting in services.items():
        if settings.backend(service) != "external":
            raise UsageError(
                f"{live.shown} does not say where {service} is",
                expected=f"the topics' own {service}: at level live none is started",
                hint=f"write `{setting.split('.')[0]}` into the file, or set {setting}",
            )
