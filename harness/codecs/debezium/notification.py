"""The notification that a task sends to its sink topic when it starts without a snapshot.

Source: C:pipeline/notification/*.java; vector custom_notification.
"""

from __future__ import annotations

from collections.abc import Mapping

from harness.codecs.connect.schema import ConnectRecord, Offset
from harness.codecs.debezium import schemas
from harness.codecs.debezium.adjustment import SCHEMA_NAMES
from harness.codecs.debezium.settings import ConnectorSettings
from harness.model.record import Origin


def skipped_snapshot(
    settings: ConnectorSettings,
    identity: str,
    milliseconds: int,
    partition: Mapping[str, str],
    offset: Offset,
) -> ConnectRecord | None:
    """Return the notification, None where there is no sink for it."""
    topic = settings.optional("notification.sink.topic.name")
    if topic is None or "sink" not in (settings.words("notification.enabled.channels") or ()):
        return None
    adjust = SCHEMA_NAMES[settings.mode("schema.name.adjustment.mode")]
    return ConnectRecord(
        topic,
        schemas.notification_key(adjust),
        {"id": identity},
        schemas.notification_value(adjust),
        {
            "id": identity,
            "type": "SKIPPED",
            "aggregate_type": "Initial Snapshot",
            "additional_data": {"connector_name": settings.prefix},
            "timestamp": milliseconds,
        },
        Origin(line=0, step=0, event=0, kind="notification"),
        (),
        None,
        partition,
        offset,
    )
