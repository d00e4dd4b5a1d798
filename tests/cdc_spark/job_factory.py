"""A way to fill topics, write jobs and run the consumer as the harness does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic

import cdc_spark
from harness.services import find_java

DEADLINE_S = 300.0
Record = tuple[bytes | None, bytes | None]  # a message's key and value
KEPT = ("PATH", "HOME", "JAVA_HOME")
ARCHIVE_DIRECTORY = "HARNESS_SPARK_ARCHIVES"
ROOT = str(Path(cdc_spark.__file__).parents[1])


@dataclass
class JobFactory:
    """Fills topics, writes jobs and runs the consumer over them."""

    bootstrap: str
    jars: str
    directory: Path
    topics: int = field(default=0)

    def topic(self, partitions: Sequence[Sequence[Record]]) -> dict[str, Any]:
        """Make a topic with these messages by partition; return it as job.json has it."""
        self.topics += 1
        name = f"{self.directory.name}-{self.topics}"
        client = {"bootstrap.servers": self.bootstrap}
        admin = AdminClient(client)
        admin.create_topics([NewTopic(name, len(partitions), 1)])[name].result(DEADLINE_S)
        producer = Producer(client)
        for number, messages in enumerate(partitions):
            for key, value in messages:
                producer.produce(name, key=key, value=value, partition=number)
        assert producer.flush(DEADLINE_S) == 0
        return {
            "name": name,
            "canonical": "ticdc",
            "role": "data",
            "partitions": len(partitions),
            "start_offsets": [0] * len(partitions),
            "end_offsets": [len(messages) for messages in partitions],
        }

    def transactional_topic(self, kept: Sequence[Record], lost: Sequence[Record]) -> dict[str, Any]:
        """Make a topic of one partition: messages of a committed, then of an aborted transaction.

        Its last offsets hold what no consumer is given: messages that were taken back, and markers.
        """
        topic = self.topic([[]])
        producer = Producer(
            {"bootstrap.servers": self.bootstrap, "transactional.id": topic["name"]}
        )
        producer.init_transactions(DEADLINE_S)
        for messages, end in (
            (kept, producer.commit_transaction),
            (lost, producer.abort_transaction),
        ):
            producer.begin_transaction()
            for key, value in messages:
                producer.produce(topic["name"], key=key, value=value, partition=0)
            assert producer.flush(DEADLINE_S) == 0
            end(DEADLINE_S)
        return {**topic, "end_offsets": [len(kept) + len(lost) + 2]}

    def job(self, name: str, feeds: Mapping[str, Mapping[str, Any]], **more: Any) -> Job:
        """Write a job over changefeeds by directory; `more` overrides the job's own keys."""
        place = self.directory / name
        for at in ("work", *(f"out/{feed}/tables" for feed in feeds)):
            (place / at).mkdir(parents=True)
        java = {"bootstrap.servers": self.bootstrap, "isolation.level": "read_committed"}
        document = {
            "contract": 1,
            "mode": "bounded",
            "deadline_s": DEADLINE_S,
            "work_dir": str(place / "work"),
            "out_dir": str(place / "out"),
            # Some properties are a consumer's alone; both forms name the same brokers.
            "kafka": {"group_id": name, "java": java, "librdkafka": dict(java)},
            "registry": None,
            "changefeeds": [changefeed(at, feed) for at, feed in feeds.items()],
            **more,
        }
        (place / "job.json").write_text(json.dumps(document))
        return Job(place, self.jars)


def changefeed(directory: str, differs: Mapping[str, Any]) -> dict[str, Any]:
    """Return a changefeed as job.json has it."""
    plain = {"id": f"case-{directory}", "dir": directory, "protocol": "open", "dialect": "current"}
    plain |= {"complete": "at-or-below", "settings": {}, "tables": []}
    return {**plain, **differs}


@dataclass
class Job:
    """A job on disk."""

    place: Path
    jars: str

    def start(self, **environment: str) -> subprocess.Popen[str]:
        """Start the consumer as the harness does: in the work directory, in its own session."""
        kept = {name: os.environ[name] for name in KEPT if name in os.environ}
        return subprocess.Popen(
            [sys.executable, "-m", "cdc_spark"],
            cwd=self.place / "work",
            env={
                **kept,
                "JAVA_HOME": str(find_java("spark").home),  # as the harness has it
                "TZ": "UTC",
                "PYTHONPATH": ROOT,
                "HARNESS_JOB": str(self.place / "job.json"),
                "HARNESS_SPARK_JARS": self.jars,
                # A few runs do not repay the making of an archive of Java's classes of their own.
                ARCHIVE_DIRECTORY: os.environ.get(ARCHIVE_DIRECTORY, ""),
                **environment,
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def run(self, **environment: str) -> tuple[int, str]:
        """Run the consumer to its end; return its exit code and what it said."""
        process = self.start(**environment)
        try:
            out, err = process.communicate(timeout=DEADLINE_S)
        finally:
            kill(process)
        return process.returncode, out + err

    def feeds(self) -> dict[str, dict[str, Any]]:
        """Return the job's changefeeds by directory, as job.json has them."""
        document = json.loads((self.place / "job.json").read_text())
        return {feed["dir"]: feed for feed in document["changefeeds"]}

    def status(self, feed: str) -> dict[str, str]:
        """Return a changefeed's status."""
        return json.loads((self.place / "out" / feed / "status.json").read_text())

    def rows(self, feed: str, table: str) -> list[dict[str, Any]]:
        """Return a table's rows, in an order of their own."""
        path = self.place / "out" / feed / "tables" / f"{table}.jsonl"
        return sorted(self._lines(path), key=repr)

    def lines(self, feed: str, name: str) -> list[dict[str, Any]]:
        """Return the lines of `events` or `ddl`."""
        return self._lines(self.place / "out" / feed / f"{name}.jsonl")

    def answers(self) -> dict[str, str]:
        """Return all result files by their path, but for the times of the run."""
        out = self.place / "out"
        return {
            str(path.relative_to(out)): path.read_text()
            for path in out.rglob("*")
            if path.is_file() and path.name != "timings.json"
        }

    def _lines(self, path: Path) -> list[dict[str, Any]]:
        return [json.loads(line) for line in path.read_text().splitlines()]


def kill(process: subprocess.Popen[str]) -> None:
    """Kill a consumer with everything that it started."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, 9)
    for pipe in (process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()
    process.wait(DEADLINE_S)


def wait_for(condition: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    """Wait until a condition holds while the process lives; fails after the deadline."""
    until = time.monotonic() + DEADLINE_S
    while not condition():
        assert process.poll() is None, "the consumer ended first"
        assert time.monotonic() < until
        time.sleep(0.01)
