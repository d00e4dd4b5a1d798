"""What travels on Kafka, and what each record remembers of its birth."""

from __future__ import annotations

from dataclasses import dataclass

from harness.model.quick import quick


@dataclass(frozen=True, slots=True)
class Origin:
    """The change that a record encodes: from a wrong row a verdict walks back to a YAML line.

    `step` counts the upstream steps from 0; `event` counts the source simulator's events from 0, so
    that several records of one event (a broadcast, a duplicate) share it. `key` is the handle key's
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
class SchemaUse:
    """A registry's schema that a record's bytes name: its subject, its text, the id in the bytes.

    The id is the one that the encoder's own registry gave; whoever sends the record registers the
    text with the real registry and writes that id instead.
    """

    subject: str
    schema: str
    id: int


@dataclass(frozen=True, slots=True)
class Record:
    """One Kafka message; `topic` is the canonical name, without any case prefix.

    `key_schema` and `value_schema` are set where the bytes start with a registry's schema id.
    `timestamp` is in milliseconds since 1970; None leaves it to the producer's clock.
    """

    topic: str
    partition: int
    key: bytes | None
    value: bytes | None
    origins: tuple[Origin, ...]
    headers: tuple[tuple[str, bytes | None], ...] = ()
    key_schema: SchemaUse | None = None
    value_schema: SchemaUse | None = None
    timestamp: int | None = None


# For encoders, whose price a record was.
bare_record = quick(Record)
quick_origin = quick(Origin)
