"""What commands take to choose cases, through the command line."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest

from harness.cli.main import main
from harness.errors import ExitCode
from tests.tree import ROOT

ROOTS = ("--scenarios", str(ROOT / "scenarios"), "--golden", str(ROOT / "golden"))


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand in an empty directory, which keeps no runs."""
    monkeypatch.chdir(tmp_path)


def listed(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[list[str], str]:
    """Return the ids that `harness list` prints, and what it says on standard error."""
    assert main(["list", *words, "--json", *ROOTS]) == ExitCode.PASS
    said = capsys.readouterr()
    return [row["case"] for row in orjson.loads(said.out)], said.err


def test_last_failed_lists_what_failed(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Without a run everything is listed, with a note; after one, what failed in it."""
    whole, said = listed(capsys, "keys.pk-chain", "--last-failed")
    assert "no run is kept here" in said
    assert len(whole) > 1
    kept = tmp_path / ".harness" / "runs" / "1" / "events.ndjson"
    kept.parent.mkdir(parents=True)
    failed = {"case": "keys.pk-chain[open,p1]", "judgement": "fail", "findings": [], "detail": ""}
    rows = [
        {
            "event": "run-started",
            "format": 1,
            "run": "1",
            "consumer": "c",
            "cases": 1,
            "versions": {},
        },
        {
            "event": "case-finished",
            "case": failed["case"],
            "protocol": "open",
            "file": "",
            "title": "",
            "verdict": failed,
            "repeat": "",
        },
    ]
    kept.write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in rows))
    assert listed(capsys, "keys.pk-chain", "--lf") == (["keys.pk-chain[open,p1]"], "")


def test_choices_narrow_each_other(capsys: pytest.CaptureFixture[str]) -> None:
    """A pattern, a protocol, a clause and a word leave what all of them mean."""
    words = ("keys.*[p1]", "--protocol", "open", "--clause", "open.txn", "-k", "pk-chain")
    found, _ = listed(capsys, *words)
    assert found
    assert all(case.startswith("keys.pk-chain[open,p1") for case in found)


def test_preview_takes_the_id_of_a_case(capsys: pytest.CaptureFixture[str]) -> None:
    """A case can be pasted as it is printed."""
    assert main(["preview", "keys.pk-chain[open,p1]", *ROOTS]) == ExitCode.PASS
    assert capsys.readouterr().out.count("keys.pk-chain[") == 1
