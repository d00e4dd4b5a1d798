"""Promises of the two commands before any Spark: mistakes are told at once, exit code 2."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness.cli.main import main

REFUSED = {
    "a verdict on nothing": (["verify", "--spark", "out"], "nothing says what to expect"),
    "two expectations": (
        ["verify", "--spark", "out", "--expected", "e", "--seed", "2"],
        "e says what to expect, and so do the workload's flags",
    ),
    "a rate that is none": (["load", "--rate", "fast"], "--rate fast is not a rate"),
    "a protocol that is none": (["load", "--protocol", "canal"], "`protocol` is the text `canal`"),
    "a file that is not there": (
        ["load", "--spec", "none.yaml"],
        "none.yaml: cannot read",
    ),
    "a setting that the protocol refuses": (
        ["load", "--dry-run", "--spec", "wrong.yaml"],
        "max-batch-size",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_is_reported_at_once(
    name: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A user's mistake has a sentence and exit code 2, and starts no service."""
    monkeypatch.chdir(tmp_path)
    Path("wrong.yaml").write_text("settings: {max-batch-size: many}\n", encoding="utf-8")
    arguments, said = REFUSED[name]
    assert main(arguments) == 2
    output = capsys.readouterr().err
    assert said in output
    assert "Traceback" not in output
    assert not (tmp_path / ".harness").exists()


def test_a_dry_run_shows_the_whole_workload(capsys: pytest.CaptureFixture[str]) -> None:
    """What would be made is told as data, and nothing is started."""
    arguments = [
        "load",
        "--events",
        "10",
        "--tables",
        "1",
        "--protocol",
        "vitess",
        "--dry-run",
        "--json",
    ]
    assert main(arguments) == 0
    output = json.loads(capsys.readouterr().out)
    assert output["topics"] == ["vitess.load.orders_0"]
    assert len(output["statements"]) == 3
