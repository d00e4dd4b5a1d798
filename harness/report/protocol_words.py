"""What the reference page of a protocol says in prose: its introduction, dialects and events.

Words only. Types, settings and clauses come from the tables that the code itself uses.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class EventForm:
    """One kind of event: what its key and its value hold, and the clauses that say so."""

    event: str
    key: str
    value: str
    clauses: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ProtocolWords:
    """A protocol's introduction, its dialects in words, its events, and the layers below it."""

    introduction: str
    dialects: Mapping[str, str]
    events: tuple[EventForm, ...]
    layers: tuple[str, ...]


_OPEN = ProtocolWords(
    introduction=(
        "Rows, DDL and resolved marks of a TiDB cluster, as JSON in versioned batches. It is the "
        "only one of the three protocols that says how far a stream is complete, and that sends "
        "DDL."
    ),
    dialects=MappingProxyType(
        {
            "current": "What TiCDC writes today: flags, row ids, old values, UTF-8 text.",
            "newarch": "TiCDC's newer architecture: columns in table order, no row ids.",
            "4.0.4": "The listing of the 2020 document, byte for byte: no flags, Base64 text.",
        }
    ),
    events=(
        EventForm(
            "insert",
            "`ts`, `scm`, `tbl`, `t` 1, `rid`",
            "`u`: the new row",
            ("open.key.row", "open.row.insert"),
        ),
        EventForm(
            "update",
            "the same",
            "`u`: the new row, `p`: the old one",
            ("open.row.update", "open.row.update.old-value"),
        ),
        EventForm("delete", "the same", "`d`: the old row", ("open.row.delete",)),
        EventForm(
            "DDL",
            "`ts`, `scm`, `tbl`, `t` 2",
            "`q`: the statement, `t`: its type",
            ("open.key.ddl", "open.ddl.query", "open.ddl.type"),
        ),
        EventForm(
            "resolved",
            "`ts`, `t` 3",
            "an empty frame",
            ("open.key.resolved", "open.resolved.empty-frame"),
        ),
    ),
    layers=("changefeed", "kafka"),
)

_AVRO = ProtocolWords(
    introduction=(
        "Rows of a TiDB cluster in Avro, framed as Confluent's serialisers frame them, with every "
        "table's schemas in a registry. Nothing tells a DDL, and nothing tells how far a stream is "
        "complete; deletes are null values."
    ),
    dialects=MappingProxyType(
        {
            "current": "What TiCDC writes today: FLOAT is an Avro float.",
            "6": "TiCDC before 7.0.0, as the 6.1 page describes it: FLOAT is an Avro double.",
        }
    ),
    events=(
        EventForm(
            "insert",
            "the handle columns",
            "all columns; with the extension `_tidb_op` c",
            ("avro.key.columns", "avro.row.insert", "avro.extension.op"),
        ),
        EventForm(
            "update",
            "the handle columns",
            "all columns after the change; with the extension `_tidb_op` u",
            ("avro.row.update", "avro.row.no-old-value"),
        ),
        EventForm("delete", "the handle columns of the old row", "none", ("avro.row.delete",)),
        EventForm(
            "resolved, with `avro-enable-watermark`",
            "none",
            "0x02 and the ts",
            ("avro.watermark.extension",),
        ),
        EventForm(
            "DDL, with `avro-enable-watermark`",
            "none",
            "0x01 and JSON",
            ("avro.ddl.extension",),
        ),
    ),
    layers=("changefeed", "registry", "kafka"),
)

_VITESS = ProtocolWords(
    introduction=(
        "Rows of a Vitess keyspace as Debezium change events, written by a Kafka Connect "
        "converter: JSON with or without schemas, or Avro with a registry. Transactions may be "
        "told on a topic of their own."
    ),
    dialects=MappingProxyType(
        {
            "current": "What the connector 3.3.1 writes.",
            "documented": "What the 3.3 page shows where the connector does otherwise.",
        }
    ),
    events=(
        EventForm(
            "create", "the key", "`op` c, `after`", ("vitess.key.primary-key", "vitess.row.create")
        ),
        EventForm("update", "the key", "`op` u, `before` and `after`", ("vitess.row.update",)),
        EventForm("delete", "the key", "`op` d, `before`", ("vitess.row.delete",)),
        EventForm("tombstone", "the key", "none", ("vitess.tombstone.follows",)),
        EventForm(
            "changed key",
            "old key, old key, new key",
            "delete, tombstone, create",
            ("vitess.pk-update.sequence",),
        ),
        EventForm("BEGIN", "`id`", "`status` BEGIN, `id`, `ts_ms`", ("vitess.txn.boundaries",)),
        EventForm(
            "END",
            "`id`",
            "`status` END, `id`, the counts, `ts_ms`",
            ("vitess.txn.event-count", "vitess.txn.data-collections"),
        ),
        EventForm(
            "heartbeat", "`serverName`", "the stored VGTID, `ts_ms`", ("vitess.heartbeat.topic",)
        ),
        EventForm(
            "schema change",
            "`databaseName`",
            "the statement",
            ("vitess.ddl.schema-change",),
        ),
    ),
    layers=("connect", "registry", "kafka"),
)

WORDS: Mapping[str, ProtocolWords] = MappingProxyType(
    {"open": _OPEN, "avro": _AVRO, "vitess": _VITESS}
)
