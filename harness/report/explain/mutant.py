"""A wrong consumer or producer: what it does, which rule it breaks, which case shows it."""

from __future__ import annotations

from collections.abc import Iterator

from harness.mutants.producers.table import PRODUCERS
from harness.mutants.table import MUTANTS
from harness.report.explain.catalogue import ScenarioCatalogue
from harness.report.explain.products import bug_lines
from harness.report.explain.text import fact, listed, paragraph
from harness.report.explain.trials import Bench, trial_lines


def mutant_lines(catalogue: ScenarioCatalogue, name: str) -> Iterator[str]:
    """Yield the explanation of a wrong consumer."""
    mutant = MUTANTS[name]
    yield f"wrong consumer {name}"
    yield from paragraph(mutant.difference)
    for protocol in mutant.protocols:
        yield from fact(protocol, ", ".join(mutant.clauses(protocol)))
    claiming = [case for case in catalogue.cases.values() if name in case.scenario.kills]
    scenarios = dict.fromkeys(case.scenario.id for case in claiming)
    yield from listed("Scenarios that must catch it", [[f"  {one}"] for one in scenarios])
    trial = Bench(catalogue).first_detected(mutant, claiming)
    if trial is not None:
        yield from listed("Tried now", [list(trial_lines(trial))])
    yield from bug_lines((), mutant.seen)


def producer_lines(catalogue: ScenarioCatalogue, name: str) -> Iterator[str]:
    """Yield the explanation of a wrong producer."""
    del catalogue
    producer = PRODUCERS[name]
    yield f"wrong producer {name}"
    yield from paragraph(producer.difference)
    yield from fact("violates", ", ".join(producer.clauses))
    yield from fact("protocols", ", ".join(producer.of()))
    yield from fact("equivalent", producer.equivalent)
