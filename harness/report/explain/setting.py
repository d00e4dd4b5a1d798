"""A setting: what it takes and changes, in each protocol that has it, or in a run."""

from __future__ import annotations

from collections.abc import Iterator

from harness.contracts import Setting
from harness.protocols import PROTOCOLS
from harness.protocols.clauses import CLAUSES
from harness.report.explain.catalogue import ScenarioCatalogue
from harness.report.explain.products import product_lines
from harness.report.explain.text import fact, listed, paragraph
from harness.report.explain.trials import mutants_of
from harness.report.protocol_page import clauses_of
from harness.scenario.expand import Case
from harness.services.settings import NAMES


def setting_names() -> Iterator[str]:
    """Yield the settings of all protocols, then those of a run."""
    for row in PROTOCOLS.values():
        yield from (setting.name for setting in row.settings)
    yield from NAMES


def setting_lines(catalogue: ScenarioCatalogue, name: str) -> Iterator[str]:
    """Yield the explanation of a setting."""
    yield f"setting {name}"
    for protocol, row in PROTOCOLS.items():
        for setting in row.settings:
            if setting.name == name:
                yield from _of_protocol(catalogue, protocol, setting)
    if name in NAMES:
        ours = NAMES[name]
        yield from paragraph(ours.meaning)
        yield from fact("of", "a run of the harness, docs/reference/settings.md")
        yield from fact("takes", ours.expected)
        yield from fact("default", ours.default or "not set")
        yield from fact("variable", ours.variable)


def _of_protocol(catalogue: ScenarioCatalogue, protocol: str, setting: Setting) -> Iterator[str]:
    yield ""
    yield f"In {protocol}"
    yield from paragraph(setting.meaning or "As the vendor's page describes it.")
    yield from fact("takes", setting.values)
    yield from fact("default", setting.default or "not set")
    yield from fact("without effect", setting.without_effect)
    yield from fact("refused", setting.refused)
    said = clauses_of(setting, protocol)
    items = [
        list(paragraph(f"{one.id} ({one.level.value}, {one.standing.value}): {one.text}", 2, 4))
        for one in map(CLAUSES.__getitem__, said)
    ]
    yield from listed("Clauses that say so", items)
    yield from _users(catalogue, protocol, setting.name)
    wrong = {one.name: one for clause in said for one in mutants_of(clause)}
    wrongs = [list(paragraph(f"{m.name}: {m.difference}", 2, 4)) for m in wrong.values()]
    yield from listed("Wrong consumers that break these clauses", wrongs)
    yield from product_lines(lambda one: any(clause in said for _, clause in one.named))


def _users(catalogue: ScenarioCatalogue, protocol: str, name: str) -> Iterator[str]:
    """Yield the scenarios that set it, each with the values that it gives."""
    found: dict[str, dict[str, None]] = {}
    for case in catalogue.cases.values():
        if case.protocol == protocol and name in case.settings:
            found.setdefault(case.scenario.id, {})[_value(case, name)] = None
    items = [
        list(paragraph(f"{scenario}: {' | '.join(values)}", 2, 4))
        for scenario, values in sorted(found.items(), key=lambda one: (-len(one[1]), one[0]))
    ]
    yield from listed("Scenarios that set it", items)


def _value(case: Case, name: str) -> str:
    value = case.settings[name]
    return str(value).lower() if isinstance(value, bool) else str(value)
