"""Changes of a golden: blocks are matched by what they say, and each difference is named."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from harness.engine.catalogue.golden import Difference, records_text
from harness.engine.catalogue.golden_changes import (
    COMES,
    ELSEWHERE,
    GOES,
    ONLY_BYTES,
    PARTS,
    GoldenChange,
    golden_changes,
)
from tests.engine.plan.test_case import planned

HEAD = "# a open-p1: records before any disturbance"


def block(place: str, *lines: str, digest: str = "") -> str:
    """Return a record of a golden; its digest follows from its lines."""
    return "\n".join(
        [f"{place} sha256={digest or hashlib.sha256(repr(lines).encode()).hexdigest()}", *lines]
    )


def record(offset: int, value: str) -> str:
    """Return a record of three lines."""
    return block(f"t/0@{offset}", f"  read   1 {value}", "  key    k", f"  value  {value}")


def changes(there: list[str] | None, now: list[str] | None) -> tuple[GoldenChange, ...]:
    """Return the changes from blocks to blocks; None where there is no file."""
    text = [None if it is None else "\n\n".join([HEAD, *it]) + "\n" for it in (there, now)]
    return golden_changes(Difference(Path("a.records.txt"), *text), None)


def said(found: tuple[GoldenChange, ...]) -> list[tuple[str, tuple[str, ...]]]:
    """Return place and parts of each change."""
    return [(change.place, change.parts) for change in found]


def test_what_says_the_same_is_no_change() -> None:
    """Equal files have no changes."""
    assert changes([record(0, "a"), record(1, "b")], [record(0, "a"), record(1, "b")]) == ()


def test_a_record_more_moves_the_later_ones_alone() -> None:
    """One more record is new, and those behind it differ by their place, not by what they say."""
    found = changes(
        [record(0, "a"), record(1, "b"), record(2, "c")],
        [record(0, "a"), record(1, "new"), record(2, "b"), record(3, "c")],
    )
    assert said(found) == [
        ("t/0@1", (COMES,)),
        ("t/0@2", (ELSEWHERE,)),
        ("t/0@3", (ELSEWHERE,)),
    ]
    assert found[0].before == ()
    assert found[1].before[1:] == found[1].after[1:]


def test_a_record_less_is_gone_by_its_old_place() -> None:
    """A record that is gone has no lines after, and its place is where it was."""
    first, last, moved = record(0, "a"), record(2, "c"), record(1, "c")
    gone, later = changes([first, record(1, "b"), last], [first, moved])
    assert (gone.place, gone.parts, gone.after) == ("t/0@1", (GOES,), ())
    assert (later.place, later.parts) == ("t/0@1", (ELSEWHERE,))


def test_more_records_instead_of_one_are_one_change_and_new_ones() -> None:
    """Where two records stand for one, the first is compared and the second is new."""
    found = changes([record(0, "a")], [record(0, "b"), record(1, "c")])
    assert said(found) == [
        ("t/0@0", (PARTS["read"], PARTS["value"])),
        ("t/0@1", (COMES,)),
    ]


def test_many_equal_records_are_matched_all_the_same() -> None:
    """What is there hundreds of times is no noise: one more record before it is new, they move."""
    found = changes(
        [record(n, "same") for n in range(300)],
        [record(0, "first"), *(record(n + 1, "same") for n in range(300))],
    )
    assert said(found[:2]) == [("t/0@0", (COMES,)), ("t/0@1", (ELSEWHERE,))]
    assert len(found) == 301


@pytest.mark.parametrize("word", PARTS)
def test_each_part_is_named(word: str) -> None:
    """A line that differs is named by its kind, and by no other."""
    lines = {kind: f"  {kind} same" for kind in PARTS}
    before = block("t/0@0", *lines.values())
    after = block("t/0@0", *(lines | {word: f"  {word} other"}).values())
    assert said(changes([before], [after])) == [("t/0@0", (PARTS[word],))]


def test_bytes_alone_are_named() -> None:
    """A digest that differs under the same text is said to be in the bytes alone."""
    before = block("t/0@0", "  key    k", digest="1")
    after = block("t/0@0", "  key    k", digest="2")
    assert said(changes([before], [after])) == [("t/0@0", (ONLY_BYTES,))]
    moved = block("t/0@1", "  key    k", digest="1")
    assert said(changes([before], [moved])) == [("t/0@1", (ELSEWHERE,))]


def test_a_row_counts_for_itself() -> None:
    """A row is named by its table, and equal rows of another table are none of its changes."""
    there = ["s.a  key id\n  {id: 1}\n  {id: 2}", "s.b  key id\n  {id: 1}"]
    now = ["s.a  key id\n  {id: 1}", "s.b  key id\n  {id: 1}\n  {id: 3}"]
    assert said(changes(there, now)) == [("s.a {id: 2}", (GOES,)), ("s.b {id: 3}", (COMES,))]


def test_other_text_is_named_as_such() -> None:
    """A schema that differs, or a heading, is its first line, whose text differs."""
    assert said(changes(["schema 1\n  {}"], ["schema 1\n  []"])) == [("schema 1", ("its text",))]


def test_a_file_that_is_not_there_is_new_as_a_whole() -> None:
    """All blocks of a missing file are new, all of a stale one are gone; none is an empty one."""
    assert said(changes(None, [record(0, "a")])) == [(HEAD, (COMES,)), ("t/0@0", (COMES,))]
    assert said(changes([record(0, "a")], None)) == [(HEAD, (GOES,)), ("t/0@0", (GOES,))]


def test_a_record_says_what_makes_it(tmp_path: Path) -> None:
    """A record has the file, lines and transactions of its changes, each once, by its place."""
    plan = planned(tmp_path)[None]
    text = records_text(plan)
    changed = golden_changes(Difference(Path("a.records.txt"), None, text), plan)
    offsets: dict[tuple[str, int], int] = {}
    by_place = {change.place: change.origins for change in changed}
    for one in plan.records:
        offset = offsets.get((one.topic, one.partition), 0)
        offsets[one.topic, one.partition] = offset + 1
        origins = by_place[f"{one.topic}/{one.partition}@{offset}"]
        assert len(origins) == len(set(origins))
        for origin in one.origins:
            name = f", transaction {origin.transaction}" if origin.transaction else ""
            assert f"{plan.case.scenario.file}:{origin.line}{name}" in origins
