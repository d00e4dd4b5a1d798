"""The cases that failed when they were last run, by the runs that are kept."""

from __future__ import annotations

from pathlib import Path

from harness.model.events import CaseFinished, RunStarted
from harness.model.finding import Judgement, Verdict
from harness.report.last_failed import last_failed
from harness.report.ndjson import Ndjson


def kept(path: Path, consumer: str, **judgements: Judgement) -> Path:
    """Write a run's events with these verdicts."""
    with path.open("wb") as file:
        report = Ndjson(file)
        report.handle(RunStarted("r", consumer, len(judgements), {}))
        for case, judgement in judgements.items():
            report.handle(CaseFinished(case, "open", "", "", Verdict(case, judgement), ""))
    return path


def test_the_latest_verdict_of_each_case_counts(tmp_path: Path) -> None:
    """A case that passed since is over; one that was not run since still fails."""
    files = [
        kept(tmp_path / "2", "mine", a=Judgement.PASS),
        kept(tmp_path / "1", "mine", a=Judgement.FAIL, b=Judgement.CRASH, c=Judgement.PASS),
    ]
    assert last_failed(files, "mine") == {"b"}


def test_other_consumers_are_passed_over(tmp_path: Path) -> None:
    """Runs of another consumer, and files that are none, say nothing; without a name all do."""
    (tmp_path / "torn").write_text("{}\n", encoding="utf-8")
    files = [tmp_path / "torn", kept(tmp_path / "1", "theirs", a=Judgement.FAIL)]
    assert last_failed(files, "mine") is None
    assert last_failed(files) == {"a"}
