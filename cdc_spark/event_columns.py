"""The columns of change events and of ordered changes, each with its type and what is in it.

The schemas of the library and its reference page are made from these tables.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cdc_spark.set_aside import FIELDS

Columns = Sequence[tuple[str, str, str]]  # name, Spark's type, content

_TRANSACTION = (
    "struct<id: string, total_order: bigint, shard: string, epoch: bigint, rank: string,"
    " event_count: bigint>"
)
EVENT_COLUMNS: Columns = (
    ("op", "string", "what happened, see below"),
    ("schema", "string", "whose row it is, empty where the event is about none"),
    ("table", "string", "the same"),
    (
        "identity",
        "string",
        "JSON of schema, table and key: equal for events of one row; empty without a key",
    ),
    ("key", "array<string>", "the names of the key's columns"),
    ("before", "string", "the row as JSON, in the contract's values; null where the wire has none"),
    ("after", "string", "the same"),
    (
        "commit_ts",
        "decimal(20,0)",
        "TiDB's commit ts, for Debezium the commit time in milliseconds; null without one",
    ),
    ("query", "string", "the statement of a `ddl`, else null"),
    (
        "transaction",
        _TRANSACTION,
        "Debezium with transaction metadata, else null; `event_count` is an `end`'s",
    ),
    ("reason", "string", "what is wrong with a `poison` message, else null"),
    ("topic", "string", "where it stood"),
    ("partition", "int", "where it stood"),
    ("offset", "bigint", "where it stood"),
    ("slot", "int", "the number of the event in its message, from 0"),
    (
        "change",
        "string",
        "of an `upsert` `insert` or `update`, where the message says which; else null",
    ),
    (
        "message",
        f"struct<{FIELDS}>",
        "of `poison` what was in Kafka, the timestamp in milliseconds; else null",
    ),
    (
        "position",
        "string",
        "of MariaDB and MySQL where the row stands in the log, as JSON, see below; else null",
    ),
)
# What an op is in each protocol: Open, Avro, Debezium.
OPS: Mapping[str, tuple[str, str, str]] = {
    "upsert": ("`u`", "a value", "`c`, `r`, `u`"),
    "delete": ("`d`; the old row of an update that changes the key", "a null value", "`d`"),
    "tombstone": ("", "", "a null value, which follows its delete"),
    "ddl": ("`t` 2", "the watermark's DDL", "the schema-change topic; `t` as TRUNCATE TABLE"),
    "resolved": ("`t` 3", "the watermark's resolved event", ""),
    "begin": ("", "", "the transaction topic"),
    "end": ("", "", "the transaction topic"),
    "poison": ("cannot be read", "the same", "the same"),
}
# What there is to say of the columns of `rows.RELEASED`.
ORDERED: Mapping[str, str] = {
    "feed": "0",
    "seq": "dense from 0 in its bucket, in the order of effect",
    "kind": "0 delete, 1 upsert, 2 DDL, 4 a message that was set aside, 7 what waits for an END",
    "ts": "the commit ts as text, `0` without one",
    "schema": "whose row it is",
    "table": "the same",
    "payload": "JSON: `before`, `after`, `key` and `rid` of a row, `q` and `t` of DDL; of a message"
    " that was set aside its `reason` and content",
    "topic": "the place of its topic in `Changefeed.topics`, from 0",
    "partition": "where it stood",
    "offset": "where it stood",
    "bucket": "of its key, from 0; DDL and what was set aside are in bucket 0",
    "at": "what orders it against other buckets: the commit ts less 2^63; null: its place does",
    "version": "the commit ts of its table's last DDL, as text; `0` before any, and without DDL",
    "batch": "where `at` is null its micro-batch, which comes before its place; else 0",
}
