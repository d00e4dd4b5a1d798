"""A golden's diff names the file, shows both sides, and lets the changed part stand out."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.text import Text

from harness.engine.catalogue.golden import Difference
from harness.report.golden_diff import difference_lines

PATH = Path("golden/dml/a/open-p1.tables.txt")


def lines(there: str | None, now: str | None) -> list[Text]:
    """Return the lines that show a difference."""
    return list(difference_lines(Difference(PATH, there, now)))


def test_the_changed_part_of_a_line_stands_out() -> None:
    """Of two long lines that differ in one digit, just that digit is reversed on either side."""
    shown = lines("# t\n  {id: 1, n: 15}\n", "# t\n  {id: 1, n: 25}\n")
    marked = [
        (line.plain[2], line.plain[span.start : span.end])
        for line in shown
        for span in line.spans
        if span.style == "reverse"
    ]
    assert marked == [("-", "1"), ("+", "2")]
    assert shown[0].plain == str(PATH)


@pytest.mark.parametrize(
    ("there", "now", "what"),
    [
        (None, "a\n", "is missing"),
        ("a\n", None, "is stale"),
        ("a\n", "b\n", "- the golden (1 line), "),
    ],
)
def test_each_difference_says_what_it_is(there: str | None, now: str | None, what: str) -> None:
    """A missing, a stale and a changed file are distinguished, and show what they hold."""
    shown = [line.plain for line in lines(there, now)]
    assert what in shown[1]
    assert ("  -a" in shown) == (there is not None)
    assert ("  +a" in shown) == (there is None)


def test_what_cannot_be_seen_is_escaped() -> None:
    """Control characters of a golden do not reach the terminal."""
    assert "  -\\x1b[2J" in [line.plain for line in lines("\x1b[2J\n", "b\n")]
