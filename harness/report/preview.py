"""The records of a case as a person reads them: by partition, decoded, bytes on demand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from harness.engine.plan.case import Plan
from harness.engine.plan.delivery import decoded_or_refusal
from harness.model.decoded import DecodedEvent
from harness.model.record import Origin, Record
from harness.verdict.text import event_text


def preview_lines(plan: Plan, *, show_bytes: bool = False) -> Iterator[str]:
    """Yield the lines of a case's preview, as it is delivered."""
    yield f"{plan.case.id}  {plan.case.scenario.title}"
    for (topic, partition), records in _by_partition(plan).items():
        yield f"  {topic}/{partition}"
        for offset, record in records:
            decoded = read(plan, record)
            if isinstance(decoded, str):
                yield f"    @{offset:<4} cannot be read: {decoded}{_whence(record.origins[0])}"
                decoded = ()
            for number, (event, origin) in enumerate(decoded):
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
        for offset, record in records:
            decoded = read(plan, record)
            events = [] if isinstance(decoded, str) else list(decoded)
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
                    for event, origin in events
                ],
            }
            if isinstance(decoded, str):
                row["unreadable"] = decoded
            if show_bytes:
                row["key_hex"] = (record.key or b"").hex()
                row["value_hex"] = (record.value or b"").hex()
            rows.append(row)
        partitions.append({"topic": topic, "partition": partition, "records": rows})
    return {"case": plan.case.id, "partitions": partitions}


def read(plan: Plan, record: Record) -> Sequence[tuple[DecodedEvent, Origin]] | str:
    """Return a record's events with their origins, or why a decoder refuses it."""
    decoded = decoded_or_refusal(plan.wire, record)
    if isinstance(decoded, str):
        return decoded
    # A malformed message may have another number of events than the one it was made from.
    origins = record.origins
    return [(e, origins[min(n, len(origins) - 1)]) for n, e in enumerate(decoded)]


def _whence(origin: Origin) -> str:
    return f"  (line {origin.line}{', ' + origin.transaction if origin.transaction else ''})"


def _by_partition(plan: Plan) -> dict[tuple[str, int], list[tuple[int, Record]]]:
    """Return what a reader finds in each partition, with the offsets."""
    return {
        there: [(one.offset, one.record) for one in log.read]
        for there, log in plan.delivery.logs.items()
    }
