"""The reference page of the clauses says what their tables say."""

from __future__ import annotations

from harness.report.clause_page import page
from tests.tree import text_of


def test_the_committed_page_is_the_generated_one() -> None:
    """docs/reference/clauses.md is up to date; else: python -m harness.report.clause_page > it."""
    assert text_of("docs/reference/clauses.md") == page()
