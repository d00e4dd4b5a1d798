"""The page is what the kept results say."""

from __future__ import annotations

import pytest

from harness.oracles.freedoms import REASONS
from harness.oracles.page import ASKED, KEPT, kept, page
from harness.oracles.result import CaseResult, OracleResult, Status
from tests.tree import ROOT, text_of


def result(version: str, *cases: CaseResult) -> OracleResult:
    """Return a run of a release."""
    return OracleResult("vitess", version, "2026-01-01", 60, {"java": "17"}, cases)


@pytest.mark.parametrize("name", ASKED)
def test_the_page_is_up_to_date(name: str) -> None:
    """docs/reference/oracle-NAME.md is; else: python -m harness.oracles.page NAME > it."""
    results = kept(ROOT / KEPT, name)
    assert results
    assert text_of(f"docs/reference/oracle-{name}.md") == page(results, ASKED[name])


@pytest.mark.parametrize("name", ASKED)
def test_nothing_kept_is_unexplained(name: str) -> None:
    """A difference that nobody has explained is not kept: it is repaired, or gets its reason."""
    assert [one.version for one in kept(ROOT / KEPT, name) if not one.passed] == []


def test_what_may_be_free_has_its_reason_on_the_page() -> None:
    """Each oracle's page has its own freedoms, and every freedom is of some oracle."""
    assert {name for asked in ASKED.values() for name in asked.freedoms} == REASONS.keys()
    assert "| log-position |" not in page([result("3.2.0.Final")])
    mariadb = ASKED["debezium-mariadb"]
    assert "| log-position |" in page([result(next(iter(mariadb.dialects)))], mariadb)


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
