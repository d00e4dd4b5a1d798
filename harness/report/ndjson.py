"""The run as JSON lines: one event a line, the source of every other report."""

from __future__ import annotations

from dataclasses import asdict
from typing import IO, Any, cast

import orjson

from harness.model.events import (
    CaseAnswered,
    CaseFinished,
    Event,
    PhaseFinished,
    PhaseStarted,
    RunAborted,
    RunFinished,
    RunStarted,
    ServiceChanged,
)

FORMAT = 1
NAMES: dict[type[Event], str] = {
    RunStarted: "run-started",
    PhaseStarted: "phase-started",
    PhaseFinished: "phase-finished",
    ServiceChanged: "service-changed",
    CaseAnswered: "case-answered",
    CaseFinished: "case-finished",
    RunFinished: "run-finished",
    RunAborted: "run-aborted",
}


def event_json(event: Event) -> dict[str, Any]:
    """Return an event as JSON data; `event` names its kind. Integers beyond 2^53 become text.

    The first event of a run, `run-started`, also says which format this is.
    """
    head = {"event": NAMES[type(event)]}
    if isinstance(event, RunStarted):
        return {**head, "format": FORMAT, **_plain(asdict(event))}
    return {**head, **_plain(asdict(event))}


def _plain(node: Any) -> Any:  # noqa: ANN401  (JSON data of any shape)
    if isinstance(node, dict):
        return {name: _plain(value) for name, value in cast("dict[str, Any]", node).items()}
    if isinstance(node, list | tuple):
        return [_plain(item) for item in cast("list[Any]", node)]
    if isinstance(node, int) and not isinstance(node, bool) and abs(node) > 2**53:
        return str(node)
    return node


class Ndjson:
    """Writes each event as it comes, so that a killed run leaves a readable file."""

    def __init__(self, file: IO[bytes]) -> None:
        """Take an open binary file; the caller closes it."""
        self._file = file

    def handle(self, event: Event) -> None:
        """Write one line."""
        self._file.write(orjson.dumps(event_json(event)) + b"\n")
        self._file.flush()

    def close(self) -> None:
        """Do nothing: every line is out already."""
