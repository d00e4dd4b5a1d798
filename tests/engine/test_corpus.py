"""The runner judged by a corpus: what must be refused, what must fail, what must pass."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.errors import ScenarioError
from harness.model.finding import FINDINGS, Judgement
from tests.corpus.run import CORPUS, Entry, author_says, entries, lacking, planned, verdicts

LEAST = 100


@pytest.fixture(autouse=True)
def in_the_corpus(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are named from the corpus on, wherever it lies."""
    monkeypatch.chdir(CORPUS)


def name(entry: Entry) -> str:
    """Return what a test of a file is called."""
    return entry.path.stem


@pytest.mark.parametrize("entry", entries("invalid"), ids=name)
def test_what_must_be_refused(entry: Entry, tmp_path: Path) -> None:
    """Each of these files is refused, with just the words that it begins with."""
    with pytest.raises(ScenarioError) as caught:
        planned(entry, tmp_path)
    assert str(caught.value) == entry.refused


@pytest.mark.parametrize("entry", entries("invalid"), ids=name)
def test_a_refusal_says_where_and_what_instead(entry: Entry, tmp_path: Path) -> None:
    """Each problem names file, line and column, what is wrong, and what was expected there."""
    with pytest.raises(ScenarioError) as caught:
        planned(entry, tmp_path)
    assert lacking(caught.value) == []


@pytest.mark.parametrize("entry", entries("valid-fail"), ids=name)
def test_what_must_fail(entry: Entry, tmp_path: Path) -> None:
    """Each of these files fails: its author is wrong, or its consumer, and the finding says how."""
    plans = planned(entry, tmp_path)
    problems = author_says(plans)
    if entry.author:
        assert any(entry.author in problem.what for problem in problems), problems
        return
    assert not problems
    found = [one for one in verdicts(entry, plans) if one.judgement in FINDINGS]
    reported = [f"{finding.kind} {finding.message}" for one in found for finding in one.findings]
    assert any(t.startswith(f"{entry.kind} ") and entry.text in t for t in reported), reported


@pytest.mark.parametrize("entry", entries("valid-pass"), ids=name)
def test_what_must_pass(entry: Entry, tmp_path: Path) -> None:
    """Each of these files passes over every delivery, by the right consumer or a harmless one."""
    plans = planned(entry, tmp_path)
    assert not author_says(plans)
    for verdict in verdicts(entry, plans):
        assert verdict.judgement is Judgement.PASS, verdict


def test_the_corpus_is_large() -> None:
    """There are a hundred files at least, some of each kind, and each says what must happen."""
    folders = {folder: entries(folder) for folder in ("invalid", "valid-fail", "valid-pass")}
    assert sum(map(len, folders.values())) >= LEAST
    assert all(entry.refused for entry in folders["invalid"])
    assert all(entry.author or entry.kind for entry in folders["valid-fail"])
    assert min(map(len, folders.values())) >= LEAST // 5
