"""Which cases failed when a consumer last read them, by the runs that are kept here."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from harness.errors import UsageError
from harness.model.events import CaseFinished, RunStarted
from harness.model.finding import FINDINGS
from harness.report.read import read_events


def last_failed(files: Iterable[Path], consumer: str = "") -> frozenset[str] | None:
    """Return the cases whose latest verdict is a finding; None where no run is kept.

    `files` are events of runs, the newest first; those of other consumers are passed over, and so
    are those that another release of the harness wrote.
    """
    latest: dict[str, bool] = {}
    for file in files:
        try:
            first, *events = read_events(file)
        except UsageError:
            continue
        if not isinstance(first, RunStarted) or (consumer and first.consumer != consumer):
            continue
        for event in events:
            if isinstance(event, CaseFinished):
                latest.setdefault(event.case, event.verdict.judgement in FINDINGS)
    return frozenset(case for case, failed in latest.items() if failed) if latest else None
