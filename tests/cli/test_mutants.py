"""`harness mutants` as a user runs it: which mutants were detected, and what is amiss."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness.cli.main import main
from tests.tree import ROOT

SCENARIO = "dml.insert-update-delete"


@pytest.fixture(autouse=True)
def in_the_repository(monkeypatch: pytest.MonkeyPatch) -> None:
    """The scenarios are the repository's own."""
    monkeypatch.chdir(ROOT)


def test_a_mutant_that_is_caught(capsys: pytest.CaptureFixture[str]) -> None:
    """A mutant that its scenario catches is exit code 0; the finding is told for each protocol."""
    assert main(["mutants", SCENARIO, "--mutant", "deletes-ignored"]) == 0
    out = capsys.readouterr().out
    rules = {
        "open": "open.row.delete",
        "avro": "avro.consumer.null-is-delete",
        "vitess": "vitess.row.delete",
    }
    for protocol, clause in rules.items():
        assert f"detected deletes-ignored                  {protocol:<7} {SCENARIO}" in out
        assert f"extra-row {clause}: shop.orders has the row id=1" in out
    assert "1 of 1 mutants detected by a scenario that claims them (4 of 4 by protocol)" in out


def test_a_mutant_that_nobody_names(capsys: pytest.CaptureFixture[str]) -> None:
    """A mutant that no chosen scenario names is exit code 1, and JSON says so too."""
    assert main(["mutants", SCENARIO, "--mutant", "key-cut-short"]) == 1
    assert "UNNAMED  key-cut-short" in capsys.readouterr().out
    assert main(["mutants", SCENARIO, "--mutant", "key-cut-short", "--json"]) == 1
    document = json.loads(capsys.readouterr().out)["consumers"]
    assert document["sound"] is False
    assert {one["detected"] for one in document["results"]} == {False}


def test_a_mutant_that_is_named_for_one_protocol(capsys: pytest.CaptureFixture[str]) -> None:
    """`upsert-appends` is claimed where rows are upserts; Open's cases of the scenario owe none."""
    assert main(["mutants", "deletes.row-comes-again", "--consumers"]) == 0
    assert "1 of 1 mutants detected by a scenario that claims them" in capsys.readouterr().out


def test_a_wrong_producer(capsys: pytest.CaptureFixture[str]) -> None:
    """A wrong producer that a scenario citing its clause sees is exit code 0, with what it saw."""
    asked = ["mutants", "encoding.open-frames", "--mutant", "open-version-2"]
    assert main(asked) == 0
    printed = capsys.readouterr().out
    assert "detected   open-version-2                           open.frame.version-1" in printed
    assert "encoding.open-frames[open,p1]: undecodable: protocol version 2" in printed
    assert "1 of 1 wrong producers detected" in printed
    assert main([*asked, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)["producers"]
    assert document["results"][0]["detections"][0]["clause"] == "open.frame.version-1"


def test_a_wrong_producer_of_a_clause_that_is_not_cited(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A scenario that does not cite the clause proves nothing of it: exit code 1."""
    assert main(["mutants", SCENARIO, "--mutant", "open-version-2"]) == 1
    assert "UNCITED    open-version-2" in capsys.readouterr().out


def test_the_producers_of_a_clause(capsys: pytest.CaptureFixture[str]) -> None:
    """--clause takes those of a clause and below it; one that nobody violates is a mistake."""
    assert main(["mutants", "--clause", "open.frame.version-1"]) == 0
    assert "1 of 1 wrong producers" in capsys.readouterr().out
    assert main(["mutants", "--clause", "open.fram"]) == 2
    assert "no wrong producer violates open.fram" in capsys.readouterr().err


def test_only_the_right_consumer(capsys: pytest.CaptureFixture[str]) -> None:
    """With --reference no mutant runs, and the right consumer passes over many deliveries."""
    assert main(["mutants", SCENARIO, "--reference", "--seeds", "20"]) == 0
    assert "0 of 0 mutants" in capsys.readouterr().out


def test_an_unknown_mutant(capsys: pytest.CaptureFixture[str]) -> None:
    """A name that no mutant has is a mistake of usage."""
    assert main(["mutants", "--mutant", "signed-46"]) == 2
    assert "there is no mutant 'signed-46'" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["check", "mutants"])
def test_a_claim_on_nobody(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A scenario that names a mutant which does not exist is refused, with the nearest name."""
    home = tmp_path / "scenarios" / "dml"
    home.mkdir(parents=True)
    text = (ROOT / "scenarios" / "dml" / "insert-update-delete.yaml").read_text(encoding="utf-8")
    text = text[: text.index("\nkills:")] + "\nkills: [signed-46]\n"
    (home / "insert-update-delete.yaml").write_text(text, encoding="utf-8")
    options = ["--scenarios", str(tmp_path / "scenarios"), "--golden", str(ROOT / "golden")]
    assert main([command, str(home), *options]) == 2
    output = capsys.readouterr()
    assert "`kills` names mutant `signed-46`, which does not exist" in output.out + output.err
    assert "did you mean `signed-64`?" in output.out + output.err


def test_real_refuses_what_it_does_not_take(capsys: pytest.CaptureFixture[str]) -> None:
    """What would not change a run on real services is refused, and so is an unknown program."""
    assert main(["mutants", "--real", "--seeds", "3", "--full", SCENARIO]) == 2
    assert "--real does not take PATHS, --seeds, --full" in capsys.readouterr().err
    assert main(["mutants", "--real", "--mutant", "nobody"]) == 2
    assert "there is no wrong program 'nobody'" in capsys.readouterr().err
