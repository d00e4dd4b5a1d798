"""The kill matrix for people: who was caught where and by which words, and what is amiss."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from harness.engine.mutation.matrix import Bout, Fate, Result
from harness.engine.mutation.run import Tournament
from harness.report.escapes import shortened

WIDTH = 110
_WORDS = {
    Fate.SURVIVED: "survives",
    Fate.CRASHED: "ends otherwise",
    Fate.OTHERWISE: "fails otherwise",
    Fate.KILLED: "killed",
}


def lines(found: Tournament) -> Iterator[str]:
    """Yield the matrix, then what is amiss, then one line that sums up."""
    for result in found.results:
        yield from _result(result)
    for scenario, mutant in found.broken_claims():
        yield f"claim does not hold: {scenario} names `{mutant}` under `kills`"
    first = {case: (seed, verdict) for case, seed, verdict in reversed(found.unfair)}
    for case, (seed, verdict) in sorted(first.items()):
        words = verdict.findings[0].message if verdict.findings else verdict.judgement.value
        yield f"the right consumer is found wrong: {case}, delivery {seed}: {words}"
    yield summary(found)


def summary(found: Tournament) -> str:
    """Return one line with the counts."""
    killed = {result.mutant for result in found.results}
    killed -= {result.mutant for result in found.results if not result.killed}
    mutants = {result.mutant for result in found.results}
    unfair = {case for case, _, _ in found.unfair}
    pairs = sum(result.killed for result in found.results)
    return (
        f"{len(killed)} of {len(mutants)} mutants killed by a scenario that claims them "
        f"({pairs} of {len(found.results)} by protocol), "
        f"{len(found.broken_claims())} claims do not hold, "
        f"{len(unfair)} cases on which the right consumer is found wrong"
    )


def _result(result: Result) -> Iterator[str]:
    name = f"{result.mutant:<32} {result.protocol:<7}"
    killed = result.by(Fate.KILLED, claimed=True)
    others = result.by(Fate.KILLED, claimed=False)
    if killed:
        scenarios = ", ".join(bout.scenario for bout in killed)
        more = f" (and {len(others)} that do not claim it)" if others else ""
        yield f"killed   {name} {scenarios}{more}"
        yield f"         {'':<40} {_words(killed[0])}"
        return
    if not result.claimed_by:
        yield f"UNNAMED  {name} no scenario of this protocol names it under `kills`"
    else:
        yield f"SURVIVES {name} {', '.join(sorted(result.claimed_by))}"
    for bout in _best(result):
        yield f"         {'':<40} {bout.case}: {_words(bout)}"


def _best(result: Result) -> Sequence[Bout]:
    return sorted(
        (bout for bout in result.bouts if bout.fate is not Fate.SURVIVED),
        key=lambda bout: -bout.fate,
    )[:2]


def _words(bout: Bout) -> str:
    finding = bout.finding
    if finding is None:
        return _WORDS[bout.fate]
    text = shortened(f"{finding.kind.value} {finding.clause}: {finding.message}", WIDTH)
    return text if bout.fate is Fate.KILLED else f"{_WORDS[bout.fate]}: {text}"


def as_data(found: Tournament) -> dict[str, Any]:
    """Return everything as JSON has it."""
    return {
        "sound": found.sound,
        "results": [
            {
                "mutant": result.mutant,
                "protocol": result.protocol,
                "killed": result.killed,
                "claimed_by": sorted(result.claimed_by),
                "bouts": [_bout(bout) for bout in result.bouts],
            }
            for result in found.results
        ],
        "broken_claims": [list(claim) for claim in found.broken_claims()],
        "unfair": [[case, seed] for case, seed, _ in found.unfair],
    }


def _bout(bout: Bout) -> dict[str, Any]:
    finding = bout.finding
    return {
        "scenario": bout.scenario,
        "case": bout.case,
        "seed": bout.seed,
        "fate": bout.fate.name.lower(),
        "finding": None if finding is None else finding.kind.value,
        "clause": None if finding is None else finding.clause,
        "message": None if finding is None else finding.message,
    }
