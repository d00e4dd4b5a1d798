"""Cases made by hand, and the right answers to them, to be spoiled one way at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from harness.model.change import Change, Op
from harness.model.finding import Finding, Verdict
from harness.model.observed import Observed, ObservedDdl, ObservedEvent, Outcome, RawRow
from harness.model.record import Record
from harness.model.source_events import DdlEvent, RowEvent
from harness.model.table import TableId
from harness.model.values import Row
from harness.protocols import PROTOCOLS
from harness.verdict.case import Judged, places
from harness.verdict.expected import Expected, fold
from harness.verdict.judge import judge
from tests.changelogs import SCHEMA, feed, log, mount

CLAUSES = ("open.row.insert", "open.delivery.at-least-once")
EXPECT_LINE = 99


@dataclass(frozen=True)
class Case:
    """One case with its records, its truth, and what a right consumer answers."""

    judged: Judged
    expected: Expected
    records: tuple[Record, ...]

    def verdict(self, **spoiled: Any) -> Verdict:
        """Return the verdict on the right answer with some of its parts replaced."""
        return judge(self.judged, self.expected, replace(self.right(), **spoiled))

    def findings(self, **spoiled: Any) -> list[Finding]:
        """Return what is found wrong with an answer."""
        return list(self.verdict(**spoiled).findings)

    def right(self) -> Observed:
        """Return the right answer, with everything that a consumer may tell."""
        return Observed(
            Outcome.DONE,
            tables={name: tuple(rows) for name, rows in self.tables().items()},
            events=tuple(self.events()),
            ddl=tuple(self.ddl()),
        )

    def tables(self) -> dict[TableId, list[RawRow]]:
        """Return the expected tables as a consumer writes them."""
        return {
            name: [raw(state.source_table.table.columns, row) for row in state.all_rows()]
            for name, state in self.expected.tables.items()
        }

    def events(self) -> list[ObservedEvent]:
        """Return the row events as a consumer tells them."""
        return [observed(event) for event in self.expected.applied if isinstance(event, RowEvent)]

    def ddl(self) -> list[ObservedDdl]:
        """Return the DDL statements as a consumer tells them."""
        return [observed_ddl(event) for event in self.expected.ddl]


def case(
    *changes: Change,
    partitions: int = 1,
    dialect: str = "current",
    end_resolved: bool = True,
    repeated: int = 1,
    **settings: Any,
) -> Case:
    """Plan a case; each record is delivered `repeated` times."""
    events = mount(
        log(*changes), feed(partitions, **settings), (SCHEMA,), end_resolved=end_resolved
    )
    wire = PROTOCOLS["open"].codec.bind({}, dialect)
    records = tuple(wire.encode(events))
    there = places(records * repeated)
    judged = Judged("case", "open", CLAUSES, EXPECT_LINE, there, row_ids=wire.row_ids)
    return Case(judged, fold(events, complete=wire.complete), records)


def raw(columns: Sequence[Any], row: Row) -> RawRow:
    """Return a row as plain JSON data: bytes as hexadecimal."""
    return {
        column.name: value.hex() if isinstance(value, bytes) else value  # type: ignore[misc]
        for column, value in zip(columns, row, strict=True)
    }


def observed(event: RowEvent, **changes: Any) -> ObservedEvent:
    """Return a row event as a consumer tells it."""
    columns = event.table.table.columns
    answer = ObservedEvent(
        op=Op(event.op),
        table=event.table.table.id,
        before=None if event.before is None else raw(columns, event.before),
        after=None if event.after is None else raw(columns, event.after),
        commit_ts=event.commit_ts,
    )
    return replace(answer, **changes)


def observed_ddl(event: DdlEvent, **changes: Any) -> ObservedDdl:
    """Return a DDL statement as a consumer tells it."""
    table = TableId(event.schema, event.table)
    return replace(ObservedDdl(event.query, event.type, table, event.commit_ts), **changes)


def without(row: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return a row without one column."""
    return {key: value for key, value in row.items() if key != name}
