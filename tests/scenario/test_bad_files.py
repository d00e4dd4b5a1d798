"""What is said about bad files, word for word; `bad_files.txt` holds the files and the messages."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.documents.explain import _SENTENCES
from harness.documents.yaml_file import read
from harness.errors import ExitCode, ScenarioError
from harness.scenario.delivery_rules import clauses_cover_the_matrix
from harness.scenario.draft import Draft
from harness.scenario.grammar import _validator
from harness.scenario.load import load, load_all
from harness.scenario.rules import RULES
from tests.corpus.run import lacking
from tests.documents.test_typed import SPOKEN_ELSEWHERE
from tests.scenario.corpus import NAME, SOUND, BadFile, bad_files

# Rules that no file can break while there is only one protocol.
BROKEN_BY_NO_FILE = {"clauses_cover_the_matrix"}


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty root for scenarios; the current directory is where the file goes."""
    home = tmp_path / "bad"
    home.mkdir()
    monkeypatch.chdir(home)
    return tmp_path


@pytest.mark.parametrize("bad", bad_files(), ids=lambda bad: bad.name)
def test_a_bad_file_is_refused_with_just_these_words(root: Path, bad: BadFile) -> None:
    """Each mistake is told at its place, with what was expected and what to do."""
    (root / "bad" / "file.yaml").write_text(bad.text, encoding="utf-8")
    with pytest.raises(ScenarioError) as caught:
        load(root / "bad" / "file.yaml", root)
    assert str(caught.value) == bad.message
    assert caught.value.exit_code is ExitCode.USAGE
    assert lacking(caught.value) == []


def test_the_sound_file_is_sound(root: Path) -> None:
    """What the bad files are made from loads without a word."""
    (root / "bad" / "file.yaml").write_text(SOUND, encoding="utf-8")
    assert load(root / "bad" / "file.yaml", root).id == NAME


def test_all_files_are_reported_at_once(root: Path) -> None:
    """A run over many bad files ends with the problems of every one of them."""
    rows = bad_files()
    for number, bad in enumerate(rows):
        (root / "bad" / f"file-{number:03}.yaml").write_text(bad.text, encoding="utf-8")
    with pytest.raises(ScenarioError) as caught:
        load_all(root)
    paths = {problem.location.path for problem in caught.value.problems}
    assert paths == {f"file-{number:03}.yaml" for number in range(len(rows))}


def test_a_disturbance_needs_a_clause_of_every_protocol() -> None:
    """What one protocol allows is not thereby allowed in another of the matrix."""
    text = SOUND.replace("[open]", "[open, avro]") + (
        "delivery: {twice: [{replay: {from: one}, allowed-by: {open: x}}]}\n"
    )
    (problem,) = clauses_cover_the_matrix(Draft(read(text, "f"), NAME))
    assert str(problem) == (
        "f:10:42: no clause allows this in the protocol `avro`\n    expected: `avro`: a clause id"
    )


def readable() -> list[Draft]:
    """Return the drafts of all bad files that YAML can read."""
    drafts: list[Draft] = []
    for bad in bad_files():
        try:
            drafts.append(Draft(read(bad.text, "file.yaml"), NAME))
        except ScenarioError:
            continue
    return drafts


def test_every_sentence_is_spoken() -> None:
    """Each kind of grammatical error has a row, so that its sentence has been read by a person."""
    kinds: set[str] = set()
    for draft in readable():
        ahead = list(_validator().iter_errors(draft.data))
        while ahead:
            kind = ahead.pop().kind
            kinds.add(type(kind).__name__)
            ahead += [error for branch in getattr(kind, "context", ()) for error in branch]
    assert kinds == set(_SENTENCES) - set(SPOKEN_ELSEWHERE)


def test_every_rule_is_broken_by_some_file() -> None:
    """Each rule beyond the grammar has a row that breaks it."""
    broken = {
        rule.__name__
        for draft in readable()
        if _validator().is_valid(draft.data)
        for rule in RULES
        if list(rule(draft))
    }
    assert broken == {rule.__name__ for rule in RULES} - BROKEN_BY_NO_FILE
