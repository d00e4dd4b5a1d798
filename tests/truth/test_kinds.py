"""A vector's kind is told by what it holds, whatever its file is called."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.cli.truth import KINDS
from harness.truth.kinds import COMPARISONS, kind_of
from harness.truth.read import vectors
from harness.truth.run import compare_files
from tests.truth.vectors import ALL, FILES, named, written

# How the subset's files begin -> the kind of all of their lines.
BEGINNINGS = {
    "open_": "open",
    "ddl.": "open",
    "avro_": "avro",
    "dispatch": "dispatch",
    "topics": "topics",
    "filters": "filters",
    "ddl_eligibility": "eligibility",
    "0": "vitess",
}


def expected(path: Path) -> str:
    """Return the kind that a file of the subset holds."""
    return next(kind for start, kind in BEGINNINGS.items() if path.name.startswith(start))


@pytest.mark.parametrize("path", FILES, ids=named)
def test_each_line_is_known(path: Path) -> None:
    """Every line of a file is of the kind that the file is about."""
    assert {kind_of(vector) for _, vector in vectors(path)} == {expected(path)}


@pytest.mark.skipif(ALL is None, reason="CDC_TRUTH_DIR does not name the vectors")
def test_every_line_there_is_is_known() -> None:
    """No vector of the full set is of an unknown kind."""
    assert ALL is not None
    lines = [vector for path in sorted(ALL.rglob("*.jsonl")) for _, vector in vectors(path)]
    assert [vector["id"] for vector in lines if kind_of(vector) not in COMPARISONS] == []


@pytest.mark.parametrize("keys", [{}, {"id": "x"}, {"id": "x", "protocol": "canal-json"}])
def test_what_is_not_known_has_no_kind(keys: dict[str, str]) -> None:
    """A line without the keys of any kind is of none."""
    assert kind_of(keys) == ""


@pytest.mark.parametrize(
    "spoilt",
    [
        {"protocol": "avro", "dispatch": [1], "config": {}},
        {"protocol": "avro", "dispatch": [{"partition": {"1": 0}}], "config": "sink"},
        {"filter_config": 7, "ddl": "x"},
        {"protocol": ["avro"], "events": []},
    ],
)
def test_wrong_shapes_end_nothing(spoilt: dict[str, object], tmp_path: Path) -> None:
    """A line whose members have the right names and the wrong shapes is reported, no more."""
    path = written(tmp_path / "x.jsonl", [{"id": "x", **spoilt}])
    (report,) = compare_files([path], ["open"])
    assert (report.total, report.equal) == (1, 0)
    assert [one.id for one in report.not_compared] == ["x"]


def test_the_command_offers_every_kind() -> None:
    """What `--protocol` takes is the table of comparisons."""
    assert tuple(COMPARISONS) == KINDS
