"""Each declared design is judged by its own rule: the right consumer passes, a wrong one fails."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache

import pytest

from harness.engine.catalogue.choose import load, selected
from harness.engine.catalogue.plans import planned_only
from harness.engine.catalogue.workspace import workspace
from harness.engine.plan.case import Plan
from harness.model.finding import Judgement
from harness.model.observed import Observed
from harness.verdict.design import (
    AS_EXPECTED,
    Applies,
    Design,
    DroppedColumns,
    KeylessRows,
    OlderRows,
)
from harness.verdict.judge import judge_design
from tests.tree import ROOT
from tests.verdict.designed import (
    ByImage,
    ForgetsKept,
    KeepsColumns,
    LastArrivalWins,
    NeverRemovesLoose,
    OnArrival,
    added_columns,
    answer,
    knows_defaults,
)

# The whole catalogue passes through here several times: tracing each line of it would take minutes.
pytestmark = pytest.mark.no_cover

Answers = Callable[[Plan], Observed]
RIGHT = frozenset({Judgement.PASS, Judgement.UNDECIDED})


@dataclass(frozen=True)
class Declared:
    """A design, a right consumer of it, wrong ones, and in how many cases it matters at least."""

    design: Design
    right: Answers
    wrong: tuple[Answers, ...]
    matters: int


DESIGNS: Mapping[str, Declared] = {
    "on-arrival": Declared(
        Design(applies=Applies.ON_ARRIVAL),
        lambda plan: answer(plan, OnArrival),
        (answer, lambda plan: answer(plan, hold=LastArrivalWins)),
        8,
    ),
    "kept-columns": Declared(
        Design(dropped_columns=DroppedColumns.KEPT),
        lambda plan: answer(plan, tables=KeepsColumns),
        (lambda plan: answer(plan, tables=ForgetsKept),),
        8,
    ),
    "by-image": Declared(
        Design(keyless_rows=KeylessRows.BY_IMAGE),
        lambda plan: answer(plan, tables=ByImage),
        (answer, lambda plan: answer(plan, tables=NeverRemovesLoose)),
        8,
    ),
    "upstream-defaults": Declared(
        Design(older_rows=OlderRows.UPSTREAM),
        lambda plan: answer(plan, tables=knows_defaults(added_columns(plan), wrong=False)),
        (lambda plan: answer(plan, tables=knows_defaults(added_columns(plan), wrong=True)),),
        3,
    ),
}


@cache
def plans() -> tuple[Plan, ...]:
    """Return the plans of the whole catalogue, but for hostile deliveries."""
    space = workspace(ROOT)
    found = planned_only(space, selected(load(space), None), expectations=False)
    return tuple(plan for plan in found if plan.judged.hostile is None)


def planned(name: str) -> Plan:
    """Return the plan of one case, and plan no other."""
    space = workspace(ROOT)
    (found,) = planned_only(space, selected(load(space), f"'{name}'"), expectations=False)
    return found


def passes(plan: Plan, design: Design, answered: Observed, *, database: bool = False) -> bool:
    """Tell whether an answer is right by a design."""
    verdict = judge_design(plan.judged, plan.folding, answered, design, database=database)
    return verdict.judgement in RIGHT


@pytest.mark.parametrize("name", DESIGNS)
def test_a_design_is_judged_by_its_own_rule(name: str) -> None:
    """The right consumer passes every case, many by its declaration alone; each wrong one fails."""
    declared = DESIGNS[name]
    answers = [(plan, declared.right(plan)) for plan in plans()]
    failed = [p.case.id for p, answered in answers if not passes(p, declared.design, answered)]
    assert not failed
    matters = [p for p, answered in answers if not passes(p, AS_EXPECTED, answered)]
    assert len(matters) >= declared.matters
    for wrong in declared.wrong:
        assert any(not passes(plan, declared.design, wrong(plan)) for plan in (*matters, *plans()))


def test_nothing_is_traced() -> None:
    """What is marked `no_cover` costs no tracing, in a worker of xdist either."""
    assert sys.gettrace() is None


def test_a_database_may_hold_what_the_upstream_holds() -> None:
    """NULL and the upstream's default are both right in a database, a third value is not."""
    plan = planned("evolution.column-with-default-added[vitess,p1]")
    known = added_columns(plan)
    null, default = answer(plan), answer(plan, tables=knows_defaults(known, wrong=False))
    for held in (null, default):
        assert passes(plan, AS_EXPECTED, held, database=True)
    assert not passes(plan, AS_EXPECTED, default)
    tables = {
        table: tuple({**row, "n": 99} for row in rows)
        for table, rows in (null.tables or {}).items()
    }
    assert not passes(plan, AS_EXPECTED, replace(null, tables=tables), database=True)


def test_an_update_of_a_row_that_was_never_sent() -> None:
    """Where the insert was filtered, a consumer may insert the row or update nothing."""
    plan = planned("filters.insert-ignored-update-sent[open,p1]")
    inserted = answer(plan)
    assert passes(plan, AS_EXPECTED, inserted)

    def without(key: int) -> Observed:
        tables = {
            table: tuple(row for row in rows if row["id"] != key or table.name != "t")
            for table, rows in (inserted.tables or {}).items()
        }
        return replace(inserted, tables=tables)

    assert passes(plan, AS_EXPECTED, without(2))
    assert not passes(plan, AS_EXPECTED, without(1))
