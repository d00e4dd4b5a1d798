"""The pages of what a consumer must do say what clauses, mutants and scenarios say."""

from __future__ import annotations

import re

import pytest

from harness.engine.catalogue.choose import load
from harness.engine.catalogue.workspace import workspace
from harness.errors import UsageError
from harness.model.columns import ColumnKind
from harness.mutants.table import MUTANTS
from harness.protocols import PROTOCOLS
from harness.protocols.causes import CAUSES
from harness.protocols.clauses import CLAUSES, cause_clause, type_clause
from harness.report.consumer_page import LINES_MAX, page
from harness.report.explain.catalogue import ScenarioCatalogue
from harness.spec.clause import Level
from tests.tree import ROOT, hold, text_of

ROWS = {"insert", "update", "delete", "upsert"}


@pytest.fixture(scope="module")
def catalogue() -> ScenarioCatalogue:
    """Return the whole catalogue, with paths as the page is written from."""
    space = workspace(ROOT)
    return ScenarioCatalogue(space, load(space))


@pytest.mark.parametrize("name", PROTOCOLS)
def test_the_committed_page_is_the_generated_one(name: str, catalogue: ScenarioCatalogue) -> None:
    """The page is up to date; else: python -m harness.report.consumer_page NAME > it."""
    assert text_of(f"docs/reference/consumers/{name}.md") == page(name, catalogue)


@pytest.mark.parametrize("name", PROTOCOLS)
def test_a_page_is_short(name: str) -> None:
    """Nobody has to read more than 150 lines to know what a consumer must do."""
    assert len(text_of(f"docs/reference/consumers/{name}.md").splitlines()) <= LINES_MAX


@pytest.mark.parametrize("name", PROTOCOLS)
def test_a_page_has_every_rule_that_a_consumer_can_break(name: str) -> None:
    """Each clause that a finding names by a cause or type, and each that a mutant violates."""
    text = text_of(f"docs/reference/consumers/{name}.md")
    rules = {cause_clause(name, cause) for cause in CAUSES} & CLAUSES.keys()
    rules |= {type_clause(name, kind) for kind in ColumnKind}
    rules |= {
        clause
        for mutant in MUTANTS.values()
        if name in mutant.protocols
        for clause in mutant.clauses(name)
    }
    hold(
        f"{name}: {rule} is not on the page"
        for rule in sorted(rules)
        if f"`{rule}`" not in text and f"`{rule.rpartition('.')[0]}.*`" not in text
    )


@pytest.mark.parametrize("name", PROTOCOLS)
def test_each_rule_has_a_scenario_and_a_record(name: str) -> None:
    """A rule that is stated is tried: its row links to a scenario and to a golden."""
    rows = [
        line
        for line in text_of(f"docs/reference/consumers/{name}.md").splitlines()
        if line.startswith(("| MUST: ", "| SHOULD: ", "| MAY: "))
    ]
    assert rows
    hold(row[:100] for row in rows if "/scenarios/" not in row or "/golden/" not in row)


@pytest.mark.parametrize("name", PROTOCOLS)
def test_an_example_is_a_row_unless_the_rule_is_about_something_else(name: str) -> None:
    """A rule of inserts shows an insert, no rule but that of tombstones shows a tombstone."""
    wrong = []
    for line in text_of(f"docs/reference/consumers/{name}.md").splitlines():
        found = re.match(r"\| (?:MUST|SHOULD|MAY): .* \| `(\S+)` \| .* \| \[`(\w+)", line)
        if found is None:
            continue
        clause, kind = found.groups()
        words = {"insert" if word == "create" else word for word in clause.split(".")}
        told_apart = words & {"insert", "update", "delete"} and kind != "upsert"
        if kind not in words and (told_apart or kind not in ROWS):
            wrong.append(f"{clause}: {kind}")
    hold(wrong)


def test_the_clauses_of_order_are_clauses_and_on_the_page() -> None:
    """What a protocol's file lists under `order` exists, is a MAY, and has a row."""
    for name, protocol in PROTOCOLS.items():
        for clause in protocol.description.order:
            assert CLAUSES[clause].level is Level.MAY
            assert f"| `{clause}` |" in text_of(f"docs/reference/consumers/{name}.md")


def test_an_unknown_protocol_is_a_usage_error(catalogue: ScenarioCatalogue) -> None:
    """A misspelt name is answered with the names that there are."""
    with pytest.raises(UsageError, match="no protocol 'morse'"):
        page("morse", catalogue)
