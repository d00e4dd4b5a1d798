"""Wrong producers against the scenarios that cite the clause which they violate.

Each is patched into a child of its own, which plans the cases anew. A case detects the mutant when
its planning is refused (an expectation of the author that does not hold, bytes that the decoder
refuses) or when a golden file differs; one of a wrong broker also when the right consumer's answer
to what is delivered is wrong. An exception that is no refusal detects nothing: whatever broke, it
was not seen by a check. Nor does a stream that no decoder can read, unless the clause is about how
bytes are read: a mutant is to violate its clause alone, and to be understood.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial

from harness.engine.catalogue import golden, sound
from harness.engine.catalogue.citing import covering_cases
from harness.engine.catalogue.golden import variant
from harness.engine.catalogue.parallel import spread
from harness.engine.catalogue.plans import checked
from harness.engine.catalogue.workspace import Workspace
from harness.engine.mutation.forked import in_child
from harness.engine.mutation.prepared import Prepared
from harness.engine.plan.case import plan
from harness.engine.plan.expectations import author_problems
from harness.errors import DecodingError, HarnessBug, ScenarioError
from harness.model.change import ChangeLog
from harness.mutants.consumer import REFERENCE
from harness.mutants.producers.mutant import WrongProducer, about_bytes, unreadable
from harness.mutants.producers.patch import applied, known_caches
from harness.record.lock import load_lock
from harness.scenario.expand import Case

WORDS = 160
# The check that sees bytes which the decoder cannot read at all.
UNDECODABLE = "undecodable"


class ProducerOutcome(StrEnum):
    """What became of a wrong producer; the value is what reports print."""

    DETECTED = "detected"
    EQUIVALENT = "equivalent"
    SURVIVED = "survives"
    ELSEWHERE = "elsewhere"
    CRASHED = "crashes"
    UNREADABLE = "unreadable"
    UNCITED = "uncited"
    BROKEN = "broken"


_WELL = frozenset({ProducerOutcome.DETECTED, ProducerOutcome.ELSEWHERE, ProducerOutcome.EQUIVALENT})
_PASSED = frozenset({ProducerOutcome.SURVIVED, ProducerOutcome.CRASHED, ProducerOutcome.UNCITED})


@dataclass(frozen=True, slots=True)
class Detection:
    """A case that detects a mutant, by which check, and the first words of what that says."""

    clause: str
    scenario: str
    case: str
    check: str
    words: str


@dataclass(frozen=True, slots=True)
class ProducerResult:
    """What became of one wrong producer; without a detection `words` say what happened instead."""

    mutant: str
    clauses: tuple[str, ...]
    outcome: ProducerOutcome
    detections: tuple[Detection, ...] = ()
    words: str = ""


@dataclass(frozen=True, slots=True)
class ProducersRun:
    """All results, and the scenarios that were left out because `harness check` refuses them."""

    results: tuple[ProducerResult, ...]
    unsound: tuple[str, ...] = ()

    @property
    def sound(self) -> bool:
        """Tell whether each mutant is detected but the equivalent ones, which are not."""
        return not self.unsound and all(one.outcome in _WELL for one in self.results)


Locks = Mapping[str, ChangeLog]


def run_producers(
    space: Workspace,
    mutants: Sequence[WrongProducer],
    cases: Sequence[Case],
    processes: int,
    *,
    every: bool = False,
    unsound: Collection[str] | None = None,
) -> ProducersRun:
    """Run the mutants over the cases that cite their clauses, up to the first that detects one.

    `every` goes through all of them. A scenario that is not sound as it is, which would detect
    everything, is left out; `unsound` names those, where it is known. No thread may run when this
    is called.
    """
    clauses = {clause for mutant in mutants for clause in mutant.clauses}
    covering = {
        clause: those for clause, those in covering_cases(cases).items() if clause in clauses
    }
    met = {case.scenario.id: case.scenario for those in covering.values() for case in those}
    its = [case for case in cases if case.scenario.id in met]
    if unsound is None:
        unsound = unsound_scenarios(space, its, processes)
    locks = {
        name: load_lock(scenario, space.golden)
        for name, scenario in met.items()
        if name not in unsound
    }
    fair = {
        clause: sorted(
            (case for case in those if case.scenario.id in locks),
            key=lambda case: len(locks[case.scenario.id].changes),
        )
        for clause, those in covering.items()
    }
    work = partial(_result, space, locks, fair, every)
    with closing(spread(work, mutants, processes)) as answers:
        return ProducersRun(tuple(answers), tuple(sorted(unsound)))


def run_over_some(
    space: Workspace,
    mutants: Sequence[WrongProducer],
    chosen: Sequence[Case],
    catalogue: Sequence[Case],
    processes: int,
    *,
    every: bool = False,
) -> ProducersRun:
    """Run the mutants over some of the catalogue's cases; what they let pass meets all of it.

    Several scenarios cite one clause, each for its part of it: what another one detects is
    `ELSEWHERE`. With an empty catalogue nothing is.
    """
    run = run_producers(space, mutants, chosen, processes, every=every)
    passed = {one.mutant for one in run.results if one.outcome in _PASSED}
    if not passed or not catalogue:
        return run
    rest = [mutant for mutant in mutants if mutant.name in passed]
    others = {one.mutant: one for one in run_producers(space, rest, catalogue, processes).results}
    return replace(run, results=tuple(_or_elsewhere(one, others) for one in run.results))


def _or_elsewhere(result: ProducerResult, others: Mapping[str, ProducerResult]) -> ProducerResult:
    other = others.get(result.mutant)
    if other is None or other.outcome is not ProducerOutcome.DETECTED:
        return result
    words = f"not chosen: {', '.join(dict.fromkeys(one.scenario for one in other.detections))}"
    return replace(other, outcome=ProducerOutcome.ELSEWHERE, words=words)


def unsound_scenarios(space: Workspace, cases: Sequence[Case], processes: int) -> frozenset[str]:
    """Return the ids of the scenarios that `harness check` refuses, which remembers what is sound.

    No thread may run when this is called.
    """
    known = sound.unchanged(space, sound.files(space) or {})
    rest = [case for case in cases if case.scenario.path not in known]
    found = checked(space, rest, processes)
    return frozenset(name for name, (_, problems) in found.items() if problems)


def first_detection(
    space: Workspace, log: ChangeLog, mutant: WrongProducer, cases: Sequence[Case]
) -> Detection | None:
    """Return the first case of one scenario that detects a mutant; no thread may run meanwhile."""
    covering = covering_cases([case for case in cases if case.protocol in mutant.of()])
    met = [
        (clause, case)
        for clause in mutant.clauses
        for case in _chosen(covering.get(clause, ()), mutant)
    ]
    if not met:
        return None
    locks = {cases[0].scenario.id: log}
    ended, answer = in_child(partial(_detections, space, locks, mutant, met, False))  # noqa: FBT003
    return next(iter(answer[0]), None) if ended else None


def _chosen(cases: Iterable[Case], mutant: WrongProducer) -> Iterable[Case]:
    """Return one case for each golden file, undisturbed where there is one; of a broker all."""
    if mutant.broker:
        return cases
    found: dict[tuple[str, str], Case] = {}
    for case in sorted(cases, key=lambda case: case.delivery is not None):
        found.setdefault((case.scenario.id, variant(case)), case)
    return found.values()


def _result(
    space: Workspace,
    locks: Locks,
    covering: Mapping[str, Sequence[Case]],
    every: bool,  # noqa: FBT001
    mutant: WrongProducer,
) -> ProducerResult:
    protocols = mutant.of()
    met = [
        (clause, case)
        for clause in mutant.clauses
        for case in _chosen(covering.get(clause, ()), mutant)
        if case.protocol in protocols
    ]
    result = partial(ProducerResult, mutant.name, mutant.clauses)
    if not met:
        return result(ProducerOutcome.UNCITED, (), "no scenario cites its clause")
    tuple(known_caches())  # searched for once, before the children
    ended, answer = in_child(partial(_detections, space, locks, mutant, met, every))
    if not ended:
        return result(ProducerOutcome.BROKEN, (), answer[:WORDS])
    detections, crash, unread = answer
    seen = {one.clause for one in detections}
    if mutant.equivalent:
        same = not (detections or crash)
        words = mutant.equivalent if same else "the row says that it is equivalent"
        outcome = ProducerOutcome.EQUIVALENT if same else ProducerOutcome.BROKEN
        return result(outcome, detections, words)
    if seen == set(mutant.clauses):
        return result(ProducerOutcome.DETECTED, detections)
    if crash or unread:
        outcome = ProducerOutcome.CRASHED if crash else ProducerOutcome.UNREADABLE
        return result(outcome, detections, crash or unread)
    unseen = ", ".join(clause for clause in mutant.clauses if clause not in seen)
    return result(ProducerOutcome.SURVIVED, detections, f"no case that cites {unseen} detects it")


def _detections(
    space: Workspace,
    locks: Locks,
    mutant: WrongProducer,
    met: Sequence[tuple[str, Case]],
    every: bool,  # noqa: FBT001
) -> tuple[tuple[Detection, ...], str, str]:
    """Return the detections, the words of the first crash and of the first unreadable stream."""
    found: list[Detection] = []
    crash = unread = ""
    seen: set[str] = set()
    with applied(mutant.patch):
        for clause, case in met:
            if clause in seen and not every:
                continue
            try:
                check, words = _seen_by(space, case, locks[case.scenario.id], mutant)
            except HarnessBug:
                raise
            except Exception as error:  # noqa: BLE001  (whatever a patched program may raise)
                crash = crash or f"{case.id}: {type(error).__name__}: {error}"[:WORDS]
                continue
            if check == UNDECODABLE and not about_bytes(clause):
                unread = unread or f"{case.id} cannot be read: {words}"[:WORDS]
            elif check:
                seen.add(clause)
                found.append(Detection(clause, case.scenario.id, case.id, check, words[:WORDS]))
    return tuple(found), crash, unread


def _seen_by(
    space: Workspace, case: Case, log: ChangeLog, mutant: WrongProducer
) -> tuple[str, str]:
    """Return the check that sees a difference, and its words; empty where none does."""
    try:
        planned = plan(case, log)
        problems = author_problems(planned)
        if problems:
            return "expect", problems[0].what
        for difference in golden.differences(space.golden, planned):
            lines = list(golden.diff(difference, context=0))
            return "golden", _readable([line for line in lines[2:] if line.startswith("+")])
        if mutant.broker:
            findings = Prepared(planned, [0]).verdict(REFERENCE, 0).findings
            return ("consumer", findings[0].message) if findings else ("", "")
    except ScenarioError as error:
        if isinstance(error.__cause__, HarnessBug):
            raise error.__cause__ from error
        cause = error.__cause__
        words = str(cause) if isinstance(cause, DecodingError) else error.problems[0].what
        return _refusal(cause, words)
    except DecodingError as error:
        return _refusal(error, str(error))
    return "", ""


def _refusal(error: BaseException | None, words: str) -> tuple[str, str]:
    blind = isinstance(error, DecodingError) and unreadable(words)
    return (UNDECODABLE if blind else "refused"), words


def _readable(added: Sequence[str]) -> str:
    """Return the first line that a person reads more from than a digest or a schema's number."""
    lines = [line for line in added if "sha256=" not in line and line.strip("+ ")]
    rows = [line for line in lines if not line.startswith("+  schemas ")]
    return next(iter((*rows, *lines, *added)), "")
