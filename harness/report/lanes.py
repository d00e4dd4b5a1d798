"""A case's delivery as lanes: each partition one, messages in the order in which they are sent.

Everything is derived from the plan, as it is in `preview`. A column is one message sent; what is
done to the run stands between two columns, where a moment on the consumer's side can be placed:
messages that can be read are counted in the order of sending.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from harness.engine.catalogue.record_text import ReadableRecord, readable
from harness.engine.plan.case import Plan
from harness.engine.plan.steps import added_actions
from harness.faults.actions import Action, AfterRecords, Kill, Pause
from harness.model.decoded import EventKind
from harness.model.record import Record
from harness.verdict.text import event_text


class Came(StrEnum):
    """How a message differs from what the undisturbed case sends."""

    AS_SENT = ""
    AGAIN = "sent again"
    OTHER = "changed or inserted"


class Shape(StrEnum):
    """What a message is drawn as."""

    ROW = "row"
    DELETE = "delete"
    DDL = "ddl"
    RESOLVED = "resolved"
    BOUNDARY = "boundary"
    UNREADABLE = "unreadable"
    NOTHING = "nothing"


SHAPES = {
    EventKind.INSERT: Shape.ROW,
    EventKind.UPDATE: Shape.ROW,
    EventKind.UPSERT: Shape.ROW,
    EventKind.DELETE: Shape.DELETE,
    EventKind.TOMBSTONE: Shape.DELETE,
    EventKind.DDL: Shape.DDL,
    EventKind.RESOLVED: Shape.RESOLVED,
    EventKind.HEARTBEAT: Shape.RESOLVED,
    EventKind.BEGIN: Shape.BOUNDARY,
    EventKind.END: Shape.BOUNDARY,
}


@dataclass(frozen=True, slots=True)
class Sent:
    """A message in its lane: `column` counts what is sent, from 0, over all partitions.

    `texts` are its events in plain words, `transaction` the names of theirs, "" for none,
    `line` that of the scenario.
    """

    column: int
    offset: int
    shape: Shape
    came: Came
    transaction: str
    line: int
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Lane:
    """A partition with what a reader of it finds."""

    name: str
    sent: tuple[Sent, ...]


@dataclass(frozen=True, slots=True)
class Moment:
    """Something that is done to the run once `behind` messages are sent.

    `behind` is None for a moment that only the consumer knows: its commits, its crash points.
    `text` says what is done, and when.
    """

    behind: int | None
    text: str


def lanes(plan: Plan) -> tuple[Lane, ...]:
    """Return the partitions of a delivery."""
    columns = _columns(plan)
    fresh = Counter(plan.records)
    known = frozenset(fresh)
    found: list[Lane] = []
    for (topic, partition), log in plan.delivery.logs.items():
        sent: list[Sent] = []
        for one in log.read:
            column = columns[one.record].popleft()
            came = Came.AS_SENT if fresh[one.record] > 0 else Came.AGAIN
            came = came if one.record in known else Came.OTHER
            fresh[one.record] -= 1
            sent.append(_sent(readable(plan.wire, one.record, one.offset), column, came))
        found.append(Lane(f"{topic}/{partition}", tuple(sent)))
    return tuple(found)


def _columns(plan: Plan) -> dict[Record, deque[int]]:
    """Return when each readable message is sent; compaction leaves the last of equal ones."""
    columns: dict[Record, deque[int]] = {}
    for column, record in enumerate(plan.delivered):
        columns.setdefault(record, deque()).append(column)
    there = Counter(one.record for log in plan.delivery.logs.values() for one in log.read)
    return {
        record: deque(sent[-there[record] :])
        for record, queue in columns.items()
        if there[record]
        for sent in [list(queue)]
    }


def moments(plan: Plan) -> Iterator[Moment]:
    """Yield what is done to the run, in the order of the delivery's steps."""
    for behind, action in added_actions((), plan.delivery.steps):
        there = _place(behind, action)
        yield Moment(there, action_text(behind, action) + _nearest(plan, behind, there))


def action_text(behind: int, action: Action) -> str:
    """Return what is done to the run, and which messages come before it."""
    if not behind:
        return f"from the start: {action}"
    return f"after {behind} message{'s' * (behind > 1)}: {action}"


def left_out(plan: Plan) -> int:
    """Return how many messages of the undisturbed case no reader finds."""
    found = Counter(one.record for log in plan.delivery.logs.values() for one in log.read)
    return (Counter(plan.records) - found).total()


def _sent(one: ReadableRecord, column: int, came: Came) -> Sent:
    names = ", ".join(dict.fromkeys(o.transaction for o in one.record.origins if o.transaction))
    shape: Shape
    texts: tuple[str, ...]
    if not one.record.key and not one.record.value:
        shape, texts = Shape.NOTHING, ("no event: neither key nor value",)
    elif one.refusal:
        shape, texts = Shape.UNREADABLE, (f"cannot be read: {one.refusal}",)
    elif not one.events:
        shape, texts = Shape.NOTHING, ("no event",)
    else:
        shape = SHAPES[one.events[0].kind]
        texts = tuple(f"{event.commit_ts} {event_text(event)}" for event in one.events)
    return Sent(column, one.offset, shape, came, names, one.origin(0).line, texts)


def _place(behind: int, action: Action) -> int | None:
    """Return how many messages are sent before it happens; None where the consumer decides."""
    match action:
        case Kill(AfterRecords(count)) | Pause(AfterRecords(count)):
            return max(behind, count)
        case Kill() | Pause():
            return None
        case _:
            return behind


def _nearest(plan: Plan, behind: int, there: int | None) -> str:
    """Return the message that such a moment follows, where the action does not say it itself."""
    if there is None or there == behind or there > len(plan.delivered):
        return ""
    record = plan.delivered[there - 1]
    line = record.origins[0].line
    return f"; the last of them is {record.topic}/{record.partition}, line {line}"
