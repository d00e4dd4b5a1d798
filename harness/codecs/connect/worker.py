"""Connect records to Kafka records: what a worker does between `poll` and the producer.

Source: Kafka 4.1 connect-runtime `AbstractWorkerSourceTask.convertTransformedRecord`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import repeat
from typing import Any, Protocol, cast

from harness.codecs.connect.avro_converter import AvroConverter
from harness.codecs.connect.header_text import header_bytes
from harness.codecs.connect.json_converter import JsonConverter
from harness.codecs.connect.partitioner import Keyless, KeylessPartitions, partition_for
from harness.codecs.connect.schema import ConnectRecord, Header, Schema
from harness.codecs.connect.settings import (
    JSON,
    SIMPLE,
    Converters,
    ConverterSettings,
)
from harness.contracts import SchemaRegistry
from harness.errors import UsageError
from harness.model.record import Record, SchemaUse, bare_record

Partitions = int | Callable[[str], int]
RecordHeaders = tuple[tuple[str, bytes | None], ...]
HeaderBytes = Callable[[Schema, Any], bytes | None]


class Converter(Protocol):
    """Whatever writes keys or values."""

    def convert(
        self, topic: str, schema: Schema | None, value: object
    ) -> tuple[bytes | None, SchemaUse | None]:
        """Return the bytes and the registered schema that they name, if they name one."""
        ...


class Worker:
    """The converters of one connector, with what they remember of schemas and partitions."""

    def __init__(
        self,
        settings: Converters,
        registry: SchemaRegistry | None = None,
        partitions: Partitions = 1,
        keyless: Keyless = Keyless.ROUND_ROBIN,
    ) -> None:
        """Take the settings, the registry that Avro needs, and the partitions of each topic."""
        self._key = _converter(settings.key, registry, "key")
        self._value = _converter(settings.value, registry, "value")
        self._header = _header(settings.header)
        self._partitions = partitions
        self._keyless = keyless
        self._counts: dict[str, int] = {}
        self._spread: dict[str, KeylessPartitions] = {}
        self._header_values: dict[tuple[str, str], bytes | None] = {}

    def written(self, record: ConnectRecord) -> tuple[bytes | None, bytes | None]:
        """Return a record's key and value as they are sent."""
        topic = record.topic
        return (
            self._key.convert(topic, record.key_schema, record.key)[0],
            self._value.convert(topic, record.value_schema, record.value)[0],
        )

    def record(self, record: ConnectRecord) -> Record:
        """Return what the producer sends for a connector's record."""
        topic = record.topic
        key, key_schema = self._key.convert(topic, record.key_schema, record.key)
        value, value_schema = self._value.convert(topic, record.value_schema, record.value)
        partition = record.partition
        if partition is None:
            partition = self.partition(topic, key, len(value or b""))
        headers = self.headers(record.headers)
        if key_schema is None and value_schema is None:
            return bare_record(topic, partition, key, value, (record.origin,), headers)
        return Record(
            topic, partition, key, value, (record.origin,), headers, key_schema, value_schema
        )

    def headers(self, headers: Iterable[Header]) -> RecordHeaders:
        """Return headers as they are sent."""
        return tuple((h.key, self._header_bytes(h.schema, h.value, h.key)) for h in headers)

    def _header_bytes(self, schema: Schema, value: object, name: str) -> bytes | None:
        # The connector's own three headers are the same on every record.
        if not isinstance(value, str):
            return self._header(schema, value)
        found = self._header_values.get((name, value))
        if found is None:
            if len(self._header_values) >= _HEADERS_KEPT:
                self._header_values.clear()
            found = self._header_values[name, value] = self._header(schema, value)
        return found

    def places(
        self, topic: str, keys: Sequence[bytes | None], values: Sequence[bytes]
    ) -> Iterable[int]:
        """Return where records go one after the other, by their keys and values."""
        count = self._count(topic)
        if count == 1:
            return repeat(0)
        if all(keys):
            return map(partition_for, cast("Sequence[bytes]", keys), repeat(count))
        return map(self.partition, repeat(topic), keys, map(len, values))

    def _count(self, topic: str) -> int:
        count = self._counts.get(topic)
        if count is None:
            of = self._partitions
            count = self._counts[topic] = of if isinstance(of, int) else of(topic)
        return count

    def partition(self, topic: str, key: bytes | None, size: int) -> int:
        """Return where a record goes whose value has that size, if nobody named a partition."""
        count = self._count(topic)
        if count == 1:
            return 0
        if key is not None:
            return partition_for(key, count)
        spread = self._spread.get(topic)
        if spread is None:
            spread = self._spread[topic] = KeylessPartitions(self._keyless, count)
        return spread.place(size)


_HEADERS_KEPT = 1000


def _converter(
    settings: ConverterSettings, registry: SchemaRegistry | None, part: str
) -> Converter:
    if settings.type == JSON:
        return JsonConverter(schemas_enable=settings.schemas_enable, form=settings.form)
    if registry is None:
        raise UsageError(
            f"{part}.converter {settings.type} needs a schema registry",
            hint="give the changefeed a registry, or use JsonConverter",
        )
    return AvroConverter(registry, part)


def _header(settings: ConverterSettings) -> HeaderBytes:
    if settings.type == SIMPLE:
        return header_bytes
    return JsonConverter(schemas_enable=settings.schemas_enable, form=settings.form).text
