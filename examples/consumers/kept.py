"""What is kept of a run: the harness's own events, without what is long and says nothing new.

One file is one whole run of `matrix.py run`. Every case is in it with its judgement, and the
file is what `harness report` reads. Left out are the consumers' output, findings beyond the third
of a case, and the records and tables around a finding, except for the cases that show a defect.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Json = dict[str, Any]
RESULTS = Path(__file__).parent / "results"
FINDINGS = 3
TEXT_MAX = 600
# What differs from run to run: prefixes of topics, groups and databases, ids of sessions, and the
# last lines of the consumer's output.
PASSING = (
    (r"harness-[0-9a-f]{6}-", ""),
    (r"\b\d{4,6}\.(?=\S+/\d+@\d)", ""),
    (r"\(conn=\d+\)", "(conn)"),
    (r"\bh[0-9a-f]{6}_", ""),
    (r"/\S*/(?=tiflow/)", ""),  # where somebody has the sources
    (r"(?s); its last words:.*", ""),
)
FAILURES = {"fail", "crash", "timeout", "invalid", "inconclusive", "xfail"}
PASSES = {"pass", "xpass"}


@dataclass(frozen=True, slots=True)
class Case:
    """One applicable case of a run: its id, judgement, and the findings' kinds and messages."""

    id: str
    judgement: str
    findings: tuple[str, ...]

    @property
    def scenario(self) -> str:
        """Return the scenario's id."""
        return self.id.partition("[")[0]

    def has(self, words: list[str]) -> str | None:
        """Return the finding that has one of the words, or None."""
        return next((f for f in self.findings for w in words if self.has_in(f, w)), None)

    @staticmethod
    def has_in(finding: str, words: str) -> bool:
        """Return whether a finding has the words; the harness looks for them in "kind message"."""
        return words.lower() in finding.replace(": ", " ", 1).lower()

    def shows(self, defect: Json) -> bool:
        """Return whether it failed with the words of a defect, and where the defect is sought."""
        in_question = any(words in self.id for words in defect.get("only", [""]))
        failed = self.judgement in FAILURES
        return failed and in_question and self.has(defect.get("finding", [])) is not None


@dataclass(frozen=True, slots=True)
class Result:
    """What a run over an adapter brought: when, with which version, in which numbers."""

    day: str
    version: str
    passed: int
    applicable: int
    total: int
    cases: tuple[Case, ...]

    def showing(self, defect: Json) -> list[Case]:
        """Return the cases that show a defect, the one to look at first."""
        found = [case for case in self.cases if case.shows(defect)]
        return sorted(found, key=lambda case: case.scenario != defect.get("shown"))


def file_of(adapter: str) -> Path:
    """Return where an adapter's result is kept."""
    return RESULTS / f"{adapter}.ndjson"


def result(adapter: str) -> Result:
    """Return the kept result of an adapter."""
    events = [json.loads(line) for line in file_of(adapter).read_text("utf-8").splitlines()]
    return _result(events)


def keep(run: Path, adapter: str, defects: list[Json]) -> None:
    """Keep a run's events as the result of an adapter."""
    events = [json.loads(line) for line in run.read_text("utf-8").splitlines()]
    found = _result(events)
    shown = {case.id for defect in defects for case in found.showing(defect)[:1]}
    file = file_of(adapter)
    file.parent.mkdir(exist_ok=True)
    lines = (json.dumps(event, ensure_ascii=False) for event in _worth(events, shown))
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def _worth(events: list[Json], shown: set[str]) -> Iterator[Json]:
    """Yield what is kept of the events, the cases by their ids."""
    cases = sorted((e for e in events if e["event"] == "case-finished"), key=lambda e: e["case"])
    yield from (event for event in events if event["event"] == "run-started")
    yield from (event for event in events if event["event"] == "phase-finished")
    yield from (_short(case, evidence=case["case"] in shown) for case in cases)
    yield from (event for event in events if event["event"] == "run-finished")


def _short(case: Json, *, evidence: bool) -> Json:
    verdict = case["verdict"]
    findings = [
        {name: _plain(value) if isinstance(value, str) else value for name, value in one.items()}
        for one in verdict["findings"][:FINDINGS]
    ]
    verdict |= {"findings": findings, "detail": _plain(verdict["detail"])}
    return case | {
        "verdict": verdict,
        "log": "",
        "evidence": case["evidence"] if evidence else None,
    }


def _plain(text: str) -> str:
    """Return a text without what differs from run to run, and bounded."""
    for pattern, instead in PASSING:
        text = re.sub(pattern, instead, text)
    return text[:TEXT_MAX]


def _result(events: Iterable[Json]) -> Result:
    by_name = {event["event"]: event for event in events if event["event"].startswith("run-")}
    started, finished = by_name["run-started"], by_name["run-finished"]
    verdicts = [event["verdict"] for event in events if event["event"] == "case-finished"]
    cases = (
        Case(
            verdict["case"],
            verdict["judgement"],
            tuple(
                f"{one['kind']}: {' '.join(_plain(one['message']).split())}"
                for one in verdict["findings"][:FINDINGS]
            ),
        )
        for verdict in verdicts
        if verdict["judgement"] != "not-applicable"
    )
    return Result(
        started["at"][:10],
        started["versions"][started["consumer"]],
        finished["passed"],
        finished["applicable"],
        finished["total"],
        tuple(sorted(cases, key=lambda case: case.id)),
    )
