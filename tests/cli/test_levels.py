"""`harness certify --level decode` from the command line: no service is needed for any of it."""

from __future__ import annotations

import sys
from pathlib import Path

import orjson
import pytest

from harness.cli.main import main
from tests.tree import ROOT

ROOTS = ("--scenarios", str(ROOT / "scenarios"), "--golden", str(ROOT / "golden"))
CHOICE = ("--level", "decode", "-k", "types.year and open", *ROOTS)
# It does what the reference consumer does, and then something to each event.
SPOILER = f"""
import json, os, sys
sys.path.insert(0, {str(ROOT)!r})
from harness.reference_consumer.__main__ import main
main()
job = json.load(open(os.environ["HARNESS_JOB"]))
assert job["kafka"] is None and job["registry"] is None
for feed in job["changefeeds"]:
    path = os.path.join(job["out_dir"], feed["dir"], "events.jsonl")
    events = [json.loads(line) for line in open(path)]
    for event in events:
        if event["op"] == "insert" and event["after"].get("id") == 1:
            event["after"]["id"] = 2
    open(path, "w").write("".join(json.dumps(event) + "\\n" for event in events))
"""
UNABLE = """
import json, os
job = json.load(open(os.environ["HARNESS_JOB"]))
for feed in job["changefeeds"]:
    path = os.path.join(job["out_dir"], feed["dir"], "status.json")
    json.dump({"status": "not-applicable", "needs": "mode:" + job["mode"]}, open(path, "w"))
"""


@pytest.fixture(autouse=True)
def in_a_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs are kept where nobody else looks."""
    monkeypatch.chdir(tmp_path)


def consumer(text: str) -> str:
    """Return the target of a script in the current directory."""
    Path("consumer.py").write_text(text, encoding="utf-8")
    return f"exec:{sys.executable} ./consumer.py"


def test_the_reference_consumer_decodes(capsys: pytest.CaptureFixture[str]) -> None:
    """The level is in the headline, and in the run's first and last event."""
    assert main(["certify", "reference", *CHOICE, "--ndjson", "events.ndjson"]) == 0
    assert " at level decode (" in capsys.readouterr().out.splitlines()[-1]
    events = [orjson.loads(line) for line in Path("events.ndjson").read_bytes().splitlines()]
    assert [events[0]["level"], events[-1]["level"]] == ["decode", "decode"]


def test_a_wrong_value_is_reported_with_its_message(capsys: pytest.CaptureFixture[str]) -> None:
    """A finding names message, column, both values, and the clause of the type."""
    assert main(["certify", consumer(SPOILER), *CHOICE, "--json"]) == 1
    said = orjson.loads(capsys.readouterr().out)
    failed = [case for case in said["cases"] if case["verdict"]["judgement"] == "fail"]
    assert failed
    for case in failed:
        finding = case["verdict"]["findings"][0]
        place = finding["places"][0]
        assert (finding["kind"], finding["column"]) == ("wrong-value", "id")
        assert (finding["expected"], finding["actual"]) == ("1", "2")
        assert finding["clause"] == f"{case['protocol']}.type.int"
        assert f"{place['topic']}/{place['partition']}@{place['offset']}" in finding["message"]
        assert "--level decode" in case["repeat"]


def test_nothing_applicable_is_the_users_mistake(capsys: pytest.CaptureFixture[str]) -> None:
    """A consumer that does not decode certifies nothing: exit code 2, and the gap is named."""
    assert main(["certify", consumer(UNABLE), *CHOICE]) == 2
    said = capsys.readouterr()
    assert "needs mode:decode" in said.out
    assert "error: nothing is applicable" in said.err


def test_cases_of_other_protocols_are_named_with_the_consumers_own(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Where a consumer declares none of the cases' protocols, both sides are named: exit code 2."""
    manifest = {"name": "mine", "command": ["true"], "protocols": ["vitess", "avro"]}
    Path("consumer.yaml").write_bytes(orjson.dumps({"manifest": 1, "version": "1", **manifest}))
    assert main(["certify", "consumer.yaml", *CHOICE]) == 2
    said = capsys.readouterr().err
    assert "mine declares avro, vitess, the cases are of open" in said
    assert "`matrix.protocol` of a scenario takes more than one" in said


def test_a_level_without_cases_is_the_users_mistake(capsys: pytest.CaptureFixture[str]) -> None:
    """Scenarios that have no case of the level are told before anything starts."""
    choice = ["--level", "stream", "-k", "types.year", *ROOTS]
    assert main(["certify", "reference", *choice]) == 2
    assert "belongs to the level stream" in capsys.readouterr().err


MANIFEST = """\
manifest: 1
name: claiming
command: [{python}, ./consumer.py]
levels: [{levels}]
"""
DECODES = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
from harness.reference_consumer.__main__ import main
sys.exit(main())
"""


def claiming(*levels: str) -> str:
    """Return the manifest of a right consumer that claims levels."""
    consumer(DECODES)
    text = MANIFEST.format(python=sys.executable, levels=", ".join(levels))
    Path("consumer.yaml").write_text(text, encoding="utf-8")
    return "./consumer.yaml"


def test_a_claimed_level_is_run_without_being_asked_for(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A consumer that claims decode alone needs no service, and its reports name the level."""
    words = ["-k", "types.year and open", "--markdown", "report.md", *ROOTS]
    assert main(["certify", claiming("decode"), *words]) == 0
    assert " at level decode (" in capsys.readouterr().out.splitlines()[-1]
    assert "decode" in Path("report.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("level", ["materialise", "stream", "live"])
def test_what_is_not_claimed_is_refused_before_anything_starts(
    level: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The refusal says what is claimed: exit code 2."""
    Path("live.yaml").write_text("live: 1\n", encoding="utf-8")
    live = ["--live", "live.yaml"] if level == "live" else []
    assert main(["certify", claiming("decode"), "--level", level, *live]) == 2
    said = capsys.readouterr()
    assert f"claiming does not claim the level {level}" in said.err
    assert "--level decode" in said.err
    assert not said.out


@pytest.mark.services
def test_two_runs_have_reports_each(capsys: pytest.CaptureFixture[str]) -> None:
    """What is claimed beside materialise is certified after it, with reports beside its own."""
    target = claiming("materialise", "decode")
    words = ["-k", "types.year and open", "--markdown", "report.md", "--json", *ROOTS]
    assert main(["certify", target, *words]) == 0
    runs = [orjson.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [one["level"] for one in runs] == ["materialise", "decode"]
    pages = [Path(name).read_text(encoding="utf-8") for name in ("report.md", "report.decode.md")]
    assert ["materialise" in one for one in pages] == [True, False]


def test_a_claimed_level_without_chosen_cases_is_passed_over(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A choice of undisturbed cases says nothing of stream; what else is claimed is certified."""
    words = ["-k", "types.year and open", *ROOTS]
    assert main(["certify", claiming("stream", "decode"), *words]) == 0
    assert " at level decode (" in capsys.readouterr().out.splitlines()[-1]
