"""A list of known failures names what exists, and says which finding it means."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from harness.errors import ScenarioError
from harness.runner.manifests.expectations import read_expectations
from harness.runner.manifests.named import NamedCases

CASES = (
    ("keys.pk-chain[open,p1]", "slow", "moved-keys"),
    ("keys.pk-chain[open,p1,replayed]", "slow", "moved-keys"),
)
FURTHER = (("types.integers[avro,4.0.4,p2]", "whole-numbers"),)
HEAD = "expectations: 1\nknown:\n"
REST = '    reason: It rounds.\n    link: https://example.org/1\n    expires: "2027-06-02"\n'


def problems(directory: Path, cases: str, more: str = "") -> list[tuple[int, int, str]]:
    """Return line, column and text of each problem of a list with one entry."""
    path = directory / "known.yaml"
    path.write_text(f"{HEAD}  - cases: '{cases}'\n{more}{REST}")
    catalogue = NamedCases(CASES, lambda: FURTHER)
    try:
        read_expectations(path, "known.yaml", "", date(2027, 1, 1), catalogue)
    except ScenarioError as error:
        return [(p.location.line, p.location.column, str(p)) for p in error.problems]
    return []


FINDING = "    finding: wrong-value\n"


@pytest.mark.parametrize(
    ("cases", "more"),
    [
        ("keys.pk-chain[open,p1]", ""),
        ("keys.pk-chain[open,p4]", ""),
        ("Keys.pk-chain[open,p1]", ""),
        ('"keys.pk-chain[open,p1]" or types.integers[avro,4.0.4,p2]', ""),
        ("live.shop.orders[open]", ""),
        ("keys.pk-chain", FINDING),
        ("slow and not replayed", FINDING),
        ("moved-keys", "    finding: NanoOfDay\n"),
        ("whole-numbers", "    finding: shop.lamp.is_on\n"),
        ("whole-numbers", "    finding: stale-rows\n    verdict: crash\n"),
        ("whole-numbers", "    finding: open.row\n"),
    ],
)
def test_what_exists_may_be_named(tmp_path: Path, cases: str, more: str) -> None:
    """Ids need no finding, whatever their number of partitions; patterns have one."""
    assert problems(tmp_path, cases, more) == []


@pytest.mark.parametrize(
    ("cases", "meant"),
    [
        ("keys.pk-chian", "did you mean `keys.pk-chain`?"),
        ("keys.pk-chian[", "did you mean `keys.pk-chain`?"),
        ("types.integer[avro,4.0.4,p2]", "did you mean `types.integers[avro,4.0.4,p1]`?"),
        ("moved-kyes", "did you mean `moved-keys`?"),
        ("slow and not quickly", "`harness list` shows the cases"),
    ],
)
def test_an_unknown_name_is_refused_at_its_place(tmp_path: Path, cases: str, meant: str) -> None:
    """Each word of a pattern is one that a case has."""
    ((line, column, text),) = problems(tmp_path, cases, FINDING)
    assert (line, column) == (3, 12)
    assert "no case has" in text
    assert meant in text


@pytest.mark.parametrize(
    "cases", ["keys.pk-chain", "slow", "keys.pk-chain[open,p1", "not types.integers[avro,4.0.4,p2]"]
)
def test_a_broad_pattern_says_which_finding_it_means(tmp_path: Path, cases: str) -> None:
    """Only whole ids excuse whatever a case finds."""
    ((line, column, text),) = problems(tmp_path, cases)
    assert (line, column) == (3, 12)
    assert "`finding`" in text


@pytest.mark.parametrize(
    ("finding", "meant"),
    [
        ("stale-rows", "stale-row"),
        ("missing-columns", "missing-column"),
        ("open.row.inserts", "open.row.insert"),
    ],
)
def test_an_unknown_finding_is_refused_at_its_place(
    tmp_path: Path, finding: str, meant: str
) -> None:
    """What is nearly a kind or a clause is a slip, not words of a message."""
    ((line, column, text),) = problems(tmp_path, "slow", f"    finding: {finding}\n")
    assert (line, column) == (4, 14)
    assert f"did you mean `{meant}" in text
