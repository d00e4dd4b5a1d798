"""What stands beside the topics of a changefeed whose rows may be too large for a message.

A directory takes the place of the claim-check storage, and of the upstream that a reader asks for
the rows of which it got the handle key only (`rows.jsonl`).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

from harness.contracts import StoresOutside
from harness.engine.plan.case import Plan
from harness.errors import SetupError, next_step
from harness.model.columns import Column
from harness.model.large import Identity, Rows, identity, lacks_columns
from harness.model.source_events import RowEvent
from harness.model.values import Value
from harness.runner.contract.job import value_json

ROWS = "rows.jsonl"


def laid_out(plan: Plan, directory: Path) -> Path | None:
    """Write what the plan's messages leave out; return the directory, None if there is no need.

    Raises SetupError when it cannot be written.
    """
    wire = plan.wire
    if not isinstance(wire, StoresOutside) or wire.large == "none":
        return None
    try:
        directory.mkdir(parents=True, exist_ok=True)
        if wire.large == "claim-check":
            for check in wire.claim_checks:
                (directory / check.name).write_bytes(check.content)
        else:
            lines = (orjson.dumps(line) + b"\n" for line in _lines(plan))
            (directory / ROWS).write_bytes(b"".join(lines))
    except OSError as error:
        raise SetupError(
            f"what messages leave out cannot be stored: {error}", hint=next_step(error)
        ) from error
    return directory


def leaves_out(plan: Plan) -> bool:
    """Return whether some of the plan's messages lack what is stored beside them."""
    wire = plan.wire
    return isinstance(wire, StoresOutside) and (
        bool(wire.claim_checks) or bool(rows_left_out(plan))
    )


def rows_left_out(plan: Plan) -> Rows:
    """Return the rows of which the plan's messages have the handle key only."""
    reduced = isinstance(plan.wire, StoresOutside) and plan.wire.large == "handle-key-only"
    return dict(_left_out(plan)) if reduced else {}


def _left_out(plan: Plan) -> Iterator[tuple[Identity, dict[str, Value]]]:
    for event, handle in _reduced(plan):
        table = event.table.table.id
        row = {column.name: value for column, value in _sent(event)}
        yield identity(table.schema, table.name, event.commit_ts, handle), row


def _lines(plan: Plan) -> Iterator[dict[str, Any]]:
    for event, handle in _reduced(plan):
        row = {column.name: value_json(column, value) for column, value in _sent(event)}
        yield {
            "schema": event.table.table.id.schema,
            "table": event.table.table.id.name,
            "commit_ts": str(event.commit_ts),
            "key": {name: row[name] for name in handle},
            "row": row,
        }


def _sent(event: RowEvent) -> Iterator[tuple[Column, Value]]:
    """Yield the columns of the new row that a message would have, with their values."""
    assert event.after is not None
    for ordinal in event.table.emitted:
        yield event.table.table.columns[ordinal], event.after[ordinal]


def _reduced(plan: Plan) -> Iterator[tuple[RowEvent, dict[str, Value]]]:
    """Yield the row events whose message has the handle key only, each with that."""
    vendor = {event.origin.event: event for event in plan.events}
    for record in plan.records:
        decoded = plan.wire.decode(record.key, record.value)
        for event, origin in zip(decoded, record.origins, strict=True):
            source = vendor.get(origin.event)
            if lacks_columns(event) and isinstance(source, RowEvent):
                yield source, dict(event.after or {})
