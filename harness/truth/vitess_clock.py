"""Processing times and random names in Vitess records: checked for sense, then taken from theirs.

What the vectors' connector read off its clock cannot come out again. It is not left out: it must be
a time later than any of the input's, its finer forms must agree with it, and ours likewise; then
theirs stands in ours, so that texts and bytes can be compared whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final, cast

from harness.codecs.connect.schema import ConnectRecord
from harness.truth.result import Vector

PROCESSING_CLOCK: Final = "processing-clock"
NOTIFICATION_ID: Final = "notification-id"
HEARTBEAT_TIMER: Final = "heartbeat-timer"
# Vitess notes, "Volatile": every time read off the clock is later than this, no other is.
EARLIEST_MS: Final = 1_700_000_000_000
_FINER: Final = (("ts_us", 1_000), ("ts_ns", 1_000_000))
_NOTIFICATION: Final = "io.debezium.connector.common.Notification"
_UUID_PARTS: Final = [8, 4, 4, 4, 12]


def like_theirs(ours: ConnectRecord, theirs: Vector) -> tuple[ConnectRecord, tuple[str, ...]]:
    """Return our record with their volatile values, and what was excused for it."""
    payload, mine = _payload(theirs, "value"), _mapping(ours.value)
    if mine is None or payload is None:
        return ours, ()
    if ours.value_schema is not None and ours.value_schema.name == _NOTIFICATION:
        return _notification(ours, payload)
    value, excused = _times(mine, payload)
    return (replace(ours, value=value), (PROCESSING_CLOCK,)) if excused else (ours, ())


def _payload(record: Vector, part: str) -> Mapping[str, Any] | None:
    document = _mapping(record.get(part))
    return None if document is None else _mapping(document.get("payload"))


def _mapping(value: object) -> Mapping[str, Any] | None:
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else None


def _times(value: Mapping[str, Any], payload: Mapping[str, Any]) -> tuple[dict[str, Any], bool]:
    """Take over the times of one struct and of its source block."""
    made, excused = dict(value), False
    if _volatile(made) and _volatile(payload):
        names = ["ts_ms", *(name for name, _ in _FINER if name in made and name in payload)]
        made.update({name: payload[name] for name in names})
        excused = True
    source, recorded = _mapping(made.get("source")), _mapping(payload.get("source"))
    if source is not None and recorded is not None:
        made["source"], inner = _times(source, recorded)
        excused = excused or inner
    return made, excused


def _volatile(struct: Mapping[str, Any]) -> bool:
    """Return whether a struct has a time off the clock whose finer forms agree with it."""
    time = struct.get("ts_ms")
    if not isinstance(time, int) or time <= EARLIEST_MS:
        return False
    return all(
        isinstance(struct[name], int) and struct[name] // unit == time
        for name, unit in _FINER
        if name in struct
    )


def _notification(
    ours: ConnectRecord, payload: Mapping[str, Any]
) -> tuple[ConnectRecord, tuple[str, ...]]:
    identity, time = payload.get("id"), payload.get("timestamp")
    parts = [len(part) for part in str(identity).split("-")]
    if parts != _UUID_PARTS or not isinstance(time, int) or time <= EARLIEST_MS:
        return ours, ()
    value = {**ours.value, "id": identity, "timestamp": time}
    return replace(ours, key={"id": identity}, value=value), (PROCESSING_CLOCK, NOTIFICATION_ID)
