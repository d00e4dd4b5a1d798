"""Cases into the topics of somebody's own cluster, and the account of what arrived there.

Nothing is half-configured. Everything that can be refused is refused before the first record;
schemas are posted and topics made before it too; and whatever ends the sending, the account says
what the broker took.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.contracts import SchemaRegistry
from harness.engine.deliver.large_messages import laid_out, leaves_out
from harness.engine.deliver.own_topics import OwnTopics
from harness.engine.deliver.registered import Registered
from harness.engine.deliver.sending import CLUSTER, Sender, paced
from harness.engine.plan.case import Plan
from harness.errors import Problem, ScenarioError, UsageError
from harness.faults import FAULTS
from harness.model.record import Record
from harness.services import Kafka

SCENARIO = "{scenario}"


@dataclass(frozen=True, slots=True)
class ProductionOptions:
    """How to fill topics: each is called `prefix` and the canonical name.

    `{scenario}` in the prefix stands for a scenario's id. `rate` is in records a second, None for
    as fast as it goes; `replication` is -1 for the cluster's default. `large` is the directory for
    what large messages leave out: a directory in it for each scenario where there are several.
    `forever`: topics that are made keep their records, however old these say that they are.
    """

    kafka: Kafka
    prefix: str = ""
    rate: float | None = None
    create: bool = True
    replication: int = -1
    large: Path | None = None
    forever: bool = False


@dataclass(frozen=True, slots=True)
class FilledPartition:
    """What the broker took of one partition: offsets from `first` to before `next`."""

    topic: str
    canonical: str
    partition: int
    first: int
    next: int
    records: int


@dataclass(frozen=True, slots=True)
class Filled:
    """What one case filled, and how many records it has in all."""

    case: str
    protocol: str
    wanted: int
    partitions: tuple[FilledPartition, ...]

    @property
    def records(self) -> int:
        """Return how many records the broker took."""
        return sum(one.records for one in self.partitions)


@dataclass(frozen=True, slots=True)
class Account:
    """What a production did; `withdrawn` topics were made here and taken away again, empty."""

    filled: tuple[Filled, ...]
    made: tuple[str, ...]
    interrupted: bool = False
    withdrawn: tuple[str, ...] = ()


class Production:
    """One production of plans; `prepare`, then `send`, and `account` at any time after."""

    def __init__(self, options: ProductionOptions, plans: Sequence[Plan]) -> None:
        """Take what to send.

        Raises UsageError when two cases would share a topic, ScenarioError for a delivery with a
        step that is done to the run: there is none here.
        """
        self._options = options
        self._plans = plans
        self._prefixes = [options.prefix.replace(SCENARIO, plan.case.scenario.id) for plan in plans]
        self._records: list[Sequence[Record]] = [plan.delivered for plan in plans]
        self._senders: list[Sender] = []
        self._withdrawn: tuple[str, ...] = ()
        self._interrupted = False
        self._topics = OwnTopics(options.kafka, options.replication, forever=options.forever)
        self._distinct()
        _only_messages(plans)

    @property
    def total(self) -> int:
        """Return how many records are to be sent."""
        return sum(map(len, self._records))

    def prepare(self, registry: SchemaRegistry | None) -> tuple[str, ...]:
        """Post the schemas and make the topics; return what a person should know.

        Raises UsageError, SetupError; then no topic was made.
        """
        if registry is not None:
            self._records = [
                tuple(Registered(registry, prefix, "").all(records))
                for prefix, records in zip(self._prefixes, self._records, strict=True)
            ]
        wanted = {
            prefix + canonical: plan.case.partitions
            for plan, prefix in zip(self._plans, self._prefixes, strict=True)
            for canonical in plan.topics()
        }
        try:
            notes = self._topics.prepare(wanted, create=self._options.create)
        except BaseException:
            self._topics.withdraw()
            raise
        return (*notes, *self._beside())

    def send(
        self, progress: Callable[[int], None], clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Send everything; Ctrl-C ends it early, and `account` says where.

        `progress` hears now and then how many records were handed over. Raises SetupError when the
        broker refuses a record.
        """
        try:
            for records, prefix in zip(self._records, self._prefixes, strict=True):
                self._one(records, prefix, progress, clock)
        except KeyboardInterrupt:
            self._interrupted = True
            self._end()
        except BaseException:
            self._end()
            raise

    def account(self) -> Account:
        """Return what arrived so far."""
        filled = [
            self._filled(number, plan)
            for number, plan in enumerate(self._plans)
            if number < len(self._senders)
        ]
        return Account(tuple(filled), self._topics.made, self._interrupted, self._withdrawn)

    def _beside(self) -> Iterator[str]:
        """Store what large messages leave out, or yield a note that it is not stored."""
        large = self._options.large
        for plan in self._plans:
            if not leaves_out(plan):
                continue
            if large is None:
                yield (
                    f"{plan.case.id} has rows that are too large for their messages;"
                    " `--large-messages DIRECTORY` stores them"
                )
                continue
            single = len(self._plans) == 1
            laid_out(plan, large if single else large / plan.case.scenario.id)

    def _one(
        self,
        records: Sequence[Record],
        prefix: str,
        progress: Callable[[int], None],
        clock: Callable[[], float],
    ) -> None:
        # What the user's own file says of producing wins.
        client: dict[str, Any] = {**CLUSTER, **self._options.kafka.client}
        sender = Sender(client, lambda canonical: prefix + canonical)
        done = sum(each.sent for each in self._senders)
        self._senders.append(sender)

        def wait(seconds: float) -> None:
            sender.poll()
            progress(done + sender.sent)
            time.sleep(seconds)

        rate = self._options.rate
        sender.send(records if rate is None else paced(records, rate, wait, clock))
        sender.finish()
        progress(done + sender.sent)

    def _end(self) -> None:
        if self._senders:
            self._senders[-1].abandon()
        if not any(sender.taken for sender in self._senders):
            made = self._topics.made
            left = self._topics.withdraw()
            self._withdrawn = tuple(name for name in made if name not in left)

    def _filled(self, number: int, plan: Plan) -> Filled:
        prefix, taken = self._prefixes[number], self._senders[number].taken
        partitions = tuple(
            FilledPartition(
                topic, topic.removeprefix(prefix), partition, one.first, one.last + 1, one.records
            )
            for (topic, partition), one in sorted(taken.items())
        )
        return Filled(plan.case.id, plan.case.protocol, len(self._records[number]), partitions)

    def _distinct(self) -> None:
        owners: dict[str, str] = {}
        for plan, prefix in zip(self._plans, self._prefixes, strict=True):
            for canonical in plan.topics():
                owner = owners.setdefault(prefix + canonical, plan.case.id)
                if owner != plan.case.id:
                    raise UsageError(
                        f"{owner} and {plan.case.id} would both fill the topic"
                        f" {prefix + canonical}",
                        expected="one changefeed's stream in a topic",
                        hint=f"`--topic-prefix '{SCENARIO}.'` keeps scenarios apart",
                    )


def _only_messages(plans: Sequence[Plan]) -> None:
    problems = tuple(
        Problem(
            plan.case.scenario.place(step.line),
            f"{plan.case.id}: `{step.fault}` acts on the run, but this command only sends messages",
            expected="a delivery of steps that change messages",
            hint="--delivery chooses another; `harness run` runs this one",
        )
        for plan in plans
        for step in plan.case.scenario.delivery.get(plan.case.delivery or "", ())
        if FAULTS[step.fault].act is not None
    )
    if problems:
        raise ScenarioError(problems)
