"""What the HTML page shows: runs, scenarios and clauses as JSON, each fact once.

Shapes: `runs` in the order of their events, each with its cases; a case that did not pass has its
findings, evidence and output besides. Integers beyond 2^53 are text, as in the run's NDJSON.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from harness.model.events import CaseFinished, Event, PhaseFinished, RunFinished, RunStarted
from harness.model.finding import FINDINGS, Judgement
from harness.model.standing import MEANING
from harness.protocols.clauses import CLAUSES, governs
from harness.report.ndjson import event_json
from harness.report.outcome import LEVELS, UNFINISHED, beyond_line, folder_of, headline, scenario_of
from harness.spec import Clause

LOG_CHARACTERS = 16_384
EVIDENCE_SHOWN = 300  # cases a run; beyond, a page would be too large to open
FINDINGS_SHOWN = 50
EXPLAINED = frozenset(Judgement) - {Judgement.PASS, Judgement.NOT_APPLICABLE}


@dataclass(slots=True)
class Run:
    """One run's events, sorted by what they are."""

    started: RunStarted | None = None
    finished: RunFinished | None = None
    phases: list[PhaseFinished] = field(default_factory=list[PhaseFinished])
    cases: list[CaseFinished] = field(default_factory=list[CaseFinished])

    def take(self, event: Event) -> None:
        """Keep what the page shows."""
        match event:
            case RunStarted():
                self.started = event
            case RunFinished():
                self.finished = event
            case PhaseFinished():
                self.phases.append(event)
            case CaseFinished():
                self.cases.append(event)
            case _:
                pass


def runs_of(events: Iterable[Event]) -> Iterator[Run]:
    """Yield the runs of a stream of events; each begins with its `RunStarted`."""
    run: Run | None = None
    for event in events:
        if run is None or isinstance(event, RunStarted):
            if run is not None:
                yield run
            run = Run()
        run.take(event)
    if run is not None:
        yield run


def page_data(runs: Sequence[Run]) -> Mapping[str, Any]:
    """Return the page's JSON."""
    cases = [case for run in runs for case in run.cases]
    protocols = {case.protocol for case in cases}
    return {
        "judgements": [judgement.value for judgement in Judgement],
        "findings": sorted(judgement.value for judgement in FINDINGS),
        "standings": {standing.value: meaning for standing, meaning in MEANING.items()},
        "runs": [_run(run) for run in runs],
        "scenarios": {scenario_of(case): _scenario(case) for case in cases},
        "clauses": {
            clause.id: _clause(clause, spoken)
            for clause in CLAUSES.values()
            if (spoken := {name for name in protocols if governs(clause, name)})
        },
    }


def _clause(clause: Clause, protocols: Iterable[str]) -> Mapping[str, Any]:
    """Return a clause for the page."""
    return {
        "id": clause.id,
        "level": clause.level.value,
        "standing": clause.standing.value,
        "text": clause.text,
        "versions": clause.versions,
        "source": asdict(clause.source),
        "protocols": sorted(protocols),
    }


def _run(run: Run) -> Mapping[str, Any]:
    started, finished = run.started, run.finished
    return {
        "run": started.run if started else "?",
        "at": started.at if started else "",
        "consumer": started.consumer if started else "?",
        "label": _label(started),
        "level": started.level if started else "",
        "versions": dict(started.versions) if started else {},
        "planned": started.cases if started else 0,
        "headline": headline(finished) if finished else UNFINISHED,
        "beyond": beyond_line(finished) if finished else "",
        "finished": finished is not None,
        "seconds": finished.seconds if finished else None,
        "phases": [[phase.phase, phase.seconds] for phase in run.phases],
        "cases": list(_cases(run.cases)),
    }


def _label(started: RunStarted | None) -> str:
    """Return what a series of runs has in common: the consumer, and the level if one was asked."""
    if started is None:
        return "?"
    return f"{started.consumer}, {started.level}" if started.level in LEVELS else started.consumer


def _cases(cases: Iterable[CaseFinished]) -> Iterator[Mapping[str, Any]]:
    left = EVIDENCE_SHOWN
    for case in cases:
        has_room = left > 0
        left -= case.evidence is not None
        yield _case(case if has_room else replace(case, evidence=None))


def _scenario(case: CaseFinished) -> Mapping[str, Any]:
    return {
        "title": case.title,
        "file": case.file,
        "folder": folder_of(case),
        "clauses": list(case.clauses),
    }


def _case(case: CaseFinished) -> Mapping[str, Any]:
    verdict = case.verdict
    short = {
        "id": case.case,
        "protocol": case.protocol,
        "scenario": scenario_of(case),
        "judgement": verdict.judgement.value,
        "apart": verdict.apart.value if verdict.apart else "",
        "standing": case.standing.value if case.standing else "",
        "detail": verdict.detail,
        "repeat": case.repeat,
        "settings": case.settings,
    }
    if verdict.came_to not in EXPLAINED:
        return short
    whole = event_json(case)
    return {
        **short,
        "findings": whole["verdict"]["findings"][:FINDINGS_SHOWN],
        "unlisted": max(0, len(verdict.findings) - FINDINGS_SHOWN) + verdict.more,
        "evidence": whole["evidence"],
        "log": case.log[-LOG_CHARACTERS:],
    }
