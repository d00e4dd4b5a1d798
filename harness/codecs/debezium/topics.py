"""Which topic a table, a transaction, a heartbeat or a schema change goes to.

Source: C:schema/Abstract*TopicNamingStrategy.java; vectors 05_config topic.*.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

from harness.codecs.connect.errors import CONNECT_EXCEPTION, JavaError
from harness.codecs.connect.java import replaced
from harness.codecs.debezium.adjustment import escaped, units
from harness.codecs.debezium.settings import ConnectorSettings
from harness.errors import UsageError
from harness.wire.java_regex import compiled

MAX_NAME_LENGTH: Final = 249
_TOPIC_PART: Final = re.compile(r"[A-Za-z0-9._-]+")
_VALID: Final = re.compile(r"[A-Za-z0-9._-]")
_VALID_ESCAPED: Final = re.compile(r"[A-Za-z0-9.-]")


@dataclass(frozen=True, slots=True)
class TableKey:
    """A table's identity, as io.debezium.relational.TableId has it.

    MySQL's databases are catalogs without schemas; Vitess's shards are catalogs, its keyspaces
    schemas.
    """

    catalog: str
    schema: str
    table: str

    @property
    def captured_as(self) -> str:
        """Return the name that lists of tables and columns know it by; a shard is no part of it."""
        return f"{self.schema or self.catalog}.{self.table}"

    def __str__(self) -> str:
        """Render `catalog.schema.table`, empty parts left out."""
        return ".".join(part for part in (self.catalog, self.schema, self.table) if part)


@dataclass(frozen=True, slots=True)
class TopicNames:
    """The names that one connector uses; `key_field` names what is added to every key, if any."""

    data: Callable[[TableKey], str]
    transaction: str
    heartbeat: str
    schema_change: str
    key_field: str | None = None
    key_value: Callable[[TableKey], str] | None = None


NameParts = Callable[[ConnectorSettings, TableKey], str]
Strategy = Callable[[ConnectorSettings], TopicNames]


def underscored(name: str) -> str:
    """Return a topic's name with `_` for every character that Kafka forbids."""
    return _sanitised(name, _VALID, _replaced_unit)


def _replaced_unit(unit: str) -> str:
    del unit
    return "_"


def _escape(name: str) -> str:
    return _sanitised(name, _VALID_ESCAPED, escaped)


def _sanitised(name: str, valid: re.Pattern[str], replaced: Callable[[str], str]) -> str:
    clean = "".join(unit if valid.match(unit) else replaced(unit) for unit in units(name))
    if len(clean) > MAX_NAME_LENGTH:
        return clean[:MAX_NAME_LENGTH]
    return replaced(".") * len(clean) if clean in {".", ".."} else clean


def joined(settings: ConnectorSettings, *parts: str) -> str:
    """Return the parts of a name that are not blank, with the configured delimiter."""
    return settings.text("topic.delimiter").join(part for part in parts if part.strip())


def _schema_parts(settings: ConnectorSettings, key: TableKey) -> str:
    return joined(settings, settings.prefix, key.schema, key.table)


def _database_parts(settings: ConnectorSettings, key: TableKey) -> str:
    return joined(settings, settings.prefix, key.catalog, key.table)


def _plain(parts: NameParts, sanitise: Callable[[str], str]) -> Strategy:
    return lambda settings: topics_of(settings, lambda key: sanitise(parts(settings, key)))


def topics_of(settings: ConnectorSettings, data: Callable[[TableKey], str]) -> TopicNames:
    """Return the connector's topics over a naming of tables; JavaError for parts Kafka forbids."""
    delimiter = settings.text("topic.delimiter")
    given = (delimiter, settings.text("topic.transaction"), settings.text("topic.heartbeat.prefix"))
    if not all(_TOPIC_PART.fullmatch(part) for part in given):
        raise JavaError(CONNECT_EXCEPTION, "Unable to validate config.")
    return TopicNames(
        data=data,
        transaction=f"{settings.prefix}{delimiter}{settings.text('topic.transaction')}",
        heartbeat=f"{settings.text('topic.heartbeat.prefix')}{delimiter}{settings.prefix}",
        schema_change=settings.prefix,
    )


def _by_regex(parts: NameParts) -> Strategy:
    def bind(settings: ConnectorSettings) -> TopicNames:
        pattern, replacement = settings.optional("topic.regex"), settings.text("topic.replacement")
        topic_regex = _compiled(pattern or "")
        if not pattern or not replacement or topic_regex is None:
            # Whatever is wrong, Java says no more (AbstractTopicNamingStrategy.configure).
            raise JavaError(CONNECT_EXCEPTION, "Unable to validate config.")

        def data(key: TableKey) -> str:
            old = underscored(parts(settings, key))
            return replaced(topic_regex, replacement, old) or old

        topics = topics_of(settings, data)
        if not settings.flag("topic.key.enforce.uniqueness"):
            return topics
        return replace(
            topics,
            key_field=settings.text("topic.key.field.name"),
            key_value=_identifier(settings, parts),
        )

    return bind


def _compiled(pattern: str) -> re.Pattern[str] | None:
    try:
        return compiled(pattern)
    except re.error:
        return None


def _identifier(settings: ConnectorSettings, parts: NameParts) -> Callable[[TableKey], str]:
    pattern = (settings.optional("topic.key.field.regex") or "").strip()
    if not pattern:
        return lambda key: parts(settings, key)
    regex, replacement = compiled(pattern), settings.text("topic.key.field.replacement")
    return lambda key: replaced(regex, replacement, parts(settings, key))


STRATEGIES: Final[Mapping[str, Strategy]] = MappingProxyType(
    {
        "io.debezium.schema.SchemaTopicNamingStrategy": _plain(_schema_parts, underscored),
        "io.debezium.schema.DefaultTopicNamingStrategy": _plain(_database_parts, underscored),
        "io.debezium.schema.SchemaUnicodeTopicNamingStrategy": _plain(_schema_parts, _escape),
        "io.debezium.schema.DefaultUnicodeTopicNamingStrategy": _plain(_database_parts, _escape),
        "io.debezium.schema.SchemaRegexTopicNamingStrategy": _by_regex(_schema_parts),
        "io.debezium.schema.DefaultRegexTopicNamingStrategy": _by_regex(_database_parts),
    }
)


def topics(settings: ConnectorSettings, own: Mapping[str, Strategy]) -> TopicNames:
    """Return the names under the configured strategy, Debezium's or the connector's `own`.

    Raises UsageError for a strategy that is not known.
    """
    strategies = {**STRATEGIES, **own}
    strategy = settings.text("topic.naming.strategy")
    if strategy not in strategies:
        raise UsageError(
            f"unknown topic.naming.strategy {strategy!r}",
            expected="one of " + ", ".join(strategies),
        )
    return strategies[strategy](settings)
