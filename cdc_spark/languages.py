"""From a changefeed of the job to how its messages are read, and what may be waited for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cdc_spark.debezium_vitess.values import Definitions
from cdc_spark.job import Changefeed, Job
from cdc_spark.protocols import Language

TIME, BINARY = "time.precision.mode", "binary.handling.mode"
METADATA = "provide.transaction.metadata"
_TOPIC, _DELIMITER = "topic.transaction", "topic.delimiter"
_OWN = "transaction"


def language_of(job: Job, changefeed: Changefeed) -> Language:
    """Return how a changefeed's messages are read."""
    registry = job.registry
    return Language(
        protocol=changefeed.protocol,
        dialect=changefeed.dialect,
        url="" if registry is None else registry.url,
        properties={} if registry is None else registry.properties,
        definitions=definitions(changefeed.tables, changefeed.settings),
    )


def definitions(tables: tuple[Mapping[str, Any], ...], settings: Mapping[str, Any]) -> Definitions:
    """Return what a job's tables and settings say of columns and of the connector's modes."""
    plain = Definitions()
    columns = {
        (table["schema"], table["name"]): {one["name"]: one for one in table["columns"]}
        for table in tables
    }
    return Definitions(
        columns=columns,
        time_mode=str(settings.get(TIME, plain.time_mode)),
        binary_mode=str(settings.get(BINARY, plain.binary_mode)),
    )


def assembled(changefeed: Changefeed) -> bool:
    """Tell whether transactions are to be put together: there is a topic that tells their ends.

    A connector without metadata, or with its transaction topic filtered out, has none.
    """
    settings = changefeed.settings
    if str(settings.get(METADATA, "false")).lower() != "true":
        return False
    last = f"{settings.get(_DELIMITER, '.')}{settings.get(_TOPIC, _OWN)}"
    return any(topic.role == _OWN or topic.canonical.endswith(last) for topic in changefeed.topics)
