"""`harness truth` as a user runs it: counts, the first difference, and four exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness.cli.main import main
from tests.truth.vectors import SUBSET, vector, written

TYPES = "ticdc/open_types.jsonl"


@pytest.fixture
def spoilt(tmp_path: Path) -> Path:
    """A directory of three vectors: the second is equal, the others were altered."""
    lines = [vector(TYPES) for _ in range(3)]
    for line in (lines[0], lines[2]):
        line["events"][0]["producer_length"] += 1
    written(tmp_path / "ticdc" / "any_name.jsonl", lines)
    return tmp_path


def test_equal_vectors_pass(capsys: pytest.CaptureFixture[str]) -> None:
    """All equal is exit code 0; each file and the total are counted."""
    assert main(["truth", str(SUBSET / "ticdc"), "--protocol", "open"]) == 0
    out = capsys.readouterr().out.splitlines()
    lines = (SUBSET / TYPES).read_text(encoding="utf-8").count("\n")
    assert f"{lines} / {lines}" in next(line for line in out if line.startswith("open_types"))
    assert out[-1].endswith("; 0 differ, 0 not compared")


def test_a_single_file_will_do(capsys: pytest.CaptureFixture[str]) -> None:
    """DIR may be one file."""
    assert main(["truth", str(SUBSET / TYPES)]) == 0
    assert capsys.readouterr().out.startswith("open_types.jsonl")


def test_a_difference_is_a_finding(spoilt: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A difference is exit code 1; file, line, id and place are told."""
    assert main(["truth", str(spoilt)]) == 1
    out = capsys.readouterr().out
    assert "1 / 3" in out
    name = vector(TYPES)["id"]
    assert f"line 1, {name}: events[0].producer_length (and 1 more)" in out
    assert out.endswith("equal 1 / 3; 2 differ, 0 not compared\n")


def test_the_first_difference_may_be_the_last(
    spoilt: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With --fail-fast nothing after the first difference is compared."""
    assert main(["truth", str(spoilt), "--fail-fast"]) == 1
    assert capsys.readouterr().out.endswith("equal 0 / 1; 1 differ, 0 not compared\n")


def test_json(spoilt: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With --json all differences are on standard output, as one document."""
    assert main(["truth", str(spoilt), "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    (file,) = document["files"]
    assert (document["equal"], document["total"]) == (1, 3)
    assert [one["line"] for one in file["differing"]] == [1, 3]


def test_an_unknown_kind_is_never_passed_over(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A vector that nobody can compare is a finding, and its keys are told."""
    lines = [vector(TYPES), {"id": "new", "protocol": "canal-json"}]
    assert main(["truth", str(written(tmp_path / "x.jsonl", lines))]) == 1
    out = capsys.readouterr().out
    assert "x.jsonl:2  1 × a kind of vector that is not known, with the keys id, protocol" in out
    assert out.endswith("equal 1 / 2; 0 differ, 1 not compared\n")


# What is in the file -> what is said about it.
BAD = {
    '{"id": 1}\n{"id": }\n': "bad.jsonl:2:8: not JSON",
    "[1]\n": "bad.jsonl:1:1: a vector is list, not an object",
    '{"id": "\udcff"}\n': "bad.jsonl:1:9: this byte is not UTF-8",
    "\n": "there are no vectors",
}


@pytest.mark.parametrize("text", BAD)
def test_bad_lines_are_usage_errors(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A line that is no vector is exit code 2, with file, line and column."""
    (tmp_path / "bad.jsonl").write_bytes(text.encode("utf-8", "surrogateescape"))
    assert main(["truth", str(tmp_path / "bad.jsonl")]) == 2
    assert BAD[text] in capsys.readouterr().err


@pytest.mark.parametrize("name", ["nowhere", "."])
def test_no_vectors_are_a_usage_error(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A directory that is not there, or holds no vectors, is exit code 2."""
    assert main(["truth", str(tmp_path / name)]) == 2
    assert "no such file" in (err := capsys.readouterr().err) or "no vectors" in err


def test_without_a_directory_the_packages_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where nothing is named, the vectors that come with the package are compared."""
    monkeypatch.chdir(tmp_path)
    assert main(["truth", "--protocol", "eligibility"]) == 0
    assert capsys.readouterr().out.splitlines()[-1].endswith("; 0 differ, 0 not compared")
