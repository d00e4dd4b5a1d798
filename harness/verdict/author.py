"""The author's own expectations, held against the encoded records and the folded tables.

They are written by a person and independent of the golden files, so a wrong golden cannot bless
itself. What does not hold is the scenario's fault (or ours), never a consumer's.

Items of an event list, in order of emission; marks (resolved, tombstone, begin, end) are skipped
unless a list speaks of their kind:

| item | takes |
| --- | --- |
| an event of `event_pattern` | one event that it means |
| `{unordered: [...]}` | that many events, in any order |
| `{per-key: [{key, ops}]}` | as many events as there are ops; each key's ops in order |
| `{optional: item}` | the item, or nothing |
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice

from harness.documents import PlainObject
from harness.documents.scalars import flow
from harness.errors import plural
from harness.model.canonical import canonical
from harness.model.decoded import EventKind
from harness.model.values import Row, Value
from harness.model.written import written_value
from harness.verdict.event_pattern import (
    MARK_KINDS,
    ROW_KINDS,
    SHOWN,
    SentEvent,
    event_text,
    has_columns,
    item_text,
    matches,
)
from harness.verdict.expected import Expected, TableState


@dataclass(slots=True)
class _Reader:
    """A cursor over the sent events; `why` keeps the reasons of refusals."""

    sent: Sequence[SentEvent]
    partitions: int
    at: int = 0
    why: list[str] = field(default_factory=list[str])

    def take(self, item: PlainObject) -> bool:
        """Consume what the item asks for; False, with a reason, when the stream says otherwise."""
        if "optional" in item:
            start = self.at
            if not self.take(item["optional"]):
                self.at = start
            return True
        if "unordered" in item:
            return self._unordered(item["unordered"])
        if "per-key" in item:
            return self._per_key(item["per-key"])
        if self.at >= len(self.sent):
            self.why.append(f"the stream ended where {item_text(item)} was expected")
            return False
        if not matches(item, self.sent[self.at], self.partitions):
            self.why.append(
                f"event {self.at + 1} is {event_text(self.sent[self.at])}, not {item_text(item)}"
            )
            return False
        self.at += 1
        return True

    def _unordered(self, items: Sequence[PlainObject]) -> bool:
        left = list(self.sent[self.at : self.at + len(items)])
        for item in items:
            found = next((event for event in left if matches(item, event, self.partitions)), None)
            if found is None:
                among = "; ".join(event_text(event) for event in left) or "none"
                self.why.append(f"{item_text(item)} is not among the events left here: {among}")
                return False
            left.remove(found)
        self.at += len(items)
        return True

    def _per_key(self, keys: Sequence[PlainObject]) -> bool:
        total = sum(len(entry["ops"]) for entry in keys)
        window = self.sent[self.at : self.at + total]
        for entry in keys:
            kinds = [e.decoded.kind.value for e in window if has_columns(entry["key"], e)]
            ops = list(entry["ops"])
            fits = len(kinds) == len(ops) and all(
                EventKind(kind) in ROW_KINDS[op] for kind, op in zip(kinds, ops, strict=True)
            )
            if not fits:
                self.why.append(f"key {flow(entry['key'])} has the events {kinds}, not {ops}")
                return False
        self.at += total
        return True


def check_events(
    items: Sequence[PlainObject], sent: Sequence[SentEvent], partitions: int
) -> tuple[int, str] | None:
    """Return the first item of an `expect.events` list that does not hold, and why; or None.

    Items count from 0; what follows behind the last one is that one's.
    """
    unsaid = {kind for name, kind in MARK_KINDS.items() if not _speaks_of(items, name)}
    unsaid.add(EventKind.HEARTBEAT)
    stream = [event for event in sent if event.decoded.kind not in unsaid]
    reader = _Reader(stream, partitions)
    for number, item in enumerate(items):
        if not reader.take(item):
            return number, f"item {number + 1}: {reader.why[-1]}"
    if reader.at < len(stream):
        last = max(len(items) - 1, 0)
        return last, f"the list ends, but {event_text(stream[reader.at])} follows"
    return None


def _speaks_of(items: Sequence[PlainObject], mark: str) -> bool:
    for item in items:
        inner = [*item.get("unordered", ()), *([item["optional"]] if "optional" in item else [])]
        if mark in item or _speaks_of(inner, mark):
            return True
    return False


def check_rows(expected: Expected, name: str, rows: Sequence[PlainObject] | None) -> str | None:
    """Return what does not hold of an `expect.tables` entry, or None; rows None: no table."""
    state = next((s for t, s in expected.tables.items() if str(t) == name), None)
    if rows is None:
        return (
            None
            if state is None
            else f"table {name} exists, with {plural(len(state.all_rows()), 'row')}"
        )
    if state is None:
        return f"table {name} does not exist at the end" if rows else None
    left = [tuple(row[i] for i in state.source_table.emitted) for row in state.all_rows()]
    full = dict(zip(left, state.all_rows(), strict=True))
    for row in rows:
        try:
            wanted = _wanted(state, row)
        except ValueError as error:
            return f"row {flow(row)}: {error}"
        if wanted not in left:
            there = _rows_text(state, [full[one] for one in left])
            return f"row {flow(row)} is not there; not listed, but there: {there}"
        left.remove(wanted)
    if not left:
        return None
    return f"the table also holds {_rows_text(state, [full[one] for one in left])}"


def _rows_text(state: TableState, rows: Sequence[Row]) -> str:
    """Return rows as an author may write them."""
    columns, sent = state.source_table.table.columns, state.source_table.emitted
    written = ({columns[i].name: written_value(columns[i], row[i]) for i in sent} for row in rows)
    shown = ", ".join(map(flow, islice(written, SHOWN))) or "nothing"
    return shown + (f" and {len(rows) - SHOWN} more rows" if len(rows) > SHOWN else "")


def _wanted(state: TableState, row: PlainObject) -> tuple[Value, ...]:
    """Return an author's row in canonical form; ValueError when it does not fit the table."""
    columns = [state.source_table.table.columns[i] for i in state.source_table.emitted]
    unknown = set(row) - {column.name for column in columns}
    if unknown:
        raise ValueError(f"the table has no column {', '.join(sorted(unknown))}")
    return tuple(canonical(column, row.get(column.name)) for column in columns)
