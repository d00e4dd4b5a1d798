"""Whether a case's topics were read: what a consumer's clients were handed out by the broker.

Only a broker of ours is watched: the consumer's way to it leads through a relay that counts. Of a
partition the last message with a row has to have been fetched (with a DDL statement too, where the
wire carries them for all), before an answer may count as one; markers at the end need not be.

A broker that is not ours is asked instead where its topics begin: what it deleted on its own,
nobody could read.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from confluent_kafka import KafkaException, TopicCollection, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.admin._listoffsets import OffsetSpec

from harness.engine.deliver.produce import topic_names
from harness.engine.deliver.topics import CRITICAL
from harness.engine.plan.case import Plan
from harness.engine.run.context import RunContext
from harness.errors import SetupError
from harness.model.finding import FINDINGS, Finding, FindingKind, Judgement, Verdict
from harness.model.observed import Observed, Outcome
from harness.model.resumption import Resumption
from harness.services import Fetches, Kafka, Services, counted, retried
from harness.verdict.case import Judged

TIMEOUT_S = 30.0
ROWS = frozenset({"insert", "update", "delete", "read"})
DDL = "ddl"
MASK = (1 << 64) - 1
ALL_SENT = "Kafka had sent it all messages by then: does it wait for one that never comes?"
KEEP = "records carry the scenario's time, so only a topic with `retention.ms=-1` keeps them"
Named = tuple[Plan, str]


@dataclass(frozen=True, slots=True)
class Watch:
    """A consumer's way to Kafka; `fetches` is None where nobody counts."""

    kafka: Kafka
    broker: Kafka
    fetches: Fetches | None = None

    def again(self) -> None:
        """Begin to count anew: the same topics are read once more."""
        if self.fetches is not None:
            self.fetches.forget()

    def restarting(self, named: Sequence[Named]) -> None:
        """Remember how far cases were read: a client that was killed is started again."""
        if self.fetches is not None:
            names = [name for one in named for name in topic_names(*one).values()]
            ids = _ids(self.broker, names)
            self.fetches.restarted({*names, *(one.bytes for one in ids.values())})

    def resumption(self, plan: Plan, prefix: str) -> Resumption:
        """Return what was read again after the last restart, while the topics are there."""
        if self.fetches is None:
            return Resumption.UNKNOWN
        names = topic_names(plan, prefix)
        ids = _ids(self.broker, list(names.values()))
        found = [
            (offset, min((entry.offset for entry in log.read), default=0))
            for (canonical, number), log in plan.delivery.logs.items()
            for name in [names[canonical]]
            if (offset := self.fetches.again_from(name, ids.get(name), number)) is not None
        ]
        again = [offset <= first for offset, first in found]
        if not again:
            return Resumption.UNKNOWN
        return Resumption.READ_AGAIN if all(again) else Resumption.RESUMED

    def unread(self, named: Sequence[Named], observed: Mapping[str, Observed]) -> dict[str, str]:
        """Return what was answered without being read, by case: a sentence, "" where all was.

        The topics are still there.
        """
        if self.fetches is None or not observed:
            return {}
        names = [name for plan, prefix in named for name in topic_names(plan, prefix).values()]
        ids = _ids(self.broker, names)
        return {
            plan.case.id: next(self._lacking(plan, prefix, observed[plan.case.id], ids), "")
            for plan, prefix in named
            if plan.case.id in observed
        }

    def kept(
        self, named: Sequence[Named], observed: Mapping[str, Observed]
    ) -> Mapping[str, Observed]:
        """Return the answers; where nobody counts, those that the broker spoilt are untried.

        One that did not come in time says whether the consumer still lacked a message.
        """
        if self.fetches is None:
            return kept(self.broker, named, observed)
        late = {case for case, one in observed.items() if one.outcome is Outcome.TIMEOUT}
        if not late:
            return observed
        asked = [one for one in named if one[0].case.id in late]
        lacking = self.unread(asked, dict.fromkeys(late, Observed(Outcome.DONE)))
        return {
            case: replace(one, detail=f"{one.detail}; {lacking[case] or ALL_SENT}")
            if case in late
            else one
            for case, one in observed.items()
        }

    def _lacking(
        self, plan: Plan, prefix: str, observed: Observed, ids: Mapping[str, UUID]
    ) -> Iterator[str]:
        assert self.fetches is not None
        names = topic_names(plan, prefix)
        for (canonical, number), needed in sorted(needed_of(plan, names, observed).items()):
            name = names[canonical]
            end = self.fetches.end(name, ids.get(name), number)
            if end < needed:
                yield (
                    f"{canonical}/{number} was not read: its messages were fetched up to offset"
                    f" {end}, and {needed} is needed"
                )


def needed_of(
    plan: Plan, names: Mapping[str, str], observed: Observed
) -> Mapping[tuple[str, int], int]:
    """Return the offset up to which each partition has to be fetched for such an answer.

    Who is done has read it all; who gave up at a message has read that one, if it is still there;
    others claim nothing.
    """
    if observed.outcome is Outcome.DONE:
        kinds = ROWS if plan.wire.complete is None else ROWS | {DDL}
        return {
            place: last + 1
            for place, log in plan.delivery.logs.items()
            if (last := _last(log.read, kinds)) is not None
        }
    if observed.outcome is not Outcome.ERROR:
        return {}
    canonical = {name: known for known, name in names.items()} | {known: known for known in names}
    named = {
        (canonical.get(place.topic, ""), place.partition): place.offset
        for place in observed.stopped_at
    }
    return {
        there: offset + 1
        for there, offset in named.items()
        if there in plan.delivery.logs
        and any(entry.offset == offset for entry in plan.delivery.logs[there].read)
    }


def _last(entries: Sequence[Any], kinds: frozenset[str]) -> int | None:
    found = (
        entry.offset
        for entry in reversed(entries)
        if any(origin.kind in kinds for origin in entry.record.origins)
    )
    return next(found, None)


def _ids(kafka: Kafka, names: Sequence[str]) -> Mapping[str, UUID]:
    """Return the ids of topics by name, as newer clients name them; none that is gone."""
    conf: dict[str, Any] = {**kafka.client, "log_level": CRITICAL}
    admin: Any = AdminClient(conf)
    found: dict[str, UUID] = {}
    wanted = TopicCollection(list(names))
    for name, future in admin.describe_topics(wanted, request_timeout=TIMEOUT_S).items():
        try:
            topic: Any = future.result().topic_id
        except KafkaException:
            continue
        high, low = topic.get_most_significant_bits(), topic.get_least_significant_bits()
        found[name] = UUID(int=((high & MASK) << 64) | (low & MASK))
    return found


def kept(
    broker: Kafka, named: Sequence[Named], observed: Mapping[str, Observed]
) -> Mapping[str, Observed]:
    """Return the answers; one whose messages the broker deleted on its own is untried.

    The topics are still there. SetupError when the broker does not say where they begin.
    """
    first = {
        (plan.case.id, topic_names(plan, prefix)[canonical], number): log.start
        for plan, prefix in named
        if plan.case.id in observed
        for (canonical, number), log in plan.delivery.logs.items()
    }
    begins = _begins(broker, [(name, number) for _, name, number in first])
    found = dict(observed)
    for (case, name, number), start in first.items():
        if begins[name, number] > start:
            what = (
                f"the broker deleted messages of {name}/{number} below offset"
                f" {begins[name, number]}; {KEEP}"
            )
            found[case] = replace(found[case], outcome=Outcome.UNTRIED, detail=what)
    return found


def _begins(kafka: Kafka, places: Sequence[tuple[str, int]]) -> Mapping[tuple[str, int], int]:
    """Return the first offset of partitions."""
    conf: dict[str, Any] = {**kafka.client, "log_level": CRITICAL}
    admin: Any = AdminClient(conf)
    wanted = {TopicPartition(*place): OffsetSpec.earliest() for place in places}
    if not wanted:
        return {}

    def ask() -> Mapping[tuple[str, int], int]:
        answers = admin.list_offsets(wanted, request_timeout=TIMEOUT_S)
        return {
            (place.topic, place.partition): future.result(TIMEOUT_S).offset
            for place, future in answers.items()
        }

    try:
        return retried(ask, TIMEOUT_S)
    except KafkaException as error:
        raise SetupError(
            f"Kafka at {kafka} did not say where topics begin: {error.args[0].str()}",
            hint="give this user DESCRIBE on the topics",
        ) from error


def read_or_not(judged: Judged, verdict: Verdict, unread: str) -> Verdict:
    """Return the verdict, inconclusive where what would pass was not read; a failure stays one."""
    if not unread or verdict.judgement in FINDINGS | {Judgement.NOT_APPLICABLE}:
        return verdict
    finding = Finding(FindingKind.CONSUMER, unread, judged.main_clause(), judged.line)
    return replace(verdict, judgement=Judgement.INCONCLUSIVE, findings=(finding,), detail=unread)


@contextmanager
def watched(context: RunContext, services: Services) -> Generator[Watch]:
    """Yield the way to Kafka that a consumer is given."""
    kafka = services.kafka
    settings = context.source.settings
    own = settings.backend("kafka") == "embedded"
    if not own or not settings.flag("kafka.count-fetches"):
        yield Watch(kafka, kafka)
        return
    with counted(kafka) as (front, fetches):
        yield Watch(front, kafka, fetches)
