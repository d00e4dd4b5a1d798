"""Streams for the reference consumer: planned cases as job and messages, without Kafka."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson

from harness.model.observed import Observed
from harness.model.record import Record
from harness.reference_consumer.answer import Changefeed
from harness.runner.contract import results

JOB: Mapping[str, Any] = {
    "id": "case",
    "dir": "0000",
    "protocol": "open",
    "dialect": "current",
    "complete": "at-or-below",
    "settings": {},
    "tables": [],
}


def job(partitions: int = 1, **changes: Any) -> dict[str, Any]:
    """Return a changefeed's part of job.json over one topic."""
    topic = {"name": "ticdc", "canonical": "ticdc", "role": "data", "partitions": partitions}
    return {**JOB, "topics": [topic], **changes}


def consumed(
    records: Iterable[Record], directory: Path, feed: Mapping[str, Any] | None = None
) -> Observed:
    """Feed the records to the consumer; return its answer as the harness reads it."""
    changefeed = Changefeed(feed or job())
    offsets: dict[int, int] = {}
    for record in records:
        offset = offsets.get(record.partition, 0)
        offsets[record.partition] = offset + 1
        changefeed.take("ticdc", record.partition, offset, (record.key, record.value))
    changefeed.answer(directory)
    return results.read(directory)


def lines(path: Path) -> Sequence[Mapping[str, Any]]:
    """Return the JSON lines of a result file."""
    return [orjson.loads(line) for line in path.read_bytes().splitlines()]
