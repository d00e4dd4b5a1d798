"""What right and wrong consumers do with a case: tried in memory, as `harness mutants` does it.

The finding of a wrong consumer names the record that decides.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from harness.engine.catalogue.plans import planned_only
from harness.engine.catalogue.record_text import readable, wire_texts
from harness.engine.mutation.matrix import MutantOutcome, evaluation
from harness.engine.mutation.prepared import Prepared
from harness.engine.plan.case import Plan
from harness.model.finding import Finding, Place
from harness.model.record import Record
from harness.mutants.mutant import Mutant
from harness.mutants.table import MUTANTS
from harness.report.escapes import shortened
from harness.report.explain.catalogue import ScenarioCatalogue
from harness.report.explain.text import paragraph
from harness.report.finding_text import place_text
from harness.scenario.expand import Case
from harness.verdict.text import event_text

SEEDS = range(3)
CUT = 240  # characters of an event, a key or a value
CASES_TRIED = 6  # for one mutant, the simplest first


@dataclass(frozen=True, slots=True)
class Trial:
    """A mutant that fails a case: the finding that says so."""

    mutant: Mutant
    plan: Plan
    finding: Finding


def mutants_of(clause: str) -> tuple[Mutant, ...]:
    """Return the wrong consumers that violate a clause."""
    return tuple(
        mutant
        for mutant in MUTANTS.values()
        if any(clause in mutant.clauses(protocol) for protocol in mutant.protocols)
    )


class Bench:
    """Tries mutants on the cases of a catalogue; each case is planned once."""

    def __init__(self, catalogue: ScenarioCatalogue) -> None:
        """Take the catalogue."""
        self._catalogue = catalogue
        self._prepared: dict[str, Prepared] = {}

    def first_detected(
        self, mutant: Mutant, cases: Iterable[Case], clause: str = ""
    ) -> Trial | None:
        """Return the first of the simplest cases that detects a mutant; None where none does.

        Of a clause those come first that name it.
        """
        there = [case for case in cases if case.protocol in mutant.protocols]
        spare: Trial | None = None
        for case in simplest(there)[:CASES_TRIED]:
            found = self._trial(mutant, case)
            if found is not None and (not clause or found.finding.clause == clause):
                return found
            spare = spare or found
        return spare

    def _trial(self, mutant: Mutant, case: Case) -> Trial | None:
        if case.id not in self._prepared:
            (plan,) = planned_only(self._catalogue.space, [case], expectations=False)
            self._prepared[case.id] = Prepared(plan, SEEDS)
        prepared = self._prepared[case.id]
        found = evaluation(mutant, prepared)
        if found.outcome is not MutantOutcome.DETECTED or found.finding is None:
            return None
        return Trial(mutant, prepared.plan, found.finding)


def simplest(cases: Sequence[Case]) -> list[Case]:
    """Return cases with those first that are plain: no delivery, no profile, few partitions."""
    return sorted(
        cases,
        key=lambda case: (
            len(case.scenario.clauses) + len(case.scenario.kills),
            case.delivery is not None,
            case.profile is not None,
            case.dialect != "current",
            case.partitions,
            case.id,
        ),
    )


def trial_lines(trial: Trial) -> Iterator[str]:
    """Yield what a wrong consumer does, how it is found, and the record that decides."""
    finding = trial.finding
    yield f"  {trial.mutant.name}  on {trial.plan.case.id}"
    yield from paragraph(f"does        {trial.mutant.difference}", 4, 12)
    yield from paragraph(f"is found    {finding.kind.value}: {finding.message}", 4, 12)
    yield from paragraph(f"by clause   {finding.clause}", 4, 12)
    for place in finding.places[:1]:
        yield from paragraph(f"record      {place_text(place)}", 4, 12)
        yield from (f"                {line}" for line in record_lines(trial.plan, place))


def record_lines(plan: Plan, place: Place) -> Iterator[str]:
    """Yield what the deciding event reads as, and its key and value on the wire."""
    log = plan.delivery.logs.get((place.topic, place.partition))
    for entry in () if log is None else log.read:
        if entry.offset == place.offset:
            origins = entry.record.origins
            number = origins.index(place.origin) if place.origin in origins else 0
            yield from _event_lines(plan, entry.record, number)


def example_lines(catalogue: ScenarioCatalogue, case: Case) -> Iterator[str]:
    """Yield the last record of a case that is more than a resolved event."""
    (plan,) = planned_only(catalogue.space, [case], expectations=False)
    named = [one for one in plan.records if any(origin.table for origin in one.origins)]
    record = (named or plan.records)[-1]
    place = f"{record.topic}/{record.partition}: {record.origins[-1].kind}"
    yield from (
        f"  {line}" for line in (place, *_event_lines(plan, record, len(record.origins) - 1))
    )


def _event_lines(plan: Plan, record: Record, number: int) -> Iterator[str]:
    one = readable(plan.wire, record, 0)
    for event in one.events[number : number + 1]:
        yield shortened(event_text(event), CUT)
        for name, text in wire_texts(record, event).items():
            yield f"{name:6} {'null' if text is None else shortened(text, CUT)}"
    if one.refusal:
        yield f"cannot be read: {one.refusal}"
