"""Cases that nobody promises, from the command line: run, shown apart, counted when asked."""

from __future__ import annotations

import sys
from pathlib import Path

import orjson
import pytest

from harness.cli.main import main
from tests.tree import ROOT

ROOTS = ("--scenarios", str(ROOT / "scenarios"), "--golden", str(ROOT / "golden"))
CHOICE = ("--level", "decode", *ROOTS, "-k")
BOTH = "transport.empty-messages[open,p2] or transport.empty-messages[open,p2,null-value]"
# It does what the reference consumer does, but gives up where a message is empty.
GIVES_UP = f"""
import json, os, sys
sys.path.insert(0, {str(ROOT)!r})
from harness.reference_consumer.__main__ import main
main()
job = json.load(open(os.environ["HARNESS_JOB"]))
for feed in job["changefeeds"]:
    records = map(json.loads, open(feed["records"]))
    if any(not record["key"] and not record["value"] for record in records):
        path = os.path.join(job["out_dir"], feed["dir"], "status.json")
        json.dump({{"status": "error", "error": "a message is empty"}}, open(path, "w"))
"""


@pytest.fixture
def fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return a consumer that fails the case that nobody promises, and passes the other."""
    monkeypatch.chdir(tmp_path)
    Path("consumer.py").write_text(GIVES_UP, encoding="utf-8")
    return f"exec:{sys.executable} ./consumer.py"


def judged(said: str) -> dict[str, tuple[str, str | None, str]]:
    """Return of each case its judgement, what it came to, and its standing."""
    return {
        case["case"].rpartition("p2")[2].strip(",]"): (
            case["verdict"]["judgement"],
            case["verdict"]["apart"],
            case["standing"],
        )
        for case in orjson.loads(said)["cases"]
    }


def test_a_failure_leaves_the_exit_code_alone(
    fails: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """What fails that nobody promises is exit code 0 where something else passed."""
    assert main(["certify", fails, *CHOICE, BOTH, "--json"]) == 0
    said = capsys.readouterr().out
    found = judged(said)
    assert found[""][:2] == ("pass", None)
    assert found["null-value"][::2] == ("beyond", "beyond")
    assert found["null-value"][1] not in {None, "pass"}
    end = orjson.loads(said)
    assert (end["passed"], end["applicable"], end["total"]) == (1, 1, 1)
    assert end["beyond"] == {"passed": 0, "applicable": 1, "total": 1}
    (seen,) = [case for case in end["cases"] if case["standing"] == "beyond"]
    assert {finding["standing"] for finding in seen["verdict"]["findings"]} == {"beyond"}
    assert "--beyond" in seen["repeat"]


def test_asked_for_it_counts(fails: str, capsys: pytest.CaptureFixture[str]) -> None:
    """With --beyond it is a case like any other; with --strict alone it is not."""
    assert main(["certify", fails, *CHOICE, BOTH, "--strict"]) == 0
    capsys.readouterr()
    assert main(["certify", fails, *CHOICE, BOTH, "--beyond", "--json"]) == 1
    end = orjson.loads(capsys.readouterr().out)
    assert (end["passed"], end["applicable"], end["total"]) == (1, 2, 2)
    assert end["beyond"] is None
    assert all("--beyond" in case["repeat"] for case in end["cases"])


def test_alone_nothing_counts(fails: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Where nothing else was chosen the exit code is 2, and the message names --beyond."""
    assert main(["certify", fails, *CHOICE, "empty-messages[open,p2,null-value]"]) == 2
    said = capsys.readouterr()
    assert "beyond: passed 0 / applicable 1 / total 1" in said.out
    assert "nothing counts" in said.err
    assert "--beyond" in said.err
