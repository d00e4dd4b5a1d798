"""`harness review` shows goldens record by record, and writes what is accepted whole."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from harness.cli.main import main
from tests.cli.spoilt_goldens import RECORDS, SCENARIO, TABLES, stand_in


@pytest.fixture(autouse=True)
def _workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand in a copy of one scenario whose goldens say something else."""
    stand_in(tmp_path, monkeypatch, (RECORDS, TABLES))


class Terminal(io.StringIO):
    """What somebody types."""

    def isatty(self) -> bool:
        """Say that it is a terminal."""
        return True


def typed(monkeypatch: pytest.MonkeyPatch, answers: str) -> None:
    """Let somebody type these letters, a line each."""
    monkeypatch.setattr(sys, "stdin", Terminal("".join(f"{letter}\n" for letter in answers)))


def test_without_a_terminal_it_shows_and_asks_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    """Each change has its place, parts and lines of the scenario; nothing is written; exit 1."""
    before = RECORDS.read_bytes()
    assert main(["review"]) == 1
    out = capsys.readouterr().out
    assert f"{RECORDS}  1 of 1\n  ticdc/0@2: what a decoder reads, the value\n" in out
    assert f"made by scenarios/{SCENARIO}.yaml:" in out
    assert "  - shop.cart {id: 3, item: 'peppers', n: 7}" in out
    assert "  + shop.cart {id: 3, item: 'pepper', n: 7}" in out
    assert "nothing was asked: `--accept all`" in out
    assert RECORDS.read_bytes() == before


def test_options_accept_a_record_and_a_file(capsys: pytest.CaptureFixture[str]) -> None:
    """A record named by its place is written, the other file stays; then all is taken."""
    assert main(["review", "--accept", f"{RECORDS}:ticdc/0@2"]) == 1
    out = capsys.readouterr().out
    assert f"wrote   {RECORDS}" in out
    assert f"left    {TABLES}: 0 of 1 changes accepted" in out
    assert "peppers" not in RECORDS.read_text("utf-8")
    assert "peppers" in TABLES.read_text("utf-8")
    assert main(["review", "--accept", "all"]) == 0
    assert main(["review"]) == 0
    assert "no golden file differs" in capsys.readouterr().out
    assert main(["golden", "diff"]) == 0


def test_a_name_that_nothing_has_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """A typo is a usage error with the nearest name, and nothing is written."""
    assert main(["review", "--accept", f"{RECORDS}:ticdc/0@3"]) == 2
    assert f"did you mean '{RECORDS}:ticdc/0@2'?" in capsys.readouterr().err
    assert "peppers" in RECORDS.read_text("utf-8")


@pytest.mark.parametrize(
    ("answers", "written"),
    [("yy", {RECORDS, TABLES}), ("ny", {TABLES}), ("as", {RECORDS}), ("q", set()), ("", set())],
)
def test_a_terminal_is_asked_about_each(
    answers: str, written: set[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Yes and all write, no and skip leave, quit and the end of the input leave the rest."""
    typed(monkeypatch, answers)
    assert main(["review"]) == (0 if len(written) == 2 else 1)
    assert {
        file for file in (RECORDS, TABLES) if "peppers" not in file.read_text("utf-8")
    } == written


def test_a_record_more_changes_no_other(capsys: pytest.CaptureFixture[str]) -> None:
    """Records behind one that is gone differ by their place alone, and say so."""
    first, second, *rest = RECORDS.read_text("utf-8").split("\n\n")
    RECORDS.write_text("\n\n".join([first, *rest]), encoding="utf-8")
    assert second.startswith("ticdc/0@0 ")
    assert main(["review", "--list"]) == 1
    assert "ticdc/0@0: it is new" in capsys.readouterr().out


def test_ci_accepts_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where CI is set, options accept nothing: exit 2."""
    monkeypatch.setenv("CI", "true")
    assert main(["review", "--accept", "all"]) == 2
    assert "peppers" in RECORDS.read_text("utf-8")


def test_what_an_author_expects_must_hold(capsys: pytest.CaptureFixture[str]) -> None:
    """A golden never blesses itself: with a failing expectation nothing is written."""
    scenario = Path(f"scenarios/{SCENARIO}.yaml")
    text = scenario.read_text("utf-8")
    expect = text.index("expect:")
    scenario.write_text(text[:expect] + text[expect:].replace("pepper", "salt"), "utf-8")
    assert main(["review", "--accept", "all"]) == 2
    assert "expect.tables does not hold" in capsys.readouterr().err
    assert "peppers" in TABLES.read_text("utf-8")
