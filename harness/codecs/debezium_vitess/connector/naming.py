"""Which topic a table, a transaction, a heartbeat or a schema change goes to.

Source: C:schema/Abstract*TopicNamingStrategy.java, V:TableTopicNamingStrategy.java; vectors
05_config topic.*.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from harness.codecs.debezium_vitess.connector.adjust import escaped, units
from harness.codecs.debezium_vitess.connector.errors import CONNECT_EXCEPTION, JavaError
from harness.codecs.debezium_vitess.connector.regex import compiled
from harness.codecs.debezium_vitess.connector.selection import includes
from harness.codecs.debezium_vitess.connector.settings import Settings
from harness.errors import UsageError

MAX_NAME_LENGTH: Final = 249
_TOPIC_PART: Final = re.compile(r"[A-Za-z0-9._-]+")
_VALID: Final = re.compile(r"[A-Za-z0-9._-]")
_VALID_ESCAPED: Final = re.compile(r"[A-Za-z0-9.-]")
_REFERENCE: Final = re.compile(r"\\(.)|\$(?:\{(\w+)\}|(\d))", re.DOTALL)


@dataclass(frozen=True, slots=True)
class TableKey:
    """A table as the connector tells them apart: the shard is its catalog."""

    shard: str
    keyspace: str
    table: str

    def __str__(self) -> str:
        """Render `shard.keyspace.table`, empty parts left out."""
        return ".".join(part for part in (self.shard, self.keyspace, self.table) if part)


@dataclass(frozen=True, slots=True)
class Topics:
    """The names that one connector uses; `key_field` names what is added to every key, if any."""

    data: Callable[[TableKey], str]
    transaction: str
    heartbeat: str
    schema_change: str
    key_field: str | None = None
    key_value: Callable[[TableKey], str] | None = None


def _underscore(name: str) -> str:
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


def _joined(settings: Settings, *parts: str) -> str:
    return settings.text("topic.delimiter").join(part for part in parts if part.strip())


def _schema_parts(settings: Settings, key: TableKey) -> str:
    return _joined(settings, settings.prefix, key.keyspace, key.table)


def _database_parts(settings: Settings, key: TableKey) -> str:
    return _joined(settings, settings.prefix, key.shard, key.table)


def _plain(
    parts: Callable[[Settings, TableKey], str], sanitise: Callable[[str], str]
) -> Callable[[Settings], Topics]:
    return lambda settings: _topics(settings, lambda key: sanitise(parts(settings, key)))


def _topics(settings: Settings, data: Callable[[TableKey], str]) -> Topics:
    delimiter = settings.text("topic.delimiter")
    given = (delimiter, settings.text("topic.transaction"), settings.text("topic.heartbeat.prefix"))
    if not all(_TOPIC_PART.fullmatch(part) for part in given):
        raise JavaError(CONNECT_EXCEPTION, "Unable to validate config.")
    return Topics(
        data=data,
        transaction=f"{settings.prefix}{delimiter}{settings.text('topic.transaction')}",
        heartbeat=f"{settings.text('topic.heartbeat.prefix')}{delimiter}{settings.prefix}",
        schema_change=settings.prefix,
    )


def _by_table(settings: Settings) -> Topics:
    instead = settings.optional("override.data.change.topic.prefix")
    kept = includes(settings.optional("override.data.change.topic.prefix.exclude.list") or "")
    changes = settings.optional("override.schema.change.topic")

    def data(key: TableKey) -> str:
        use = instead and instead.strip() and not kept(f"{key.keyspace}.{key.table}")
        prefix = instead if use and instead else settings.prefix
        return _underscore(_joined(settings, prefix, key.table))

    topics = _topics(settings, data)
    if not changes or not changes.strip():
        return topics
    return Topics(data, topics.transaction, topics.heartbeat, changes)


def _by_regex(parts: Callable[[Settings, TableKey], str]) -> Callable[[Settings], Topics]:
    def bind(settings: Settings) -> Topics:
        pattern, replacement = settings.optional("topic.regex"), settings.text("topic.replacement")
        topic_regex = _compiled(pattern or "")
        if not pattern or not replacement or topic_regex is None:
            # Whatever is wrong, Java says no more (AbstractTopicNamingStrategy.configure).
            raise JavaError(CONNECT_EXCEPTION, "Unable to validate config.")

        def data(key: TableKey) -> str:
            old = _underscore(parts(settings, key))
            return _replaced(topic_regex, replacement, old) or old

        topics = _topics(settings, data)
        if not settings.flag("topic.key.enforce.uniqueness"):
            return topics
        name = settings.text("topic.key.field.name")
        identify = _identifier(settings, parts)
        return Topics(
            data, topics.transaction, topics.heartbeat, topics.schema_change, name, identify
        )

    return bind


def _compiled(pattern: str) -> re.Pattern[str] | None:
    try:
        return compiled(pattern)
    except re.error:
        return None


def _identifier(
    settings: Settings, parts: Callable[[Settings, TableKey], str]
) -> Callable[[TableKey], str]:
    pattern = (settings.optional("topic.key.field.regex") or "").strip()
    if not pattern:
        return lambda key: parts(settings, key)
    regex, replacement = compiled(pattern), settings.text("topic.key.field.replacement")
    return lambda key: _replaced(regex, replacement, parts(settings, key))


def _replaced(pattern: re.Pattern[str], replacement: str, name: str) -> str:
    """Replace the first occurrence in a name that matches as a whole, with Java's `$1`."""
    if not pattern.fullmatch(name):
        return name

    def expand(match: re.Match[str]) -> str:
        def reference(found: re.Match[str]) -> str:
            if found[1] is not None:
                return found[1]
            return match[found[2]] if found[2] else match[int(found[3])] or ""

        return _REFERENCE.sub(reference, replacement)

    return pattern.sub(expand, name, count=1)


STRATEGIES: Mapping[str, Callable[[Settings], Topics]] = MappingProxyType(
    {
        "io.debezium.schema.SchemaTopicNamingStrategy": _plain(_schema_parts, _underscore),
        "io.debezium.schema.DefaultTopicNamingStrategy": _plain(_database_parts, _underscore),
        "io.debezium.schema.SchemaUnicodeTopicNamingStrategy": _plain(_schema_parts, _escape),
        "io.debezium.schema.DefaultUnicodeTopicNamingStrategy": _plain(_database_parts, _escape),
        "io.debezium.schema.SchemaRegexTopicNamingStrategy": _by_regex(_schema_parts),
        "io.debezium.schema.DefaultRegexTopicNamingStrategy": _by_regex(_database_parts),
        "io.debezium.connector.vitess.TableTopicNamingStrategy": _by_table,
    }
)


def topics(settings: Settings) -> Topics:
    """Return the names under the configured strategy; UsageError for one that is not known."""
    strategy = settings.text("topic.naming.strategy")
    if strategy not in STRATEGIES:
        raise UsageError(
            f"unknown topic.naming.strategy {strategy!r}",
            expected="one of " + ", ".join(STRATEGIES),
        )
    return STRATEGIES[strategy](settings)
