"""Which directories are watched, and that a save there is noticed, and nothing else."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from harness.authoring.saved_files import places, saved_files
from harness.engine.catalogue.workspace import bundled, workspace
from harness.runner.commands import Whereabouts
from harness.runner.targets import parse


def watched(
    here: Path, target: str, more: Sequence[Path] = (), path: str | None = None
) -> tuple[Path, ...]:
    """Return the directories that are watched for a consumer, to somebody who stands here.

    `path` is what PATH holds, this process's own unless given.
    """
    searched = {} if path is None else {"PATH": path}
    whereabouts = Whereabouts(here, {**os.environ, **searched})
    root = bundled() / "scenarios"
    own = here / "scenarios"
    space = workspace(here, own if own.is_dir() else root)
    return places(parse(target, whereabouts), target, space, whereabouts, more)


def program(path: Path) -> Path:
    """Write a program."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def test_a_consumer_is_watched_where_it_lies(tmp_path: Path) -> None:
    """Watched are here, a manifest's directory, and those of the files that a command names."""
    here, there = tmp_path / "here", tmp_path / "there"
    program(here / "run")
    program(there / "src/run")
    (there / "consumer.yaml").write_text("manifest: 1\nname: a\ncommand: [./src/run]\n")
    assert watched(here, "exec:./run") == (here,)
    assert watched(here, "exec:../there/src/run") == (here, there / "src")
    assert watched(here, "exec:sh ../there/src/run") == (here, there / "src")
    assert watched(here, "py:json:dumps") == (here,)
    assert watched(here, "../there/consumer.yaml") == (there,)
    assert watched(here, "exec:./run", [there / "src/run"]) == (here, there / "src")


@pytest.mark.parametrize("path", ["", "/usr/bin", "/nowhere"])
def test_installed_commands_are_not_watched(tmp_path: Path, path: str) -> None:
    """Whatever PATH holds: not Python's own directory, the system's, or a virtual environment's."""
    here, venv = tmp_path / "here", tmp_path / "venv"
    program(here / "run")
    python = program(venv / "bin/python")
    (venv / "pyvenv.cfg").touch()
    assert watched(here, "py:json:dumps", path=path) == (here,)
    for command in ("/bin/sh", sys.executable, os.path.realpath(sys.executable), python):
        assert watched(here, f"exec:{command} ./run", path=path) == (here,)


def test_scenarios_are_watched_unless_they_are_the_package_s(tmp_path: Path) -> None:
    """An author's scenarios are; where nothing of the user's is, it is the user's directory."""
    here = tmp_path / "here"
    here.mkdir()
    assert watched(here, "reference") == (here,)
    (here / "scenarios").mkdir()
    assert watched(here, "reference") == (here / "scenarios",)


def test_a_save_is_noticed_also_while_nobody_asks(tmp_path: Path) -> None:
    """What is saved during a round is there after it; what the run writes itself is passed over."""
    report = tmp_path / "report.html"
    (tmp_path / ".harness/runs").mkdir(parents=True)
    (tmp_path / "src").mkdir()
    with saved_files([tmp_path], [report]) as saves:
        report.write_text("a")
        (tmp_path / ".harness/runs/events.ndjson").write_text("a")
        (tmp_path / "src/consumer.py").write_text("a")
        looks = [saves.so_far() for _ in range(10)]
        assert list(filter(None, looks)) == [{tmp_path / "src/consumer.py"}]
        (tmp_path / "src/consumer.py").write_text("b")
        assert saves.wait() == {tmp_path / "src/consumer.py"}
        assert saves.so_far() == frozenset()


def test_what_we_print_is_no_save(tmp_path: Path) -> None:
    """Where a shell sends our output into a watched directory, each round would begin another."""
    log, other = tmp_path / "watch.log", tmp_path / "consumer.py"
    before = os.dup(2)
    with log.open("w") as file:
        os.dup2(file.fileno(), 2)
    try:
        with saved_files([tmp_path]) as saves:
            os.write(2, b"waiting\n")
            other.write_text("", encoding="utf-8")
            assert saves.wait() == {other}
            assert log.read_bytes() == b"waiting\n"
    finally:
        os.dup2(before, 2)
        os.close(before)
