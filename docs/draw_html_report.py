#!/usr/bin/env python3
"""Draws docs/report-html.png: the report of a real run of the consumer of `draw_report.py`.

Run it from the checkout, with the harness, Playwright and Chromium: `docs/draw_html_report.py`.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from draw_report import ROOT, certify
from playwright.sync_api import sync_playwright

CHOICE = ("dml", "numbers", "transactions", "types.integers")


def draw(report: Path, picture: Path) -> None:
    """Open a report in the Chromium of this machine and keep what its first view shows."""
    with sync_playwright() as play:
        browser = play.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        page = browser.new_page(viewport={"width": 1200, "height": 760})
        page.goto(report.as_uri())
        page.screenshot(path=picture)
        browser.close()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as home:
        report = Path(home, "report.html")
        certify(Path(home), *CHOICE, "--html", str(report))
        draw(report, ROOT / "docs" / "report-html.png")
