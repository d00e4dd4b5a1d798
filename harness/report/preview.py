"""The records of a case as a person reads them: by partition, as golden files print them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from harness.engine.catalogue.record_text import (
    ReadableRecord,
    RecordPrinter,
    readable,
    record_json,
    stored_lines,
)
from harness.engine.plan.case import Plan
from harness.engine.plan.steps import added_actions
from harness.model.standing import MEANING
from harness.report.lanes import moments
from harness.scenario.expand import Case
from harness.scenario.standing import case_standing


def preview_lines(plan: Plan, *, show_bytes: bool = False) -> Iterator[str]:
    """Yield the lines of a case's preview, as it is delivered."""
    yield f"{plan.case.id}  {plan.case.scenario.title}"
    yield standing_line(plan.case)
    yield from (f"  {moment.text}" for moment in moments(plan))
    printer = RecordPrinter()
    for records in _by_partition(plan).values():
        for one in records:
            yield ""
            yield from printer.lines(one, lines_of_scenario=True, show_bytes=show_bytes)
    yield from printer.inline_schemas()
    yield from stored_lines(plan.wire)


def standing_line(case: Case) -> str:
    """Return who demands what a case rests on."""
    standing = case_standing(case)
    return f"  {standing.value}: {MEANING[standing]}"


def preview_json(plan: Plan, *, show_bytes: bool = False) -> dict[str, Any]:
    """Return the same as JSON data."""
    return {
        "case": plan.case.id,
        "standing": case_standing(plan.case).value,
        "actions": [
            {"behind": behind, "action": str(action)}
            for behind, action in added_actions((), plan.delivery.steps)
        ],
        "partitions": [
            {
                "topic": topic,
                "partition": partition,
                "records": [record_json(one, show_bytes=show_bytes) for one in records],
            }
            for (topic, partition), records in _by_partition(plan).items()
        ],
    }


def _by_partition(plan: Plan) -> dict[tuple[str, int], list[ReadableRecord]]:
    """Return what a reader finds in each partition."""
    return {
        there: [readable(plan.wire, one.record, one.offset) for one in log.read]
        for there, log in plan.delivery.logs.items()
    }
