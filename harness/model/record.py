"""What travels on Kafka, and what each record remembers of its birth."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Origin:
    """The change that a record encodes: from a wrong row a verdict walks back to a YAML line.

    `step` counts the upstream steps from 0; `event` counts the personality's events from 0, so that
    several records of one event (a broadcast, a duplicate) share it. `key` is the handle key's
    text.
    """

    line: int
    step: int
    event: int
    kind: str
    transaction: str | None = None
    table: str | None = None
    key: str | None = None
    commit_ts: int = 0


@dataclass(frozen=True, slots=True)
class Record:
    """One Kafka message; `topic` is the canonical name, without any case prefix."""

    topic: str
    partition: int
    key: bytes | None
    value: bytes | None
    origins: tuple[Origin, ...]
    headers: tuple[tuple[str, bytes | None], ...] = ()
