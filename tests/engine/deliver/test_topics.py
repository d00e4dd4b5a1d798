"""The promise that a run of any size gets its topics: no request is larger than a broker takes."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from confluent_kafka.admin import AdminClient

from harness.engine.deliver.topics import RECORDS_MAX, TopicOptions, created, requests
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
