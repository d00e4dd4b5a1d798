"""The site of the pages works in a real browser, from files: no network, no error, a search."""

from __future__ import annotations

import runpy
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.chromium import chromium, needs_chromium, watched

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytest.importorskip("mkdocs", reason="`tox run -e browser` brings it")
pytestmark = needs_chromium

ROOT = Path(__file__).resolve().parents[2]
# As `tox run -e docs` has it. With --quiet mkdocs drops warnings before --strict counts them.
BUILD = ("mkdocs", "build", "--strict")
HOOKS = ROOT / "packaging/site/hooks.py"
FETCHES = (
    "<img src='https://example.org/a.png'>",
    '<img alt="a" srcset="https://example.org/a.png 2x">',
    "<script async src=//example.org/a.js>",
    '<link rel="stylesheet" href="https://example.org/a.css">',
    '@import "https://example.org/a.css"',
    "src: url( //example.org/a.woff2 )",
)
FETCHES_NOT = (
    '<a href="https://example.org/" title="a">',
    '<img src="../report-html.png">',
    '<link rel="icon" href="../assets/icon.png">',
    "background: url(data:image/svg+xml,x)",
)
# What a reader looks for -> a page that has to be among the first answers.
LOOKED_FOR = {
    "tombstone": "reference/consumers/",
    "mysqldump": "tutorial/first-scenario.html",
    "GitLab": "guides/ci.html",
    "reduceByKey": "",
}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Return a headless Chromium."""
    yield from chromium()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site."""
    there = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", *BUILD, "--site-dir", str(there)]
    subprocess.run(command, cwd=ROOT, check=True)
    return there


def test_a_link_that_leads_nowhere_fails_the_build(tmp_path: Path) -> None:
    """A page or a heading that is not there is named, by the command that the gate runs."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/index.md").write_text("# A\n\n[b](nowhere.md) [c](#no-such-part)\n")
    config = tmp_path / "mkdocs.yml"
    config.write_text(
        f"INHERIT: {ROOT}/mkdocs.yml\nhooks: []\nplugins: []\nextra: {{polyfills: []}}\n"
    )
    command = [sys.executable, "-m", *BUILD, "--config-file", str(config)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "nowhere.md" in done.stderr
    assert "no-such-part" in done.stderr
    commands = (ROOT / "tox.ini").read_text(encoding="utf-8").splitlines()
    assert f"commands = {' '.join(BUILD)} {{posargs}}" in commands


def test_what_a_page_would_fetch_is_told_from_what_it_links_to() -> None:
    """Pictures, scripts, fonts and styles of elsewhere are found however they are quoted."""
    hooks: dict[str, Any] = runpy.run_path(str(HOOKS))
    assert [one for one in FETCHES if not hooks["FETCHED"].search(one)] == []
    assert [one for one in FETCHES_NOT if hooks["FETCHED"].search(one)] == []


def links(page: Page, site: Path) -> set[str]:
    """Return the addresses of the site that a page links to, without what is behind `#`."""
    found: list[str] = page.eval_on_selector_all("a[href]", "all => all.map(one => one.href)")
    return {one.partition("#")[0] for one in found if one.startswith(site.as_uri())}


def test_every_page_opens_without_an_error_or_the_network(browser: Browser, site: Path) -> None:
    """From the overview all pages of the navigation are reached, and none fetches or complains."""
    with watched(browser, viewport={"width": 1280, "height": 900}) as (page, said):
        page.goto((site / "index.html").as_uri())
        pages = sorted(one for one in links(page, site) if "/source/" not in one)
        assert len(pages) > 50
        for address in pages:
            page.goto(address)
            assert page.locator("h1").count() == 1, address
            assert page.evaluate("document.documentElement.scrollWidth") <= 1280, address
        strange = [one for one in said if not one.startswith(site.as_uri())]
        assert strange == []


def test_no_page_is_wider_than_a_phone(browser: Browser, site: Path) -> None:
    """Wide tables and long lines scroll in themselves, the page never does."""
    with watched(browser, viewport={"width": 390, "height": 800}) as (page, _):
        page.goto((site / "index.html").as_uri())
        wide: list[str] = []
        for address in sorted(one for one in links(page, site) if "/source/" not in one):
            page.goto(address)
            if page.evaluate("document.documentElement.scrollWidth") > 390:
                wide.append(address)
        assert wide == []


@pytest.mark.parametrize("words", LOOKED_FOR)
def test_the_search_finds_offline(browser: Browser, site: Path, words: str) -> None:
    """A word leads to the page that is about it, also where pages are files; nonsense to none."""
    with watched(browser, viewport={"width": 1280, "height": 900}) as (page, _):
        page.goto((site / "index.html").as_uri())
        page.locator("input.md-search__input").click()
        page.keyboard.type(words)
        page.wait_for_function(
            "document.querySelector('.md-search-result__meta').innerText.match(/match|No/)"
        )
        answers = links_of_search(page)
        wanted = LOOKED_FOR[words]
        assert any(wanted in one for one in answers) if wanted else not answers


def links_of_search(page: Page) -> list[str]:
    """Return where the answers of the search lead, best first."""
    found: list[str] = page.eval_on_selector_all(
        ".md-search-result__link", "all => all.map(one => one.getAttribute('href'))"
    )
    return found
