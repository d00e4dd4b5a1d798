"""`harness coverage` as a user and CI run it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from harness.cli.main import main
from harness.model.finding import Judgement
from harness.protocols.clauses import CLAUSES
from tests.report.samples import case, run, written
from tests.tree import ROOT


def test_the_catalogue_is_whole(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every MUST and nearly every SHOULD has a scenario or a proof: the gate of CI."""
    monkeypatch.chdir(ROOT)
    assert main(["coverage", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["sound"]
    assert len(data["clauses"]) == len(CLAUSES)


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A catalogue of one scenario, in a directory of its own."""
    home = tmp_path / "scenarios" / "duplicates"
    home.mkdir(parents=True)
    shutil.copy(ROOT / "scenarios" / "duplicates" / "row-sent-twice.yaml", home)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_what_is_missing_is_told(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A MUST clause without a scenario is exit code 1, with its place in harness/spec."""
    del small
    assert main(["coverage", "--protocol", "registry", "--missing"]) == 1
    told = capsys.readouterr()
    assert "  MISSING   MUST   registry." in told.out
    assert "harness/spec/clauses/registry/" in told.err


def test_levels_that_nothing_is_asked_of(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """MAY clauses without a scenario are listed, and are no finding."""
    del small
    assert main(["coverage", "--level", "may"]) == 0
    assert "MISSING" in capsys.readouterr().out


def test_verdicts_of_the_last_run_and_of_others(
    small: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The newest run here is taken, and --events takes others in its place."""
    name = "duplicates.row-sent-twice[open,p1]"
    kept = small / ".harness" / "runs" / "0123ab"
    kept.mkdir(parents=True)
    (kept / "events.ndjson").write_bytes(written("ndjson", run(case(name, Judgement.FAIL))))
    other = small / "other.ndjson"
    other.write_bytes(written("ndjson", run(case(name, Judgement.PASS), consumer="spark")))
    asked = ["coverage", "--protocol", "open", "--level", "may"]
    main(asked)
    assert "  failed    MAY    open.delivery.at-least-once" in capsys.readouterr().out
    main([*asked, "--events", str(other)])
    told = capsys.readouterr().out
    assert "  passed    MAY    open.delivery.at-least-once" in told
    assert "verdicts of run 0123ab: spark, 1 cases" in told


def test_an_unknown_clause(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A scenario that cites what no document says is refused with its place, by `check` as well."""
    file = small / "scenarios" / "duplicates" / "row-sent-twice.yaml"
    file.write_text(file.read_text("utf-8").replace("[open.delivery", "[open.delivry", 1), "utf-8")
    for command in ("coverage", "check"):
        assert main([command]) == 2
        told = capsys.readouterr()
        assert "unknown clause `open.delivry.at-least-once`" in told.out + told.err
        assert "row-sent-twice.yaml:4:" in told.out + told.err
