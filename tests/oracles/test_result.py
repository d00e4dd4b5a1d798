"""Results: the headline, the exit code's question, and their file."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.errors import HarnessBug
from harness.oracles.result import (
    CaseResult,
    OracleResult,
    Status,
    document,
    lines,
    read_result,
    write_result,
)

EQUAL = CaseResult("a[vitess,p1]", Status.EQUAL, "", ("processing-time",))
KNOWN = CaseResult("b[vitess,p1]", Status.DIFFERS, "theirs", (), ("t/0 #0 value",))
UNPLAYED = CaseResult("c[vitess,documented,p1]", Status.UNPLAYABLE, "no release writes it")
UNKNOWN = CaseResult("d[vitess,p1]", Status.DIFFERS, "", (), ("t/0 #0 key",))


def result(*cases: CaseResult) -> OracleResult:
    """Return a run with these cases."""
    return OracleResult("vitess", "3.3.1.Final", "2026-01-01", 60, {"java": "17"}, cases)


def test_a_difference_without_a_reason_fails() -> None:
    """Known differences and what cannot be played do not fail a run; an unknown one does."""
    assert result(EQUAL, KNOWN, UNPLAYED).passed
    assert not result(EQUAL, UNKNOWN).passed


def test_the_last_line_counts() -> None:
    """The last line is the headline; what differs and what is not played is listed before it."""
    said = lines(result(EQUAL, KNOWN, UNPLAYED))
    assert said[-1] == "equal 1 / compared 2 / total 3"
    assert said[0] == "not played  c[vitess,documented,p1]: no release writes it"
    assert "differs  b[vitess,p1]: theirs" in said


def test_a_result_is_read_as_it_was_written(tmp_path: Path) -> None:
    """A file keeps the counts of all cases, and all that is to be known of those not equal."""
    file = tmp_path / "kept" / "vitess.json"
    before = result(EQUAL, KNOWN, UNPLAYED)
    write_result(before, file)
    after = read_result(file)
    assert (after.headline(), after.freedoms()) == (before.headline(), {"processing-time": 1})
    assert after.cases == (KNOWN, UNPLAYED)
    assert document(after) == document(before)


def test_a_broken_file_is_named(tmp_path: Path) -> None:
    """A file that is no result is our own mistake, and the message says which one."""
    file = tmp_path / "vitess.json"
    file.write_text("{}")
    with pytest.raises(HarnessBug, match=r"vitess\.json is not an oracle's result"):
        read_result(file)
