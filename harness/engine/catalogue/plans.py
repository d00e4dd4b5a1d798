"""From cases to plans: join the locks, plan, hold the goldens."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from harness.engine.catalogue import golden
from harness.engine.catalogue.digests import digests
from harness.engine.catalogue.golden import Difference
from harness.engine.catalogue.parallel import spread
from harness.engine.catalogue.workspace import GOLDENS, LOCK, Workspace
from harness.engine.plan.case import Emission, Plan, plan
from harness.engine.plan.cited import cited_problems
from harness.engine.plan.expectations import author_problems
from harness.engine.plan.stream_problems import stream_problems
from harness.errors import Problem, ScenarioError, plural
from harness.model.change import ChangeLog
from harness.record.lock import load_lock
from harness.scenario.document import Scenario
from harness.scenario.expand import Case, cases

_OF_A_CASE = re.compile(r"(\S+\[[^\]\s]+,p\d[^\]\s]*\]): ")  # how a problem of one case begins
# So many scenarios are planned sooner than a pool is up.
POOLED = 24


def plans(space: Workspace, chosen: Sequence[Case]) -> tuple[Plan, ...]:
    """Plan the cases and hold them against their goldens; ScenarioError carries every problem."""
    logs: dict[str, ChangeLog | None] = {}
    planned, problems = _planned(space, chosen, logs)
    problems += _of_authors(planned)
    problems += stream_problems(planned)
    for name, log in logs.items():
        its_plans = [one for one in planned if one.case.scenario.id == name]
        problems += cited_problems(its_plans, log) if log is not None else ()
    problems += [golden.problem(found, one.case.scenario) for one, found in _golden(space, planned)]
    if problems:
        raise ScenarioError(_together(problems))
    return planned


def lacking(space: Workspace, chosen: Iterable[Case]) -> bool:
    """Return whether a lock or a golden file of the cases is not there, which `plans` refuses."""
    wanted = {
        golden.directory(space.golden, case.scenario) / name
        for case in chosen
        for name in (LOCK, *(f"{golden.variant(case)}{suffix}" for suffix in GOLDENS))
    }
    return not all(path.is_file() for path in wanted)


def checked(
    space: Workspace, chosen: Sequence[Case], processes: int
) -> Mapping[str, tuple[int, tuple[Problem, ...]]]:
    """Plan the cases as `plans` does and keep none; return messages and problems by scenario id.

    No thread may run when this is called.
    """
    together = _by_scenario(chosen)
    longest = sorted(together, key=lambda name: -len(together[name]))

    def work(name: str) -> tuple[int, tuple[Problem, ...]]:
        try:
            return sum(len(plan.delivered) for plan in plans(space, together[name])), ()
        except ScenarioError as error:
            return 0, error.problems

    found = dict(zip(longest, spread(work, longest, processes, least=POOLED), strict=True))
    return {name: found[name] for name in together}


def digested(
    space: Workspace, chosen: Sequence[Case], processes: int
) -> Mapping[str, Mapping[str, str]]:
    """Return the digests of each case's plan, whatever its goldens say, in the order of the cases.

    ScenarioError carries what cannot be planned. No thread may run when this is called.
    """
    together = _by_scenario(chosen)

    def work(name: str) -> dict[str, Mapping[str, str]]:
        planned = planned_only(space, together[name], expectations=False)
        return {plan.case.id: digests(plan) for plan in planned}

    parts = spread(work, tuple(together), processes, least=POOLED)
    return {case: found for part in parts for case, found in part.items()}


def plans_apart(
    space: Workspace, chosen: Sequence[Case]
) -> tuple[tuple[Plan, ...], Mapping[str, tuple[Problem, ...]]]:
    """Plan the cases as `plans` does, but let a bad scenario spoil its own cases only.

    Return the plans of sound scenarios and the problems of the others by scenario id.
    """
    sound: list[Plan] = []
    problems: dict[str, tuple[Problem, ...]] = {}
    for scenario_id, its_cases in _by_scenario(chosen).items():
        try:
            sound += plans(space, its_cases)
        except ScenarioError as error:
            problems[scenario_id] = error.problems
    return tuple(sound), problems


def _by_scenario(chosen: Sequence[Case]) -> Mapping[str, Sequence[Case]]:
    together: dict[str, list[Case]] = {}
    for case in chosen:
        together.setdefault(case.scenario.id, []).append(case)
    return together


def planned_only(
    space: Workspace, chosen: Sequence[Case], *, expectations: bool
) -> tuple[Plan, ...]:
    """Plan the cases whatever their goldens say; ScenarioError carries every other problem.

    `expectations` False leaves the author's own expectations out too, as a preview does: it is
    where an author looks when they do not hold.
    """
    planned, problems = _planned(space, chosen, {})
    problems += _of_authors(planned) if expectations else ()
    if problems:
        raise ScenarioError(_together(problems))
    return planned


def _together(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Return what several cases have in common once, with the first case and the count."""
    found: dict[Problem, dict[str, None]] = {}
    for problem in problems:
        named = _OF_A_CASE.match(problem.what)
        what = problem.what[named.end() :] if named else problem.what
        found.setdefault(replace(problem, what=what), {})[named[1] if named else ""] = None
    return tuple(replace(one, what=_of_cases([*cases]) + one.what) for one, cases in found.items())


def _of_cases(cases: Sequence[str]) -> str:
    first, *others = cases
    if not first:
        return ""
    return f"{first} and {plural(len(others), 'other case')}: " if others else f"{first}: "


def _planned(
    space: Workspace, chosen: Sequence[Case], logs: dict[str, ChangeLog | None]
) -> tuple[tuple[Plan, ...], list[Problem]]:
    """Plan the cases; put the change log of each scenario, None for a bad one, into `logs`."""
    problems: list[Problem] = []
    planned: list[Plan] = []
    emissions: dict[str, dict[Hashable, Emission]] = {}
    for case in chosen:
        scenario = case.scenario
        if scenario.id not in logs:
            logs[scenario.id] = _log(space, scenario, problems)
        log = logs[scenario.id]
        if log is None:
            continue
        try:
            planned.append(plan(case, log, emissions.setdefault(scenario.id, {})))
        except ScenarioError as error:
            problems += error.problems
    return tuple(planned), problems


def _of_authors(planned: Iterable[Plan]) -> Iterator[Problem]:
    for one in planned:
        try:
            yield from author_problems(one)
        except ScenarioError as error:
            yield from error.problems


def _log(space: Workspace, scenario: Scenario, problems: list[Problem]) -> ChangeLog | None:
    try:
        return load_lock(scenario, space.golden)
    except ScenarioError as error:
        problems += error.problems
        return None


def _golden(space: Workspace, planned: Iterable[Plan]) -> Iterator[tuple[Plan, Difference]]:
    """Yield each golden file that differs, once: disturbed cases share those of the plain one."""
    seen: set[tuple[str, str]] = set()
    for one in planned:
        name = (one.case.scenario.id, golden.variant(one.case))
        if name not in seen:
            seen.add(name)
            yield from ((one, found) for found in golden.differences(space.golden, one))


def golden_differences(
    space: Workspace, scenarios: Sequence[Scenario], *, expectations: bool
) -> tuple[Difference, ...]:
    """Return all golden files of the scenarios that differ, stale ones included, by path.

    Raises ScenarioError when a scenario cannot be planned or, with `expectations`, when what its
    author expects does not hold: a golden never blesses itself.
    """
    found = golden_plans(space, scenarios, expectations=expectations)
    return tuple(difference for difference, _ in found)


def golden_plans(
    space: Workspace, scenarios: Sequence[Scenario], *, expectations: bool
) -> tuple[tuple[Difference, Plan | None], ...]:
    """Return the same, each with the plan that the file follows from; None for a stale one."""
    every = [case for scenario in scenarios for case in cases(scenario)]
    planned = planned_only(space, every, expectations=expectations)
    found: list[tuple[Difference, Plan | None]] = [
        (difference, one) for one, difference in _golden(space, planned)
    ]
    for scenario in scenarios:
        found += [(difference, None) for difference in golden.stale(space.golden, scenario)]
    return tuple(sorted(found, key=lambda pair: pair[0].path))


def stale_goldens(space: Workspace, scenarios: Iterable[Scenario]) -> tuple[Problem, ...]:
    """Return a problem for each golden file of a variant that its scenario no longer has."""
    return tuple(
        golden.problem(found, scenario)
        for scenario in scenarios
        for found in golden.stale(space.golden, scenario)
    )
