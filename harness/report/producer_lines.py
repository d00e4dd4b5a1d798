"""Wrong producers for people and for programs: which were detected, where, by which check."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from harness.engine.mutation.producers import ProducerOutcome, ProducerResult, ProducersRun
from harness.errors import plural
from harness.report.escapes import shortened

WIDTH = 110


def lines(found: ProducersRun) -> Iterator[str]:
    """Yield each mutant, then the scenarios that were left out, then one line that sums up."""
    for result in found.results:
        yield from _result(result)
    for name in found.unsound:
        yield f"left out, for it is not sound: {name} (`harness check` says why)"
    yield summary(found)


def _result(result: ProducerResult) -> Iterator[str]:
    word = result.outcome.value
    shown = word if result.outcome is ProducerOutcome.DETECTED else word.upper()
    yield f"{shown:<10} {result.mutant:<40} {' '.join(result.clauses)}"
    for one in result.detections:
        yield f"{'':<10} {one.case}: {shortened(f'{one.check}: {one.words}', WIDTH)}"
    if result.words:
        yield f"{'':<10} {shortened(result.words, WIDTH)}"


def summary(found: ProducersRun) -> str:
    """Return one line with the counts."""
    outcomes = Counter(result.outcome for result in found.results)
    elsewhere = outcomes[ProducerOutcome.ELSEWHERE]
    counted = len(found.results) - outcomes[ProducerOutcome.EQUIVALENT] - elsewhere
    detected = [one for one in found.results if one.outcome is not ProducerOutcome.ELSEWHERE]
    proved = {one.clause for result in detected for one in result.detections}
    return (
        f"{outcomes[ProducerOutcome.DETECTED]} of {counted} wrong producers detected by a scenario "
        f"that cites their clause, {plural(len(proved), 'clause')} proved by them, "
        f"{outcomes[ProducerOutcome.EQUIVALENT]} equivalent and not counted"
        + (f", {elsewhere} detected by other scenarios that cite it" if elsewhere else "")
    )


def as_data(found: ProducersRun) -> dict[str, Any]:
    """Return everything as JSON has it."""
    return {
        "sound": found.sound,
        "unsound_scenarios": list(found.unsound),
        "results": [
            {
                "mutant": result.mutant,
                "clauses": list(result.clauses),
                "outcome": result.outcome.value,
                "words": result.words,
                "detections": [
                    {
                        "clause": one.clause,
                        "scenario": one.scenario,
                        "case": one.case,
                        "check": one.check,
                        "words": one.words,
                    }
                    for one in result.detections
                ],
            }
            for result in found.results
        ],
    }
