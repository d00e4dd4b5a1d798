"""Vendor input to Kafka records: one row a message, key and value framed with their schemas' ids.

A delete is its key with a null value. Schemas are posted at the first row that needs them and again
after every DDL on the table: one entry a subject is remembered, by the table's version. What fails
here has posted the schemas that came before it, as it has in TiCDC.

Source: TiCDC codec notes §3.1, 3.6-3.9; tiflow c7b2588 pkg/sink/codec/avro/avro.go
`AppendRowChangedEvent`, `EncodeDDLEvent`; confluent_schema_registry.go:292 `GetCachedOrRegister`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from struct import Struct

from harness.codecs.avro.checksum import NOT_ENABLED, VERSION, row_checksum
from harness.codecs.avro.encode_values import Writer, writer
from harness.codecs.avro.names import key_subject, value_subject
from harness.codecs.avro.schema import API_ERROR, AvroRecordSchema, key_schema, value_schema
from harness.codecs.avro.settings import AvroSettings
from harness.codecs.avro.varint import varint
from harness.codecs.ticdc.settings import RECORD_OVERHEAD
from harness.contracts import SchemaRegistry
from harness.errors import SchemaRefused, SourceStopped
from harness.model.change import Op
from harness.model.record import Record, SchemaUse
from harness.model.source_events import (
    DdlEvent,
    ResolvedEvent,
    RowEvent,
    SourceEvent,
    SourceTable,
)
from harness.model.table import TableId
from harness.model.values import Row
from harness.model.zones import to_utc
from harness.wire.confluent import confluent_header
from harness.wire.go_json import go_string

DDL_BYTE, CHECKPOINT_BYTE = b"\x01", b"\x02"
# A commit ts counts milliseconds above its 18 logical bits.
LOGICAL_BITS = 18
_UINT64 = Struct(">Q")
_OPS = {Op.INSERT: b"\x02c", Op.UPDATE: b"\x02u"}


@dataclass(frozen=True, slots=True)
class PreparedSubject:
    """What one subject has remembered: a version's schema, its id, and how its rows are written."""

    table: SourceTable
    version: tuple[TableId, int, int]
    use: SchemaUse
    header: bytes
    columns: tuple[tuple[int, Writer], ...]


class AvroEncoder:
    """Turns one changefeed's vendor input into records; keeps what its subjects remember."""

    def __init__(self, settings: AvroSettings, registry: SchemaRegistry) -> None:
        """Take the settings and the registry."""
        self._settings = settings
        self._registry = registry
        self._keys: dict[str, PreparedSubject] = {}
        self._values: dict[str, PreparedSubject] = {}
        self._moment = (-1, b"")
        self._limit = settings.max_message_bytes

    def encode(self, events: Iterable[SourceEvent]) -> Iterator[Record]:
        """Yield the records in emission order; SourceStopped where the changefeed would fail."""
        for event in events:
            match event:
                case RowEvent():
                    yield self.row(event)
                case DdlEvent():
                    yield from self._ddl(event)
                case ResolvedEvent():
                    if self._settings.watermark:
                        value = CHECKPOINT_BYTE + _UINT64.pack(event.ts)
                        yield Record(event.topic, event.partition, None, value, (event.origin,))

    def row(self, row: RowEvent) -> Record:
        """Return one row's message."""
        if self._settings.dialect.value_first:
            value, value_use = self._value(row)
            key, key_use = self._key(row)
        else:
            key, key_use = self._key(row)
            value, value_use = self._value(row)
        size = len(key or b"") + len(value or b"") + RECORD_OVERHEAD
        if size > self._limit:
            limit = self._limit
            raise SourceStopped(
                self._settings.dialect.too_large,
                f"message is too large. table:{row.table.table.id.name}, length:{size},"
                f" maxMessageBytes:{limit}",
                hint="raise max-message-bytes",
            )
        return Record(row.topic, row.partition, key, value, (row.origin,), (), key_use, value_use)

    def schemas(self, table: SourceTable, *, values: bool) -> tuple[str, ...]:
        """Return the texts that a row of the table needs; a delete needs no value's."""
        built = [self._key_schema(table)] if table.handle else []
        built += [self._value_schema(table)] if values else []
        return tuple(schema.text for schema in built)

    def post(self, topic: str, table: SourceTable, *, values: bool) -> None:
        """Post what a row of the table would, as far as the subjects do not remember it."""
        if values and self._settings.dialect.value_first:
            self._value_of(topic, table)
        if table.handle:
            self._key_of(topic, table)
        if values:
            self._value_of(topic, table)

    def _key(self, row: RowEvent) -> tuple[bytes | None, SchemaUse | None]:
        if not row.table.handle:
            return None, None
        prepared = self._key_of(row.topic, row.table)
        image = row.before if row.after is None else row.after
        assert image is not None
        return _body(prepared, image), prepared.use

    def _value(self, row: RowEvent) -> tuple[bytes | None, SchemaUse | None]:
        if row.after is None:
            return None, None
        prepared = self._value_of(row.topic, row.table)
        body = _body(prepared, row.after)
        return body + self._extension(row) if self._settings.extension else body, prepared.use

    def _key_of(self, topic: str, table: SourceTable) -> PreparedSubject:
        known = self._keys.get(topic)
        if known is not None and known.table is table:
            return known
        return self._prepare(self._keys, topic, key_subject(topic), table, self._key_schema)

    def _value_of(self, topic: str, table: SourceTable) -> PreparedSubject:
        known = self._values.get(topic)
        if known is not None and known.table is table:
            return known
        return self._prepare(self._values, topic, value_subject(topic), table, self._value_schema)

    def _prepare(
        self,
        remembered: dict[str, PreparedSubject],
        topic: str,
        subject: str,
        table: SourceTable,
        build: Callable[[SourceTable], AvroRecordSchema],
    ) -> PreparedSubject:
        """Return what the subject remembers of this version; post the schema when it is another."""
        version = (table.table.id, table.table.physical_id, table.table.version)
        known = remembered.get(topic)
        if known is not None and known.version == version:
            return known
        schema = build(table)
        try:
            schema_id = self._registry.register(subject, schema.text)
        except SchemaRefused as refused:
            raise SourceStopped(
                API_ERROR, refused.what, expected=refused.expected, hint=refused.hint
            ) from refused
        found = PreparedSubject(
            table,
            version,
            SchemaUse(subject, schema.text, schema_id),
            confluent_header(schema_id),
            tuple((field.ordinal, writer(field)) for field in schema.fields),
        )
        remembered[topic] = found
        return found

    def _key_schema(self, table: SourceTable) -> AvroRecordSchema:
        return key_schema(table.table, table.handle, self._settings)

    def _value_schema(self, table: SourceTable) -> AvroRecordSchema:
        return value_schema(table.table, table.emitted, self._settings)

    def _extension(self, row: RowEvent) -> bytes:
        commit_ts, moment = self._moment
        if commit_ts != row.commit_ts:
            moment = varint(row.commit_ts) + varint(row.commit_ts >> LOGICAL_BITS)
            self._moment = (row.commit_ts, moment)
        fields = _OPS[row.op] + moment
        if not self._settings.checksum:
            return fields
        digits = str(self._checksum(row)).encode()
        return fields + varint(len(digits)) + digits + b"\x00" + varint(VERSION)

    def _checksum(self, row: RowEvent) -> int:
        """Return the row's checksum: both halves of a split update share one that is cleared."""
        if row.split:
            return NOT_ENABLED
        assert row.after is not None
        return row_checksum(row.table, row.after, to_utc(self._settings.zone))

    def _ddl(self, event: DdlEvent) -> Iterator[Record]:
        if not self._settings.watermark:
            return
        text = (
            f'{{"query":{go_string(event.query)},"type":{event.type},'
            f'"schema":{go_string(event.schema)},"table":{go_string(event.table)},'
            f'"commitTs":{event.commit_ts}}}'
        )
        value = DDL_BYTE + text.encode()
        for partition in range(event.partitions):
            yield Record(event.topic, partition, None, value, (event.origin,))


def _body(prepared: PreparedSubject, image: Row) -> bytes:
    columns = [write(image[ordinal]) for ordinal, write in prepared.columns]
    return prepared.header + b"".join(columns)
