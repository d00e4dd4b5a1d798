"""From cases to plans: join the locks, plan, hold the goldens."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from harness.engine import golden
from harness.engine.plan import Plan, author_problems, plan
from harness.engine.workspace import Workspace
from harness.errors import Location, Problem, ScenarioError
from harness.model.change import ChangeLog
from harness.record.lock import load_lock
from harness.scenario.document import Scenario
from harness.scenario.expand import Case


def plans(space: Workspace, chosen: Sequence[Case]) -> tuple[Plan, ...]:
    """Plan the cases and hold them against their goldens; ScenarioError carries every problem."""
    planned, problems = _planned(space, chosen)
    for one in planned:
        problems += author_problems(one)
    seen: set[tuple[str, str]] = set()
    for one in planned:
        # Disturbed cases share the goldens of the plain one.
        name = (one.case.scenario.id, golden.variant(one))
        if name not in seen:
            seen.add(name)
            problems += golden.problems(space.golden, one)
    if problems:
        raise ScenarioError(tuple(dict.fromkeys(problems)))
    return planned


def plans_apart(
    space: Workspace, chosen: Sequence[Case]
) -> tuple[tuple[Plan, ...], Mapping[str, tuple[Problem, ...]]]:
    """Plan the cases as `plans` does, but let a bad scenario spoil its own cases only.

    Return the plans of sound scenarios and the problems of the others by scenario id.
    """
    sound: list[Plan] = []
    problems: dict[str, tuple[Problem, ...]] = {}
    together: dict[str, list[Case]] = {}
    for case in chosen:
        together.setdefault(case.scenario.id, []).append(case)
    for scenario_id, its_cases in together.items():
        try:
            sound += plans(space, its_cases)
        except ScenarioError as error:
            problems[scenario_id] = error.problems
    return tuple(sound), problems


def planned_only(
    space: Workspace, chosen: Sequence[Case], *, expectations: bool
) -> tuple[Plan, ...]:
    """Plan the cases whatever their goldens say; ScenarioError carries every other problem.

    `expectations` False leaves the author's own expectations out too, as a preview does: it is
    where an author looks when they do not hold.
    """
    planned, problems = _planned(space, chosen)
    for one in planned if expectations else ():
        problems += author_problems(one)
    if problems:
        raise ScenarioError(tuple(dict.fromkeys(problems)))
    return planned


def _planned(space: Workspace, chosen: Sequence[Case]) -> tuple[tuple[Plan, ...], list[Problem]]:
    problems: list[Problem] = []
    planned: list[Plan] = []
    logs: dict[str, ChangeLog | None] = {}
    for case in chosen:
        scenario = case.scenario
        if scenario.id not in logs:
            logs[scenario.id] = _log(space, scenario, problems)
        log = logs[scenario.id]
        if log is None:
            continue
        try:
            planned.append(plan(case, log))
        except ScenarioError as error:
            problems += error.problems
    return tuple(planned), problems


def _log(space: Workspace, scenario: Scenario, problems: list[Problem]) -> ChangeLog | None:
    try:
        return load_lock(scenario, space.golden)
    except ScenarioError as error:
        problems += error.problems
        return None


def unused_goldens(space: Workspace, scenarios: Iterable[Scenario]) -> tuple[Problem, ...]:
    """Return a problem for each golden directory that no scenario owns."""
    owned = {scenario.path for scenario in scenarios}
    locks = sorted(space.golden.rglob("changes.jsonl"))
    return tuple(
        Problem(
            Location(str(lock.parent)),
            "no scenario owns these goldens",
            hint="delete the directory, or bring the scenario back under its permanent id",
        )
        for lock in locks
        if lock.parent.relative_to(space.golden).as_posix() not in owned
    )
