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


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A catalogue of one scenario, in a directory of its own."""
    home = tmp_path / "scenarios" / "duplicates"
    home.mkdir(parents=True)
    shutil.copy(ROOT / "scenarios" / "duplicates" / "row-sent-twice.yaml", home)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_what_is_missing_is_reported(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A MUST clause without a scenario is exit code 1, with its place in harness/spec."""
    del small
    assert main(["coverage", "--protocol", "registry", "--missing"]) == 1
    output = capsys.readouterr()
    assert "  MISSING          MUST   document registry." in output.out
    assert "harness/spec/clauses/registry/" in output.err


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
    assert (
        "  failed           MAY    document open.delivery.at-least-once" in capsys.readouterr().out
    )
    main([*asked, "--events", str(other)])
    output = capsys.readouterr().out
    assert "  passed           MAY    document open.delivery.at-least-once" in output
    assert "verdicts of run 0123ab: spark, 1 case" in output


def test_an_unknown_clause(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A scenario that cites what no document says is refused with its place, by `check` as well."""
    file = small / "scenarios" / "duplicates" / "row-sent-twice.yaml"
    file.write_text(file.read_text("utf-8").replace("[open.delivery", "[open.delivry", 1), "utf-8")
    for command in ("coverage", "check"):
        assert main([command]) == 2
        output = capsys.readouterr()
        assert "unknown clause `open.delivry.at-least-once`" in output.out + output.err
        assert "row-sent-twice.yaml:4:" in output.out + output.err


def test_the_documents_are_gone_down(capsys: pytest.CaptureFixture[str]) -> None:
    """A reader sees each statement with its lines, and its clauses or why it has none."""
    assert main(["coverage", "--documents"]) == 0
    shown = capsys.readouterr().out
    assert "  287-290  85\n" in shown
    assert f"MUST open.flag.sample-85: {CLAUSES['open.flag.sample-85'].text}\n" in shown
    assert main(["coverage", "--documents", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    rows = [row for document in data for row in document["statements"]]
    assert len(data) == 5
    assert all(bool(row["clauses"]) != bool(row["reason"]) for row in rows)
