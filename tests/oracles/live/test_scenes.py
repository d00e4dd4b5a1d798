"""What a live connector sent for a scenario is found, counted and freed of what was sent again."""

from __future__ import annotations

from dataclasses import replace

import pytest

from harness.oracles.compare import Message
from harness.oracles.live.scenes import (
    Performed,
    Play,
    Scene,
    copied_twice,
    of_play,
    parts,
    without_repeats,
)
from harness.oracles.mariadb.statements import Execution, Ran
from harness.oracles.topics import FILLED
from harness.scenario.document import TransactionStep
from tests.oracles.live.accounts import scenario

# Transaction 4 made the database, 6 is a marker in the middle, 8 one behind the end.
RAN = [Ran(0, ["CREATE"], "0-1-5", "0-1-4"), Ran(1, ["INSERT"], "0-1-7", "0-1-6")]
PERFORMED = Performed(
    Play(0, scenario(), "connector-killed"), "p", Execution(["0-1-4"], RAN), None, "", 2, ""
)


def row(number: int, topic: str = "p.shop.t", at: int = 0) -> Message:
    """Return a row's record of a transaction, handled at a time."""
    return Message(topic, 0, b"{}", b'{"gtid":"0-1-%d","ts_ms":%d}' % (number, at))


def scene(*messages: Message) -> Scene:
    """Return what of these is the play's."""
    return of_play(PERFORMED, messages)


def slices(found: Scene) -> dict[str, tuple[int, int]]:
    """Return the offsets of a scene's topics."""
    return {one.name: (one.start_offsets[0], one.end_offsets[0]) for one in found.topics}


def test_a_scenario_has_its_own_part_of_each_topic() -> None:
    """What was there before and what follows is outside, and a marker takes no number."""
    marks = "p.zz_harness_oracle_marks.marks"
    tombstone = Message("p.shop.t", 0, b"{}", None)
    found = scene(row(3), row(5), row(6, marks), row(7), tombstone, row(8), row(5, "p"))
    assert slices(found) == {"p": (0, 1), "p.shop.t": (1, 4)}
    assert list(found.messages) == [row(1), row(2), tombstone, row(1, "p")]


def test_what_a_topic_was_filled_up_with_is_read_and_not_compared() -> None:
    """A tombstone of a table without a key has neither key nor value either: that is compared."""
    keyless, filled = (Message("p.shop.t", 0, None, None, headers) for headers in ((), (FILLED,)))
    found = scene(row(5), keyless, filled, filled, row(8))
    assert slices(found) == {"p.shop.t": (0, 4)}
    assert list(found.messages) == [row(1), keyless]


def test_a_scenario_without_records_has_an_empty_topic() -> None:
    """A job needs a topic; that of DDL is always there."""
    assert slices(scene(row(3), row(9))) == {"p": (0, 0)}


def test_what_was_sent_again_is_part_of_the_topic() -> None:
    """A connector that begins again goes back; a consumer reads all of it."""
    found = scene(row(5), row(5, at=9), row(7))
    assert slices(found) == {"p.shop.t": (0, 3)}
    assert without_repeats(found.messages, {"p.shop.t": 2}) == [row(1), row(2)]


def test_what_is_copied_belongs_to_a_scenario_whose_connector_copies() -> None:
    """Of what has no number the statements about markers do not count, and nothing of others."""
    read = Message("p.shop.t", 0, b"{}", b'{"gtid":null}')
    of_markers = Message("p", 0, b"{}", b'{"databaseName":"zz_harness_oracle_marks"}')
    made = replace(read, topic="p")
    play = Play(0, copied_twice(scenario()), "snapshot-broken-off")
    copying = replace(PERFORMED, play=play)
    found = of_play(copying, [made, of_markers, read, row(7)])
    assert slices(found) == {"p": (0, 2), "p.shop.t": (0, 2)}
    assert list(found.messages) == [made, read, row(2)]
    assert list(scene(made, of_markers, read, row(7)).messages) == [row(2)]


@pytest.mark.parametrize(("count", "found"), [(1, (0, 0)), (2, (0, 0)), (4, (1, 2)), (7, (2, 4))])
def test_a_copy_breaks_off_after_a_third_and_begins_anew_after_the_second(
    count: int, found: tuple[int, int]
) -> None:
    """What is between them is in the second copy alone, and the rest is streamed."""
    one = next(step for step in scenario().upstream if isinstance(step, TransactionStep))
    steps = [replace(one, name=f"t{number}") for number in range(count)]
    play = Play(0, copied_twice(replace(scenario(), upstream=tuple(steps))), "snapshot-broken-off")
    assert parts(play) == (found[0] + 1, found[1] + 1)


A, B, C = row(1), row(2), row(3)


@pytest.mark.parametrize(
    ("sent", "count", "left"),
    [
        ([A, B, C], 3, [A, B, C]),
        ([A, B, B, C], 3, [A, B, C]),
        ([A, B, C, A, B, C], 3, [A, B, C]),
        ([A, B, C, B, C], 3, [A, B, C]),
        ([A, A, B], 3, [A, A, B]),  # as many as were predicted: no copy
        ([A, C, B], 2, [A, C, B]),  # nothing comes again: it differs, and is left to differ
        ([A], 3, [A]),
    ],
)
def test_repeats_are_what_follows_itself(
    sent: list[Message], count: int, left: list[Message]
) -> None:
    """As many as there are too many, where they repeat those before them, whatever their times."""
    assert without_repeats(sent, {"p.shop.t": count}) == left
