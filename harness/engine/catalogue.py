"""From files to plans: load scenarios, join their locks, plan their cases, hold the goldens."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from harness.engine import golden
from harness.engine.plan import Plan, plan
from harness.engine.workspace import Workspace
from harness.errors import Problem, ScenarioError, UsageError
from harness.model.change import ChangeLog
from harness.record.lock import load_lock
from harness.scenario.document import Scenario
from harness.scenario.expand import Case, cases, select
from harness.scenario.load import load_all


def load(space: Workspace, paths: Sequence[Path] = ()) -> tuple[Scenario, ...]:
    """Return the scenarios under the root, or those of the given files and directories."""
    return load_all(space.scenarios, paths)


def selected(scenarios: Iterable[Scenario], expression: str | None) -> tuple[Case, ...]:
    """Return the cases that a `-k` expression selects, all without one; UsageError when none."""
    every = tuple(case for scenario in scenarios for case in cases(scenario))
    chosen = select(every, expression) if expression else every
    if not chosen:
        what = f"-k {expression!r} selects none of {len(every)} cases" if every else "there are no cases"
        raise UsageError(what, hint="`harness list` shows the cases")
    return chosen


def plans(
    space: Workspace, chosen: Sequence[Case], on_case: Callable[[Case], None] | None = None
) -> tuple[Plan, ...]:
    """Plan the cases and hold them against their goldens; ScenarioError carries every problem."""
    problems: list[Problem] = []
    planned: list[Plan] = []
    logs: dict[str, ChangeLog | None] = {}
    for case in chosen:
        if case.scenario.id not in logs:
            logs[case.scenario.id] = _log(space, case.scenario, problems)
        log = logs[case.scenario.id]
        if log is None:
            continue
        try:
            one = plan(case, log)
        except ScenarioError as error:
            problems += error.problems
            continue
        if case.delivery is None or all(p.case.scenario is not case.scenario for p in planned):
            problems += golden.problems(space.golden, one)
        planned.append(one)
        if on_case is not None:
            on_case(case)
    if problems:
        raise ScenarioError(tuple(dict.fromkeys(problems)))
    return tuple(planned)


def _log(space: Workspace, scenario: Scenario, problems: list[Problem]) -> ChangeLog | None:
    try:
        return load_lock(scenario, space.golden)
    except ScenarioError as error:
        problems += error.problems
        return None


def unused_goldens(space: Workspace, scenarios: Iterable[Scenario]) -> tuple[Path, ...]:
    """Return golden directories that no scenario owns."""
    owned = {scenario.path for scenario in scenarios}
    there = {lock.parent.relative_to(space.golden).as_posix() for lock in space.golden.rglob("changes.jsonl")}
    return tuple(space.golden / path for path in sorted(there - owned))
