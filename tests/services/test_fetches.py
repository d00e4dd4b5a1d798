"""What was fetched is kept by topic: what happens to one consumer says nothing of another's."""

from __future__ import annotations

from uuid import UUID

from harness.services import Fetches

MINE, OTHER = UUID(int=1), UUID(int=2)


def test_a_restart_is_one_consumer_s() -> None:
    """Only the topics of the consumer that was killed, by name and by id, are asked for again."""
    fetches = Fetches()
    for offset in (0, 4):
        fetches.ask((one, 0, offset) for one in ("mine", MINE.bytes, "other", OTHER.bytes))
        fetches.add((one, 0, offset + 4) for one in ("mine", MINE.bytes, "other", OTHER.bytes))
    fetches.restarted({"mine", MINE.bytes})
    assert fetches.again_from("mine", MINE, 0) == 8
    assert fetches.again_from("other", OTHER, 0) is None
    fetches.ask([("mine", 0, 4), (OTHER.bytes, 0, 8)])
    assert fetches.again_from("mine", MINE, 0) == 4
    fetches.restarted({"other", OTHER.bytes})
    assert (fetches.again_from("mine", MINE, 0), fetches.again_from("other", OTHER, 0)) == (4, 8)
    assert fetches.end("other", OTHER, 0) == 8
