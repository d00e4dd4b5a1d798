"""The records of a case as a person reads them: by partition, decoded, bytes on demand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from harness.engine.plan import Plan
from harness.model.decoded import DecodedEvent, EventKind
from harness.model.record import Origin, Record
from harness.verdict.text import value_text


def preview_lines(plan: Plan, *, show_bytes: bool = False) -> Iterator[str]:
    """Yield the lines of a case's preview, as it is delivered."""
    yield f"{plan.case.id}  {plan.case.scenario.title}"
    for (topic, partition), records in _by_partition(plan).items():
        yield f"  {topic}/{partition}"
        for offset, record in enumerate(records):
            decoded = plan.wire.decode(record.key, record.value)
            for number, (event, origin) in enumerate(zip(decoded, record.origins, strict=True)):
                at = f"@{offset}" if number == 0 else ""
                yield f"    {at:>5} {event.commit_ts} {event_text(event)}{_whence(origin)}"
            if show_bytes:
                yield f"          key   {(record.key or b'').hex()}"
                yield f"          value {(record.value or b'').hex()}"


def preview_json(plan: Plan, *, show_bytes: bool = False) -> dict[str, Any]:
    """Return the same as JSON data; timestamps are text, so that no reader rounds them."""
    partitions: list[dict[str, Any]] = []
    for (topic, partition), records in _by_partition(plan).items():
        rows: list[dict[str, Any]] = []
        for offset, record in enumerate(records):
            decoded = plan.wire.decode(record.key, record.value)
            row: dict[str, Any] = {
                "offset": offset,
                "events": [
                    {
                        "kind": event.kind.value,
                        "commit_ts": str(event.commit_ts),
                        "key": event.key_text,
                        "value": event.value_text,
                        "line": origin.line,
                    }
                    for event, origin in zip(decoded, record.origins, strict=True)
                ],
            }
            if show_bytes:
                row["key_hex"] = (record.key or b"").hex()
                row["value_hex"] = (record.value or b"").hex()
            rows.append(row)
        partitions.append({"topic": topic, "partition": partition, "records": rows})
    return {"case": plan.case.id, "partitions": partitions}


def event_text(event: DecodedEvent) -> str:
    """Return a decoded event on one line."""
    if event.kind is EventKind.RESOLVED:
        return "resolved"
    if event.kind is EventKind.DDL:
        return f"ddl {event.type}: {event.query}"
    images = [image for image in (event.before, event.after) if image is not None]
    cells = (
        "{" + ", ".join(f"{name}: {value_text(v)}" for name, v in image.items()) + "}"
        for image in images
    )
    return f"{event.kind.value} {event.schema}.{event.table} {' → '.join(cells)}"


def _whence(origin: Origin) -> str:
    return f"  (line {origin.line}{', ' + origin.transaction if origin.transaction else ''})"


def _by_partition(plan: Plan) -> dict[tuple[str, int], list[Record]]:
    found: dict[tuple[str, int], list[Record]] = {}
    for record in plan.delivered:
        found.setdefault((record.topic, record.partition), []).append(record)
    return dict(sorted(found.items()))
