"""The topics of a run: created in few requests, and taken away again where the cluster outlives us.

On a shared cluster we delete what we created, whatever happened in between, and nothing else.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from harness.errors import SetupError
from harness.services import Kafka, Settings, redacted

CREATE_TIMEOUT_S = 60.0  # hundreds of topics on a busy machine; a refusal comes at once
DELETE_TIMEOUT_S = 10.0
# Where others delete thousands of topics, a broker is minutes behind its controller; to list them
# all costs it most then, so the waits grow.
SHOWN_TIMEOUT_S = 180.0
SHOWN_POLL_S, SHOWN_POLL_MAX_S = 0.02, 1.0
WARNINGS = 4  # syslog's number; below it librdkafka reports the events that it throws away
CRITICAL = 2
# A controller writes a record for each topic, partition and setting, and at most 10,000 a request:
# QuorumController.MAX_RECORDS_PER_USER_OP.
RECORDS_MAX = 5000
AS_THE_BROKER_HAS_IT = -1  # Kafka's own word for its default replication factor (KIP-464)

FOREVER: Mapping[str, str] = MappingProxyType({"retention.ms": "-1"})
NO_SETTINGS: Mapping[str, str] = MappingProxyType({})
NOTHING_OF_THEIR_OWN: Mapping[str, Mapping[str, str]] = MappingProxyType({})

REFUSED_SETTING = "`topics.retention-ms=default` asks for no retention (-1) of a topic's own"
# What a broker says when it refuses a topic -> the next step.
HINTS: Mapping[int, str] = {
    KafkaError.TOPIC_AUTHORIZATION_FAILED: "give this user CREATE, DELETE, READ and WRITE on topics"
    " that begin with {prefix} (`topics.prefix` sets another beginning), or use another user",
    KafkaError.CLUSTER_AUTHORIZATION_FAILED: "give this user CREATE on the cluster, or on topics"
    " that begin with {prefix}",
    KafkaError.INVALID_REPLICATION_FACTOR: "set `topics.replication-factor` to at most the number"
    " of brokers",
    KafkaError.INVALID_CONFIG: REFUSED_SETTING,
    KafkaError.POLICY_VIOLATION: "the cluster's policy for topics says what it allows;"
    f" `topics.replication-factor` and `topics.prefix` can be set, and {REFUSED_SETTING}",
    KafkaError.TOPIC_ALREADY_EXISTS: "a run of the same name left it; delete it, or run again",
}


@dataclass(frozen=True, slots=True)
class TopicOptions:
    """What the settings say about topics; `replication` is -1 for the broker's default.

    `replicas` are brokers that have all partitions, the leader first; without them Kafka chooses.
    `forever`: their messages are kept, however old they say that they are.
    """

    prefix: str
    keep: bool
    replication: int
    replicas: tuple[int, ...] = ()
    forever: bool = False

    def topic(self, name: str, partitions: int, settings: Mapping[str, str]) -> NewTopic:
        """Return a topic as it is to be created, with settings of its own."""
        config = {**(FOREVER if self.forever else NO_SETTINGS), **settings}
        if self.replicas:
            assigned = [list(self.replicas)] * partitions
            return NewTopic(name, partitions, replica_assignment=assigned, config=config)
        return NewTopic(name, partitions, self.replication, config=config)

    @classmethod
    def of(cls, settings: Settings) -> TopicOptions:
        """Return what the settings say."""
        factor = settings.text("topics.replication-factor")
        return cls(
            settings.text("topics.prefix"),
            settings.flag("topics.keep"),
            int(factor) if factor else AS_THE_BROKER_HAS_IT,
            forever=settings.backend("kafka") == "external"
            and settings.text("topics.retention-ms") != "default",
        )


@contextmanager
def created(
    kafka: Kafka,
    wanted: Sequence[tuple[str, int]],
    options: TopicOptions,
    own: Mapping[str, Mapping[str, str]] = NOTHING_OF_THEIR_OWN,
) -> Generator[None]:
    """Create topics (name, partitions); delete them at the end on a cluster that outlives the run.

    `own` has the settings of those that need some.

    Raises SetupError that names the first refusal, or at the end the topics that could not be
    deleted; an error from within is never hidden by that.
    """
    # It lives as long as the topics: to end one whose answer has only just come is not safe. What
    # goes wrong is in the answers; that a broker which restarts is away for a while, nobody asked.
    conf: dict[str, Any] = {**kafka.client, "log_level": CRITICAL}
    admin: Any = AdminClient(conf)
    topics = [
        options.topic(name, partitions, own.get(name, NO_SETTINGS)) for name, partitions in wanted
    ]
    made: list[str] = []
    refusals: list[SetupError] = []
    try:
        for name, future in _create(admin, topics).items():
            try:
                future.result()
                made.append(name)
            except KafkaException as error:
                refusals.append(_refused(kafka, name, error, options))
        _raise_first(refusals)
        _shown(admin, kafka, made)
        yield
    except BaseException:
        _delete(admin, kafka, made, options)
        raise
    problem = _delete(admin, kafka, made, options)
    if problem:
        raise SetupError(
            f"Kafka at {kafka} keeps topics of this run: {problem}",
            hint=f"delete the topics that begin with {common(made)} by hand; give this user DELETE"
            " on them, or set `topics.keep`",
        )


def common(names: Sequence[str]) -> str:
    """Return what the names of a run's topics begin with, up to the changefeed's number."""
    return names[0].rpartition("-")[0] if names else ""


def _raise_first(refusals: Sequence[SetupError]) -> None:
    for refusal in refusals:
        raise refusal


def _create(admin: Any, topics: Sequence[NewTopic]) -> Mapping[str, Future[None]]:  # noqa: ANN401
    futures: dict[str, Future[None]] = {}
    for request in requests(topics):
        futures |= admin.create_topics(request, request_timeout=CREATE_TIMEOUT_S)
    return futures


def _shown(admin: Any, kafka: Kafka, made: Sequence[str]) -> None:  # noqa: ANN401
    """Wait until the brokers show the topics: a controller has them earlier, by seconds under load.

    A consumer that asks for its topics at once must not be failed for that.
    """
    until, wait_s = time.monotonic() + SHOWN_TIMEOUT_S, SHOWN_POLL_S
    while missing := {*made} - admin.list_topics(timeout=CREATE_TIMEOUT_S).topics.keys():
        if time.monotonic() > until:
            raise SetupError(
                f"Kafka at {kafka} made topics that it does not show after {SHOWN_TIMEOUT_S:g} s:"
                f" {min(missing)}{' and others' if len(missing) > 1 else ''}",
                hint="give this user DESCRIBE on them; else the broker's log says why",
            )
        time.sleep(wait_s)
        wait_s = min(2 * wait_s, SHOWN_POLL_MAX_S)


def requests(topics: Sequence[NewTopic]) -> Iterator[list[NewTopic]]:
    """Yield topics by request, in order: each as large as a controller surely takes."""
    request: list[NewTopic] = []
    records = 0
    for topic in topics:
        needed = 1 + topic.num_partitions + len(topic.config or {})
        if request and records + needed > RECORDS_MAX:
            yield request
            request, records = [], 0
        request.append(topic)
        records += needed
    if request:
        yield request


def _refused(kafka: Kafka, name: str, refusal: KafkaException, options: TopicOptions) -> SetupError:
    error: KafkaError = refusal.args[0]
    hint = HINTS.get(error.code(), "the broker's log says why; look for it in the run's directory")
    return SetupError(
        f"Kafka at {kafka} refused to create the topic {name}: {error.str()}\n"
        f"    tried with: {redacted(kafka.client)}",
        hint=hint.format(prefix=options.prefix),
    )


def _delete(
    admin: Any,  # noqa: ANN401 - the driver has no types
    kafka: Kafka,
    made: Sequence[str],
    options: TopicOptions,
) -> str:
    """Delete the topics when that is our business; return the first problem, "" without one."""
    if not made or options.keep or not kafka.shared:
        return ""
    futures: Mapping[str, Future[None]] = admin.delete_topics(
        list(made), request_timeout=DELETE_TIMEOUT_S, operation_timeout=DELETE_TIMEOUT_S
    )
    return first_refusal(futures)


def first_refusal(futures: Mapping[str, Future[None]]) -> str:
    """Wait for what a broker was asked for, by name; return its first refusal, "" without one."""
    for name, future in futures.items():
        try:
            future.result()
        except KafkaException as error:
            return f"{name}: {error.args[0].str()}"
    return ""
