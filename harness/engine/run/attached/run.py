"""Fills the topics of a running system and waits for its tables, all cases side by side.

To what is the user's only messages are written; topics that were made here are taken away again. A
topic that holds messages, or a table that holds rows, before anything was sent is refused: what is
found there later could be of another run. A case whose messages the broker deleted is inconclusive:
whether they were read in time is not known.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from confluent_kafka import Consumer as Client
from confluent_kafka import KafkaException, TopicPartition

from harness.engine.deliver.large_messages import laid_out
from harness.engine.deliver.own_topics import OwnTopics
from harness.engine.deliver.produce import FilledTopic, fill, filled_topics, wanted_topics
from harness.engine.deliver.topics import WARNINGS
from harness.engine.plan.case import Plan
from harness.engine.run.attached.views import View, view
from harness.engine.run.attached.watch import Watch, rows_of
from harness.engine.run.context import RunContext
from harness.engine.run.judging import CaseAnswer, judged
from harness.engine.run.services import registry_for
from harness.engine.run.watch import kept
from harness.errors import SetupError, UsageError, plural
from harness.faults.actions import Aborted, Committed
from harness.model.observed import Observed, Outcome
from harness.model.record import Record
from harness.runner.attach import Attach, filled, word
from harness.runner.manifest import Consumer
from harness.services import HttpRegistry, Services, Source, retried

POLL_S = 0.5
ASK_TIMEOUT_S = 10.0
PLAIN = (Record, Committed, Aborted)  # what may be sent while somebody reads, and means the same
TOPIC = "{topic}"
Named = tuple[Plan, str]


@dataclass(frozen=True, slots=True)
class AttachedRun:
    """A run over one running system."""

    context: RunContext
    services: Services
    attach: Attach

    def run(self, planned: Sequence[Plan]) -> dict[str, CaseAnswer]:
        """Return the system's answers by case; raises UsageError and SetupError."""
        unfit = {plan.case.id: words for plan in planned if (words := self._lacking(plan))}
        answers = {
            case: CaseAnswer(Observed(Outcome.NOT_APPLICABLE, f"needs {words}"))
            for case, words in unfit.items()
        }
        named = [(plan, self._prefix(plan)) for plan in planned if plan.case.id not in unfit]
        if not named:
            return answers
        _refuse_shared(self.attach, [plan for plan, _ in named])
        options = self.context.topics
        own = OwnTopics(self.services.kafka, options.replication, forever=options.forever)
        with view(self.attach, self.context.identity.name) as looking:
            watches = [self._watch(looking, plan) for plan, _ in named]
            try:
                self._fill(own, named)
                with (
                    self.context.bus.phase("watch", self.context.consumer.name),
                    self._groups(named) as groups,
                ):
                    self._wait(looking, watches, groups)
                seen = {one.plan.case.id: one.answer for one in watches if one.answer}
                found = kept(self.services.kafka, named, seen)
            finally:
                if not options.keep:
                    own.withdraw()
        return answers | {case: CaseAnswer(answer) for case, answer in found.items()}

    def _prefix(self, plan: Plan) -> str:
        pattern = self.attach.topics.removesuffix(TOPIC)
        return filled(pattern, case=word(plan.case.id), run=self.context.identity.name)

    def _lacking(self, plan: Plan) -> str:
        """Say what a system lacks that nobody starts; "" when it lacks nothing."""
        if plan.judged.hostile is not None:
            return "an answer that names messages, which a running system does not give"
        if not all(isinstance(step, PLAIN) for step in plan.delivery.steps):
            return "a consumer that the harness starts"
        if laid_out(plan, self.context.directory / "large" / word(plan.case.id)) is not None:
            return "what lies outside of messages (large-message-handle)"
        return ""

    def _watch(self, looking: View, plan: Plan) -> Watch:
        first = looking.look(plan)
        if rows_of(first):
            rows = plural(rows_of(first), "row")
            raise UsageError(
                f"the result of {plan.case.id} has {rows} before anything was sent",
                expected="tables without rows, or none yet",
                hint="empty them, or let the pattern of the result hold `{run}`",
            )
        judge = partial(judged, consumer=self.context.consumer)
        return Watch(plan, first, self.attach.settle_s, judge)

    def _fill(self, own: OwnTopics, named: Sequence[Named]) -> None:
        kafka = self.services.kafka
        registry = registry_for(self.services, [plan.case for plan, _ in named])
        records = sum(len(plan.delivered) for plan, _ in named)
        with self.context.bus.phase("produce", f"{plural(records, 'record')}"):
            wanted = dict(wanted_topics(named))
            own.prepare(wanted, create=True)
            there = {name: count for name, count in wanted.items() if name not in own.made}
            _refuse_filled(kafka.client, there)
            fill(kafka.client, named, None if registry is None else HttpRegistry(registry))

    @contextmanager
    def _groups(self, named: Sequence[Named]) -> Generator[Mapping[str, Group]]:
        client = self.services.kafka.client
        groups = {
            plan.case.id: Group(client, self._group(plan), filled_topics(plan, prefix))
            for plan, prefix in (named if self.attach.group else ())
        }
        try:
            yield groups
        finally:
            for group in groups.values():
                group.close()

    def _group(self, plan: Plan) -> str:
        return filled(self.attach.group, case=word(plan.case.id), run=self.context.identity.name)

    def _wait(self, looking: View, watches: Sequence[Watch], groups: Mapping[str, Group]) -> None:
        began = time.monotonic()
        while True:
            left = [one for one in watches if one.answer is None]
            for one in left:
                group = groups.get(one.plan.case.id)
                has_read = group is not None and group.has_read()
                observed = looking.look(one.plan)
                one.look(observed, time.monotonic() - began, has_read=has_read)
            self.services.check()
            late = time.monotonic() - began > self.context.limits.deadline_s
            left = [one for one in left if one.answer is None]
            if late or not left:
                break
            time.sleep(POLL_S)
        for one in left:
            one.give_up(time.monotonic() - began)


class Group:
    """A consumer group, asked from outside whether it has committed the end of every partition."""

    def __init__(
        self, client: Mapping[str, str], group: str, topics: Sequence[FilledTopic]
    ) -> None:
        """Take a client's properties, the group, and the topics as they are filled."""
        self._ends = {
            (topic.name, number): end
            for topic in topics
            for number, end in enumerate(topic.end_offsets)
            if end
        }
        conf: dict[str, Any] = {**client, "group.id": group, "log_level": WARNINGS}
        self._asker: Any = Client(conf)

    def has_read(self) -> bool:
        """Return whether every end is committed."""
        places = [TopicPartition(*place) for place in self._ends]
        try:
            found = self._asker.committed(places, ASK_TIMEOUT_S)
        except KafkaException:  # no coordinator yet
            return False
        return all(at.offset >= self._ends[at.topic, at.partition] for at in found)

    def close(self) -> None:
        """Ask no more."""
        self._asker.close()


def _refuse_shared(attach: Attach, plans: Sequence[Plan]) -> None:
    """Refuse patterns under which two cases would have one name."""
    if len(plans) == 1:
        return
    patterns = {"topics": attach.topics, "result": attach.result}
    for key, pattern in patterns.items():
        if "{case}" not in pattern:
            raise UsageError(
                f"`attach.{key}` has no {{case}}, and {len(plans)} cases are to be certified",
                expected="a pattern with {case}, or one case",
                hint=f"-k '{plans[0].case.id}' certifies one",
            )


def _refuse_filled(client: Mapping[str, str], wanted: Mapping[str, int]) -> None:
    """Refuse topics that hold messages already."""
    for name, offset in _ends(client, wanted):
        if offset:
            raise UsageError(
                f"the topic {name} holds messages before anything was sent",
                expected="an empty topic, or none yet",
                hint="delete it, or let `attach.topics` hold `{run}`",
            )


def _ends(client: Mapping[str, str], wanted: Mapping[str, int]) -> Iterator[tuple[str, int]]:
    conf: dict[str, Any] = {**client, "group.id": "harness-look", "log_level": WARNINGS}
    asker: Any = Client(conf)
    try:
        for name, count in wanted.items():
            for number in range(count):
                place = TopicPartition(name, number)
                ask = partial(asker.get_watermark_offsets, place, ASK_TIMEOUT_S)
                _, high = retried(ask, ASK_TIMEOUT_S)
                yield name, high
    except KafkaException as error:
        raise SetupError(
            f"Kafka did not report what its topics hold: {error.args[0].str()}",
            hint="give this user DESCRIBE and READ on the topics",
        ) from error
    finally:
        asker.close()


def refuse_unreachable(consumer: Consumer, source: Source, wanted: Sequence[str]) -> None:
    """Refuse services that are started for the run: a running system cannot know where they are."""
    if consumer.attach is None:
        return
    for name in wanted:
        if source.settings.backend(name) != "external" and name not in source.warm:
            raise UsageError(
                f"{consumer.name} runs already, and cannot know a {name} that this run starts",
                expected=f"the {name} that it reads from",
                hint="--kafka host:port and --registry URL name yours; `harness services up` keeps"
                " a set whose addresses stay",
            )


def refuse_unstarted(consumer: Consumer) -> None:
    """Refuse to ask a running system what only a command can be asked."""
    if consumer.attach is not None:
        raise UsageError(
            f"{consumer.name} runs already, and level decode has to start a consumer",
            expected="level materialise",
        )
