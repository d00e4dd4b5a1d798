"""`harness golden` compares for everybody and accepts for a person."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from harness.cli.main import main
from tests.cli.spoilt_goldens import SCENARIO, TABLES, stand_in


@pytest.fixture(autouse=True)
def _workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand in a copy of one scenario whose tables golden says something else."""
    stand_in(tmp_path, monkeypatch, (TABLES,))


def test_diff_shows_and_exits_1(capsys: pytest.CaptureFixture[str]) -> None:
    """A difference is shown by file, with both sides, and nothing is written."""
    before = TABLES.read_bytes()
    assert main(["golden", "diff"]) == 1
    out = capsys.readouterr().out
    assert str(TABLES) in out
    assert "'peppers', n: 7" in out
    assert out.endswith("1 golden file differs\n")
    assert "\x1b" not in out
    assert TABLES.read_bytes() == before


def test_accept_writes_and_then_nothing_differs(capsys: pytest.CaptureFixture[str]) -> None:
    """Accepting prints what it wrote; the lock is untouched, and check and diff pass."""
    lock = Path("golden", SCENARIO, "changes.jsonl").read_bytes()
    assert main(["check"]) == 2
    assert main(["golden", "accept", "dml.no-net-change"]) == 0
    assert f"wrote   {TABLES}" in capsys.readouterr().out
    assert main(["golden", "diff", f"scenarios/{SCENARIO}.yaml"]) == 0
    assert main(["check"]) == 0
    assert Path("golden", SCENARIO, "changes.jsonl").read_bytes() == lock


def test_accept_removes_stale_files(capsys: pytest.CaptureFixture[str]) -> None:
    """A variant that the matrix no longer has fails the check until its files are accepted away."""
    stale = TABLES.with_name("open-p7.tables.txt")
    stale.write_text("", encoding="utf-8")
    assert main(["check"]) == 2
    assert "stale" in capsys.readouterr().err
    assert main(["golden", "diff"]) == 1
    assert main(["golden", "accept"]) == 0
    assert f"removed {stale}" in capsys.readouterr().out
    assert not stale.exists()
    assert main(["check"]) == 0


def test_orphans_fail_the_check(capsys: pytest.CaptureFixture[str]) -> None:
    """Goldens without a scenario are told beside all other problems."""
    shutil.copytree(Path("golden", SCENARIO), "golden/nobody")
    assert main(["check", "--json"]) == 2
    out = capsys.readouterr().out
    assert "no scenario owns these goldens" in out
    assert "disagree" in out


@pytest.mark.parametrize("ci", ["true", "1", "woodpecker"])
def test_nothing_is_accepted_where_ci_is_set(
    ci: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """CI compares and never accepts: exit 2, the file as it was."""
    monkeypatch.setenv("CI", ci)
    before = TABLES.read_bytes()
    assert main(["golden", "accept"]) == 2
    assert "CI is set" in capsys.readouterr().err
    assert main(["golden", "diff"]) == 1
    assert TABLES.read_bytes() == before
