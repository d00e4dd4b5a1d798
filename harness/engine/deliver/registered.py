"""Records that name schemas, made fit for a real registry: their schemas posted, their ids written.

A plan's records carry the ids of a registry in memory, so that plans and goldens need none. What a
changefeed posts goes under the subjects of its own Kafka topics; nothing but the four bytes of an
id differs from the golden.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from harness.contracts import SchemaRegistry
from harness.errors import SchemaRefused, SetupError
from harness.model.record import Record, SchemaUse
from harness.wire.confluent import confluent_frame, confluent_unframe


class Registered:
    """One changefeed's schemas in a real registry; ids are asked for once."""

    def __init__(self, registry: SchemaRegistry, prefix: str, separator: str = ".") -> None:
        """Take the registry, and what precedes the canonical topics' names with which separator."""
        self._registry = registry
        self._before = prefix + separator
        self._ids: dict[tuple[str, str], int] = {}

    def all(self, records: Sequence[Record]) -> Iterator[Record]:
        """Yield the records with the registry's own ids; SetupError when it refuses a schema."""
        for record in records:
            yield replace(
                record,
                key=self._part(record.key, record.key_schema, record.topic),
                value=self._part(record.value, record.value_schema, record.topic),
            )

    def _part(self, part: bytes | None, use: SchemaUse | None, topic: str) -> bytes | None:
        if part is None or use is None:
            return part
        _, body = confluent_unframe(part)
        return confluent_frame(self._id(use, topic), body)

    def _id(self, use: SchemaUse, topic: str) -> int:
        known = self._ids.get((use.subject, use.schema))
        if known is None:
            subject = self._subject(use.subject, topic)
            try:
                known = self._registry.register(subject, use.schema)
            except SchemaRefused as error:
                raise SetupError(
                    f"the registry refuses a schema of {subject}: {error.what}",
                    expected="a registry that keeps subjects BACKWARD compatible, nothing stricter",
                    hint="look at the registry's global compatibility level",
                ) from error
            self._ids[use.subject, use.schema] = known
        return known

    def _subject(self, subject: str, topic: str) -> str:
        """Return a subject of a canonical topic as that of the Kafka topic, in the same spelling.

        TiCDC writes an underscore for each dot of the topic's name (TiCDC codec notes §3.2).
        """
        real = f"{self._before}{topic}"
        if subject.startswith(topic):
            return real + subject.removeprefix(topic)
        plain = topic.replace(".", "_")
        return real.replace(".", "_") + subject.removeprefix(plain)
