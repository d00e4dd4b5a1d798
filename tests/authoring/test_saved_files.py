"""Which directories are watched, and that a save there is noticed, and nothing else."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from harness.authoring.saved_files import places, saved_files
from harness.engine.catalogue.workspace import bundled, workspace
from harness.runner.commands import Whereabouts
from harness.runner.targets import parse


def watched(here: Path, target: str, more: Sequence[Path] = ()) -> tuple[Path, ...]:
    """Return the directories that are watched for a consumer, to somebody who stands here."""
    whereabouts = Whereabouts(here, dict(os.environ))
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
