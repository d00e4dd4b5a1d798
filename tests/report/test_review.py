"""A change of a golden is shown with what differs, in few lines that move no cursor."""

from __future__ import annotations

import pytest
from rich.text import Text

from harness.engine.catalogue.golden_changes import GoldenChange
from harness.report.review import change_lines


def shown(
    before: tuple[str, ...],
    after: tuple[str, ...],
    *,
    place: str = "t/0@1",
    origins: tuple[str, ...] = (),
) -> list[Text]:
    """Return the lines of a change, the last of them empty."""
    change = GoldenChange(place, before, after, ("the key", "the value"), origins)
    *lines, last = change_lines("golden/a.txt", change, 2, 3)
    assert last.plain == ""
    return lines


def plain(lines: list[Text]) -> list[str]:
    """Return what is behind the heading."""
    return [line.plain for line in lines[2:]]


def test_a_change_has_its_heading() -> None:
    """File, number and count, place and parts, and each line of the scenario that makes it."""
    lines = shown((), (), origins=("a.yaml:3", "a.yaml:4, transaction one"))
    assert [line.plain for line in lines] == [
        "golden/a.txt  2 of 3",
        "  t/0@1: the key, the value",
        "  made by a.yaml:3",
        "  made by a.yaml:4, transaction one",
    ]


@pytest.mark.parametrize("where", ["place", "origin", "before", "after", "same"])
def test_what_cannot_be_seen_is_written_as_an_escape(where: str) -> None:
    """A golden's bytes and a transaction's name move no cursor, wherever they are shown."""
    evil = "\x1b[2J\u202e"
    lines = shown(
        (evil,) if where in {"before", "same"} else ("x",),
        (evil,) if where in {"after", "same"} else ("y",),
        place=evil if where == "place" else "t/0@1",
        origins=(evil,) if where == "origin" else (),
    )
    text = "\n".join(line.plain for line in lines)
    assert "\\x1b[2J\\u202e" in text
    assert not set(evil) & set("\x1b\u202e") & set(text)


def test_lines_that_stay_are_folded_from_the_fifth_on() -> None:
    """Up to four lines that stay are shown; of more the first, how many, and the last."""
    four = tuple("abcd")
    assert plain(shown((*four, "old"), (*four, "new"))) == [
        *(f"    {line}" for line in four),
        "  - old",
        "  + new",
    ]
    assert plain(shown(("old", *"abcde"), ("new", *"abcde"))) == [
        "  - old",
        "  + new",
        "    a",
        "    … 3 lines as before",
        "    e",
    ]


def reversed_parts(lines: list[Text]) -> list[tuple[str, str]]:
    """Return what stands out in each signed line, with its sign."""
    return [
        (line.plain[2], line.plain[span.start : span.end])
        for line in lines
        for span in line.spans
        if span.style == "reverse"
    ]


def test_the_part_that_differs_stands_out() -> None:
    """In lines that were replaced one by one, the part without common beginning and end."""
    before, after = ("  v {n: 12, s: 'a'}", "key 1"), ("  v {n: 345, s: 'a'}", "key 2")
    lines = shown(before, after)
    assert reversed_parts(lines) == [("-", "12"), ("-", "1"), ("+", "345"), ("+", "2")]
    assert [line.style for line in lines[2:]] == ["red", "red", "green", "green"]


def test_the_part_is_that_of_what_is_shown() -> None:
    """Where something is written as an escape before it, the same part stands out."""
    assert reversed_parts(shown(("\x1b\x1b n: 1 z",), ("\x1b\x1b n: 2 z",))) == [
        ("-", "1"),
        ("+", "2"),
    ]


def test_lines_without_a_counterpart_do_not_stand_out() -> None:
    """Where one line became two, nothing says which part of which differs."""
    lines = shown(("one",), ("one more", "two"))
    assert plain(lines) == ["  - one", "  + one more", "  + two"]
    assert reversed_parts(lines) == []
