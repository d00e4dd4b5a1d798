"""What runs leave behind is bounded, and nobody loses what they work in."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from harness.cli.main import main
from harness.engine.catalogue.kept_runs import EVENTS, remove_old
from harness.engine.catalogue.workspace import kept_runs, new_run, workspace

HOLD = """
import sys
from pathlib import Path
from harness.engine.catalogue.kept_runs import hold
hold(Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.read()
"""


def _runs(parent: Path, count: int) -> list[Path]:
    """Make runs with events and an output each, the newest first."""
    made: list[Path] = []
    for number in range(count):
        directory = parent / f"{number:06x}"
        (directory / "consumer").mkdir(parents=True)
        (directory / EVENTS).write_text("{}\n", encoding="utf-8")
        (directory / "consumer" / "output.log").write_text("x" * 100, encoding="utf-8")
        os.utime(directory / EVENTS, (10**9 - number, 10**9 - number))
        made.append(directory)
    return made


def test_newest_stay_whole_older_by_their_events(tmp_path: Path) -> None:
    """So many runs stay as they are, so many more keep what reports are made from."""
    made = _runs(tmp_path, 6)
    removed = remove_old(tmp_path, whole=2, by_events=3)
    assert [(one / "consumer").exists() for one in made] == [True] * 2 + [False] * 4
    assert [(one / EVENTS).exists() for one in made] == [True] * 5 + [False]
    assert (removed.runs, removed.size) == (4, 4 * 100 + 3)


def test_a_new_run_takes_the_oldest_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody has to clean: whoever starts a run bounds what is there."""
    _runs(tmp_path / ".harness" / "runs", 250)
    monkeypatch.chdir(tmp_path)
    new_run(workspace(tmp_path).runs / "runs")
    assert len(kept_runs(tmp_path)) == 219  # 220 with the new one, which has no events yet
    assert len(list(tmp_path.glob(".harness/runs/*/consumer"))) == 19


def test_a_run_that_goes_on_stays(tmp_path: Path) -> None:
    """The process that works in a directory keeps it, until it ends."""
    first, second = _runs(tmp_path, 2)
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(second)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        remove_old(tmp_path, whole=0, by_events=0)
        assert (first.exists(), (second / "consumer").exists()) == (False, True)
        holder.communicate()
    remove_old(tmp_path, whole=0, by_events=0)
    assert not second.exists()


def test_links_are_not_followed(tmp_path: Path) -> None:
    """What a link in a run leads to is somebody else's, and stays."""
    (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
    (run,) = _runs(tmp_path / "runs", 1)
    (run / "link").symlink_to(tmp_path)
    (tmp_path / "runs" / "elsewhere").symlink_to(tmp_path)
    remove_old(tmp_path / "runs", whole=0, by_events=0)
    assert (tmp_path / "mine.txt").exists()
    assert (tmp_path / "runs" / "elsewhere").is_symlink()


def test_clean_removes_runs_and_keeps_findings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`harness clean` removes runs; what fuzz found stays, what checks remember goes with --all."""
    monkeypatch.chdir(tmp_path)
    home = tmp_path / ".harness"
    _runs(home / "runs", 3)
    (home / "fuzz").mkdir()
    (home / "sound.json").write_text("{}", encoding="utf-8")
    assert main(["clean", "--keep", "1"]) == 0
    assert "removed 2 runs" in capsys.readouterr().out
    assert len(list(home.glob("runs/*"))) == 1
    assert main(["clean", "--all"]) == 0
    assert sorted(one.name for one in home.iterdir()) == ["fuzz", "runs"]
