"""A case or a scenario: why it exists, what it rests on, its answer, who fails it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from harness.engine.catalogue.citing import cited
from harness.engine.catalogue.golden import tables_text
from harness.engine.catalogue.plans import planned_only
from harness.errors import plural
from harness.model.settings import settings_text
from harness.model.standing import MEANING
from harness.mutants.table import MUTANTS
from harness.protocols.clauses import CLAUSES, governs
from harness.report.explain.catalogue import ScenarioCatalogue
from harness.report.explain.products import bug_lines, product_lines
from harness.report.explain.text import fact, listed, paragraph
from harness.report.explain.trials import Bench, trial_lines
from harness.scenario.document import Scenario
from harness.scenario.expand import Case, cases
from harness.scenario.standing import case_standing, step_standing

TABLE_LINES = 24
CLAUSES_SHOWN = 12


def case_lines(catalogue: ScenarioCatalogue, name: str) -> Iterator[str]:
    """Yield the explanation of a case."""
    case = catalogue.cases[name]
    standing = case_standing(case)
    yield f"case {name}"
    yield from paragraph(case.scenario.title)
    yield ""
    yield from fact("scenario", f"{case.scenario.id}, {case.scenario.file}")
    yield from fact("runs as", ", ".join(_axes(case)))
    yield from fact("settings", settings_text(case.settings))
    yield from fact("standing", f"{standing.value}: {MEANING[standing]}")
    yield from _references(case.scenario)
    steps = case.scenario.delivery.get(case.delivery or "", ())
    items: list[list[str]] = []
    for step in steps:
        options = ", ".join(f"{key}: {value}" for key, value in step.options.items())
        reason = step.allowed_by.get(case.protocol) or step.seen_in or "it breaks a clause"
        said = f"{step.fault} {{{options}}}: {step_standing(step, case.protocol).value}, {reason}"
        items.append(list(paragraph(said, 2, 4)))
    yield from listed("What happens to the messages", items)
    yield from _clauses(c for c in cited(case) if governs(CLAUSES[c], case.protocol))
    yield from _right(catalogue, case)
    yield from _wrong(catalogue, case.scenario, [case])
    yield from product_lines(lambda one: one.case == name)
    yield from bug_lines([case.scenario])


def scenario_lines(catalogue: ScenarioCatalogue, name: str) -> Iterator[str]:
    """Yield the explanation of a scenario."""
    scenario = catalogue.scenarios[name]
    every = cases(scenario)
    standings = Counter(case_standing(case).value for case in every)
    yield f"scenario {name}"
    yield from paragraph(scenario.title)
    yield ""
    yield from fact("file", scenario.file)
    yield from fact("cases", f"{len(every)}: {', '.join(f'{n} {s}' for s, n in standings.items())}")
    yield from fact("protocols", ", ".join(scenario.matrix.protocols))
    yield from fact("deliveries", ", ".join(scenario.delivery))
    yield from fact("tags", ", ".join(scenario.tags))
    yield from _references(scenario)
    yield from _clauses(dict.fromkeys(clause for case in every for clause in cited(case)))
    yield from _right(catalogue, every[0])
    yield from _wrong(catalogue, scenario, every)
    yield from product_lines(lambda one: one.scenario == name)
    yield from bug_lines([scenario])


def _axes(case: Case) -> Iterator[str]:
    yield case.protocol
    yield f"dialect {case.dialect}"
    if case.profile is not None:
        yield f"profile {case.profile}"
    yield f"{case.partitions} partition{'s' if case.partitions > 1 else ''}"
    yield "undisturbed" if case.delivery is None else f"delivery {case.delivery}"


def _references(scenario: Scenario) -> Iterator[str]:
    """Yield where the scenario comes from, each address on a line of its own."""
    for number, address in enumerate(scenario.refs):
        yield f"  {'' if number else 'seen in':13} {address}"


def _clauses(those: Iterable[str]) -> Iterator[str]:
    items: list[list[str]] = []
    for name in those:
        clause = CLAUSES[name]
        said = f"{name} ({clause.level.value}, {clause.standing.value}): {clause.text}"
        items.append(list(paragraph(said, 2, 4)))
    yield from listed("Clauses that it rests on", items, CLAUSES_SHOWN)


def _right(catalogue: ScenarioCatalogue, case: Case) -> Iterator[str]:
    """Yield the tables that a right consumer has at the end."""
    (plan,) = planned_only(catalogue.space, [case], expectations=False)
    yield ""
    if plan.delivery.hostile is not None:
        yield "A right consumer gives up at the malformed message, or sets it aside, and names it"
        return
    _, *lines = tables_text(plan).splitlines()
    yield f"A right consumer has at the end of {case.id}"
    yield from (f"  {line}" for line in [one for one in lines if one][:TABLE_LINES])
    if len(lines) > TABLE_LINES:
        yield f"  … `harness golden` has all {plural(len(lines), 'line')}"


def _wrong(
    catalogue: ScenarioCatalogue, scenario: Scenario, every: Iterable[Case]
) -> Iterator[str]:
    """Yield the wrong consumers that the scenario must catch, as tried on its cases."""
    bench, there = Bench(catalogue), tuple(every)
    items: list[list[str]] = []
    for name in scenario.kills:
        trial = bench.first_detected(MUTANTS[name], there)
        if trial is not None:
            items.append(list(trial_lines(trial)))
    yield from listed("Wrong consumers that it catches", items, shown=len(items))
