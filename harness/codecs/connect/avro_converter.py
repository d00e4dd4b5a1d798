"""A Connect Avro converter: schemas registered under the topic's subject, bodies framed.

`TopicNameStrategy`: the subject is the topic with `-key` or `-value`. The frame is Confluent's.

Source: Confluent `AvroConverter.fromConnectData`; Confluent, §Wire format, §Subject name strategy.
"""

from __future__ import annotations

from harness.codecs.connect.avro_schema import avro_schema
from harness.codecs.connect.avro_writer import Write, avro_writer
from harness.codecs.connect.schema import Schema, SchemaCache
from harness.contracts import SchemaRegistry
from harness.model.record import SchemaUse
from harness.wire.confluent import confluent_header


class AvroConverter:
    """A converter bound to a registry; one for keys, one for values."""

    def __init__(self, registry: SchemaRegistry, part: str) -> None:
        """Take the registry and what the subject ends with: `key` or `value`."""
        self._registry = registry
        self._part = part
        self._texts: SchemaCache[str] = SchemaCache(lambda schema: avro_schema(schema).text)
        self._writers: SchemaCache[Write] = SchemaCache(avro_writer)
        self._uses: dict[tuple[str, str], tuple[bytes, SchemaUse]] = {}

    def convert(
        self, topic: str, schema: Schema | None, value: object
    ) -> tuple[bytes | None, SchemaUse | None]:
        """Return a key's or a value's bytes and the schema they name; None for a null.

        Raises SourceStopped for names that Avro refuses, SchemaRefused where the registry does.
        """
        if value is None or schema is None:
            return None, None
        header, use = self._use(topic, self._texts.of(schema))
        return header + self._writers.of(schema)(value), use

    def _use(self, topic: str, text: str) -> tuple[bytes, SchemaUse]:
        found = self._uses.get((topic, text))
        if found is None:
            subject = f"{topic}-{self._part}"
            schema_id = self._registry.register(subject, text)
            found = confluent_header(schema_id), SchemaUse(subject, text, schema_id)
            self._uses[topic, text] = found
        return found
