"""The reference page says what the grammar says."""

from __future__ import annotations

import re

from harness.scenario.describe import page
from harness.scenario.rules import RULES
from tests.tree import text_of


def test_the_committed_page_is_the_generated_one() -> None:
    """docs/reference/scenario.md is up to date; else: python -m harness.scenario.describe > it."""
    assert text_of("docs/reference/scenario.md") == page()


def test_links_within_the_page_lead_to_a_section() -> None:
    """Every anchor of the page is the anchor of one of its headings."""
    text = page()
    headings = re.findall(r"^## (.+)$", text, re.MULTILINE)
    anchors = {
        "".join(c for c in heading.lower().replace(" ", "-") if c.isalnum() or c in "-_")
        for heading in headings
    }
    assert set(re.findall(r"\]\(#([^)]+)\)", text)) <= anchors


def test_every_rule_is_on_the_page() -> None:
    """Each rule beyond the grammar is there in its own words."""
    text = page()
    for rule in RULES:
        assert (rule.__doc__ or "").splitlines()[0] in text
