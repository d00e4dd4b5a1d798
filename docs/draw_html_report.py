"""Draw docs/report-html.png: `python docs/draw_html_report.py report.html docs/report-html.png`."""  # noqa: INP001  (a script of its own)

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright


def main(report: str, picture: str) -> None:
    """Open a report in the Chromium of this machine and keep what its first view shows."""
    with sync_playwright() as play:
        browser = play.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        page = browser.new_page(viewport={"width": 1200, "height": 760})
        page.goto(Path(report).resolve().as_uri())
        page.screenshot(path=picture)
        browser.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
