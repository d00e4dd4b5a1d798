"""TiCDC Avro, message by message: what a row change becomes, and what tells its kind.

The document has two versions: that of TiDB 6.1 and the present one. A clause without `versions`
holds for both; where the encoder does otherwise, the clause says so and names what the text says.
"""

from __future__ import annotations

from collections.abc import Mapping

from harness.spec.clause import Clause, Row, clauses, may, must, should
from harness.spec.documents import AVRO, TIFLOW

_TICDC_AVRO_PROTOCOL: tuple[Row, ...] = (
    must(
        "avro.table.force-replicate-refused",
        "A changefeed that speaks Avro and asks for `force-replicate` is refused when it is "
        "created.",
        "from 7.3.0",
    ),
)

_USE_AVRO: tuple[Row, ...] = (
    must("avro.topic.one-table", "A topic holds the rows of one table only."),
    may(
        "avro.registry.credentials",
        "The registry may be reached over HTTPS, with user and password, URL-encoded, in its "
        "address.",
    ),
)

_DEFINITION_OF_THE_DATA_FORMAT: tuple[Row, ...] = (
    must("avro.message.one-row", "One row event is one Kafka message; no message holds two."),
    must(
        "avro.message.avro-encoded",
        "Key and value of a message are Avro, each with a schema of its own.",
    ),
)

_KEY_DATA_FORMAT: tuple[Row, ...] = (
    must(
        "avro.key.columns",
        "The key's fields are the columns of the handle: the primary key's, else those of the "
        "unique index that was chosen.",
    ),
    must(
        "avro.key.record",
        "The key schema is a record named after the table, in a namespace that ends with the "
        "database.",
    ),
)

_VALUE_DATA_FORMAT: tuple[Row, ...] = (
    must(
        "avro.value.record",
        "The value schema is a record of the same name and namespace as the key's.",
    ),
    must(
        "avro.value.all-columns",
        "The value's fields are all columns of the table, virtual generated ones excepted.",
    ),
    must("avro.row.delete", "A delete is a message with the old row's key and a null value."),
    must("avro.row.insert", "An insert's value holds every column of the new row."),
    must("avro.row.update", "An update's value holds every column of the row after the change."),
    must(
        "avro.row.no-old-value",
        "Nothing of the row before the change is sent, save the key of a delete.",
    ),
    must(
        "avro.row.delete.no-extension",
        "A delete carries no extension field, whatever the settings, because it has no value.",
    ),
)

_TIDB_EXTENSION_FIELDS: tuple[Row, ...] = (
    must(
        "avro.extension.off",
        "Unless `enable-tidb-extension` is true, no value has a field that is not a column.",
    ),
    must(
        "avro.extension.fields",
        "With `enable-tidb-extension`, `_tidb_op`, `_tidb_commit_ts` and "
        "`_tidb_commit_physical_time` follow the columns, in this order.",
    ),
    must("avro.extension.op", "`_tidb_op` is `c` in an insert and `u` in an update."),
    must(
        "avro.extension.commit-ts",
        "`_tidb_commit_ts` is the commit ts of the row's transaction, a long.",
    ),
    must(
        "avro.extension.physical-time",
        "`_tidb_commit_physical_time` is the wall clock in the commit ts (its upper 46 bits), "
        "in milliseconds.",
    ),
)

_CONSUMER_IMPLEMENTATION: tuple[Row, ...] = (
    should(
        "avro.consumer.confluent-deserializer",
        "Whatever Confluent's own Avro deserializer reads, a consumer reads: the frame, the "
        "ids and the schemas are Confluent's.",
    ),
    must(
        "avro.consumer.schema-by-id",
        "A consumer decodes each message with the schema that the message names, fetched from "
        "the registry when it is new to it.",
    ),
)

_DISTINGUISH_EVENT_TYPES: tuple[Row, ...] = (
    must(
        "avro.consumer.null-is-delete",
        "A consumer takes a message without a value for a delete of its key.",
    ),
    must(
        "avro.consumer.value-is-upsert",
        "A consumer takes a message with a value for the row as it is now, be it an insert or "
        "an update.",
    ),
    may(
        "avro.consumer.op-tells",
        "Where the extension is on, `_tidb_op` tells inserts from updates; where it is off, "
        "nothing does.",
    ),
)

_SINK: tuple[Row, ...] = (
    must(
        "avro.row.pk-update-split",
        "An update that changes the handle or any unique key is sent as a delete of the old "
        "key and an insert of the new row.",
    ),
    may(
        "avro.row.split-apart",
        "The delete and the insert of a split update may go to different partitions.",
    ),
    must(
        "avro.row.raw-change-event",
        "With `output-raw-change-event` an update that the sink would split is one message, "
        "and no delete of the old key is sent.",
        "from 6.5.10, 7.1.6, 7.5.3 and 8.1.1",
    ),
)

_KEY: tuple[Row, ...] = (
    must(
        "avro.order.deletes-first",
        "Of the rows of one table and one commit ts, deletes are sent before updates, and "
        "updates before inserts.",
    ),
    must(
        "avro.order.per-key",
        "Unless rows are dispatched by ts, the messages of one key are in one partition, "
        "first copies in the order of their commit ts.",
    ),
)

_MOUNTER: tuple[Row, ...] = (
    must(
        "avro.txn.net-effect",
        "However often one transaction changes a row, one message tells the outcome, or none "
        "when nothing changed.",
    ),
)

_WRITER: tuple[Row, ...] = (
    may(
        "avro.delivery.at-least-once",
        "After a failure of a node or the network, messages may be sent again, older ones "
        "after newer ones.",
    ),
    may(
        "avro.delivery.old-version",
        "Without the extension a repeated older version of a row cannot be told from a new one.",
    ),
)

_SCHEMA_STORAGE: tuple[Row, ...] = (
    must(
        "avro.value.no-virtual-columns",
        "Virtual generated columns and hidden row ids are no fields; stored generated columns are.",
    ),
)

_MOUNTER_2: tuple[Row, ...] = (
    must(
        "avro.value.added-column",
        "A row stored before a column was added has that column's default at the time, else "
        "NULL, else the type's zero.",
    ),
)

_DDL_PULLER: tuple[Row, ...] = (
    must(
        "avro.table.keyless-skipped",
        "A table without a valid index is not replicated: no message, no schema, no topic.",
    ),
)

AVRO_MESSAGE_CLAUSES: Mapping[str, Clause] = clauses(
    "avro",
    {
        AVRO.section("TiCDC Avro Protocol", "ticdc-avro-protocol"): _TICDC_AVRO_PROTOCOL,
        AVRO.section("Use Avro", "use-avro"): _USE_AVRO,
        AVRO.section(
            "Definition of the data format", "definition-of-the-data-format"
        ): _DEFINITION_OF_THE_DATA_FORMAT,
        AVRO.section("Key data format", "key-data-format"): _KEY_DATA_FORMAT,
        AVRO.section("Value data format", "value-data-format"): _VALUE_DATA_FORMAT,
        AVRO.section("TiDB extension fields", "tidb-extension-fields"): _TIDB_EXTENSION_FIELDS,
        AVRO.section(
            "Consumer implementation", "consumer-implementation"
        ): _CONSUMER_IMPLEMENTATION,
        AVRO.section(
            "Distinguish event types", "distinguish-event-types"
        ): _DISTINGUISH_EVENT_TYPES,
        TIFLOW.file("cdc/model/sink.go", 1187): _SINK,
        TIFLOW.file("cdc/processor/sourcemanager/sorter/pebble/encoding/key.go", 85): _KEY,
        TIFLOW.file("cdc/entry/mounter.go", 160): _MOUNTER,
        TIFLOW.file("cmd/kafka-consumer/writer.go", 224): _WRITER,
        TIFLOW.file("cdc/model/schema_storage.go", 380): _SCHEMA_STORAGE,
        TIFLOW.file("cdc/entry/mounter.go", 853): _MOUNTER_2,
        TIFLOW.file("cdc/puller/ddl_puller.go", 480): _DDL_PULLER,
    },
)
