"""Promises about what goes wrong under a consumer: one sentence, its place, and an exit code."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from cdc_spark.conformance.failures import explained
from cdc_spark.errors import DecodingError, SetupError
from tests.cdc_spark.job_factory import DEADLINE_S, Job, JobFactory, Record
from tests.cdc_spark.messages import message, put, resolved

pytestmark = pytest.mark.spark
ENVIRONMENT, USAGE = 3, 2
MORE = [message(put(3, 2, "b")), message(resolved(3)), message(put(4, 3, "c"))]


@pytest.fixture(scope="module")
def done(jobs: JobFactory) -> Job:
    """Return a job that has read its two topics to their ends."""
    topics = [jobs.topic([[message(put(2, 1, "a")), message(resolved(2))]]) for _ in range(2)]
    job = jobs.job("bad", {"feed": {"topics": topics}})
    assert job.run()[0] == 0
    return job


def produce(jobs: JobFactory, topic: str, records: Sequence[Record]) -> None:
    """Append messages to a topic."""
    producer = Producer({"bootstrap.servers": jobs.bootstrap})
    for key, value in records:
        producer.produce(topic, key=key, value=value, partition=0)
    assert producer.flush(DEADLINE_S) == 0


def again(done: Job, name: str, change: Callable[[list[dict[str, Any]]], object]) -> Job:
    """Return a copy of the job, checkpoint and all, its topics changed."""
    place = done.place.with_name(name)
    shutil.copytree(done.place, place)
    document = json.loads((place / "job.json").read_text())
    document |= {"work_dir": str(place / "work"), "out_dir": str(place / "out")}
    change(document["changefeeds"][0]["topics"])
    (place / "job.json").write_text(json.dumps(document))
    return Job(place, done.jars)


def ends(number: int, end: int) -> Callable[[list[dict[str, Any]]], None]:
    """Return a change of a topic's end offset."""
    return lambda topics: topics[number].update(end_offsets=[end])


def names(done: Job) -> list[str]:
    """Return the job's topics."""
    return [topic["name"] for topic in done.feeds()["feed"]["topics"]]


def test_what_kafka_lost_is_reported(jobs: JobFactory, done: Job) -> None:
    """What retention took, and a topic made again, are missed loudly, with their place.

    A topic that was made again has right offsets and other messages: Kafka's id of it tells.
    """
    _findings_after_retention(jobs, done)
    _findings_after_making_again(jobs, done)


def _findings_after_retention(jobs: JobFactory, done: Job) -> None:
    topic = names(done)[0]
    produce(jobs, topic, MORE)
    admin = AdminClient({"bootstrap.servers": jobs.bootstrap})
    (gone,) = admin.delete_records([TopicPartition(topic, 0, 4)]).values()
    gone.result(DEADLINE_S)
    code, said = again(done, "retention", ends(0, 5)).run()
    assert code == ENVIRONMENT
    assert f"messages of the job are gone from Kafka: topic {topic}, partition 0, offset 2" in said
    assert "\tat " not in said


def _findings_after_making_again(jobs: JobFactory, done: Job) -> None:
    topic = names(done)[1]
    admin = AdminClient({"bootstrap.servers": jobs.bootstrap})
    admin.delete_topics([topic])[topic].result(DEADLINE_S)
    while topic in admin.list_topics(timeout=DEADLINE_S).topics:
        pass  # asks the broker, which takes its time
    admin.create_topics([NewTopic(topic, 1, 1)])[topic].result(DEADLINE_S)
    produce(jobs, topic, MORE)
    code, said = again(done, "remade", ends(1, 3)).run()
    assert code == ENVIRONMENT
    assert f"topic {topic} was deleted and made again below the checkpoint" in said


def test_a_checkpoint_of_another_job_is_refused(jobs: JobFactory, done: Job) -> None:
    """A work directory that another job has read into is named, and nothing is read."""
    other = jobs.topic([[message(resolved(2))]])
    job = again(done, "other", lambda topics: topics.__setitem__(1, other))
    code, said = job.run()
    assert code == USAGE
    assert "has the checkpoint of another job" in said


KAFKA: Mapping[str, str] = {
    "Partition a-b-3's offset was changed from 9 to 4. Some data may have been missed": (
        "topic a-b, partition 3, offset 9, the nearest that is there is 4"
    ),
    "Some data may have been lost\nReason: Could not read records in offset [2, 6) for topic"
    " partition x-y-1-0\nwith consumer group": "topic x-y-1, partition 0, offset 2",
    "Cannot fetch offset 7 (GroupId: g-1, TopicPartition: t-0). Some data may have been lost": (
        "topic t, partition 0, offset 7"
    ),
    "OffsetOutOfRange: FetchPosition{offset=5, x} is out of range for partition t-12": (
        "topic t, partition 12, offset 5"
    ),
}


@pytest.mark.parametrize("text", KAFKA)
def test_kafkas_words_for_lost_messages_are_read(text: str, tmp_path: Path) -> None:
    """Whichever part of the connector notices it, topic, partition and offset are told."""
    found = explained(RuntimeError(text), tmp_path)
    assert isinstance(found, SetupError)
    assert found.what == f"messages of the job are gone from Kafka: {KAFKA[text]}"


def test_work_that_is_not_done_in_time_is_not_kafkas_fault(tmp_path: Path) -> None:
    """A stream that cannot be stopped at the deadline says so, whatever Java's exception is."""
    text = "java.util.concurrent.TimeoutException: Stream Execution thread for stream [id = 1]"
    found = explained(RuntimeError(f"{text} failed to stop within 5000 milliseconds"), tmp_path)
    assert found.what == "the work was not done by the deadline"


def test_our_own_errors_come_out_as_they_were_raised(tmp_path: Path) -> None:
    """What an executor raised keeps its kind, its sentence and its next step."""
    raised = "cdc_spark.errors.DecodingError: bytes (offset 3)"
    trace = f"PythonException: Traceback\n  File x\n{raised}\n"
    found = explained(RuntimeError(f"{trace}    expected: JSON\n    hint: look\n\tat x"), tmp_path)
    assert isinstance(found, DecodingError)
    assert (found.what, found.expected) == ("bytes (offset 3)", "JSON")
    assert found.hint.startswith("look; ")
