"""Cases over another number of partitions than their authors wrote down.

| a case | over N partitions |
| --- | --- |
| of a scenario whose matrix has N | its own cases of N, with their goldens |
| whose marks, pins or delivery name a partition beyond N, or change their number | left out |
| whose delivery finds nothing to act on | left out |
| without DDL on the wire, of tables whose rows change shape, over several partitions | left out |
| whose author's expectations do not hold there | left out |
| any other | planned over N; no golden shows it, the fold says what its tables are |

Cases that are left out are reported with a reason and excluded from totals.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from harness.engine.catalogue.plans import planned_only, plans
from harness.engine.catalogue.workspace import Workspace
from harness.engine.plan.case import Plan
from harness.engine.plan.expectations import author_problems
from harness.engine.plan.one_case import spread
from harness.errors import ScenarioError, UsageError, plural
from harness.faults.actions import AddPartitions
from harness.model.source_events import RowEvent, SourceTable
from harness.model.table import TableId
from harness.scenario.expand import Case


@dataclass(frozen=True, slots=True)
class Repartitioned:
    """The plans over so many partitions, in order, and why others are left out, by case."""

    plans: tuple[Plan, ...]
    left: Mapping[str, str]

    @property
    def cases(self) -> tuple[Case, ...]:
        """Return the cases that are planned."""
        return tuple(plan.case for plan in self.plans)

    @property
    def notes(self) -> tuple[str, ...]:
        """Return a sentence on each case that is left out."""
        return tuple(f"{name} is left out: {reason}" for name, reason in self.left.items())


def repartition(space: Workspace, cases: Sequence[Case], partitions: int) -> Repartitioned:
    """Plan the cases over so many partitions; raises UsageError when none is left."""
    own = [case for case in cases if case.partitions == partitions]
    found = list(plans(space, own))
    left: dict[str, str] = {}
    for case in _others(cases, partitions):
        try:
            (plan,) = planned_only(space, [case], expectations=False)
        except ScenarioError as error:
            left[case.id] = error.problems[0].what
            continue
        reason = _reason(plan)
        if reason:
            left[case.id] = reason
        else:
            found.append(plan)
    if not found:
        raise UsageError(
            f"none of the {len(cases)} chosen cases can run over {plural(partitions, 'partition')}",
            expected="cases whose delivery does not depend on that number",
            hint=next(iter(left.values()), ""),
        )
    return Repartitioned(tuple(found), left)


def _others(cases: Sequence[Case], partitions: int) -> Sequence[Case]:
    """Return what remains once for each variant, of scenarios that do not have the number."""
    laid = {
        case.id: case
        for case in (
            spread(case, partitions)
            for case in cases
            if partitions not in case.scenario.matrix.partitions
        )
    }
    return list(laid.values())


def _reason(plan: Plan) -> str:
    """Return why a plan over another number of partitions means nothing, "" when it does."""
    count = plan.case.partitions
    if any(isinstance(step, AddPartitions) for step in plan.delivery.steps):
        return "its delivery changes the number of partitions itself"
    placed = {record.partition for record in plan.records}
    beyond = max(placed | {number for _, number in plan.delivery.logs}, default=0)
    if beyond >= count:
        return f"it names partition {beyond}"
    if count > 1 and plan.wire.complete is None and _changes_shape(plan):
        return "its rows change shape, and over partitions nothing says which shape is later"
    problems = author_problems(plan)
    return problems[0].what if problems else ""


def _changes_shape(plan: Plan) -> bool:
    """Return whether rows of one table are sent in more than one shape."""
    shapes: dict[TableId, SourceTable] = {}
    return any(
        shapes.setdefault(event.table.table.id, event.table) != event.table
        for event in plan.events
        if isinstance(event, RowEvent)
    )
