"""What each step of a delivery does, side by side: before on the left, after on the right."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from harness.engine.plan.case import Plan
from harness.engine.plan.steps import DeliveryStage, Mark, Pair, Partition, delivery_stages
from harness.errors import DecodingError
from harness.model.record import Record
from harness.report.lanes import action_text
from harness.report.preview import standing_line
from harness.scenario.document import DeliveryStep
from harness.scenario.standing import case_standing, step_standing
from harness.verdict.text import event_text

WIDTH = 100
SIDE = 46
SIGNS = {
    Mark.KEPT: " ",
    Mark.MOVED: "~",
    Mark.COPIED: "+",
    Mark.DROPPED: "-",
    Mark.CHANGED: "*",
    Mark.INSERTED: "!",
}
LEGEND = "~ moved  + sent again  - dropped  * changed  ! inserted"


def delivery_lines(plan: Plan) -> Iterator[str]:
    """Yield the steps of a case's delivery, no line wider than 100 columns."""
    yield _cut(f"{plan.case.id}  {plan.case.scenario.title}", WIDTH)
    yield standing_line(plan.case)
    yield f"  {LEGEND}"
    for stage in delivery_stages(plan.case, plan.records):
        step = stage.step
        yield ""
        yield from _wrapped(f"step {stage.number}: {_said(step)}  (line {step.line})", 2)
        yield from _wrapped(_permission(step, plan.case.protocol), 4)
        for one in stage.actions:
            yield from _wrapped(action_text(*one), 4)
        alike: list[str] = []
        for (topic, partition), pairs in stage.partitions.items():
            if all(pair.mark is Mark.KEPT for pair in pairs):
                alike.append(f"{topic}/{partition}")
                continue
            yield f"    {topic}/{partition}"
            yield from (_row(plan, pair) for pair in pairs)
        if alike:
            yield from _wrapped(f"as before: {', '.join(alike)}", 4)
        yield from _order_lines(stage)


def delivery_json(plan: Plan) -> dict[str, Any]:
    """Return the same as JSON data; every message of every partition is there."""
    return {
        "case": plan.case.id,
        "delivery": plan.case.delivery,
        "standing": case_standing(plan.case).value,
        "steps": [_stage_json(plan, stage) for stage in delivery_stages(plan.case, plan.records)],
    }


def _stage_json(plan: Plan, stage: DeliveryStage) -> dict[str, Any]:
    step = stage.step
    before, after = stage.order
    return {
        "step": stage.number,
        "fault": step.fault,
        "options": dict(step.options),
        "line": step.line,
        "allowed_by": dict(step.allowed_by),
        "seen_in": step.seen_in,
        "hostile": step.hostile,
        "standing": step_standing(step, plan.case.protocol).value,
        "actions": [{"behind": place, "action": str(action)} for place, action in stage.actions],
        "partitions": [
            {
                "topic": topic,
                "partition": partition,
                "messages": [
                    {
                        "mark": pair.mark.value,
                        "before": _message_json(plan, pair.before),
                        "after": _message_json(plan, pair.after),
                    }
                    for pair in pairs
                ],
            }
            for (topic, partition), pairs in stage.partitions.items()
        ],
        "order": {
            "before": [f"{topic}/{partition}" for topic, partition in before],
            "after": [f"{topic}/{partition}" for topic, partition in after],
        },
    }


def _message_json(plan: Plan, side: tuple[int, Record] | None) -> dict[str, Any] | None:
    if side is None:
        return None
    place, record = side
    return {
        "place": place,
        "text": _text(plan, record),
        "lines": [origin.line for origin in record.origins],
        "headers": [name for name, _ in record.headers],
        "timestamp": record.timestamp,
    }


def _row(plan: Plan, pair: Pair) -> str:
    left = "" if pair.before is None else _side(plan, pair.before)
    right = "" if pair.after is None else _side(plan, pair.after)
    if pair.mark is Mark.CHANGED and left[4:] == right[4:]:
        assert pair.after is not None
        right = _cut(f"{right[:4]} {_envelope(pair.after[1])}", SIDE)
    sign = SIGNS[pair.mark]
    if pair.mark is Mark.KEPT:
        return f"    {left:{SIDE}}   {right}".rstrip()
    return f"    {left:{SIDE}} {sign} {right}".rstrip()


def _side(plan: Plan, side: tuple[int, Record]) -> str:
    place, record = side
    return _cut(f"@{place:<3} {_text(plan, record)}", SIDE)


def _text(plan: Plan, record: Record) -> str:
    """Return a message in a few words: its events and their transaction."""
    try:
        events = plan.wire.decode(record.key, record.value)
    except DecodingError as error:
        return f"cannot be decoded: {error.what}"
    if not events:
        return "no event"
    first, *others = events
    names = dict.fromkeys(o.transaction for o in record.origins if o.transaction)
    whence = f"{','.join(names)}: " if names else ""
    more = f"  (and {len(others)} more)" if others else ""
    stamp = "" if names else f" {first.commit_ts}"
    return f"{whence}{event_text(first)}{stamp}{more}"


def _envelope(record: Record) -> str:
    parts = [f"header {name}" for name, _ in record.headers]
    parts += [] if record.timestamp is None else [f"timestamp {record.timestamp}"]
    return "now with " + ", ".join(parts) if parts else "other bytes"


def _said(step: DeliveryStep) -> str:
    options = ", ".join(f"{name}: {value}" for name, value in step.options.items())
    return f"{step.fault} {{{options}}}" if options else step.fault


def _permission(step: DeliveryStep, protocol: str) -> str:
    if step.hostile:
        standing = step_standing(step, protocol).value
        return f"hostile: it breaks a clause ({standing}), tables are not judged"
    if step.seen_in:
        return f"beyond: nobody promises it, seen in {step.seen_in}"
    clause = step.allowed_by.get(protocol)
    if not clause:
        return "no clause is named for this protocol"
    return f"{step_standing(step, protocol).value}: allowed by {clause}"


def _order_lines(stage: DeliveryStage) -> Iterator[str]:
    """Yield the order of sending across partitions, when the step changes that alone."""
    before, after = stage.order
    if sorted(before) != sorted(after) or before == after:
        return
    yield from _wrapped(f"order of sending before: {_runs(before)}", 4)
    yield from _wrapped(f"order of sending after:  {_runs(after)}", 4)


def _runs(order: Sequence[Partition]) -> str:
    """Return partitions in order, each with how many messages it has in a row."""
    runs = ((place, sum(1 for _ in group)) for place, group in groupby(order))
    return " ".join(f"{t}/{p}" + (f"×{n}" if n > 1 else "") for (t, p), n in runs)


def _wrapped(text: str, indent: int) -> Iterator[str]:
    yield from textwrap.wrap(
        text,
        WIDTH,
        initial_indent=" " * indent,
        subsequent_indent=" " * (indent + 2),
        break_on_hyphens=False,
    )


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"
