"""A consumer that reads while the SQL runs: its job is written before, from what is predicted.

A job names the offsets at which its topics end. Of a connector that nothing befalls they are known
before it sends anything, for its records are predicted. Under a fault nobody knows how much is sent
again: the job's ends lie further, and once the connector has sent all, the run writes messages
without key and value up to there, which the contract has every consumer pass over. Whether a job
was right is seen when its topics are read: where it was not, the answer is forgotten, and the
consumer asked again.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Final

from confluent_kafka import TopicPartition

from harness.engine.run import jobs
from harness.engine.run.context import RunContext
from harness.errors import SetupError
from harness.model.change import ChangeLog
from harness.model.level import Level
from harness.model.observed import Observed
from harness.model.settings import Settings
from harness.oracles.live.producer import LIVE_FAULTS, Producer
from harness.oracles.live.scenes import AT_ONCE, Play, Reading, Scene, parts
from harness.oracles.live.verdicts import case_of, cut
from harness.oracles.mariadb.configuration import PREFIX
from harness.oracles.mariadb.predictions import predicted
from harness.protocols.protocol import ProtocolSpec
from harness.runner.contract.job import ChangefeedJob
from harness.runner.contract.job_file import KafkaJob, Role, TopicJob
from harness.runner.manifest import Consumer
from harness.runner.run import RunPlan
from harness.runner.run import run as run_consumer
from harness.scenario.document import Scenario
from harness.scenario.expand import Case
from harness.services import Services, counted
from harness.services import Settings as ServiceSettings

ASKED_S: Final = 90.0  # a consumer that has asked for nothing by then is not waited for
READ_S: Final = 30.0  # one that was handed nothing of the first half of the SQL is asked later
SQL_S: Final = 240.0  # what the SQL and what befalls the producer add to a deadline
POLL_S: Final = 0.1
TRANSACTIONS: Final = ".transaction"
METADATA: Final = "provide.transaction.metadata"
# What comes again beside a scenario's own records: those of the markers.
MORE: Final = 16

# How many records a connector sends of a play, by what follows its prefix in a topic's name.
Counts = Mapping[str, int]
Ends = Mapping[TopicPartition, int]


def only_after(consumer: Consumer, settings: ServiceSettings) -> str:
    """Return why a consumer is asked when all SQL has run, "" for one that reads meanwhile."""
    if consumer.levels is not None and Level.STREAM not in consumer.levels:
        return f"{consumer.name} does not claim level stream"
    if consumer.result.in_database:
        return "its tables are in the database that the connector follows"
    if not settings.flag("kafka.count-fetches"):
        return "without kafka.count-fetches nobody sees when it has begun to read"
    return ""


@dataclass(frozen=True, slots=True)
class Meanwhile:
    """Lets the consumer of a run read while plays are performed; `answers` has what it answered."""

    context: RunContext
    services: Services
    protocol: ProtocolSpec
    log_of: Callable[[Scenario], ChangeLog]
    answers: dict[str, Observed] = field(default_factory=dict[str, Observed])

    @property
    def at_once(self) -> int:
        """Return how large groups are: of a consumer of single changefeeds each play is one."""
        return 1 if self.context.consumer.max_changefeeds == 1 else AT_ONCE

    @contextmanager
    def reading(self, producer: Producer, group: Sequence[Play]) -> Generator[Reading]:
        """Start the consumer on what a group's first play is to send, and stop it at the end."""
        stand = producer.stand
        there = stand.topics.ends(stand.connectors[play.name] for play in group)
        feeds = [*self.promised(group, stand.connectors, there)]
        if not feeds:
            yield Reading()
            return
        ends = {
            TopicPartition(topic.name, 0): topic.end_offsets[0]
            for feed in feeds
            for topic in feed.topics
        }
        producer.stand.topics.make(place.topic for place in ends)
        halted = threading.Event()

        def ask() -> None:
            if halted.is_set():
                raise SetupError("the run was given up")  # nobody hears it
            self.services.check()

        with (
            counted(self.services.kafka) as (front, fetches),
            ThreadPoolExecutor(1, thread_name_prefix="meanwhile") as pool,
        ):
            plan = self._plan(feeds, jobs.kafka_job(front, f"harness-live-{feeds[0].dir}"))
            running = pool.submit(
                run_consumer,
                self.context.consumer,
                plan,
                environment=self.context.environment,
                should_abort=ask,
            )
            try:
                _wait(fetches.begun, running, ASKED_S)
                fault = group[0].fault
                fill = (lambda: producer.stand.topics.fill(ends)) if fault else (lambda: None)
                yield Begun(tuple(feeds), fill, running, self.answers, halted, fetches.handed)
            finally:
                halted.set()

    def _plan(self, feeds: Sequence[ChangefeedJob], kafka: KafkaJob) -> RunPlan:
        context = self.context
        return RunPlan(
            tuple(feeds),
            kafka,
            context.directory / f"meanwhile-{feeds[0].dir}",
            context.limits.deadline_s + SQL_S,
            parallelism=context.starts_at_once,
        )

    def promised(
        self, group: Sequence[Play], connectors: Mapping[str, str], there: Mapping[str, Ends]
    ) -> Generator[ChangefeedJob]:
        """Yield the changefeed of a group's first play, if its records are predicted.

        The others begin at offsets that no topic has yet: clients take those for an error.
        `connectors` has the name of each play's connector, `there` how far its topics are filled.
        """
        (number,), play = jobs.opaque(1), group[0]
        prefix, case = connectors[play.name], case_of(play, self.protocol)
        begin = {one.topic: end for one, end in there[prefix].items()}
        sent = self._counted(play, {**case.settings, PREFIX: prefix})
        if sent is not None:
            yield ChangefeedJob(
                id=case.id,
                alias=f"c{number:06d}",
                dir=f"{number:06d}",
                protocol=case.protocol,
                dialect=case.dialect,
                complete=None,
                settings={**case.settings, PREFIX: prefix},
                topics=tuple(_topics(prefix, begin, _ends(play, sent + _made(play, case)))),
            )

    def _counted(self, play: Play, settings: Settings) -> Counter[str] | None:
        """Return what the connector of a play sends of it; None where nobody knows it."""
        fault = LIVE_FAULTS.get(play.fault)
        log = self.log_of(play.scenario)
        if fault is not None and fault.loses:
            log = cut(log, parts(play)[0])
        ours = predicted(case_of(play, self.protocol), settings, self.protocol, log)
        if ours.unplanned or ours.stopped:
            return None
        prefix = str(settings[PREFIX])
        return Counter(one.topic.removeprefix(prefix) for one in ours.messages)


def _made(play: Play, case: Case) -> Counter[str]:
    """Return what is sent of a play's databases: of each a transaction that does not end, too."""
    made = len(play.scenario.databases)
    return Counter({"": made, TRANSACTIONS: made if case.settings.get(METADATA) else 0})


def _ends(play: Play, sent: Counts) -> Counts:
    """Return how far behind its begin each topic of a play is said to end."""
    if not play.fault:
        return sent
    return {topic: 2 * number + MORE for topic, number in sent.items()}


def _topics(prefix: str, begin: Mapping[str, int], sent: Counts) -> Generator[TopicJob]:
    for rest, number in sorted(sent.items()):
        name, role = prefix + rest, Role.TRANSACTION if rest == TRANSACTIONS else Role.DATA
        first = begin.get(name, 0)
        if number:
            yield TopicJob(name, name, (first,), (first + number,), role)


def _wait(for_it: threading.Event, running: Future[dict[str, Observed]], seconds: float) -> None:
    """Return when it is so, or seconds are over; what forbids the consumer to run is raised.

    It has begun when it asks for messages or offsets: Spark fetches nothing from an empty topic,
    and asks again and again where it ends.
    """
    deadline = time.monotonic() + seconds
    while not (for_it.wait(POLL_S) or running.done() or time.monotonic() > deadline):
        pass
    if running.done():
        running.result()


@dataclass(frozen=True, slots=True)
class Begun(Reading):
    """A consumer that has begun to read these changefeeds."""

    feeds: tuple[ChangefeedJob, ...]
    fill: Callable[[], None]
    running: Future[dict[str, Observed]]
    answers: dict[str, Observed]
    halted: threading.Event
    handed: threading.Event

    def halfway(self) -> None:
        """Wait until the consumer was handed some of what is sent already; else give it up."""
        _wait(self.handed, self.running, READ_S)
        if not (self.handed.is_set() or self.running.done()):
            self.halted.set()

    def performed(self) -> None:
        """Fill the topics up to the ends that the job names."""
        self.fill()

    def laid(self, scenes: Sequence[Scene]) -> None:
        """Keep the answers, if the topics are what the job said."""
        found = {scene.performed.prefix: _spans(scene.topics) for scene in scenes}
        if not self.halted.is_set() and all(
            _kept(_spans(one.topics), found[str(one.settings[PREFIX])]) for one in self.feeds
        ):
            self.answers.update(self.running.result())
            return
        self.halted.set()
        with suppress(SetupError):
            self.running.result()


def _spans(topics: Sequence[TopicJob]) -> Mapping[str, tuple[int, int]]:
    return {one.name: (one.start_offsets[0], one.end_offsets[0]) for one in topics}


def _kept(said: Mapping[str, tuple[int, int]], found: Mapping[str, tuple[int, int]]) -> bool:
    """Return whether topics end where the job says; they may begin later."""
    ends = {name: end for name, (_, end) in said.items()}
    return ends == {name: end for name, (_, end) in found.items() if end}
