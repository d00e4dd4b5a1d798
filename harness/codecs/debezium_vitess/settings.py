"""The Vitess connector's settings. Source: V:VitessConnectorConfig.java."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from harness.codecs.connect.java import split
from harness.codecs.debezium.settings import ConnectorSettings, check_known
from harness.codecs.debezium.settings import read as read_properties
from harness.codecs.debezium_vitess.reference import CONNECTOR_SETTINGS, ORDERED_FACTORY
from harness.model.settings import Settings

DEFAULTS: Final[Mapping[str, str]] = MappingProxyType(
    {row.name: row.default for row in CONNECTOR_SETTINGS}
)


def read(values: Settings, *, strict: bool = False) -> ConnectorSettings:
    """Read the connector's properties; `strict` refuses a name that it does not know.

    Raises UsageError in strict mode, JavaError where the connector would not start.
    """
    if strict:
        check_known(values, CONNECTOR_SETTINGS, "Vitess")
    return read_properties(values, DEFAULTS)


def shards(settings: ConnectorSettings) -> tuple[str, ...] | None:
    """Return the configured shards as they are spelled, spaces too; None for all of them."""
    listed = settings.optional("vitess.shard")
    return None if listed is None else tuple(split(listed, ","))


def keyspace(settings: ConnectorSettings) -> str:
    """Return the configured keyspace."""
    return settings.text("vitess.keyspace")


def ordered(settings: ConnectorSettings) -> bool:
    """Return whether transactions carry an epoch and a rank."""
    return settings.text("transaction.metadata.factory") == ORDERED_FACTORY
