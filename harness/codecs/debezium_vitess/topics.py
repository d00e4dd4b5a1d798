"""The Vitess connector's own topic naming strategy: a topic a table, over keyspaces and shards.

Source: V:TableTopicNamingStrategy.java; vectors 05_config topic.*.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from harness.codecs.debezium import topics as common
from harness.codecs.debezium.selection import includes
from harness.codecs.debezium.settings import ConnectorSettings
from harness.codecs.debezium.topics import TableKey, TopicNames, joined, topics_of, underscored


def topics(settings: ConnectorSettings) -> TopicNames:
    """Return the names under the configured strategy; UsageError for one that is not known."""
    return common.topics(settings, _OWN)


def _by_table(settings: ConnectorSettings) -> TopicNames:
    instead = settings.optional("override.data.change.topic.prefix")
    kept = includes(settings.optional("override.data.change.topic.prefix.exclude.list") or "")
    changes = settings.optional("override.schema.change.topic")

    def data(key: TableKey) -> str:
        use = instead and instead.strip() and not kept(f"{key.schema}.{key.table}")
        prefix = instead if use and instead else settings.prefix
        return underscored(joined(settings, prefix, key.table))

    names = topics_of(settings, data)
    if not changes or not changes.strip():
        return names
    return replace(names, schema_change=changes)


_OWN: Final = {"io.debezium.connector.vitess.TableTopicNamingStrategy": _by_table}
