"""Which scenarios add teeth: each detects a mutant that a neighbour in its folder lets pass.

A mutant is detected by a case that cites the clause which it violates, so a neighbour that does not
cite the clause lets the mutant pass. Those mutants are tried first; only where every neighbour
cites every clause are the neighbours' own cases run.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial

from harness.engine.catalogue.citing import cited
from harness.engine.catalogue.parallel import spread
from harness.engine.catalogue.plans import planned_only
from harness.engine.catalogue.workspace import Workspace
from harness.engine.mutation.matrix import MutantOutcome, evaluation
from harness.engine.mutation.prepared import Prepared
from harness.engine.mutation.producers import first_detection, unsound_scenarios
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.table import PRODUCERS
from harness.mutants.table import MUTANTS
from harness.record.lock import load_lock
from harness.scenario.expand import Case

SEEDS = range(3)
# A scenario's cases, by its id.
Scenarios = Mapping[str, Sequence[Case]]
# Protocol and clause.
Cited = frozenset[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Teeth:
    """The mutant that a scenario detects, by which case, and the neighbours that let it pass.

    Without a mutant the scenario has no teeth of its own. Without neighbours it is alone in its
    folder, where any mutant does.
    """

    scenario: str
    mutant: str = ""
    case: str = ""
    neighbours: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Mutant:
    """A mutant of either side: what it violates, and the case of a scenario that detects it."""

    name: str
    violated: Cited
    detected: Callable[[Sequence[Case]], str]


def teeth(
    space: Workspace, cases: Sequence[Case], asked: Collection[str], processes: int
) -> tuple[tuple[Teeth, ...], tuple[str, ...]]:
    """Return what each scenario adds that is asked for, and those that `harness check` refuses.

    `cases` are those of the neighbours as well. No thread may run when this is called.
    """
    scenarios: dict[str, list[Case]] = {}
    for case in cases:
        scenarios.setdefault(case.scenario.id, []).append(case)
    folders = {_folder(scenarios[name]) for name in asked}
    near = {name: those for name, those in scenarios.items() if _folder(those) in folders}
    met = [case for those in near.values() for case in those]
    unsound = unsound_scenarios(space, met, processes)
    sound = {name: those for name, those in near.items() if name not in unsound}
    clauses = {name: _cited(those) for name, those in sound.items()}
    work = partial(_of_one, space, sound, clauses)
    with closing(spread(work, [name for name in sound if name in asked], processes)) as answers:
        return tuple(answers), tuple(sorted(unsound))


def _folder(cases: Sequence[Case]) -> str:
    return cases[0].scenario.path.rpartition("/")[0]


def _cited(cases: Sequence[Case]) -> Cited:
    return frozenset((case.protocol, clause) for case in cases for clause in cited(case))


def _of_one(
    space: Workspace, scenarios: Scenarios, clauses: Mapping[str, Cited], name: str
) -> Teeth:
    folder = _folder(scenarios[name])
    neighbours = [
        other for other, those in scenarios.items() if other != name and _folder(those) == folder
    ]
    everywhere: list[_Mutant] = []
    for passing, mutant in _fewest_first(space, scenarios[name], clauses, neighbours):
        if neighbours and not passing:
            everywhere.append(mutant)
            continue
        case = mutant.detected(scenarios[name])
        if case:
            return Teeth(name, mutant.name, case, passing)
    for mutant in everywhere:
        case = mutant.detected(scenarios[name])
        other = next((n for n in neighbours if case and not mutant.detected(scenarios[n])), "")
        if other:
            return Teeth(name, mutant.name, case, (other,))
    return Teeth(name, neighbours=tuple(neighbours))


def _fewest_first(
    space: Workspace,
    cases: Sequence[Case],
    clauses: Mapping[str, Cited],
    neighbours: Sequence[str],
) -> Iterator[tuple[tuple[str, ...], _Mutant]]:
    """Yield the mutants that a scenario may detect, with the neighbours that cite no clause of it.

    Those of most such neighbours come first.
    """
    found = [
        (tuple(other for other in neighbours if not mutant.violated & clauses[other]), mutant)
        for mutant in (*_consumers(space, cases), *_producers(space))
        if mutant.violated & _cited(cases)
    ]
    yield from sorted(found, key=lambda each: -len(each[0]))


def _producers(space: Workspace) -> Iterator[_Mutant]:
    for mutant in PRODUCERS.values():
        if not mutant.equivalent:
            violated = frozenset((p, clause) for p in mutant.of() for clause in mutant.clauses)
            yield _Mutant(mutant.name, violated, partial(_seen_in, space, mutant))


def _seen_in(space: Workspace, mutant: WrongProducer, cases: Sequence[Case]) -> str:
    """Return the case that detects a wrong producer, empty where none does."""
    log = load_lock(cases[0].scenario, space.golden)
    found = first_detection(space, log, mutant, cases)
    return found.case if found else ""


def _consumers(space: Workspace, cases: Sequence[Case]) -> Iterator[_Mutant]:
    """Yield the wrong consumers, those first that a scenario claims."""
    for name in dict.fromkeys((*cases[0].scenario.kills, *MUTANTS)):
        mutant = MUTANTS[name]
        violated = frozenset((p, clause) for p in mutant.protocols for clause in mutant.clauses(p))
        yield _Mutant(name, violated, partial(_failed_by, space, name))


def _failed_by(space: Workspace, name: str, cases: Sequence[Case]) -> str:
    """Return the case that detects a wrong consumer, empty where none does."""
    mutant = MUTANTS[name]
    met = [
        case
        for case in cases
        if case.protocol in mutant.protocols and {*mutant.clauses(case.protocol)} & {*cited(case)}
    ]
    for plan in planned_only(space, met, expectations=False):
        if evaluation(mutant, Prepared(plan, SEEDS)).outcome is MutantOutcome.DETECTED:
            return plan.case.id
    return ""
