"""The connector's settings, under its own property names and with its own defaults.

A connector ignores names that it does not know; whoever writes a scenario wants to be told, so
`read` does either. Source: V:VitessConnectorConfig.java, C:config/CommonConnectorConfig.java,
C:relational/RelationalDatabaseConnectorConfig.java.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from types import MappingProxyType
from typing import Any, Final

from harness.codecs.debezium_vitess.connector.errors import (
    NULL_POINTER,
    OUT_OF_BOUNDS,
    JavaError,
)
from harness.codecs.debezium_vitess.connector.java import split
from harness.errors import UsageError

CURRENT: Final = "current"
EMPTY: Final = ""
SCHEMA_STRATEGY: Final = "io.debezium.schema.SchemaTopicNamingStrategy"
DEFAULT_FACTORY: Final = "io.debezium.pipeline.txmetadata.DefaultTransactionMetadataFactory"
ORDERED_FACTORY: Final = (
    "io.debezium.connector.vitess.pipeline.txmetadata.VitessOrderedTransactionMetadataFactory"
)

DEFAULTS: Mapping[str, str] = MappingProxyType(
    {
        "bigint.unsigned.handling.mode": "string",
        "binary.handling.mode": "bytes",
        "decimal.handling.mode": "precise",
        "event.processing.failure.handling.mode": "fail",
        "extended.headers.enabled": "true",
        "field.name.adjustment.mode": "none",
        "heartbeat.interval.ms": "0",
        "include.schema.changes": "false",
        "include.unknown.datatypes": "false",
        "notification.enabled.channels": "",
        "override.datetime.to.nullable": "false",
        "provide.transaction.metadata": "false",
        "schema.name.adjustment.mode": "none",
        "skip.messages.without.change": "false",
        "skipped.operations": "t",
        "snapshot.mode": "initial",
        "tasks.max": "1",
        "time.precision.mode": "adaptive_time_microseconds",
        "tombstones.on.delete": "true",
        "topic.delimiter": ".",
        "topic.heartbeat.prefix": "__debezium-heartbeat",
        "topic.key.enforce.uniqueness": "true",
        "topic.key.field.name": "__dbz__physicalTableIdentifier",
        "topic.naming.strategy": SCHEMA_STRATEGY,
        "topic.transaction": "transaction",
        "transaction.metadata.factory": DEFAULT_FACTORY,
        "vitess.exclude.empty.shards": "false",
        "vitess.gtid": CURRENT,
        "vitess.inherit.epoch": "false",
        "vitess.offset.storage.per.task": "false",
        "vitess.offset.storage.task.key.gen": "-1",
        "vitess.prev.num.tasks": "-1",
        "vitess.shard.epoch.map": "",
        "vitess.stop_on_reshard": "false",
        "vitess.stream.keyspace.heartbeats": "false",
        "vitess.tablet.type": "MASTER",
        "vitess.vgtid": CURRENT,
    }
)
# Known, without a default.
OPTIONAL: Final = frozenset(
    {
        "column.exclude.list",
        "column.include.list",
        "column.propagate.source.type",
        "datatype.propagate.source.type",
        "message.key.columns",
        "notification.sink.topic.name",
        "override.data.change.topic.prefix",
        "override.data.change.topic.prefix.exclude.list",
        "override.schema.change.topic",
        "table.exclude.list",
        "table.include.list",
        "topic.key.field.regex",
        "topic.key.field.replacement",
        "topic.prefix",
        "topic.regex",
        "topic.replacement",
        "vitess.keyspace",
        "vitess.shard",
    }
)
# Known, and without effect on records: how the connector is run and how it reaches its database.
WITHOUT_EFFECT: Final = frozenset(
    {
        "connector.class",
        "custom.metric.tags",
        "database.hostname",
        "database.password",
        "database.port",
        "database.user",
        "errors.max.retries",
        "max.batch.size",
        "max.queue.size",
        "max.queue.size.in.bytes",
        "name",
        "poll.interval.ms",
        "sanitize.field.names",
        "task.id",
        "topic.cache.size",
        "vitess.grpc.default.load.balancing.policy",
        "vitess.grpc.headers",
        "vitess.grpc.max_inbound_message_size",
        "vitess.keepalive.interval.ms",
    }
)
COLUMN_RULE: Final = re.compile(
    r"column\.(?:truncate\.to\.\d+\.chars|mask\.with\.\d+\.chars"
    r"|mask\.hash\.(?:v2\.)?[^.]+\.with\.salt\..+)\Z"
)
_FLAGS: Final = {"true": True, "false": False}
OPERATIONS: Final = frozenset("crudtm")


@dataclass(frozen=True, slots=True)
class Settings:
    """One connector's properties as text, as they were given."""

    properties: Mapping[str, str]
    skipped: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        """Read what is looked at for every row."""
        object.__setattr__(self, "skipped", _skipped(self.text("skipped.operations")))
        _key_parts(self.optional("message.key.columns"))

    def text(self, name: str) -> str:
        """Return a property, its default where it is not set."""
        return self.properties.get(name, DEFAULTS.get(name, ""))

    def optional(self, name: str) -> str | None:
        """Return a property, None where it is not set."""
        return self.properties.get(name)

    def flag(self, name: str) -> bool:
        """Return a property that is true or false; its default where it is neither."""
        for value in (self.text(name), DEFAULTS.get(name, "")):
            word = value.strip().lower()
            if word in _FLAGS:
                return _FLAGS[word]
        return False

    def mode(self, name: str) -> str:
        """Return one of a list of words, without regard to case or spaces around it."""
        return self.text(name).strip().lower()

    def number(self, name: str) -> int:
        """Return a property that is a whole number."""
        value = self.text(name).strip()
        try:
            return int(value)
        except ValueError as error:
            raise UsageError(f"{name} is not a whole number: {value!r}") from error

    def words(self, name: str) -> tuple[str, ...] | None:
        """Return the parts of a comma-separated property, None where it is not set."""
        value = self.properties.get(name)
        if not value:
            return None
        return tuple(part.strip() for part in value.split(","))

    @property
    def shards(self) -> tuple[str, ...] | None:
        """Return the configured shards as they are spelled, spaces too; None for all of them."""
        listed = self.properties.get("vitess.shard")
        return None if listed is None else tuple(split(listed, ","))

    @property
    def prefix(self) -> str:
        """Return the connector's logical name."""
        return self.text("topic.prefix")

    @property
    def keyspace(self) -> str:
        """Return the configured keyspace."""
        return self.text("vitess.keyspace")

    @property
    def ordered(self) -> bool:
        """Return whether transactions carry an epoch and a rank."""
        return self.text("transaction.metadata.factory") == ORDERED_FACTORY

    @property
    def metadata(self) -> bool:
        """Return whether transaction metadata is provided."""
        return self.flag("provide.transaction.metadata")


def _skipped(operations: str) -> frozenset[str]:
    """C:config/CommonConnectorConfig.java determineSkippedOperations; vector skipped_ops.x."""
    if operations.strip().lower() == "none":
        return frozenset()
    letters = [letter.strip() for letter in operations.split(",")]
    if any(letter.lower() not in OPERATIONS for letter in letters):
        raise JavaError(
            NULL_POINTER,
            'Cannot invoke "java.lang.Enum.getDeclaringClass()" because "e" is null',
        )
    return frozenset(letter.lower() for letter in letters)


def _key_parts(listed: str | None) -> None:
    """Stop where C:relational/Key.java CustomKeyMapper looks for columns and finds no colon."""
    entries = () if listed is None else split(listed, ";")
    if any(len(split(entry, ":")) == 1 for entry in entries):
        raise JavaError(OUT_OF_BOUNDS, "Index 1 out of bounds for length 1")


def read(values: Mapping[str, Any], *, strict: bool = False) -> Settings:
    """Read properties; `strict` refuses a name that the connector does not know, with the nearest.

    Raises UsageError in strict mode, JavaError where the connector would not start.
    """
    if strict:
        for name in values:
            _check_known(name)
    given = {name: _text(value) for name, value in values.items() if value is not None}
    return Settings(MappingProxyType(given))


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _check_known(name: str) -> None:
    known = DEFAULTS.keys() | OPTIONAL | WITHOUT_EFFECT
    if name in known or COLUMN_RULE.match(name):
        return
    near = get_close_matches(name, known, n=1)
    raise UsageError(
        f"the Vitess connector has no property {name!r}",
        hint=f"did you mean {near[0]!r}?" if near else "see the table of its settings",
    )
