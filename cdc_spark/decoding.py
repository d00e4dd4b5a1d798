"""The public functions: a Kafka DataFrame in, a DataFrame of change events out.

They are for anybody's own PySpark job, streaming or not, on a cluster or not: what they need
travels with the plan, and the executors need this package and its dependencies only.

The columns of an event, whatever the protocol:

| column | type | content |
| --- | --- | --- |
| op | string | upsert, delete, tombstone, ddl, resolved, begin, end, poison |
| schema, table | string | whose row it is, "" where the event is about neither |
| identity | string | equal for events of one row: JSON of schema, table and key; "" without a key |
| key | array<string> | the names of the key's columns |
| before, after | string | the row as JSON, in the contract's values; null where the wire has none |
| commit_ts | decimal(20,0) | TiDB's commit ts, Vitess's time in ms; null where the wire has none |
| query | string | of a DDL its statement, else null |
| transaction | struct | id, total_order, shard, epoch, rank; event_count of an `end` |
| reason | string | of poison what is wrong with the message, else null |
| topic, partition, offset, slot | | where it stood; `slot` counts the events of one message |
| change | string | of an upsert `insert` or `update`, where the message says which, else null |

A message is never dropped in silence. With poison `fail` one that cannot be read fails the
query, naming topic, partition and offset; with `dead_letter` it becomes a row of op `poison`.
"""

# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false
from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cdc_spark.debezium_vitess.values import definitions
from cdc_spark.errors import DecodingError, UsageError
from cdc_spark.events import Kind
from cdc_spark.gc_pause import gc_paused
from cdc_spark.protocols import DIALECTS, Language, Reader
from cdc_spark.untyped import ArrowBatch, Frame, np, pa, pc
from cdc_spark.vectorised import blocks

__all__ = (
    "DEAD_LETTER",
    "EVENT_SCHEMA",
    "FAIL",
    "dead_letters",
    "decode_avro",
    "decode_open",
    "decode_vitess",
)

EVENT_SCHEMA = (
    "op string, schema string, table string, identity string, key array<string>, before string, "
    "after string, commit_ts decimal(20,0), query string, transaction struct<id: string, "
    "total_order: bigint, shard: string, epoch: bigint, rank: string, event_count: bigint>, "
    "reason string, topic string, partition int, offset bigint, slot int, change string"
)
# What becomes of a message that cannot be read: it fails the query, or is set aside.
FAIL, DEAD_LETTER = "fail", "dead_letter"
POLICIES = (FAIL, DEAD_LETTER)
NEEDED = ("topic", "partition", "offset", "key", "value")


def decode_open(messages: Frame, *, dialect: str = "current", poison: str = FAIL) -> Frame:
    """Return the events of TiCDC Open Protocol messages.

    `messages` has the columns of Spark's Kafka source. In the dialect `4.0.4` text and bytes look
    alike on the wire; such a value is a list of one hexadecimal text.
    """
    return _decoded(messages, Language("open", dialect), poison)


def decode_avro(
    messages: Frame,
    registry: str,
    *,
    properties: Mapping[str, str] | None = None,
    poison: str = FAIL,
) -> Frame:
    """Return the events of TiCDC Avro messages; schemas are read by id from `registry`.

    That is an address, or `file:` and the path of a JSON object that has each schema's text by its
    id, for messages that were kept without their registry; executors must have the file.
    `properties` are the registry client's by Confluent's names (`basic.auth.user.info`,
    `schema.registry.ssl.truststore.location`). Settings of the changefeed are read off the schemas.
    """
    return _decoded(messages, Language("avro", url=registry, properties=properties or {}), poison)


def decode_vitess(
    messages: Frame,
    registry: str = "",
    *,
    properties: Mapping[str, str] | None = None,
    tables: Sequence[Mapping[str, Any]] = (),
    settings: Mapping[str, str] | None = None,
    poison: str = FAIL,
) -> Frame:
    """Return the events of Debezium Vitess records: JSON with or without schemas, or Avro.

    JSON without schemas has no types: give `tables` as job.json has them, and the connector's
    `time.precision.mode` and `binary.handling.mode` in `settings`. A tombstone follows the
    delete of its key, and is the only trace of it where compaction has taken the delete; its table
    is that of its topic. Heartbeats give no events.
    """
    known = definitions(tables, settings or {})
    return _decoded(
        messages,
        Language("vitess", url=registry, properties=properties or {}, definitions=known),
        poison,
    )


def dead_letters(events: Frame) -> Frame:
    """Return the messages that could not be read: topic, partition, offset and reason."""
    return events.where("op = 'poison'").select("topic", "partition", "offset", "reason")


def _decoded(messages: Frame, language: Language, poison: str) -> Frame:
    if poison not in POLICIES:
        raise UsageError(f"poison {poison!r}", expected=f"one of {', '.join(POLICIES)}")
    if language.dialect not in DIALECTS[language.protocol]:
        raise UsageError(
            f"dialect {language.dialect!r}",
            expected=f"one of {', '.join(sorted(DIALECTS[language.protocol]))}",
        )
    decoding = Decoding(language, lenient=poison == DEAD_LETTER)
    return messages.select(*NEEDED).mapInArrow(decoding.decode, EVENT_SCHEMA)


@dataclass(frozen=True, slots=True)
class Decoding:
    """What runs on the executors; messages of columns `NEEDED` in, events out."""

    language: Language
    lenient: bool

    def decode(self, batches: Iterator[ArrowBatch]) -> Iterator[ArrowBatch]:
        """Decode Arrow batches; raises DecodingError where poison is to fail the query."""
        reader = Reader.of(self.language, payloads=False)
        for batch in batches:
            with gc_paused():
                decoded = self._decoded(reader, batch)
            yield decoded

    def _decoded(self, reader: Reader, batch: ArrowBatch) -> ArrowBatch:
        block = reader.read(batch, np.arange(batch.num_rows))
        if not self.lenient:
            poison = pc.index(block["kind"], pa.scalar(Kind.ERROR, pa.int32())).as_py()
            if poison >= 0:
                number = blocks.places(block)[0][poison].as_py()
                raise _poison(block["payload"][poison].as_py(), batch.slice(number, 1))
        return blocks.public(block, batch)


def _poison(reason: str, message: ArrowBatch) -> DecodingError:
    topic, partition, offset = (message[name][0] for name in ("topic", "partition", "offset"))
    return DecodingError(
        f"topic {topic}, partition {partition}, offset {offset}: {reason}",
        hint=f"poison={DEAD_LETTER!r} sets such messages aside",
    )
