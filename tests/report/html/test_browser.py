"""The HTML report works in a real browser: by mouse, by keyboard, in both colours, no network."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness.model.events import CaseFinished
from harness.model.finding import Judgement
from tests.chromium import chromium, needs_chromium, watched
from tests.report.samples import HOSTILE, every_judgement, run, written
from tests.report.wrong_run import wrong_run

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

reason = "`tox run -e browser` brings it"
axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason=reason)
pytestmark = needs_chromium

MOVES = ["keys/composite-key-moves.yaml"]
VIEWS = ("matrix", "cases", "clauses", "trend")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Return a headless Chromium."""
    yield from chromium()


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a report of a wrong consumer, run twice, beside a right one."""
    events = (
        *wrong_run("reference", MOVES, "000001", "2026-01-01T00:00:00+00:00"),
        *wrong_run("tombstone-ignored", MOVES, "000002", "2026-01-02T00:00:00+00:00"),
        *wrong_run("deletes-ignored", MOVES, "000003", "2026-01-03T00:00:00+00:00"),
        *wrong_run("reference", MOVES, "000004", "2026-01-04T00:00:00+00:00"),
    )
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_bytes(written("html", events))
    return path


@pytest.fixture
def page(browser: Browser, report: Path) -> Iterator[Page]:
    """Return the report, opened; a script's error or a word on the console fails the test."""
    yield from opened(browser, report)


def opened(browser: Browser, path: Path) -> Iterator[Page]:
    """Open a report in a context without network and watch what it complains of."""
    with watched(browser, viewport={"width": 1280, "height": 900}) as (page, said):
        page.goto(path.as_uri())
        yield page
        assert set(said) == {path.as_uri()}


def test_the_matrix_leads_to_what_failed_and_how_to_see_it_again(page: Page) -> None:
    """From a red cell it is two clicks to the finding, its clause, record, bytes and command."""
    page.get_by_role("link", name="keys, deletes-ignored").click()
    page.locator("tr[data-case] a").first.click()
    page.wait_for_selector(".finding")
    text = page.inner_text("#content")
    assert "extra-row" in text
    assert "open.row.delete (MUST)" in text.replace("\n", " ")
    assert "scenarios/keys/composite-key-moves.yaml:" in text
    assert "harness certify deletes-ignored -k 'keys.composite-key-moves[" in text
    assert page.locator(".diff tr.actual").count() > 0
    assert page.locator(".timeline .blame").count() > 0
    page.locator(".records .blamed summary").first.click()
    assert page.locator(".records .blamed pre").first.inner_text().startswith("key\n000000  ")


def test_everything_can_be_reached_by_keys(page: Page) -> None:
    """Views, the list, a case and the way back: no mouse is needed."""
    page.keyboard.press("f")
    page.wait_for_selector("tr[data-case]")
    assert "fail" in page.url
    page.keyboard.press("j")
    page.keyboard.press("j")
    marked = page.locator("tr[aria-selected=true]").get_attribute("data-case")
    page.keyboard.press("Enter")
    page.wait_for_selector(".finding")
    assert page.locator("#content h2 code").inner_text() == marked
    page.keyboard.press("Escape")
    page.wait_for_selector("tr[data-case]")
    for number, view in enumerate(VIEWS, start=1):
        page.keyboard.press(str(number))
        page.wait_for_selector(f"nav [aria-current][data-view={view}]")  # drawn a moment later
    page.keyboard.press("?")
    assert page.locator("dialog[open]").count() == 1


def test_filters_narrow_the_list_and_stay_in_the_address(page: Page) -> None:
    """What is searched for is in the address, so that a colleague sees the same."""
    page.keyboard.press("2")
    page.wait_for_selector("tr[data-case]")
    whole = page.locator("tr[data-case]").count()
    page.keyboard.press("/")
    page.wait_for_selector("#search:focus")
    page.keyboard.type("extra-row vitess")
    page.locator("tr[data-case]").nth(whole - 1).wait_for(state="detached")
    found = page.locator("tr[data-case]").count()
    assert 0 < found < whole
    page.goto("about:blank#" + page.url.partition("#")[2])
    page.go_back()
    page.wait_for_selector("tr[data-case]")
    assert page.locator("tr[data-case]").count() == found


def test_the_trend_shows_what_changed_between_runs(page: Page) -> None:
    """Two runs of one consumer stand one after the other, with what became of the cases."""
    page.keyboard.press("4")
    page.wait_for_selector("svg.bars")
    rows = page.locator("#content tbody tr")
    assert "none" in rows.filter(has_text="000004").inner_text()
    assert page.locator("svg.bars").get_attribute("aria-label")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_is_accessible(page: Page, scheme: str) -> None:
    """No view breaks a rule that axe knows: contrast, names, headings, order."""
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    case = "view=cases&case=keys.composite-key-moves%5Bopen%2Cp3%5D&of=2"
    signs = [(f"view={name}", f"nav [aria-current][data-view={name}]") for name in VIEWS]
    for view, sign in (*signs, (case, ".timeline")):
        page.evaluate("(hash) => { location.hash = hash }", view)
        page.wait_for_selector(sign)
        found = axe.Axe().run(page)
        assert found.violations_count == 0, found.generate_report()


def test_data_run_nothing(browser: Browser, tmp_path: Path) -> None:
    """Data that would like to be a script are shown, and nothing happens."""
    path = tmp_path / "hostile.html"
    path.write_bytes(written("html", run(*every_judgement(HOSTILE), consumer=HOSTILE)))
    for page in opened(browser, path):
        page.keyboard.press("2")
        page.wait_for_selector("tr[data-case]")
        assert page.locator("tr[data-case]").count() == len(Judgement)
        page.locator("tr[data-case] a").nth(1).click()
        page.wait_for_selector(".finding")
        assert "<script>alert(1)</script>" in page.inner_text(".finding")
        assert "<script>alert(1)</script>" in page.inner_text(".settings")
        assert page.locator("#content script").count() == 0


def test_many_consumers_fit_a_phone(browser: Browser, tmp_path: Path) -> None:
    """With eight consumers the folder's name stays in view, and what is known of runs is folded."""
    path = tmp_path / "many.html"
    events = [
        event
        for number in range(8)
        for event in run(*every_judgement("x"), consumer=f"consumer-{number}")
    ]
    path.write_bytes(written("html", events))
    for page in opened(browser, path):
        page.set_viewport_size({"width": 390, "height": 800})
        name = page.locator(".matrix tbody th").first
        before = name.bounding_box()
        page.locator(".wide:has(.matrix)").evaluate("one => { one.scrollLeft = one.scrollWidth }")
        assert page.locator(".wide:has(.matrix)").evaluate("one => one.scrollLeft") > 0
        assert name.bounding_box() == before
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert page.locator("header tbody tr").first.is_hidden()
        page.locator("header summary").click()
        assert page.locator("header tbody tr").count() == 8
        # What is scrolled out at the left looks like a skip link to axe, for views are hashes.
        page.locator(".wide:has(.matrix)").evaluate("one => { one.scrollLeft = 0 }")
        found = axe.Axe().run(page)
        assert found.violations_count == 0, found.generate_report()


def test_a_case_fits_a_phone_and_is_read_in_one_way(browser: Browser, tmp_path: Path) -> None:
    """Long paths break; what must be there is green, what was answered is red, both in words."""
    long = "an/environment/of/somebody/lib/python3.11/site-packages/harness/" + "x" * 60 + ".yaml"
    added = "evolution/column-with-default-added.yaml"
    events = [
        replace(one, file=long) if isinstance(one, CaseFinished) else one
        for one in wrong_run("schema-default-ignored", [added])
    ]
    path = tmp_path / "one.html"
    path.write_bytes(written("html", events))
    for page in opened(browser, path):
        page.set_viewport_size({"width": 390, "height": 800})
        case = "view=cases&case=evolution.column-with-default-added%5Bavro%2Cp1%5D"
        page.evaluate("(hash) => { location.hash = hash }", case)
        page.wait_for_selector(".finding")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        for side, word, greater, less in (
            ("expected", "must be", 1, 0),
            ("actual", "answered", 0, 1),
        ):
            row = page.locator(f".diff tr.{side}").first
            assert row.locator("td").first.inner_text() == word
            said: str = row.evaluate("one => getComputedStyle(one).backgroundColor")
            colour = [int(part) for part in re.findall(r"\d+", said)]
            assert colour[greater] > colour[less]
            assert row.locator("td.changed").count() > 0
        cited = page.locator("h3:has-text('Clauses that') + ul a").all_inner_texts()
        assert cited
        assert [one for one in cited if one.startswith(("open.", "vitess."))] == []
