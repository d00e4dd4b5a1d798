"""The settings that Debezium's relational connectors share, one row a setting.

Source: C:config/CommonConnectorConfig.java, C:relational/RelationalDatabaseConnectorConfig.java.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from harness.codecs.connect.settings import FLAG
from harness.contracts import Setting

ADJUST: Final = "none | avro | avro_unicode"
LIST: Final = "regular expressions"


def setting_rows(*rows: tuple[str, str, str, str]) -> tuple[Setting, ...]:
    """Return settings from names, defaults (empty for none), values and meanings."""
    return tuple(Setting(*row) for row in rows)


def common_settings(schema: str, times: Iterable[str]) -> tuple[Setting, ...]:
    """Return the rows; `schema` is what the connector calls a namespace of tables.

    `times` are the values of `time.precision.mode` that it takes.
    """
    return (*_capture(schema), *_values(" | ".join(times)), *_topics(), *_RUNNING)


def idle_rows(reason: str, *rows: tuple[str, str, str, str]) -> tuple[Setting, ...]:
    """Return settings that change no record, for a reason that they share."""
    return tuple(Setting(*row, without_effect=reason) for row in rows)


_RUNNING: Final = (
    *idle_rows(
        "a scenario reaches no database",
        ("database.hostname", "", "a host", "Where the database is."),
        ("database.port", "", "a port", "Its port."),
        ("database.user", "", "a name", "Who asks."),
        ("database.password", "", "text", "With which password."),
    ),
    *idle_rows(
        "records do not show how events waited before they were sent",
        ("max.batch.size", "2048", "1..", "The most events in one batch."),
        ("max.queue.size", "8192", "1..", "The most events that wait."),
        ("max.queue.size.in.bytes", "0", "0..", "The most bytes that wait; 0 for any number."),
        ("poll.interval.ms", "500", "1..", "How long a batch is waited for."),
    ),
    *idle_rows(
        "Connect's names do not travel",
        ("name", "", "a name", "The connector's name in Connect."),
        ("connector.class", "", "a class", "The connector's class."),
        ("task.id", "0", "a number", "What Connect calls a task."),
        ("custom.metric.tags", "", "k1=v1,k2=v2", "Tags of the names of JMX metrics."),
    ),
    *idle_rows(
        "no scenario breaks a connection",
        ("errors.max.retries", "-1", "-1..", "How often a task starts again after an error."),
    ),
    *idle_rows(
        "a cache's size decides no name",
        ("topic.cache.size", "10000", "1..", "How many topic names are kept."),
    ),
    *idle_rows(
        "`field.name.adjustment.mode` took its place, and 3.3.1 does not read it",
        ("sanitize.field.names", "false", FLAG, "The former way to names that suit Avro."),
    ),
    Setting(
        "converters",
        "",
        "aliases",
        "Custom converters of columns.",
        refused="it names Java classes of a user's own, which nothing here runs",
    ),
)


def _capture(schema: str) -> tuple[Setting, ...]:
    table = f"`{schema}.table`"
    column = f"`{schema}.table.column`"
    return setting_rows(
        ("topic.prefix", "", "a name", "The logical name: first in every topic's and schema's."),
        ("table.include.list", "", LIST, f"Tables to capture, as {table}."),
        ("table.exclude.list", "", LIST, "Tables not to capture."),
        ("column.include.list", "", LIST, f"Columns of values, as {column}."),
        ("column.exclude.list", "", LIST, "Columns left out of values; keys keep them."),
        (
            "column.truncate.to.<n>.chars",
            "",
            LIST,
            "Texts and bytes cut to n UTF-16 units or bytes.",
        ),
        ("column.mask.with.<n>.chars", "", LIST, "Texts replaced by n asterisks, NULL too."),
        (
            "column.mask.hash.<algorithm>.with.salt.<salt>",
            "",
            LIST,
            "Texts replaced by a digest of the salt and Java's serialised string.",
        ),
        (
            "column.mask.hash.v2.<algorithm>.with.salt.<salt>",
            "",
            LIST,
            "Texts replaced by a digest of the salt and the UTF-8 text.",
        ),
        (
            "column.propagate.source.type",
            "",
            LIST,
            "Adds the source type to the schema's parameters.",
        ),
        ("datatype.propagate.source.type", "", LIST, f"The same, by `{schema}.table.TYPE`."),
        (
            "message.key.columns",
            "",
            "table:columns;…",
            (
                "Columns of the key instead of the table's own; regular expressions, which match "
                f"{column} as a whole."
            ),
        ),
    )


def _values(times: str) -> tuple[Setting, ...]:
    return setting_rows(
        (
            "time.precision.mode",
            "adaptive_time_microseconds",
            times,
            "How DATE, TIME and DATETIME travel.",
        ),
        (
            "binary.handling.mode",
            "bytes",
            "bytes | base64 | base64-url-safe | hex",
            "How bytes travel.",
        ),
        ("tombstones.on.delete", "true", FLAG, "A delete is followed by a record without a value."),
        (
            "skipped.operations",
            "t",
            "c,u,d,t | none",
            "Operations that are not emitted or counted.",
        ),
        (
            "skip.messages.without.change",
            "false",
            FLAG,
            "Drops updates that change no column of the value.",
        ),
        ("provide.transaction.metadata", "false", FLAG, "Transaction topic and blocks."),
        ("schema.name.adjustment.mode", "none", ADJUST, "What becomes of schema names."),
        ("field.name.adjustment.mode", "none", ADJUST, "What becomes of field names."),
        ("extended.headers.enabled", "true", FLAG, "The three `__debezium.context.` headers."),
    )


def _topics() -> tuple[Setting, ...]:
    return setting_rows(
        ("topic.delimiter", ".", "text", "Between the parts of a topic's name."),
        ("topic.transaction", "transaction", "text", "The transaction topic's last part."),
        (
            "topic.heartbeat.prefix",
            "__debezium-heartbeat",
            "text",
            "The heartbeat topic's first part.",
        ),
        ("topic.regex", "", "a regular expression", "Of the regex strategies."),
        ("topic.replacement", "", "text", "Of the regex strategies."),
        (
            "topic.key.enforce.uniqueness",
            "true",
            FLAG,
            "Of the regex strategies: a field in every key.",
        ),
        ("topic.key.field.name", "__dbz__physicalTableIdentifier", "a name", "That field's name."),
        (
            "topic.key.field.regex",
            "",
            "a regular expression",
            "How its value is read off the topic.",
        ),
        ("topic.key.field.replacement", "", "text", "How its value is written."),
        ("heartbeat.interval.ms", "0", "0..", "Heartbeats, at most one an interval; 0 for none."),
        ("notification.enabled.channels", "", "sink", "Notifications to a topic."),
        ("notification.sink.topic.name", "", "a name", "That topic."),
    )
