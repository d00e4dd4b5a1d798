"""A real browser for the tests: Chromium from the PATH, or where HARNESS_CHROMIUM says."""

from __future__ import annotations

import os
import shutil
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
CHROMIUM = os.environ.get("HARNESS_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on the PATH")
PATIENCE_MS = 120_000


def chromium() -> Iterator[Browser]:
    """Yield a headless Chromium; a container's root cannot use its sandbox."""
    driver = pytest.importorskip("playwright.sync_api", reason="`tox run -e browser` brings it")
    with driver.sync_playwright() as play:
        sandbox = [] if os.geteuid() else ["--no-sandbox"]
        opened = play.chromium.launch(executable_path=CHROMIUM, args=sandbox, timeout=PATIENCE_MS)
        yield opened
        opened.close()


@contextmanager
def watched(browser: Browser, **options: object) -> Generator[tuple[Page, list[str]]]:
    """Yield a page without network, and all that it says or asks for: words, errors, addresses."""
    context = browser.new_context(offline=True, **options)  # type: ignore[arg-type]
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("dialog", lambda dialog: said.append(f"dialog {dialog.message}"))
    page.on("request", lambda request: said.append(request.url))
    yield page, said
    context.close()
