"""The reference pages of the protocols say what the tables and the scenarios say."""

from __future__ import annotations

import pytest

from harness.errors import UsageError
from harness.model.columns import ColumnKind
from harness.protocols import PROTOCOLS
from harness.protocols.clauses import CLAUSES, governs
from harness.report.protocol_page import page
from harness.scenario.load import load_all
from tests.tree import ROOT, hold, text_of


@pytest.mark.parametrize("name", PROTOCOLS)
def test_the_committed_page_is_the_generated_one(name: str) -> None:
    """The page is up to date; else: python -m harness.report.protocol_page NAME > it."""
    assert text_of(f"docs/reference/protocols/{name}.md") == page(
        name, load_all(ROOT / "scenarios")
    )


@pytest.mark.parametrize("name", PROTOCOLS)
def test_a_page_has_every_type_setting_and_clause(name: str) -> None:
    """Nothing of a protocol's tables is missing, and each dialect is explained."""
    text = page(name, ())
    reference, words = PROTOCOLS[name], PROTOCOLS[name].description
    assert set(reference.types) == set(ColumnKind)
    for setting in reference.settings:
        assert f"| `{setting.name}` |" in text
    for clause in CLAUSES.values():
        assert (f"| `{clause.id}` |" in text) == governs(clause, name), clause.id
    assert set(reference.codec.dialects) == set(words.dialects)


@pytest.mark.parametrize("name", PROTOCOLS)
def test_a_page_cites_clauses_that_govern_it(name: str) -> None:
    """Types, settings and events name clauses that exist and speak of this protocol."""
    reference, words = PROTOCOLS[name], PROTOCOLS[name].description
    cited = [
        *(clause for form in reference.types.values() for clause in form.clauses),
        *(clause for setting in reference.settings for clause in setting.clauses),
        *(clause for form in words.events for clause in form.clauses),
    ]
    hold(
        f"{name}: {clause} is no clause of it"
        for clause in cited
        if clause not in CLAUSES or not governs(CLAUSES[clause], name)
    )


def test_a_scenario_covers_what_it_cites() -> None:
    """A clause under test, a permission and a reason all count, and link to the scenario."""
    text = page("open", load_all(ROOT / "scenarios"))
    row = next(line for line in text.splitlines() if line.startswith("| `open.type.tinyint` | "))
    assert "[types.integers](../../../scenarios/types/integers.yaml)" in row


def test_the_pages_have_every_clause() -> None:
    """Whatever document a clause stands in, some protocol's page has it."""
    pages = [page(name, ()) for name in PROTOCOLS]
    hold(
        f"{clause} is on no page"
        for clause in CLAUSES
        if not any(f"| `{clause}` |" in text for text in pages)
    )


def test_what_no_scenario_can_cover_names_its_proof() -> None:
    """The row of such a clause links to the test or the file that proves it, and says why."""
    (row,) = [
        line for line in page("avro", ()).splitlines() if "| `avro.registry.request` |" in line
    ]
    assert "[test_trouble_is_retried](../../../tests/services/test_schemas.py)" in row


def test_an_unknown_protocol_is_a_usage_error() -> None:
    """A misspelt name is answered with the names that there are."""
    with pytest.raises(UsageError, match="no protocol 'morse'"):
        page("morse", ())
