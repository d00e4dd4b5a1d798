"""The page put together: frame, styles, scripts and data into one file.

Nothing that came from a consumer, a database or a scenario is ever written as markup. It
stands in one JSON element whose text cannot end that element, and the page's policy allows no
script, style, image or connection but its own.
"""

from __future__ import annotations

import base64
import hashlib
import html
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import IO, Any

import orjson

from harness.model.events import Event
from harness.report.html.data import Run, page_data, runs_of

STYLES = ("colours.css", "page.css", "case.css")
SCRIPTS = (
    "elements.js",
    "state.js",
    "matrix.js",
    "cases.js",
    "timeline.js",
    "evidence.js",
    "case.js",
    "clauses.js",
    "trend.js",
    "main.js",
)


class Html:
    """Collects the events of one run or several and writes the page on `close`."""

    def __init__(self, file: IO[bytes]) -> None:
        """Take an open binary file; the caller closes it."""
        self._file = file
        self._events: list[Event] = []

    def handle(self, event: Event) -> None:
        """Keep the event."""
        self._events.append(event)

    def close(self) -> None:
        """Write the page."""
        self._file.write(page(tuple(runs_of(self._events))).encode())
        self._file.flush()


def page(runs: Sequence[Run]) -> str:
    """Return the whole file as text."""
    style = "\n".join(_part(name) for name in STYLES)
    script = "(() => {\n'use strict';\n" + "\n".join(_part(name) for name in SCRIPTS) + "\n})();\n"
    data = page_data(runs)
    filled = {
        "title": html.escape(_title(data)),
        "policy": f"style-src '{_hash(style)}'; script-src '{_hash(script)}'",
        "style": style,
        "script": script,
        "data": _inert(data),
        "headlines": html.escape("; ".join(run["headline"] for run in data["runs"])),
    }
    text = _part("page.html")
    for name, value in filled.items():
        before, after = text.split(f"<!--{name}-->")
        text = before + value + after
    return text


def _title(data: Mapping[str, Any]) -> str:
    consumers = dict.fromkeys(run["consumer"] for run in data["runs"])
    return f"{', '.join(consumers)} · certification" if consumers else "certification"


def _inert(data: Mapping[str, Any]) -> str:
    """Return JSON that no HTML parser reads as anything but text."""
    text = orjson.dumps(data).decode()
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _hash(source: str) -> str:
    """Return the source's digest as a Content-Security-Policy names it."""
    return "sha256-" + base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()


def _part(name: str) -> str:
    return (files("harness.report.html") / "parts" / name).read_text(encoding="utf-8")
