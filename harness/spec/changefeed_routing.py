"""Where a TiCDC changefeed puts its messages: topics and partitions."""

from __future__ import annotations

from collections.abc import Mapping

from harness.spec.clause import Clause, Row, clauses, may, must
from harness.spec.documents import SINK_KAFKA, TIFLOW

_TOPIC_DISPATCHERS: tuple[Row, ...] = (
    must(
        "changefeed.topic.default",
        "Without a topic rule everything goes to the topic of the sink's address.",
    ),
    must(
        "changefeed.topic.first-rule",
        "Of several dispatchers that match a table the first decides.",
    ),
    must(
        "changefeed.topic.placeholders",
        "A topic rule is a prefix, `{schema}`, text between, `{table}` and a suffix, in this "
        "order and each optional; another is refused.",
    ),
    must("changefeed.topic.ddl-old-name", "A DDL event goes to the topic of the table's old name."),
)

_EXPRESSION: tuple[Row, ...] = (
    must(
        "changefeed.topic.sanitised",
        "Characters of a database or table that a topic may not have become `_`, and a topic "
        "longer than 249 bytes is cut.",
    ),
    must(
        "changefeed.topic.fixed",
        "A rule of legal characters only is a topic's name as it stands, however long.",
    ),
)

_PARTITION_DISPATCHERS: tuple[Row, ...] = (
    must(
        "changefeed.partition.default",
        "Without a partition rule, and under `default`, the table decides the partition.",
    ),
    must("changefeed.partition.table", "Under `table` all rows of a table go to one partition."),
    must(
        "changefeed.partition.index-value",
        "Under `index-value`, and `rowid`, the handle's values decide the partition.",
    ),
    must(
        "changefeed.partition.named-index",
        "With `index` the values of the unique index of that name decide instead of the handle's.",
    ),
    must(
        "changefeed.partition.ts",
        "Under `ts` the commit ts decides, so changes of one row spread over partitions and "
        "have no order.",
    ),
    must(
        "changefeed.partition.columns", "Under `columns` the values of the listed columns decide."
    ),
    may(
        "changefeed.partition.columns-order",
        "Where columns or an index other than the handle decide, changes of one row may "
        "spread over partitions.",
    ),
)

_TABLE: tuple[Row, ...] = (
    must(
        "changefeed.partition.table-hash",
        "The table's partition is the CRC-32 of database and table, modulo the number of "
        "partitions.",
    ),
)

_INDEX_VALUE: tuple[Row, ...] = (
    must(
        "changefeed.partition.value-hash",
        "Values change the table's hash by the CRC-32 of each column's name and text, XORed.",
    ),
    must(
        "changefeed.partition.new-values",
        "An update goes where its new values lead, a delete where its old ones do.",
    ),
)

_EVENT_ROUTER: tuple[Row, ...] = (
    must(
        "changefeed.partition.missing-column",
        "A rule that names a column or an index that the table lacks, or an index that is not "
        "unique, stops the changefeed.",
    ),
)

_CONFIG: tuple[Row, ...] = (
    must(
        "changefeed.force-replicate.refused",
        "`force-replicate` is refused together with Avro, with large-message handling, and "
        "with deletes of handle columns only.",
    ),
)

CHANGEFEED_ROUTING_CLAUSES: Mapping[str, Clause] = clauses(
    "changefeed",
    {
        SINK_KAFKA.section("Topic dispatchers", "topic-dispatchers"): _TOPIC_DISPATCHERS,
        TIFLOW.file("cdc/sink/dmlsink/mq/dispatcher/topic/expression.go", 88): _EXPRESSION,
        SINK_KAFKA.section(
            "Partition dispatchers", "partition-dispatchers"
        ): _PARTITION_DISPATCHERS,
        TIFLOW.file("cdc/sink/dmlsink/mq/dispatcher/partition/table.go", 39): _TABLE,
        TIFLOW.file("cdc/sink/dmlsink/mq/dispatcher/partition/index_value.go", 45): _INDEX_VALUE,
        TIFLOW.file("cdc/sink/dmlsink/mq/dispatcher/event_router.go", 133): _EVENT_ROUTER,
        TIFLOW.file("pkg/sink/codec/common/config.go", 224): _CONFIG,
    },
)
