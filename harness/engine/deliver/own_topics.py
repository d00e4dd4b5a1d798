"""Topics of somebody's own cluster: looked at, made where they are missing, never taken away.

The one exception: a topic that was made here and holds nothing yet goes again when nothing is sent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from typing import Any

from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from harness.engine.deliver.topics import (
    CREATE_TIMEOUT_S,
    DELETE_TIMEOUT_S,
    FOREVER,
    HINTS,
    NO_SETTINGS,
    WARNINGS,
)
from harness.errors import SetupError, UsageError, plural
from harness.services import Kafka, redacted

LOOK_TIMEOUT_S = 10.0
CREATE = "--create-topics"


class OwnTopics:
    """The topics of one production on one cluster."""

    def __init__(self, kafka: Kafka, replication: int, *, forever: bool = False) -> None:
        """Take the cluster; `replication` is -1 for its own default.

        `forever`: what is in a topic that is made here is kept, however old it says that it is.
        """
        self._kafka = kafka
        self._replication = replication
        self._config = FOREVER if forever else NO_SETTINGS
        conf: dict[str, Any] = {"log_level": WARNINGS, **kafka.client}
        self._admin: Any = AdminClient(conf)
        self.made: tuple[str, ...] = ()

    def partitions(self, names: Sequence[str]) -> Mapping[str, int]:
        """Return how many partitions each topic that is there has; SetupError without answer."""
        try:
            there = self._admin.list_topics(timeout=LOOK_TIMEOUT_S).topics
        except KafkaException as error:
            raise SetupError(
                f"Kafka at {self._kafka} did not list its topics: {error.args[0].str()}",
                hint="give this user DESCRIBE on the topics",
            ) from error
        return {name: len(there[name].partitions) for name in names if name in there}

    def prepare(self, wanted: Mapping[str, int], *, create: bool) -> tuple[str, ...]:
        """Make what is missing; return what a person should know of what was there already.

        `wanted` maps a topic to its least number of partitions. Raises UsageError where a topic
        that is there is too small, or one that is not must not be made; then nothing was made.
        """
        there = self.partitions(tuple(wanted))
        for name, count in wanted.items():
            self._fits(name, count, there.get(name), create=create)
        self._make([(name, count) for name, count in wanted.items() if name not in there])
        return tuple(
            f"{name} has {plural(there[name], 'partition')}, {count} are filled: those above stay "
            "empty, without any resolved event"
            for name, count in wanted.items()
            if there.get(name, 0) > count
        )

    def withdraw(self) -> tuple[str, ...]:
        """Delete what was made here, which holds nothing yet; return what could not be."""
        futures: Mapping[str, Future[None]] = (
            self._admin.delete_topics(
                list(self.made),
                request_timeout=DELETE_TIMEOUT_S,
                operation_timeout=DELETE_TIMEOUT_S,
            )
            if self.made
            else {}
        )
        left = tuple(name for name, future in futures.items() if not _done(future))
        self.made = ()
        return left

    def _fits(self, name: str, count: int, there: int | None, *, create: bool) -> None:
        if there is None and not create:
            raise UsageError(
                f"Kafka at {self._kafka} has no topic {name}",
                expected=f"a topic of {plural(count, 'partition')}, or {CREATE}",
            )
        if there is not None and there < count:
            raise UsageError(
                f"the topic {name} has {plural(there, 'partition')}, the case needs {count}",
                expected=f"at least {plural(count, 'partition')}",
                hint=f"`--partitions {there}` runs the case over as many as there are; "
                "`--topic-prefix` fills other topics",
            )

    def _make(self, missing: Sequence[tuple[str, int]]) -> None:
        if not missing:
            return
        topics = [
            NewTopic(name, count, self._replication, config=dict(self._config))
            for name, count in missing
        ]
        futures: Mapping[str, Future[None]] = self._admin.create_topics(
            topics, request_timeout=CREATE_TIMEOUT_S
        )
        try:
            refused = [pair for pair in map(_refusal, futures.items()) if pair[1] is not None]
        finally:  # after Ctrl-C too: what was asked for may be there by now
            self.made = tuple(name for name, future in futures.items() if _done(future))
        for name, error in refused:
            self.withdraw()
            raise self._refused(name, error)

    def _refused(self, name: str, error: KafkaError | None) -> SetupError:
        assert error is not None
        hint = HINTS.get(error.code(), "the broker's log says why").format(prefix=name)
        return SetupError(
            f"Kafka at {self._kafka} refused to create the topic {name}: {error.str()}\n"
            f"    tried with: {redacted(self._kafka.client)}",
            hint=hint,
        )


def _refusal(pair: tuple[str, Future[None]]) -> tuple[str, KafkaError | None]:
    """Return the topic's name and what the broker has against it, None for nothing."""
    try:
        pair[1].result()
    except KafkaException as error:
        return pair[0], error.args[0]
    return pair[0], None


def _done(future: Future[None]) -> bool:
    return _refusal(("", future))[1] is None
