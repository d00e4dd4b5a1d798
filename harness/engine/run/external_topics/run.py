"""A run at level live: SELECT, read the topics' ends, consume, SELECT again, judge.

The upstream is only read, the topics are only read, and nothing is started but the consumer, and
the database of one that writes into a database.
"""

from __future__ import annotations

import shlex
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from harness.engine.events import CaseFinished, Listener, RunStarted
from harness.engine.run import jobs
from harness.engine.run.declared import NOTHING_DECLARED, Declared
from harness.engine.run.event_bus import EventBus
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
from harness.engine.run.headline import RunResult, concluded
from harness.engine.sink.sink import Sink, sink_of
from harness.errors import ExitCode, UsageError
from harness.model.evidence import Evidence
from harness.model.finding import Verdict
from harness.model.level import Level
from harness.model.observed import Observed
from harness.model.table import TableId
from harness.runner.contract.job import ChangefeedJob, Complete
from harness.runner.manifest import Consumer
from harness.runner.run import RunPlan, regrouped
from harness.runner.run import run as run_consumer
from harness.runner.targets import BUNDLED, Whereabouts, parse
from harness.services import Services, Source


@dataclass(frozen=True, slots=True)
class LiveRequest:
    """What to run: a consumer over one live file; `options` are words that repeat the run.

    `declared` is what the consumer says of its failures.
    """

    live: LiveFile
    consumer: Consumer
    run: str
    run_dir: Path
    versions: Mapping[str, str]
    environment: Mapping[str, str]
    source: Source
    deadline_s: float = 300.0
    options: Sequence[str] = ()
    declared: Declared = NOTHING_DECLARED


class LiveRun:
    """One run in progress."""

    def __init__(self, request: LiveRequest, listeners: Sequence[Listener]) -> None:
        """Take the request and whoever listens."""
        self._request = request
        self._told = EventBus(listeners)

    def execute(self) -> RunResult:
        """Run, and return the outcome; raises HarnessError when the run cannot go on."""
        request, live = self._request, self._request.live
        _refuse(request)
        at = datetime.now(UTC).isoformat(timespec="seconds")
        name, level = request.consumer.name, Level.LIVE.value
        self._told.tell(
            RunStarted(request.run, name, len(live.tables), request.versions, at, level)
        )
        with self._services() as services:
            with self._told.phase("select", str(live.upstream)):
                before = snapshot(live)
            asked = self._asked(services)
            with (
                sink_of(services, request.consumer, request.run) as sink,
                self._told.phase("consume", name),
            ):
                observed = self._consumed(services, asked, before, sink)
            with self._told.phase("select again", str(live.upstream)):
                after = snapshot(live)
            verdicts = self._judged(services, asked, before, changed(before, after), observed)
        finished = concluded(verdicts, self._told.seconds, level)
        self._told.tell(finished)
        return RunResult(tuple(verdicts), ExitCode(finished.exit_code))

    def _asked(self, services: Services) -> RunPlan:
        request, live = self._request, self._request.live
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
        group = f"harness-live-{request.run}"
        return RunPlan(
            (feed,),
            jobs.kafka_job(services.kafka, group),
            request.run_dir / "consumer",
            request.deadline_s,
            registry=registry,
        )

    def _consumed(
        self, services: Services, asked: RunPlan, truth: Snapshot, sink: Sink | None
    ) -> Observed:
        """Return the consumer's answer, out of the sink's databases where it writes into one."""
        consumer = self._request.consumer
        if sink is None:
            return self._answer(services, consumer, asked)
        (feed,) = asked.changefeeds
        databases = sink.databases(shapes_for(self._request.live, truth, feed.id), 0)
        feed = replace(feed, databases=databases)
        asked = replace(asked, changefeeds=(feed,), sink=sink.job)
        return sink.answer(feed, self._answer(services, consumer, asked))

    def _answer(self, services: Services, consumer: Consumer, asked: RunPlan) -> Observed:
        environment = self._request.environment
        (observed,) = run_consumer(
            consumer, asked, environment=environment, should_abort=services.check
        ).values()
        return observed

    def _judged(
        self,
        services: Services,
        asked: RunPlan,
        truth: Snapshot,
        moved: frozenset[TableId],
        observed: Observed,
    ) -> list[Verdict]:
        live, declared = self._request.live, self._request.declared
        found = {name: verdict(live, truth, name, observed) for name in live.tables}
        disputed = any(one.judgement in DISPUTED for one, _ in found.values())
        control: Observed | None = None
        if disputed and self._request.consumer.argv != BUNDLED[CONTROL].argv:
            control = self._control(services, asked)
        verdicts: list[Verdict] = []
        for name, (one, shown) in found.items():
            settled = undisputed(live, truth, name, one, control, moved=name in moved)
            settled = declared_or_not(live, truth, name, settled, declared)
            self._finished(name, settled, observed.log, shown)
            verdicts.append(settled)
        return verdicts

    def _control(self, services: Services, asked: RunPlan) -> Observed:
        """Let the reference consumer read the same offsets."""
        consumer = parse(CONTROL, Whereabouts.here())
        again = replace(
            asked,
            kafka=regrouped(asked.kafka, CONTROL),
            run_dir=self._request.run_dir / CONTROL,
        )
        with self._told.phase("control", CONTROL):
            return self._answer(services, consumer, again)

    def _finished(self, name: TableId, found: Verdict, log: str, shown: Evidence | None) -> None:
        request, live = self._request, self._request.live
        words = ["harness", "certify", request.consumer.target or request.consumer.name]
        repeat = shlex.join([*words, "--live", live.shown, *request.options])
        case = case_id(live, name)
        self._told.tell(
            CaseFinished(case, live.protocol, live.shown, TITLE, found, repeat, log, (), shown)
        )

    @contextmanager
    def _services(self) -> Generator[Services]:
        """Reach the broker, and the registry where messages name schemas; start a sink's server."""
        request = self._request
        wanted = ["kafka", *(["registry"] if request.live.names_schemas else [])]
        wanted += ["mariadb"] if request.consumer.result.in_database else []
        source = replace(request.source, warm={})  # at this level nothing of ours is used
        run_dir = request.run_dir / "services"
        with self._told.services(wanted, source, run_dir, request.environment) as services:
            yield services


def _refuse(request: LiveRequest) -> None:
    """Raise UsageError for what cannot be certified on these topics."""
    live, consumer = request.live, request.consumer
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
        if request.source.settings.backend(service) != "external":
            raise UsageError(
                f"{live.shown} does not say where {service} is",
                expected=f"the topics' own {service}: at level live none is started",
                hint=f"write `{setting.split('.')[0]}` into the file, or set {setting}",
            )
