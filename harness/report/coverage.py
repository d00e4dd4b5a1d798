"""Which scenarios cover each clause, which mutants prove it, how its cases ended in the last run.

A clause is proved when a mutant that violates it is detected by a scenario that cites it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType

from harness.engine.catalogue.citing import covering_cases
from harness.engine.mutation.proofs import Proofs
from harness.model.events import CaseFinished, Event, RunStarted
from harness.model.finding import FINDINGS, Judgement
from harness.model.standing import Standing
from harness.protocols.clauses import CLAUSES
from harness.report.read import read_events
from harness.scenario.expand import Case
from harness.spec import Clause, Level, Proof

# The least share of a level's clauses that must have a scenario or a proof; MAY has none.
REQUIRED: Mapping[Level, float] = {Level.MUST: 1.0, Level.SHOULD: 0.95}
# The least share of a level's clauses that a mutant must prove, or a test where none can.
REQUIRED_PROVED: Mapping[Level, float] = {Level.MUST: 1.0}

NOT_JUDGED = frozenset(
    {
        Judgement.UNDECIDED,
        Judgement.NOT_APPLICABLE,
        Judgement.HARNESS_ERROR,
        Judgement.XFAIL,
        Judgement.DECLARED_LOSSY,
        Judgement.BEYOND,
    }
)


class Status(StrEnum):
    """The state of a clause; the value is what reports print."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_RUN = "not run"
    TESTED = "by test"
    MISSING = "MISSING"


@dataclass(frozen=True, slots=True)
class Verdicts:
    """The verdicts of runs: case id -> judgement, later runs over earlier ones.

    `runs` holds the run's name, the consumer's, and the number of cases that it judged.
    """

    cases: Mapping[str, Judgement]
    runs: tuple[tuple[str, str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class CoveredClause:
    """One clause, the cases that cover it, its status, and its test if no scenario can show it.

    `mutants` prove it: each violates the clause, and its case, which cites the clause, detects it.
    """

    clause: Clause
    cases: tuple[str, ...]
    scenarios: tuple[str, ...]
    status: Status
    proof: Proof | None = None
    mutants: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def proved(self) -> bool:
        """Tell whether a mutant proves it, or a test where no stream can be wrong."""
        return bool(self.mutants) or (self.proof is not None and self.proof.violation)

    @property
    def neither(self) -> bool:
        """Tell whether neither a mutant nor a test proves it."""
        return not self.proved and self.status is not Status.TESTED


@dataclass(frozen=True, slots=True)
class Totals:
    """The counts of one level of one layer; `program` counts what no document says."""

    layer: str
    level: Level
    clauses: int
    program: int
    proved: int
    statuses: Mapping[Status, int]

    @property
    def covered(self) -> int:
        """Return how many have a scenario or a test."""
        return self.clauses - self.statuses[Status.MISSING]

    @property
    def settled(self) -> int:
        """Return how many a mutant or a test proves."""
        return self.proved + self.statuses[Status.TESTED]


def verdicts_of(runs: Iterable[Iterable[Event]]) -> Verdicts:
    """Return the verdicts of some runs; where two judged the same case the later one counts."""
    judged: dict[str, Judgement] = {}
    heads: list[tuple[str, str, int]] = []
    for events in runs:
        name, consumer, count = "", "", 0
        for event in events:
            if isinstance(event, RunStarted):
                name, consumer = event.run, event.consumer
            elif isinstance(event, CaseFinished):
                judged[event.case] = event.verdict.judgement
                count += 1
        heads.append((name, consumer, count))
    return Verdicts(judged, tuple(heads))


def last_verdicts(files: Iterable[Path]) -> Verdicts:
    """Return the verdicts of the first of some files of events that has any."""
    each = (verdicts_of([read_events(file)]) for file in files)
    return next((verdicts for verdicts in each if verdicts.cases), Verdicts({}))


def coverage(
    cases: Iterable[Case],
    verdicts: Verdicts,
    layers: Sequence[str] = (),
    levels: Sequence[Level] = (),
    proofs: Proofs = MappingProxyType({}),
) -> tuple[CoveredClause, ...]:
    """Return every clause of the layers and levels (all without any), in the order of CLAUSES."""
    found = covering_cases(cases)
    return tuple(
        _covered(clause, found.get(clause.id, ()), verdicts, proofs.get(clause.id, {}))
        for clause in CLAUSES.values()
        if clause.protocol in (layers or {clause.protocol})
        and clause.level in (levels or {clause.level})
    )


def _covered(
    clause: Clause, cases: Sequence[Case], verdicts: Verdicts, mutants: Mapping[str, str]
) -> CoveredClause:
    proof = clause.proof
    ids = tuple(case.id for case in cases)
    scenarios = tuple(dict.fromkeys(case.scenario.id for case in cases))
    status = _status(ids, proof, verdicts)
    return CoveredClause(clause, ids, scenarios, status, proof, mutants)


def _status(cases: Sequence[str], proof: Proof | None, verdicts: Verdicts) -> Status:
    if not cases:
        return Status.MISSING if proof is None or proof.violation else Status.TESTED
    judged = {verdicts.cases[case] for case in cases if case in verdicts.cases} - NOT_JUDGED
    if judged & FINDINGS:
        return Status.FAILED
    return Status.PASSED if judged else Status.NOT_RUN


def totals(covered: Iterable[CoveredClause]) -> tuple[Totals, ...]:
    """Return the counts by layer and level, then those of each level over all layers."""
    counts: dict[tuple[str, Level], dict[Status, int]] = {}
    proved: Counter[tuple[str, Level]] = Counter()
    program: Counter[tuple[str, Level]] = Counter()
    for one in covered:
        for layer in (one.clause.protocol, ""):
            row = counts.setdefault((layer, one.clause.level), dict.fromkeys(Status, 0))
            row[one.status] += 1
            proved[layer, one.clause.level] += one.proved
            program[layer, one.clause.level] += one.clause.standing is Standing.PROGRAM
    levels = tuple(Level)
    ordered = sorted(counts, key=lambda at: (not at[0], at[0], levels.index(at[1])))
    return tuple(
        Totals(
            layer or "all",
            level,
            sum(row.values()),
            program[layer, level],
            proved[layer, level],
            row,
        )
        for layer, level in ordered
        for row in [counts[layer, level]]
    )


def uncovered(covered: Iterable[CoveredClause]) -> tuple[CoveredClause, ...]:
    """Return the clauses without a scenario of the levels that have too few; empty is sound."""
    those = tuple(covered)
    short = {
        row.level
        for row in _over_all(those)
        if row.covered < REQUIRED.get(row.level, 0) * row.clauses
    }
    return tuple(one for one in those if one.status is Status.MISSING and one.clause.level in short)


def unproved(covered: Iterable[CoveredClause]) -> tuple[CoveredClause, ...]:
    """Return the clauses that neither a mutant nor a test proves of the levels with too few."""
    those = tuple(covered)
    short = {
        row.level
        for row in _over_all(those)
        if row.settled < REQUIRED_PROVED.get(row.level, 0) * row.clauses
    }
    return tuple(one for one in those if one.neither and one.clause.level in short)


def _over_all(covered: Sequence[CoveredClause]) -> Iterable[Totals]:
    return (row for row in totals(covered) if row.layer == "all")
