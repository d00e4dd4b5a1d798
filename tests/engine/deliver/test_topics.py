"""The promises that a run of any size gets its topics, and that they are there for everybody.

No request is larger than a broker takes. A consumer starts once the broker shows the topics.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from confluent_kafka.admin import AdminClient, ClusterMetadata

from harness.engine.deliver.topics import RECORDS_MAX, TopicOptions, created, requests
from harness.errors import SetupError
from harness.services import Services

OPTIONS = TopicOptions("many-", keep=False, replication=-1)
CONFIG = {"retention.ms": "-1", "max.message.bytes": "1000"}
EVERY = {
    **CONFIG,
    "cleanup.policy": "delete",
    "compression.type": "producer",
    "delete.retention.ms": "1000",
    "file.delete.delay.ms": "1000",
    "flush.messages": "1000",
    "flush.ms": "1000",
    "index.interval.bytes": "4096",
    "max.compaction.lag.ms": "100000",
    "message.timestamp.type": "CreateTime",
    "min.cleanable.dirty.ratio": "0.5",
    "min.compaction.lag.ms": "0",
    "min.insync.replicas": "1",
    "preallocate": "false",
    "retention.bytes": "-1",
    "segment.bytes": "1048576",
    "segment.index.bytes": "1048576",
    "segment.jitter.ms": "0",
    "segment.ms": "100000",
    "unclean.leader.election.enable": "false",
}


def test_requests_have_all_topics_and_none_is_too_large() -> None:
    """In order, each once; a topic that is as large as a request has one of its own."""
    sizes = [1, 3, 10, 64, RECORDS_MAX] * 200
    topics = [OPTIONS.topic(f"t{n}", size, CONFIG) for n, size in enumerate(sizes)]
    found = list(requests(topics))
    assert [topic.topic for one in found for topic in one] == [f"t{n}" for n in range(len(sizes))]
    for one in found:
        assert len(one) == 1 or sum(3 + topic.num_partitions for topic in one) <= RECORDS_MAX


@pytest.mark.services
def test_a_broker_takes_more_than_a_request_may_have(shared: Callable[..., Services]) -> None:
    """It refuses 10,000 records at once: `Unable to perform excessively large batch operation`."""
    kafka = shared("kafka").kafka
    names = [f"many-{number}" for number in range(450)]
    admin = AdminClient(kafka.client)
    with created(kafka, [(name, 1) for name in names], OPTIONS, dict.fromkeys(names, EVERY)):
        for deleted in admin.delete_topics(names, request_timeout=60).values():
            deleted.result()  # each was there


@pytest.mark.services
def test_topics_are_shown_to_everybody_once_they_are_made(
    shared: Callable[..., Services], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A controller answers before brokers know: a topic was not shown for 36 s under load."""
    kafka = shared("kafka").kafka
    asked: list[int] = []
    real = AdminClient.list_topics

    def late(admin: AdminClient, **options: float) -> ClusterMetadata:
        found = real(admin, **options)
        asked.append(len(found.topics))
        for number in range(3 - len(asked)):
            found.topics.pop(f"late-{number}", None)
        return found

    monkeypatch.setattr(AdminClient, "list_topics", late)
    with created(kafka, [(f"late-{number}", 1) for number in range(3)], OPTIONS):
        assert len(asked) >= 3


@pytest.mark.services
def test_topics_that_are_never_shown_are_an_error_of_the_environment(
    shared: Callable[..., Services], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It names one of them and the permission that may be missing."""
    kafka = shared("kafka").kafka
    monkeypatch.setattr("harness.engine.deliver.topics.SHOWN_TIMEOUT_S", 1.0)
    monkeypatch.setattr(AdminClient, "list_topics", lambda *_, **__: ClusterMetadata())
    with (
        pytest.raises(SetupError, match=r"does not show after 1 s: hidden-0 and others"),
        created(kafka, [("hidden-0", 1), ("hidden-1", 1)], OPTIONS),
    ):
        pass
