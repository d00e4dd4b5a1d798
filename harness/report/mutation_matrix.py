"""The mutation matrix for people: which mutants were detected, where, by which finding."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from harness.engine.mutation.attribution import Shares
from harness.engine.mutation.matrix import Evaluation, MutantOutcome, MutantResult
from harness.engine.mutation.run import MutationRun
from harness.errors import plural
from harness.mutants.shares import ALIKE, GOAL
from harness.report.escapes import shortened

WIDTH = 110
_WORDS = {
    MutantOutcome.SURVIVED: "survives",
    MutantOutcome.CRASHED: "ends otherwise",
    MutantOutcome.OTHERWISE: "fails otherwise",
    MutantOutcome.DETECTED: "detected",
}

_UNEXPLAINED = "; no reason is given: add a cause (harness/verdict/causes) or one to `ALIKE`"


def lines(found: MutationRun) -> Iterator[str]:
    """Yield the matrix, then what is amiss, then one line that sums up."""
    for result in found.results:
        yield from _result(result)
    for scenario, mutant in found.broken_claims():
        yield f"claim does not hold: {scenario} names `{mutant}` under `kills`"
    first = {case: (seed, verdict) for case, seed, verdict in reversed(found.baseline_failures)}
    for case, (seed, verdict) in sorted(first.items()):
        words = verdict.findings[0].message if verdict.findings else verdict.judgement.value
        yield f"the right consumer is found wrong: {case}, delivery {seed}: {words}"
    unexplained = found.unexplained()
    for mutant, shares in found.named_by_mutant().items():
        if shares.below_goal:
            why = f"; {ALIKE[mutant]}" if mutant in ALIKE else ""
            why += _UNEXPLAINED if mutant in unexplained else ""
            yield f"below {GOAL:.0%}: {mutant}: {_named(shares)}{why}"
    yield f"of the mutants' failing cases: {_named(found.named())}"
    yield summary(found)


def _named(shares: Shares) -> str:
    clause, record = shares.reached
    return (
        f"the first finding names the violated clause in {shares.clause} of {shares.cases} "
        f"({clause:.1%}), its record in {shares.record} ({record:.1%})"
    )


def summary(found: MutationRun) -> str:
    """Return one line with the counts."""
    detected = {result.mutant for result in found.results}
    detected -= {result.mutant for result in found.results if not result.detected}
    mutants = {result.mutant for result in found.results}
    failing = {case for case, _, _ in found.baseline_failures}
    pairs = sum(result.detected for result in found.results)
    return (
        f"{len(detected)} of {len(mutants)} mutants detected by a scenario that claims them "
        f"({pairs} of {len(found.results)} by protocol), "
        f"{len(found.broken_claims())} claims do not hold, "
        f"{plural(len(failing), 'case')} on which the right consumer is found wrong"
    )


def _result(result: MutantResult) -> Iterator[str]:
    name = f"{result.mutant:<32} {result.protocol:<7}"
    detected = result.by(MutantOutcome.DETECTED, claimed=True)
    others = result.by(MutantOutcome.DETECTED, claimed=False)
    if detected:
        scenarios = ", ".join(evaluation.scenario for evaluation in detected)
        more = f" (and {len(others)} that do not claim it)" if others else ""
        yield f"detected {name} {scenarios}{more}"
        yield f"         {'':<40} {_words(detected[0])}"
        return
    if not result.claimed_by:
        yield f"UNNAMED  {name} no scenario of this protocol names it under `kills`"
    else:
        yield f"SURVIVES {name} {', '.join(sorted(result.claimed_by))}"
    for evaluation in _best(result):
        yield f"         {'':<40} {evaluation.case}: {_words(evaluation)}"


def _best(result: MutantResult) -> Sequence[Evaluation]:
    return sorted(
        (
            evaluation
            for evaluation in result.evaluations
            if evaluation.outcome is not MutantOutcome.SURVIVED
        ),
        key=lambda evaluation: -evaluation.outcome,
    )[:2]


def _words(evaluation: Evaluation) -> str:
    finding = evaluation.finding
    if finding is None:
        return _WORDS[evaluation.outcome]
    text = shortened(f"{finding.kind.value} {finding.clause}: {finding.message}", WIDTH)
    return (
        text
        if evaluation.outcome is MutantOutcome.DETECTED
        else f"{_WORDS[evaluation.outcome]}: {text}"
    )


def as_data(found: MutationRun) -> dict[str, Any]:
    """Return everything as JSON has it."""
    return {
        "sound": found.sound,
        "results": [
            {
                "mutant": result.mutant,
                "protocol": result.protocol,
                "detected": result.detected,
                "claimed_by": sorted(result.claimed_by),
                "evaluations": [_evaluation(evaluation) for evaluation in result.evaluations],
            }
            for result in found.results
        ],
        "named": {
            mutant: {"cases": one.cases, "clause": one.clause, "record": one.record}
            for mutant, one in found.named_by_mutant().items()
        },
        "broken_claims": [list(claim) for claim in found.broken_claims()],
        "baseline_failures": [[case, seed] for case, seed, _ in found.baseline_failures],
    }


def _evaluation(evaluation: Evaluation) -> dict[str, Any]:
    finding = evaluation.finding
    return {
        "scenario": evaluation.scenario,
        "case": evaluation.case,
        "seed": evaluation.seed,
        "outcome": evaluation.outcome.name.lower(),
        "finding": None if finding is None else finding.kind.value,
        "clause": None if finding is None else finding.clause,
        "message": None if finding is None else finding.message,
    }
