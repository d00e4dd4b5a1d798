"""Mutation testing: mutants against scenarios, side by side on all cores.

Scenario by scenario: its cases are planned, read by the right consumer, then by the mutants that
are to meet them, and forgotten, so that memory holds one scenario a core. By default a mutant meets
the scenarios that claim it and a sample of the other cases, drawn by its own name; the full matrix
is for the night.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from random import Random

from harness.engine.catalogue.parallel import spread
from harness.engine.mutation.attribution import Named, Shares, shares
from harness.engine.mutation.matrix import (
    MutantOutcome,
    MutantResult,
    evaluate,
    joined,
    reference_findings,
)
from harness.engine.mutation.prepared import Prepared
from harness.engine.plan.case import Plan
from harness.errors import Problem, ScenarioError
from harness.model.finding import Verdict
from harness.mutants.shares import ALIKE, ENOUGH
from harness.mutants.table import MUTANTS
from harness.scenario.expand import Case

SAMPLE = 10
# Mutant and protocol.
Entry = tuple[str, str]
BaselineFailure = tuple[str, int, Verdict]
Planner = Callable[[Sequence[Case]], Iterable[Plan]]


@dataclass(frozen=True, slots=True)
class MutationOptions:
    """Which mutants, over how many deliveries of each case, and how many cases beside the claims.

    `sample` None is every case.
    """

    mutants: tuple[str, ...] = tuple(MUTANTS)
    seeds: int = 3
    sample: int | None = SAMPLE
    processes: int = 1


@dataclass(frozen=True, slots=True)
class MutationRun:
    """All results, and where the right consumer was not found right (case, seed, verdict)."""

    results: tuple[MutantResult, ...]
    baseline_failures: tuple[BaselineFailure, ...]

    def broken_claims(self) -> tuple[tuple[str, str], ...]:
        """Return scenario and mutant of each claim that holds in no protocol."""
        claims = {(s, result.mutant) for result in self.results for s in result.claimed_by}
        held = {
            (evaluation.scenario, result.mutant)
            for result in self.results
            for evaluation in result.by(MutantOutcome.DETECTED, claimed=True)
        }
        return tuple(sorted(claims - held))

    def named(self) -> Shares:
        """Return of how many failing cases the first finding names the clause, and the record."""
        return shares(one for result in self.results for one in result.named)

    def named_by_mutant(self) -> Mapping[str, Shares]:
        """Return the same for each mutant."""
        found: dict[str, list[Named]] = {}
        for result in self.results:
            found.setdefault(result.mutant, []).extend(result.named)
        return {mutant: shares(cases) for mutant, cases in found.items()}

    def unexplained(self) -> tuple[str, ...]:
        """Return the mutants whose findings name too little, and nothing says why.

        A run of some mutants has too few cases to tell.
        """
        if self.named().cases < ENOUGH:
            return ()
        named = self.named_by_mutant()
        return tuple(name for name, one in named.items() if one.below_goal and name not in ALIKE)

    @property
    def sound(self) -> bool:
        """Return whether every mutant is detected and every claim holds, and the right one passes.

        Findings must also name clauses and records as often as they did before, and those of each
        mutant as often as is the goal, or with a reason.
        """
        alive = any(not result.detected for result in self.results)
        wrong = alive or self.broken_claims() or self.baseline_failures
        return self.named().held and not (wrong or self.unexplained())


@dataclass(frozen=True, slots=True)
class _Part:
    """What one scenario brought to light."""

    results: Mapping[Entry, MutantResult]
    baseline_failures: tuple[BaselineFailure, ...] = ()
    problems: tuple[Problem, ...] = ()


def run_mutants(planner: Planner, cases: Sequence[Case], options: MutationOptions) -> MutationRun:
    """Run the mutants over the cases; one on which the right consumer fails is left out.

    `planner` plans some of the cases. Raises ScenarioError for the first that cannot be planned.
    """
    together: dict[str, list[Case]] = {}
    for case in cases:
        together.setdefault(case.scenario.id, []).append(case)
    entries = _entries(options, cases)
    work = partial(_evaluated, planner, options, entries)
    longest = sorted(together.values(), key=lambda its: -len(its))
    parts: dict[str, _Part] = {}
    with closing(spread(work, longest, options.processes)) as answers:
        for its_cases, part in zip(longest, answers, strict=True):
            if part.problems:  # the rest is not worth its time: `harness check` lists them all
                raise ScenarioError(part.problems)
            parts[its_cases[0].scenario.id] = part
    ordered = [parts[scenario] for scenario in together]
    return MutationRun(
        tuple(joined(entry, [part.results[entry] for part in ordered]) for entry in entries),
        tuple(
            baseline_failures for part in ordered for baseline_failures in part.baseline_failures
        ),
    )


def _entries(
    options: MutationOptions, cases: Sequence[Case]
) -> Mapping[Entry, frozenset[str] | None]:
    """Return the cases that each mutant meets beside its claims, by protocol; None is all."""
    there: dict[str, list[str]] = {}
    for case in cases:
        there.setdefault(case.protocol, []).append(case.id)
    return {
        (name, protocol): _sample(name, there[protocol], options.sample)
        for name in options.mutants
        for protocol in MUTANTS[name].protocols
        if protocol in there
    }


def _sample(name: str, there: Sequence[str], size: int | None) -> frozenset[str] | None:
    if size is None:
        return None
    return frozenset(Random(name).sample(there, min(size, len(there))))


def _evaluated(
    planner: Planner,
    options: MutationOptions,
    entries: Mapping[Entry, frozenset[str] | None],
    cases: Sequence[Case],
) -> _Part:
    try:
        plans = planner(cases)
    except ScenarioError as error:
        return _Part({}, problems=error.problems)
    prepared = [Prepared(plan, range(options.seeds)) for plan in plans]
    baseline_failures = tuple(reference_findings(prepared))
    left_out = {case for case, _, _ in baseline_failures}
    fair = [one for one in prepared if one.plan.case.id not in left_out]
    results: dict[Entry, MutantResult] = {}
    for (name, protocol), drawn in entries.items():
        met = [one for one in fair if _meets(name, one.plan.case, drawn)]
        results[name, protocol] = evaluate(MUTANTS[name], protocol, met)
    return _Part(results, baseline_failures)


def _meets(name: str, case: Case, drawn: frozenset[str] | None) -> bool:
    return drawn is None or name in case.scenario.kills or case.id in drawn
