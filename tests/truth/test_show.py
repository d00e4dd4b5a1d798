"""Differences are told in a few lines, cut to the place where they are."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from harness.truth.exceptions import EXCEPTIONS
from harness.truth.result import Difference, Result
from harness.truth.run import Differing, FileReport, NotCompared
from harness.truth.show import AFTER, BEFORE, as_data, closing_lines, file_lines, shortened

ROOT = Path("truth")


def report() -> FileReport:
    """A file of four vectors: two equal, one that differs, one that nobody compared."""
    found = FileReport(ROOT / "ticdc" / "a.jsonl", total=4)
    found.kinds["open"] = 3
    result = Result("v/1", (Difference("events[0]", "a" * 900 + "b", "a" * 900 + "c"),))
    found.differing.append(Differing(2, result))
    found.not_compared.append(NotCompared(3, "v/2", "a kind that is not known"))
    found.excused = Counter({next(iter(EXCEPTIONS)): 2})
    return found


def test_long_texts_are_cut_around_their_first_differing_place() -> None:
    """Both sides show the same stretch, and how much was left out on either side."""
    ours, theirs = shortened("x" * 500 + "A" + "y" * 500, "x" * 500 + "B" + "y" * 600)
    assert ours.startswith(f"…({500 - BEFORE} before)…xxx")
    assert "A" in ours
    assert "B" in theirs
    assert ours.endswith(f"…({501 - AFTER} more)")
    assert theirs.endswith(f"…({601 - AFTER} more)")


def test_short_texts_stay_whole() -> None:
    """What fits on a line is not cut, even where one text is the other's beginning."""
    assert shortened("abc", "abcd") == ("abc", "abcd")


def test_a_file_shows_its_count_and_its_first_difference() -> None:
    """Equal and total stand on the file's own line; line, id and place of the difference follow."""
    first, where, ours, theirs = file_lines(report(), ROOT)
    assert first.split() == ["ticdc/a.jsonl", "open", "2", "/", "4"]
    assert where.strip() == "line 2, v/1: events[0]"
    assert ours.strip().startswith("ours")
    assert theirs.strip().endswith("c")


def test_nothing_is_left_out_in_silence() -> None:
    """Exceptions are counted with their reasons, and so is what nobody compared."""
    lines = list(closing_lines([report()], ROOT))
    name = next(iter(EXCEPTIONS))
    assert any(name in line and " 2 " in line and EXCEPTIONS[name].reason in line for line in lines)
    assert "    ticdc/a.jsonl:3  1 × a kind that is not known" in lines
    assert lines[-1] == "equal 2 / 4; 1 differ, 1 not compared"


def test_plain_data_is_uncut() -> None:
    """As data every difference is whole."""
    (file,) = as_data([report()], ROOT)["files"]
    assert file["differing"][0]["differences"][0]["ours"] == "a" * 900 + "b"
    assert file["not_compared"] == [{"line": 3, "id": "v/2", "reason": "a kind that is not known"}]
