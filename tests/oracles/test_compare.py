"""Comparing a vendor's records with ours: what differs, and what is free to."""

from __future__ import annotations

from dataclasses import replace

import pytest

from harness.oracles.compare import KEYLESS, TASK, TASKS, Message, Rules, compare, excerpt

ONE = Message("shop.t", 0, b"1", b'{"v":1}', (("h", b"x"),))
TWO = replace(ONE, key=b"2")


def test_equal_streams_have_no_difference() -> None:
    """Two equal streams compare equal, message by message."""
    found = compare([ONE, TWO], [ONE, TWO], Rules())
    assert (found.differences, found.compared, found.freedoms) == ([], 2, set())


@pytest.mark.parametrize(
    ("part", "changed"),
    [
        ("key", replace(ONE, key=b"3")),
        ("value", replace(ONE, value=None)),
        ("headers", replace(ONE, headers=(("h", b"x"), ("i", b"y")))),
        ("value_schema", replace(ONE, value_schema='{"type":"string"}')),
    ],
)
def test_each_part_of_a_message_counts(part: str, changed: Message) -> None:
    """A message that differs in one part is one difference, which names the part."""
    found = compare([ONE], [changed], Rules())
    assert [one.part for one in found.differences] == [part]


def test_the_order_of_headers_counts() -> None:
    """The same headers in another order are a difference."""
    both = (("a", b"1"), ("b", b"2"))
    found = compare([replace(ONE, headers=both)], [replace(ONE, headers=both[::-1])], Rules())
    assert [one.part for one in found.differences] == ["headers"]


def test_a_message_in_another_partition_is_missing_and_extra() -> None:
    """The partition of a message with a key counts."""
    found = compare([ONE], [replace(ONE, partition=1)], Rules())
    assert [one.part for one in found.differences] == ["missing", "extra"]


def test_the_order_in_a_partition_counts() -> None:
    """Two messages that changed places differ."""
    assert compare([ONE, TWO], [TWO, ONE], Rules()).differences


def test_what_is_sent_too_much_is_a_difference() -> None:
    """A message behind the last that was expected is extra."""
    found = compare([ONE], [ONE, ONE], Rules())
    assert [(one.number, one.part) for one in found.differences] == [(1, "extra")]


def test_messages_without_a_key_may_lie_in_any_partition() -> None:
    """Where a topic has several partitions, those without a key are compared apart from them."""
    keyless = replace(ONE, key=None)
    found = compare([keyless, TWO], [TWO, replace(keyless, partition=1)], Rules())
    assert (found.differences, found.freedoms) == ([], {KEYLESS})
    found = compare([keyless], [replace(keyless, partition=1, value=b"{}")], Rules())
    assert [one.part for one in found.differences] == ["value"]


def test_tasks_keep_the_order_of_their_own_records_alone() -> None:
    """Records of two tasks may interleave; those of one may not change places."""
    a, b, c = (
        replace(ONE, key=key, headers=((TASK, task),))
        for key, task in ((b"a", b"task0_2_0"), (b"b", b"task1_2_0"), (b"c", b"task1_2_0"))
    )
    found = compare([a, b, c], [b, a, c], Rules(several_tasks=True))
    assert (found.differences, found.freedoms) == ([], {TASKS})
    assert compare([a, b, c], [b, a, c], Rules()).differences
    assert compare([a, b, c], [c, a, b], Rules(several_tasks=True)).differences


def test_an_excerpt_begins_shortly_before_the_difference() -> None:
    """Both forms are shown from where they part."""
    ours, theirs = (b"x" * 200 + end for end in (b"ours", b"theirs"))
    found = compare([replace(ONE, value=ours)], [replace(ONE, value=theirs)], Rules())
    assert excerpt(found.differences[0], around=3) == ("…xxxour", "…xxxthe")
