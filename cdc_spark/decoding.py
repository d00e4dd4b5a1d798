"""The public functions: a Kafka DataFrame in, a DataFrame of change events out.

They are for anybody's own PySpark job, streaming or not, on a cluster or not: what they need
travels with the plan, and the executors need this package and its dependencies only.

A message is never dropped in silence. With poison `fail` one that cannot be read fails the
query, naming topic, partition and offset; with `dead_letter` it becomes a row of op `poison`, and
so does under `fail` one that `skip` names. The columns of an event are in `event_columns`.
"""

# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false
from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cdc_spark.debezium.values import definitions
from cdc_spark.errors import UsageError
from cdc_spark.event_columns import EVENT_COLUMNS
from cdc_spark.gc_pause import gc_paused
from cdc_spark.protocols import DIALECTS, Language, Reader
from cdc_spark.set_aside import Policy, places
from cdc_spark.untyped import ArrowBatch, Frame, np
from cdc_spark.vectorised import blocks
from cdc_spark.vectorised.poison import judged
from cdc_spark.wire.registry import waited_for
from cdc_spark.wire.zones import UTC_NAME

__all__ = (
    "DEAD_LETTER",
    "EVENT_SCHEMA",
    "FAIL",
    "dead_letters",
    "decode_avro",
    "decode_debezium",
    "decode_open",
    "decode_vitess",
)

EVENT_SCHEMA = ", ".join(f"{name} {kind}" for name, kind, _ in EVENT_COLUMNS)
# What becomes of a message that cannot be read: it fails the query, or is set aside.
FAIL, DEAD_LETTER = "fail", "dead_letter"
POLICIES = (FAIL, DEAD_LETTER)
NEEDED = ("topic", "partition", "offset", "key", "value")
Skip = Sequence[tuple[str, int, int]]  # topic, partition, offset


def decode_open(
    messages: Frame,
    *,
    dialect: str = "current",
    time_zone: str = UTC_NAME,
    poison: str = FAIL,
    skip: Skip = (),
) -> Frame:
    """Return the events of TiCDC Open Protocol messages.

    `messages` has the columns of Spark's Kafka source (`kafka_columns` says which are needed). In
    the dialect `4.0.4` text and bytes look alike on the wire; such a value is a list of one
    hexadecimal text. `time_zone` is the TiCDC server's `tz`: TIMESTAMPs are read to UTC. `skip`
    names messages by topic, partition and offset that are set aside.
    """
    return _decoded(messages, Language("open", dialect, time_zone=time_zone), poison, skip)


def decode_avro(
    messages: Frame,
    registry: str,
    *,
    properties: Mapping[str, str] | None = None,
    time_zone: str = UTC_NAME,
    poison: str = FAIL,
    skip: Skip = (),
) -> Frame:
    """Return the events of TiCDC Avro messages; schemas are read by id from `registry`.

    That is an address, or `file:` and the path of a JSON object that has each schema's text by its
    id, for messages that were kept without their registry; executors must have the file.
    `properties` are the registry client's by Confluent's names (`basic.auth.user.info`,
    `schema.registry.ssl.truststore.location`), and `schema.registry.wait.s`: for so many seconds a
    registry that does not answer is waited for (90). Settings of the changefeed are read off the
    schemas, but for `time_zone`: the TiCDC server's `tz`, whose TIMESTAMPs are read to UTC.
    """
    waited_for(properties or {})
    language = Language("avro", url=registry, properties=properties or {}, time_zone=time_zone)
    return _decoded(messages, language, poison, skip)


def decode_vitess(  # noqa: PLR0913 - the keywords of a public function
    messages: Frame,
    registry: str = "",
    *,
    properties: Mapping[str, str] | None = None,
    tables: Sequence[Mapping[str, Any]] = (),
    settings: Mapping[str, str] | None = None,
    poison: str = FAIL,
    skip: Skip = (),
) -> Frame:
    """Return the events of Debezium Vitess records: JSON with or without schemas, or Avro.

    JSON without schemas has no types: give `tables` as job.json has them, and the connector's
    `time.precision.mode` and `binary.handling.mode` in `settings`. A tombstone follows the
    delete of its key, and is the only trace of it where compaction has taken the delete; its table
    is that of its topic. Heartbeats give no events.
    """
    waited_for(properties or {})
    known = definitions(tables, settings or {}, "vitess")
    language = Language("vitess", url=registry, properties=properties or {}, definitions=known)
    return _decoded(messages, language, poison, skip)


def decode_debezium(  # noqa: PLR0913 - the keywords of a public function
    messages: Frame,
    registry: str = "",
    *,
    properties: Mapping[str, str] | None = None,
    tables: Sequence[Mapping[str, Any]] = (),
    settings: Mapping[str, str] | None = None,
    poison: str = FAIL,
    skip: Skip = (),
) -> Frame:
    """Return the events of Debezium's connectors for MariaDB and MySQL: JSON or Avro.

    All is as with `decode_vitess`; of `settings`, `decimal.handling.mode` is read too. The
    connector repeats what it sent before it was stopped: `position` says where in the log a row
    stands. The schema-change topic gives `ddl`, for information: the next row has its table's new
    columns. TRUNCATE, which is sent among rows with `skipped.operations` none, is `ddl` as well;
    `in_order` lets it take the older rows of its table.
    """
    waited_for(properties or {})
    known = definitions(tables, settings or {}, "debezium-mysql")
    url, more = registry, properties or {}
    language = Language("debezium-mysql", url=url, properties=more, definitions=known)
    return _decoded(messages, language, poison, skip)


def dead_letters(events: Frame) -> Frame:
    """Return the messages that were set aside: where they stood, the reason, and their content.

    The columns are topic, partition, offset, reason, key, value, headers and timestamp (in ms), so
    that all of it can be decoded again, or sent again with Spark's Kafka sink.
    """
    letters = events.where("op = 'poison'")
    return letters.select("topic", "partition", "offset", "reason", "message.*")


def kafka_columns(messages: Frame, *, placed: bool = False) -> Frame:
    """Return the columns of Kafka messages that decoders read, with their types.

    `key` and `value` are needed, as bytes or text; `headers` (with the source's `includeHeaders`)
    and `timestamp` are kept where they are there; the list is empty where a message has none.
    `topic`, `partition` and `offset` are NULL where a file of messages lacks them, and refused with
    a UsageError where they decide (`placed`).
    """
    types = dict(messages.dtypes)
    needed = NEEDED if placed else ("key", "value")
    missing = [name for name in needed if name not in types]
    if missing:
        raise UsageError(
            f"the messages have no column {missing[0]!r}, but {', '.join(sorted(types)[:9])}",
            expected=f"the columns of Spark's Kafka source: {', '.join(needed)}",
        )
    return messages.selectExpr(
        *(f"{_read(name, types.get(name, ''))} AS `{name}`" for name in _TYPES)
    )


_TYPES: Mapping[str, str] = {
    "topic": "string",
    "partition": "int",
    "offset": "bigint",
    "key": "binary",
    "value": "binary",
    "headers": "array<struct<key: string, value: binary>>",
    "timestamp": "bigint",
}
# Headers are never null on their way to Python: Spark asks how large a batch has become after each
# row, and Arrow's ListVector.setValueCount then goes over all null lists at the end of the batch
# again, which takes quadratic time where no message has headers.
_NO_HEADERS = f"cast(array() AS {_TYPES['headers']})"
_HEADERS = (
    "coalesce(transform(headers, one -> "
    f"named_struct('key', one.key, 'value', cast(one.value AS binary))), {_NO_HEADERS})"
)


def _read(name: str, kind: str) -> str:
    """Return how a column of this type is read; NULL where it is not there, or is something else.

    Headers and the time are kept with what is set aside, and decide nothing else: a table may have
    other columns of these names.
    """
    if name == "headers":
        return _HEADERS if kind.startswith("array<struct<key:") else _NO_HEADERS
    if name == "timestamp" and kind == "timestamp":
        return "unix_millis(cast(timestamp AS timestamp))"
    if not kind or (name == "timestamp" and kind != "bigint"):
        return _null(name)
    return f"cast(`{name}` AS {_TYPES[name]})"


def _null(name: str) -> str:
    return f"cast(NULL AS {_TYPES[name]})"


def _decoded(messages: Frame, language: Language, poison: str, skip: Skip) -> Frame:
    if poison not in POLICIES:
        raise UsageError(f"poison {poison!r}", expected=f"one of {', '.join(POLICIES)}")
    if language.dialect not in DIALECTS[language.protocol]:
        raise UsageError(
            f"dialect {language.dialect!r}",
            expected=f"one of {', '.join(sorted(DIALECTS[language.protocol]))}",
        )
    decoding = Decoding(language, Policy(fails=poison == FAIL, skipped=places(skip)))
    return kafka_columns(messages).mapInArrow(decoding.decode, EVENT_SCHEMA)


@dataclass(frozen=True, slots=True)
class Decoding:
    """What runs on the executors; messages of `kafka_columns` in, events out."""

    language: Language
    policy: Policy

    def decode(self, batches: Iterator[ArrowBatch]) -> Iterator[ArrowBatch]:
        """Decode Arrow batches; raises PoisonError where poison is to fail the query."""
        reader = Reader.of(self.language, payloads=False)
        for batch in batches:
            with gc_paused():
                decoded = self._decoded(reader, batch)
            yield decoded

    def _decoded(self, reader: Reader, batch: ArrowBatch) -> ArrowBatch:
        numbers = np.arange(batch.num_rows)
        block = judged(self.policy, batch, numbers, reader.read(batch, numbers))
        return blocks.public(block, batch)
