"""Which scenarios witness each clause, and what the last run said of them.

A case is a witness of a clause only if the clause governs its protocol, and only if it cites
it: as a clause under test, as the permission of its own disturbance, or as the reason why its
protocol may differ. A clause that several protocols share is witnessed by a case of any of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from harness.engine.events import CaseFinished, Event, RunStarted
from harness.model.finding import FINDINGS, Judgement
from harness.report.read import read_events
from harness.scenario.expand import Case
from harness.spec import CLAUSES, Clause, Level, Proof, governs

# The least share of a level's clauses that must have a scenario or a proof; MAY has none.
REQUIRED: Mapping[Level, float] = {Level.MUST: 1.0, Level.SHOULD: 0.95}

NOT_JUDGED = frozenset(
    {
        Judgement.UNDECIDED,
        Judgement.NOT_APPLICABLE,
        Judgement.HARNESS_ERROR,
        Judgement.XFAIL,
        Judgement.DECLARED_LOSSY,
    }
)


class Standing(StrEnum):
    """Where a clause stands; the value is what reports print."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_RUN = "not run"
    ELSEWHERE = "elsewhere"
    MISSING = "MISSING"


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What runs said: case id -> verdict, later runs over earlier ones; `runs` says whose.

    `runs` holds the run's name, the consumer's, and the number of cases that it judged.
    """

    cases: Mapping[str, Judgement]
    runs: tuple[tuple[str, str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Covered:
    """One clause, the cases that witness it, and where it stands. `proof` is the one elsewhere."""

    clause: Clause
    cases: tuple[str, ...]
    scenarios: tuple[str, ...]
    standing: Standing
    proof: Proof | None = None


@dataclass(frozen=True, slots=True)
class Totals:
    """The counts of one level of one layer."""

    layer: str
    level: Level
    clauses: int
    standings: Mapping[Standing, int]

    @property
    def covered(self) -> int:
        """Return how many have a scenario or a proof elsewhere."""
        return self.clauses - self.standings[Standing.MISSING]


def cited(case: Case) -> Iterator[str]:
    """Yield the clauses that a case cites, those of other protocols included."""
    scenario, protocol = case.scenario, case.protocol
    yield from scenario.clauses
    if protocol in scenario.expect.reasons:
        yield scenario.expect.reasons[protocol]
    for step in scenario.delivery.get(case.delivery or "", ()):
        if protocol in step.allowed_by:
            yield step.allowed_by[protocol]


def witnesses(cases: Iterable[Case]) -> Mapping[str, tuple[Case, ...]]:
    """Return the cases that witness each clause, by clause id, in the cases' order."""
    found: dict[str, list[Case]] = {}
    for case in cases:
        for clause in dict.fromkeys(cited(case)):
            if governs(CLAUSES[clause], case.protocol):
                found.setdefault(clause, []).append(case)
    return {clause: tuple(those) for clause, those in found.items()}


def verdicts(runs: Iterable[Iterable[Event]]) -> Verdicts:
    """Return what some runs said; where two judged the same case the later one counts."""
    said: dict[str, Judgement] = {}
    heads: list[tuple[str, str, int]] = []
    for events in runs:
        name, consumer, judged = "", "", 0
        for event in events:
            if isinstance(event, RunStarted):
                name, consumer = event.run, event.consumer
            elif isinstance(event, CaseFinished):
                said[event.case] = event.verdict.judgement
                judged += 1
        heads.append((name, consumer, judged))
    return Verdicts(said, tuple(heads))


def last(files: Iterable[Path]) -> Verdicts:
    """Return what the first of some files with events says that has judged a case."""
    heard = (verdicts([read_events(file)]) for file in files)
    return next((said for said in heard if said.cases), Verdicts({}))


def coverage(
    cases: Iterable[Case],
    said: Verdicts,
    layers: Sequence[str] = (),
    levels: Sequence[Level] = (),
) -> tuple[Covered, ...]:
    """Return every clause of the layers and levels (all without any), in the tables' order."""
    found = witnesses(cases)
    return tuple(
        _covered(clause, found.get(clause.id, ()), said)
        for clause in CLAUSES.values()
        if clause.protocol in (layers or {clause.protocol})
        and clause.level in (levels or {clause.level})
    )


def _covered(clause: Clause, cases: Sequence[Case], said: Verdicts) -> Covered:
    proof = clause.proof
    ids = tuple(case.id for case in cases)
    scenarios = tuple(dict.fromkeys(case.scenario.id for case in cases))
    return Covered(clause, ids, scenarios, _standing(ids, proof, said), proof)


def _standing(cases: Sequence[str], proof: Proof | None, said: Verdicts) -> Standing:
    if not cases:
        return Standing.MISSING if proof is None else Standing.ELSEWHERE
    judged = {said.cases[case] for case in cases if case in said.cases} - NOT_JUDGED
    if judged & FINDINGS:
        return Standing.FAILED
    return Standing.PASSED if judged else Standing.NOT_RUN


def totals(covered: Iterable[Covered]) -> tuple[Totals, ...]:
    """Return the counts by layer and level, then those of each level over all layers."""
    counts: dict[tuple[str, Level], dict[Standing, int]] = {}
    for one in covered:
        for layer in (one.clause.protocol, ""):
            row = counts.setdefault((layer, one.clause.level), dict.fromkeys(Standing, 0))
            row[one.standing] += 1
    levels = tuple(Level)
    ordered = sorted(counts, key=lambda at: (not at[0], at[0], levels.index(at[1])))
    return tuple(
        Totals(layer or "all", level, sum(row.values()), row)
        for layer, level in ordered
        for row in [counts[layer, level]]
    )


def lacking(covered: Iterable[Covered]) -> tuple[Covered, ...]:
    """Return the clauses without a scenario of the levels that have too few; empty is sound."""
    those = tuple(covered)
    short = {
        row.level
        for row in totals(those)
        if row.layer == "all" and row.covered < REQUIRED.get(row.level, 0) * row.clauses
    }
    return tuple(
        one for one in those if one.standing is Standing.MISSING and one.clause.level in short
    )
