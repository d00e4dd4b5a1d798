"""The page is what the kept results say."""

from __future__ import annotations

from harness.oracles.page import KEPT, kept, page
from harness.oracles.result import CaseResult, OracleResult, Status
from tests.tree import ROOT, text_of


def result(version: str, *cases: CaseResult) -> OracleResult:
    """Return a run of a release."""
    return OracleResult("vitess", version, "2026-01-01", 60, {"java": "17"}, cases)


def test_the_page_is_up_to_date() -> None:
    """docs/reference/oracle-vitess.md is up to date; else: python -m harness.oracles.page > it."""
    assert text_of("docs/reference/oracle-vitess.md") == page(kept(ROOT / KEPT))


def test_nothing_kept_is_unexplained() -> None:
    """A difference that nobody has explained is not kept: it is repaired, or gets its reason."""
    assert [one.version for one in kept(ROOT / KEPT) if not one.passed] == []


def test_a_release_has_its_differences_and_what_was_not_played() -> None:
    """Differences stand once a scenario, with the reason and the first of them."""
    cases = (
        CaseResult("a.b[vitess,p1]", Status.DIFFERS, "theirs", (), ("t/0 #0 value: a | b",)),
        CaseResult("a.b[vitess,p2]", Status.DIFFERS, "theirs", (), ("t/0 #0 value: a | b",)),
        CaseResult("c.d[vitess,p1]", Status.UNPLAYABLE, "why"),
        CaseResult("e.f[vitess,p1]", Status.EQUAL),
    )
    text = page([result("3.2.0.Final", *cases)])
    assert "| 3.2.0.Final | 2026-01-01 | all | 1 | 3 | 4 | `3.2` | 60 s | 0 |" in text
    assert "| a.b | 2 | theirs | `t/0 #0 value: a \\| b` |" in text
    assert "Not played, why: c.d (1)." in text
