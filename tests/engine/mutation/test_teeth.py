"""What is said of a mutant that lives, or dies of something else, over a real scenario."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache

import pytest

from harness.engine.catalogue.choose import load, selected
from harness.engine.catalogue.plans import planned_only
from harness.engine.catalogue.workspace import workspace
from harness.engine.mutation.matrix import MutantOutcome, evaluate
from harness.engine.mutation.prepared import Prepared
from harness.engine.mutation.run import MutationRun
from harness.model.decoded import DecodedEvent, EventKind
from harness.mutants.delivery import Message
from harness.mutants.mutant import Mutant, Sign, sign
from harness.mutants.parts import Events, GivesUp, Parts
from harness.report.mutation_matrix import lines
from tests.tree import ROOT

SCENARIO = "dml.insert-update-delete"
NAME = "temporary"


@pytest.fixture(autouse=True)
def in_the_repository(monkeypatch: pytest.MonkeyPatch) -> None:
    """The scenario is the repository's own."""
    monkeypatch.chdir(ROOT)


@cache
def prepared() -> Prepared:
    """The plain case of a scenario that claims the temporary mutant."""
    space = workspace(ROOT)
    (case,) = selected(load(space), f"'{SCENARIO}[open,p1]'")
    claiming = replace(case, scenario=replace(case.scenario, kills=(NAME,)))
    (plan,) = planned_only(space, [claiming], expectations=False)
    return Prepared(plan, range(2))


class Breaks(Events):
    """It breaks at every deletion."""

    def read(self, event: DecodedEvent, message: Message) -> Iterable[DecodedEvent]:
        """Break."""
        if event.kind is EventKind.DELETE:
            raise self.error("no such row")
        return super().read(event, message)

    error: type[Exception] = RuntimeError


class GivesUpItself(Breaks):
    """It gives up at every deletion, as it is known to."""

    error = GivesUp


class Ignores(Events):
    """It ignores deletions."""

    def read(self, event: DecodedEvent, message: Message) -> Iterable[DecodedEvent]:
        """Leave deletions out."""
        return () if event.kind is EventKind.DELETE else super().read(event, message)


def reading(events: type[Events]) -> Parts:
    """Return the parts of a mutant that reads events in this way."""
    return Parts(events=lambda _: events())


HARMLESS = Parts(value=lambda _, raw: raw)
BREAKS = reading(Breaks)
GIVES_UP = reading(GivesUpItself)
IGNORES = reading(Ignores)
LEFT_OVER = sign("extra-row")
NO_ROW = sign("consumer", "no such row")
ELSEWHERE = sign("wrong-value")
# Parts and signs -> the outcome, and the words that a person reads.
FATES = [
    (HARMLESS, LEFT_OVER, MutantOutcome.SURVIVED, "SURVIVES temporary"),
    (BREAKS, LEFT_OVER, MutantOutcome.CRASHED, "ends otherwise: "),
    (GIVES_UP, LEFT_OVER, MutantOutcome.CRASHED, "ends otherwise: "),
    (GIVES_UP, NO_ROW, MutantOutcome.DETECTED, "detected temporary"),
    (IGNORES, ELSEWHERE, MutantOutcome.OTHERWISE, "fails otherwise: extra-row"),
    (IGNORES, LEFT_OVER, MutantOutcome.DETECTED, "detected temporary"),
]


@pytest.mark.parametrize(("parts", "points", "outcome", "words"), FATES)
def test_what_became_of_it(parts: Parts, points: Sign, outcome: MutantOutcome, words: str) -> None:
    """Who survives, breaks or errs elsewhere is told so and makes the whole unsound."""
    mutant = Mutant(NAME, "theme", "It errs.", "open.row.delete", parts, (points,), ("open",))
    result = evaluate(mutant, "open", [prepared()])
    assert [evaluation.outcome for evaluation in result.evaluations] == [outcome]
    found = MutationRun((result,), ())
    assert any(words in line for line in lines(found))
    assert found.sound is result.detected is (outcome is MutantOutcome.DETECTED)
