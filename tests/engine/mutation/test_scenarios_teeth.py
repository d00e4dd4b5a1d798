"""A scenario adds teeth by a mutant that a neighbour lets pass; a copy of a neighbour adds none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from harness.engine.catalogue.choose import load, selected
from harness.engine.catalogue.workspace import workspace
from harness.engine.mutation.teeth import Teeth, teeth
from harness.report.teeth_lines import as_data, lines
from harness.scenario.expand import Case
from tests.tree import ROOT

SPACE = workspace(ROOT)
ONE, OTHER = "filters/delete-ignored-by-value", "filters/system-schemas"


def cases(*names: str) -> tuple[Case, ...]:
    """The cases of some scenarios, as if their folder had no others."""
    files = tuple(ROOT / f"scenarios/{name}.yaml" for name in names)
    return selected(load(SPACE, files), None)


def citing(given: Sequence[Case], *clauses: str) -> tuple[Case, ...]:
    """The same cases, as if they cited other clauses and claimed nothing."""
    return tuple(
        replace(case, scenario=replace(case.scenario, clauses=clauses, kills=())) for case in given
    )


def found(given: Sequence[Case]) -> dict[str, Teeth]:
    """Return what each scenario adds."""
    asked = {case.scenario.id for case in given}
    return {one.scenario: one for one in teeth(SPACE, given, asked, 1)[0]}


def test_a_neighbour_that_cites_another_clause_lets_a_mutant_pass() -> None:
    """Each of two scenarios about different things has teeth of its own."""
    met = found(cases(ONE, OTHER))
    assert all(one.mutant for one in met.values())
    assert met["filters.system-schemas"].neighbours == ("filters.delete-ignored-by-value",)


def test_a_scenario_that_shows_nothing_of_what_it_cites_has_none() -> None:
    """No mutant of its clause changes a byte of it; it is listed, and the exit code is told so."""
    mute = citing(cases(ONE), "changefeed.ddl.alter-ttl")
    met = found((*mute, *cases(OTHER)))
    assert met["filters.delete-ignored-by-value"].mutant == ""
    assert met["filters.system-schemas"].mutant
    said = [*lines(tuple(met.values()), ())]
    assert said[0].startswith("NO TEETH   filters.delete-ignored-by-value")
    assert said[-1].startswith("1 of 2 scenarios")
    assert as_data(tuple(met.values()), ())["sound"] is False


def test_a_scenario_alone_needs_any_mutant() -> None:
    """Without neighbours one detected mutant is enough, and none is too few."""
    assert found(cases(ONE))["filters.delete-ignored-by-value"].mutant
    (alone,) = found(citing(cases(ONE), "changefeed.ddl.alter-ttl")).values()
    assert next(lines([alone], ())).endswith("it detects no mutant")


def test_where_all_cite_the_same_the_neighbours_are_run() -> None:
    """Of two that cite one clause the one that shows it has teeth, the other none."""
    clause = "changefeed.expression.delete"
    met = found((*cases(ONE), *citing(cases(OTHER), clause)))
    assert met["filters.delete-ignored-by-value"].neighbours == ("filters.system-schemas",)
    assert met["filters.system-schemas"].mutant == ""
