"""Clauses that are cited in vain: of column types and kinds of changes that a scenario never has.

A finding names what decides the wrong value, so it cannot name such a clause. The rows that were
recorded decide, not what one case sends of them: an update may be sent as a delete and an insert.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from harness.engine.plan.case import Plan
from harness.errors import Problem
from harness.model.change import ChangeLog, Op, Transaction
from harness.model.columns import ColumnKind
from harness.model.source_events import DdlEvent, RowEvent, SourceTable
from harness.protocols import PROTOCOLS
from harness.scenario.document import Scenario

# What a kind of change may come from: a changed key is sent as a delete and an insert, and those
# two of one row and transaction as an update.
_COMES_FROM: Mapping[Op, tuple[Op, ...]] = {
    Op.INSERT: (Op.INSERT, Op.UPDATE),
    Op.DELETE: (Op.DELETE, Op.UPDATE),
    Op.UPDATE: (Op.UPDATE, Op.DELETE),
}


def cited_problems(plans: Sequence[Plan], log: ChangeLog) -> Iterator[Problem]:
    """Yield a problem for each citation of one scenario's plans that no finding can name."""
    protocols = {one.case.protocol for one in plans}
    for protocol in sorted(protocols):
        scenario = next(one.case.scenario for one in plans if one.case.protocol == protocol)
        kinds = {k for one in plans if one.case.protocol == protocol for k in _kinds(one)}
        for clause, wanted in _of_types(protocol).items():
            if clause in scenario.clauses and kinds and kinds.isdisjoint(wanted):
                what = " or ".join(sorted(kind.value.upper() for kind in wanted))
                yield _problem(scenario, clause, f"no table has a column of {what}")
        ops = _ops(log)
        for clause, op in _of_changes(protocol).items():
            if clause in scenario.clauses and ops.isdisjoint(_COMES_FROM[op]):
                yield _problem(scenario, clause, f"no transaction has a row's {op}")


def _kinds(plan: Plan) -> Iterator[ColumnKind]:
    for event in plan.events:
        for table in _tables(event):
            yield from (column.kind for column in table.table.columns)


def _tables(event: object) -> Iterator[SourceTable]:
    if isinstance(event, RowEvent):
        yield event.table
    elif isinstance(event, DdlEvent):
        yield from (table for table in (event.before, event.after) if table is not None)


def _of_types(protocol: str) -> Mapping[str, set[ColumnKind]]:
    found: dict[str, set[ColumnKind]] = {}
    for kind, clause in PROTOCOLS[protocol].type_clauses.items():
        found.setdefault(clause, set()).add(kind)
    return found


def _of_changes(protocol: str) -> Mapping[str, Op]:
    causes = PROTOCOLS[protocol].description.causes
    return {causes[op.value]: op for op in Op if op.value in causes}


def _ops(log: ChangeLog) -> set[Op]:
    rows = (one.changes for one in log.changes if isinstance(one, Transaction))
    return {change.op for changes in rows for change in changes}


def _problem(scenario: Scenario, clause: str, what: str) -> Problem:
    return Problem(
        scenario.place(scenario.clause_lines.get(clause, 1)),
        f"the clause `{clause}` is cited, and {what}: no finding can name it",
        "a scenario that has what the clause speaks of",
        "remove the citation, or add such a column or change",
    )
