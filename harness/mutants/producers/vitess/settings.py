"""Settings that a wrong connector, or the keyspace's stream for it, does not look at.

What a setting of the connector is about decides whose row it is; each is ignored by one here or in
its theme's table.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.patch import Patch, patch
from harness.mutants.producers.vitess.edits import ignoring, with_settings
from harness.sources.source import SourceConfig

FAILURES: Final = "event.processing.failure.handling.mode"
# Setting -> its clause, where the connector reads it.
CONNECTOR: Final = {
    "table.include.list": "vitess.filter.table-include",
    "table.exclude.list": "vitess.filter.table-exclude",
    "column.include.list": "vitess.filter.column-include",
    "column.exclude.list": "vitess.filter.column-exclude",
    "column.propagate.source.type": "vitess.column.propagate",
    "datatype.propagate.source.type": "vitess.datatype.propagate",
    "skipped.operations": "vitess.skipped.operations",
    "skip.messages.without.change": "vitess.skipped.without-change",
    "include.schema.changes": "vitess.ddl.schema-change",
    FAILURES: "vitess.failure.skip",
    "message.key.columns": "vitess.key.message-key-columns",
    "tombstones.on.delete": "vitess.tombstone.off",
    "extended.headers.enabled": "vitess.header.context-off",
    "topic.prefix": "vitess.topic.prefix-changed",
    "topic.delimiter": "vitess.topic.delimiter",
    "topic.naming.strategy": "vitess.topic.table-strategy",
    "override.data.change.topic.prefix": "vitess.topic.override-prefix",
    "override.data.change.topic.prefix.exclude.list": "vitess.topic.override-excluded",
    "override.schema.change.topic": "vitess.topic.override-ddl",
    "topic.key.enforce.uniqueness": "vitess.key.topic-field",
    "topic.key.field.name": "vitess.key.topic-field",
    "topic.key.field.regex": "vitess.key.topic-field",
    "topic.key.field.replacement": "vitess.key.topic-field",
    "field.name.adjustment.mode": "vitess.name.field-avro",
    "schema.name.adjustment.mode": "vitess.name.schema-avro",
    "provide.transaction.metadata": "vitess.txn.boundaries",
    "vitess.shard.epoch.map": "vitess.ordered.epoch-start",
    "heartbeat.interval.ms": "vitess.heartbeat.content",
    "time.precision.mode": "vitess.temporal.microseconds",
    "bigint.unsigned.handling.mode": "vitess.bigint-unsigned.long",
    "binary.handling.mode": "vitess.binary.mode",
    "include.unknown.datatypes": "vitess.type.unknown",
    "override.datetime.to.nullable": "vitess.temporal.override-nullable",
    "user.timezone": "vitess.temporal.jvm-zone",
}
# Setting that is a list -> what stands between its entries, its clause.
LISTS: Final = {
    "table.include.list": (",", "vitess.filter.table-include"),
    "table.exclude.list": (",", "vitess.filter.table-exclude"),
    "column.include.list": (",", "vitess.filter.column-include"),
    "column.exclude.list": (",", "vitess.filter.column-exclude"),
    "column.propagate.source.type": (",", "vitess.column.propagate"),
    "datatype.propagate.source.type": (",", "vitess.datatype.propagate"),
    "column.truncate.to.3.chars": (",", "vitess.column.truncate"),
    "column.mask.with.5.chars": (",", "vitess.column.mask"),
    "skipped.operations": (",", "vitess.skipped.operations"),
    "message.key.columns": (";", "vitess.key.message-key-columns"),
}
# Setting -> its clause, where it decides what the stream sends.
STREAM: Final = {
    "snapshot.mode": "vitess.snapshot.never",
    "vitess.stop_on_reshard": "vitess.reshard.stop",
    "vitess.offset.storage.per.task": "vitess.task.own-stream",
    "tasks.max": "vitess.task.round-robin",
}


def _stream_ignoring(name: str) -> Patch:
    """Return the patch by which the stream is opened as if nobody had given a setting."""

    def changed(original: Callable[[SourceConfig], Any]) -> Callable[[SourceConfig], Any]:
        def keyspace(config: SourceConfig) -> Any:  # noqa: ANN401 see patch
            left = {known: value for known, value in config.settings.items() if known != name}
            return original(replace(config, settings=left))

        return keyspace

    return patch("harness.sources.vitess.source:keyspace_of", changed)


def _first_alone(name: str, between: str) -> Patch:
    """Return the patch by which the connector looks at the first entry of a list alone."""

    def change(own: dict[str, Any]) -> None:
        if name in own:
            own[name] = str(own[name]).partition(between)[0]

    return with_settings(change)


def _slug(name: str) -> str:
    return name.removeprefix("vitess.").replace(".", "-").replace("_", "-")


def _row(name: str, clause: str, ignored: Patch) -> WrongProducer:
    return WrongProducer(f"vitess-ignores-{_slug(name)}", clause, f"It ignores `{name}`.", ignored)


ROWS: tuple[WrongProducer, ...] = (
    *(_row(name, clause, ignoring(name)) for name, clause in CONNECTOR.items()),
    *(_row(name, clause, _stream_ignoring(name)) for name, clause in STREAM.items()),
    *(
        WrongProducer(
            f"vitess-first-entry-of-{_slug(name)}",
            clause,
            f"It looks at the first entry of `{name}` alone.",
            _first_alone(name, between),
        )
        for name, (between, clause) in LISTS.items()
    ),
)
