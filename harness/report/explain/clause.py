"""A clause: its source and standing, who cites it, and what consumers do that keep or break it."""

from __future__ import annotations

from collections.abc import Iterator

from harness.faults import FAULTS
from harness.model.columns import ColumnKind
from harness.model.standing import MEANING
from harness.mutants.producers.table import PRODUCERS
from harness.protocols import PROTOCOLS
from harness.protocols.causes import CAUSES
from harness.protocols.clauses import CLAUSES, cause_clause, governs
from harness.report.explain.catalogue import ScenarioCatalogue, covering_scenarios
from harness.report.explain.products import bug_lines, product_lines
from harness.report.explain.text import fact, listed, paragraph
from harness.report.explain.trials import Bench, example_lines, mutants_of, simplest, trial_lines
from harness.report.protocol_page import clauses_of
from harness.spec import Clause

TRIED = 4


def clause_lines(catalogue: ScenarioCatalogue, name: str) -> Iterator[str]:
    """Yield the explanation of a clause."""
    clause = CLAUSES[name]
    yield f"clause {clause.id} ({clause.level.value})"
    yield from paragraph(clause.text)
    yield ""
    yield from source_lines(clause)
    yield from fact("protocols", ", ".join(one for one in PROTOCOLS if governs(clause, one)))
    yield from fact("releases", clause.versions)
    yield from fact("decides", "; ".join(_decides(name)))
    yield from fact("settings", ", ".join(settings_of(name)))
    if clause.proof is not None:
        yield from fact("proved by", f"{clause.proof.test or 'nothing'}: {clause.proof.why}")
    scenarios = covering_scenarios(catalogue, name)
    items = [[f"  {one.id}", *paragraph(one.title, 4)] for one in scenarios]
    yield from listed("Scenarios that cover it", items)
    yield from _consumers(catalogue, name)
    if scenarios and not mutants_of(name):
        case = simplest(catalogue.covering[name])[0]
        yield from listed(f"A record of {case.id}", [list(example_lines(catalogue, case))])
    yield from _producers(name)
    yield from product_lines(lambda one: any(clause == name for _, clause in one.named))
    yield from bug_lines((), [link for one in mutants_of(name) for link in one.seen])


def source_lines(clause: Clause) -> Iterator[str]:
    """Yield where a clause stands, and who demands it."""
    source = clause.source
    yield from fact("source", f"{source.document}, {source.section}")
    yield f"{'':16}{source.url}"
    yield from fact("standing", f"{clause.standing.value}: {MEANING[clause.standing]}")
    if source.program not in {"", source.url}:
        yield f"{'':16}{source.program}"


def settings_of(clause: str) -> Iterator[str]:
    """Yield the settings that a clause explains."""
    found = (
        setting.name
        for protocol, row in PROTOCOLS.items()
        for setting in row.settings
        if clause in clauses_of(setting, protocol)
    )
    yield from dict.fromkeys(found)


def _decides(clause: str) -> Iterator[str]:
    """Yield what a finding that names the clause says: of values, by cause, by fault."""
    for name, row in PROTOCOLS.items():
        kinds = [kind for kind in ColumnKind if row.type_clauses[kind] == clause]
        if kinds:
            yield f"{name}: values of {', '.join(kind.value.upper() for kind in kinds)}"
        causes = [words for cause, words in CAUSES.items() if cause_clause(name, cause) == clause]
        if causes:
            yield f"{name}: {', '.join(causes)}"
        faults = [
            f for f in FAULTS if f in row.permissions and clause in row.permissions[f].clauses
        ]
        if faults:
            yield f"{name}: it allows the faults {', '.join(faults)}"


def _consumers(catalogue: ScenarioCatalogue, clause: str) -> Iterator[str]:
    """Yield what right and wrong consumers do, as tried on covering cases."""
    mutants = mutants_of(clause)
    if not mutants:
        return
    yield ""
    yield "A right consumer keeps to the sentence above, and passes."
    bench = Bench(catalogue)
    cases = catalogue.covering.get(clause, ())
    items: list[list[str]] = []
    for number, mutant in enumerate(mutants):
        of_it = [case for case in cases if mutant.name in case.scenario.kills]
        of_it = [case for case in of_it if clause in mutant.clauses(case.protocol)]
        trial = bench.first_detected(mutant, of_it, clause) if number < TRIED else None
        short = [f"  {mutant.name}", *paragraph(mutant.difference, 4)]
        items.append(short if trial is None else list(trial_lines(trial)))
    yield from listed("Wrong consumers that break it", items, shown=2 * TRIED)


def _producers(clause: str) -> Iterator[str]:
    items = [
        list(paragraph(f"{one.name}: {one.difference}", 2, 2))
        for one in PRODUCERS.values()
        if clause in one.clauses
    ]
    yield from listed("Wrong producers that break it", items, shown=4)
