"""The page of real bugs: each is provoked by a scenario, or says why none can."""

from __future__ import annotations

from harness.report.real_bugs import bugs, page, provoking
from harness.scenario.load import load_all
from tests.tree import ROOT, hold, text_of


def test_the_committed_page_is_the_generated_one() -> None:
    """The page is up to date; else: python -m harness.report.real_bugs > it."""
    committed = text_of("docs/explanation/real-bugs.md")
    assert committed == page(load_all(ROOT / "scenarios"))


def test_every_bug_has_a_scenario_or_a_reason() -> None:
    """A bug has one of the two, never both; its links are no one else's; README counts them."""
    scenarios = load_all(ROOT / "scenarios")
    every = [bug for group in bugs().values() for bug in group]
    assert f"of {len(every)} known bugs" in text_of("README.md").replace("\n", " ")
    links = [link for bug in every for link in bug.seen_in]
    assert len(links) == len(set(links))
    hold(
        f"{bug.what} "
        + ("no scenario has its link" if not bug.no_scenario else "has a scenario now")
        for bug in every
        if bool(provoking(bug, scenarios)) == bool(bug.no_scenario)
    )
