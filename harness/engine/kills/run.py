"""The whole tournament: mutants against scenarios, side by side on all cores.

By default a mutant meets the scenarios that claim it and a sample of the others, drawn by its own
name; the full matrix is for the night.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from random import Random
from typing import TypeVar

from harness.consumers.mutants.table import MUTANTS
from harness.engine.kills.matrix import Fate, Result, fight, reference_findings
from harness.engine.kills.prepared import Prepared
from harness.engine.plan import Plan
from harness.model.finding import Verdict

SAMPLE = 10
Item = TypeVar("Item")
Answer = TypeVar("Answer")
# What the processes work on: they are forked off when it is there, so nothing is copied.
_ARENA: list[Prepared] = []


@dataclass(frozen=True, slots=True)
class Question:
    """Which mutants, over how many deliveries of each case, and how many cases beside the claims.

    `sample` None is every case.
    """

    mutants: tuple[str, ...] = tuple(MUTANTS)
    seeds: int = 3
    sample: int | None = SAMPLE
    processes: int = 1


@dataclass(frozen=True, slots=True)
class Tournament:
    """All results, and where the right consumer was not found right (case, seed, verdict)."""

    results: tuple[Result, ...]
    unfair: tuple[tuple[str, int, Verdict], ...]

    def broken_claims(self) -> tuple[tuple[str, str], ...]:
        """Return scenario and mutant of each claim that holds in no protocol."""
        claims = {(s, result.mutant) for result in self.results for s in result.claimed_by}
        held = {
            (bout.scenario, result.mutant)
            for result in self.results
            for bout in result.by(Fate.KILLED, claimed=True)
        }
        return tuple(sorted(claims - held))

    @property
    def sound(self) -> bool:
        """Tell whether every mutant is killed, every claim holds and the right one passes."""
        alive = any(not result.killed for result in self.results)
        return not (alive or self.broken_claims() or self.unfair)


def tournament(plans: Iterable[Plan], question: Question) -> Tournament:
    """Run the mutants over the plans; a case on which the right consumer fails is left out."""
    prepared = [Prepared(plan, range(question.seeds)) for plan in plans]
    _ARENA[:] = prepared
    unfair = tuple(
        found
        for part in _spread(_unfair, [*range(len(prepared))], question.processes)
        for found in part
    )
    left_out = {case for case, _, _ in unfair}
    _ARENA[:] = [one for one in prepared if one.plan.case.id not in left_out]
    protocols = {one.plan.case.protocol for one in _ARENA}
    entries = [
        (name, protocol, question.sample)
        for name in question.mutants
        for protocol in MUTANTS[name].protocols
        if protocol in protocols
    ]
    return Tournament(tuple(_spread(_fought, entries, question.processes)), unfair)


def _spread(
    work: Callable[[Item], Answer], items: Sequence[Item], processes: int
) -> Iterator[Answer]:
    if processes < 2 or len(items) < 2:
        yield from map(work, items)
        return
    with ProcessPoolExecutor(processes, multiprocessing.get_context("fork")) as pool:
        yield from pool.map(work, items, chunksize=max(1, len(items) // (8 * processes)))


def _unfair(number: int) -> list[tuple[str, int, Verdict]]:
    return list(reference_findings([_ARENA[number]]))


def _fought(entry: tuple[str, str, int | None]) -> Result:
    name, protocol, sample = entry
    there = [one for one in _ARENA if one.plan.case.protocol == protocol]
    chosen = there if sample is None else _sample(name, there, sample)
    return fight(MUTANTS[name], protocol, chosen)


def _sample(name: str, there: Sequence[Prepared], size: int) -> list[Prepared]:
    drawn = set(Random(name).sample(range(len(there)), min(size, len(there))))
    return [
        one
        for number, one in enumerate(there)
        if number in drawn or name in one.plan.case.scenario.kills
    ]
