"""What must hold of a run, whatever befell it: each check names what does not."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree as ET

import orjson

from harness.model.finding import FINDINGS
from harness.selftest.trial import OLDER, Run, Trial

LEFT_S = 25.0  # guardians give orphans a grace period of some seconds
WORDS = ("Traceback (most recent call last)", "a defect of the harness")
ABORTED = "run-aborted"
LAST = frozenset({"run-finished", ABORTED})
# What a report has of a run that did not finish.
UNFINISHED = {"html": '"finished":false', "xml": 'type="unfinished"'}


@dataclass(frozen=True, slots=True)
class Ended:
    """A run that is over: its exit status, None where it had to be ended; `ends` may be."""

    trial: Trial
    run: Run
    status: int | None
    ends: frozenset[int]

    @property
    def killed(self) -> bool:
        """Return whether it had no chance to say anything at its end."""
        return self.trial.ended_by == signal.SIGKILL


def problems(ended: Ended) -> Iterator[str]:
    """Yield what does not hold of a run that is over, one sentence each."""
    for check in CHECKS:
        yield from check(ended)


def _in_time(ended: Ended) -> Iterator[str]:
    if ended.status is None:
        yield f"it did not end within {ended.trial.bound_s:g} s"


def _exit_code(ended: Ended) -> Iterator[str]:
    status, number = ended.status, ended.trial.ended_by
    ends = ended.ends | (frozenset((128 + number, -number)) if number else frozenset[int]())
    if status is not None and status not in ends:
        last = (ended.run.said().strip().splitlines() or [""])[-1]
        yield f"exit {status} in place of one of {', '.join(map(str, sorted(ends)))}: {last}"


def _words(ended: Ended) -> Iterator[str]:
    said = ended.run.said()
    early = ended.trial.ended_by == signal.SIGINT and not ended.run.events()
    for word in WORDS:
        if word in said and not early:  # Python itself is interrupted before it reads a line of us
            yield f"it says {word!r}"
    if ended.status == 3 and "error: " not in said:
        yield "it ends with 3 and does not say why"


def _reports(ended: Ended) -> Iterator[str]:
    for form, path in ended.run.reports.items():
        text = path.read_text("utf-8", "replace")
        if text != OLDER and not _whole(form, text):
            yield f"{path.name} is not whole: {len(text)} characters"
    if not ended.killed:
        for part in ended.run.directory.glob(f".{ended.run.name}*.part"):
            yield f"{part.name} is left"


def _unfinished(ended: Ended) -> Iterator[str]:
    """Look whether the new reports of an aborted run own up to it."""
    ends = [path.read_bytes().rstrip().rpartition(b"\n")[2] for path in ended.run.events()]
    if not ends or not all(ABORTED.encode() in line for line in ends):
        return
    for form, path in ended.run.reports.items():
        text = path.read_text("utf-8", "replace")
        if text != OLDER and UNFINISHED[form] not in text:
            yield f"{path.name} does not say that the run did not finish"


def _whole(form: str, text: str) -> bool:
    if form == "html":
        return text.rstrip().endswith("</html>")
    try:
        ET.fromstring(text)  # noqa: S314 - our own report
    except ET.ParseError:
        return False
    return True


def _last_event(ended: Ended) -> Iterator[str]:
    """Look at the run's events: each line whole, the last one an end."""
    for path in ended.run.events():
        lines = path.read_bytes().split(b"\n")
        try:
            found: list[dict[str, Any]] = [orjson.loads(line) for line in lines if line]
        except orjson.JSONDecodeError:
            if not ended.killed and not _full(ended):
                yield f"{path.parent.name}: an event is cut"
            continue
        if found and found[-1]["event"] not in LAST and not ended.killed and not _full(ended):
            yield f"{path.parent.name}: the last event is {found[-1]['event']}"
        for event in found:
            judgement = event.get("verdict", {}).get("judgement")
            if judgement in FINDINGS:
                yield f"{path.parent.name}: {event['case']} is blamed: {judgement}"


def _full(ended: Ended) -> bool:
    return "No space left" in ended.run.said()


def _left_running(ended: Ended) -> Iterator[str]:
    deadline = time.monotonic() + LEFT_S
    while (left := ended.run.descendants()) and time.monotonic() < deadline:
        time.sleep(0.1)
    for one in left:
        yield f"process {one.pid} is left running: {one.name()}"


def _left_data(ended: Ended) -> Iterator[str]:
    for path in ended.run.directory.glob(".harness/runs/*/**/data"):
        yield f"{path.relative_to(ended.run.directory)} is left"


CHECKS: tuple[Callable[[Ended], Iterator[str]], ...] = (
    _in_time,
    _exit_code,
    _words,
    _left_running,
    _reports,
    _unfinished,
    _last_event,
    _left_data,
)
