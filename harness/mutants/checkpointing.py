"""A consumer that goes on where it died: what it read lies in a file, its position in its group.

It is right, and stands in for Kafka's consumer in the reference consumer's program; what is wrong
about the two below it shows only when it is killed.

Source: clauses `kafka.at-least-once` and `kafka.at-most-once`: the position is committed once the
messages before it are safe.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import orjson
from confluent_kafka import Consumer, Message, TopicPartition

from harness.services.kafka_retry import retried

RESOLVED = b'"t":3'  # in the key of a resolved event, Open Protocol
PATIENCE_S = 60.0


@dataclass(frozen=True, slots=True)
class Kept:
    """A message that was read before; its methods are those of Kafka's."""

    place: tuple[str, int, int]
    pair: tuple[bytes | None, bytes | None]

    @classmethod
    def of(cls, message: Message) -> Kept:
        """Return what is kept of a message."""
        place = (str(message.topic()), int(message.partition() or 0), int(message.offset() or 0))
        return cls(place, (message.key(), message.value()))

    def topic(self) -> str:
        """Return the topic."""
        return self.place[0]

    def partition(self) -> int:
        """Return the partition."""
        return self.place[1]

    def offset(self) -> int:
        """Return the offset."""
        return self.place[2]

    def key(self) -> bytes | None:
        """Return the key."""
        return self.pair[0]

    def value(self) -> bytes | None:
        """Return the value."""
        return self.pair[1]

    def error(self) -> None:
        """Return no error."""


class Checkpointing:
    """Kafka's consumer behind a file of what was read; each message is kept, then committed."""

    def __init__(self, properties: Mapping[str, Any]) -> None:
        """Take the client's properties; the file stands in the job's work directory."""
        job = orjson.loads(Path(os.environ["HARNESS_JOB"]).read_bytes())
        self._path = Path(job["work_dir"]) / "read.pickle"
        self._kafka = Consumer(dict(properties))
        self._again = self._stored()
        self._kept = self._first(self._again)
        self._fresh: list[Kept] = []

    def list_topics(self, timeout: float) -> Any:  # noqa: ANN401 - the client's own metadata
        """Return what the broker has."""
        return self._kafka.list_topics(timeout=timeout)

    def incremental_assign(self, wanted: list[TopicPartition]) -> None:
        """Read on from the committed offsets; from the wanted ones where there are none."""
        asked = [TopicPartition(w.topic, w.partition) for w in wanted]
        # A coordinator is looked for where there has been no group, and may move meanwhile.
        committed = retried(partial(self._kafka.committed, asked), PATIENCE_S)
        there = {(c.topic, c.partition): c.offset for c in committed if c.offset >= 0}
        self._kafka.incremental_assign(
            [
                TopicPartition(w.topic, w.partition, there.get((w.topic, w.partition), w.offset))
                for w in wanted
            ]
        )

    def consume(self, count: int, timeout: float) -> list[Any]:
        """Return what was kept before its death first, then what Kafka has."""
        self._checkpoint()
        if self._again:
            again, self._again = self._again, []
            return again
        found: list[Message] = self._kafka.consume(count, timeout)
        self._fresh = [Kept.of(message) for message in found if message.error() is None]
        return found

    def position(self, partitions: list[TopicPartition]) -> list[TopicPartition]:
        """Return the next offset of each partition."""
        reached: list[TopicPartition] = self._kafka.position(partitions)
        return reached

    def close(self) -> None:
        """Leave the group."""
        self._kafka.close()

    def _checkpoint(self) -> None:
        """Keep what was handed out, then commit the position behind it."""
        if not self._fresh:
            return
        self._kept += self._fresh
        self._store(self._safe(self._kept))
        ends = {kept.place[:2]: kept.offset() + 1 for kept in self._fresh}
        offsets = [TopicPartition(*place, end) for place, end in ends.items()]
        retried(partial(self._kafka.commit, offsets=offsets, asynchronous=False), PATIENCE_S)
        self._fresh = []

    def _stored(self) -> list[Kept]:
        return pickle.loads(self._path.read_bytes()) if self._path.exists() else []  # noqa: S301 - its own file

    def _store(self, kept: Iterable[Kept]) -> None:
        new = self._path.with_suffix(".new")
        new.write_bytes(pickle.dumps(list(kept)))
        new.replace(self._path)

    def _first(self, stored: list[Kept]) -> list[Kept]:
        """Return what the file will begin with."""
        return list(stored)

    def _safe(self, kept: list[Kept]) -> list[Kept]:
        """Return what is stored of all that was read."""
        return kept


class KeepsResolvedOnly(Checkpointing):
    """Stores what is resolved, and commits the position behind all that was read."""

    def _safe(self, kept: list[Kept]) -> list[Kept]:
        marks = [n for n, one in enumerate(kept) if RESOLVED in (one.key() or b"")]
        return kept[: marks[-1] + 1] if marks else []


class BeginsItsFileAgain(Checkpointing):
    """Reads its file after a death, and begins a new one for what comes."""

    def _first(self, stored: list[Kept]) -> list[Kept]:
        del stored
        return []
