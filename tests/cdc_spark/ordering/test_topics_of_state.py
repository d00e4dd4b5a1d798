"""Promises of what stands before a state: topics grow behind each other, formats are told apart."""

from __future__ import annotations

import pytest

from cdc_spark.errors import GrowthError, StateFormatError
from cdc_spark.ordering.topics_of_state import FORMAT, opened, sealed

STATE = b'{"held":["\\n"]}'
BEFORE = {"a": 2, "b": 1}
GROWN = [BEFORE, {"a": 3, "b": 1}, {"a": 2, "b": 1, "c": 1}]
# What earlier versions wrote: a state alone, behind its topics, with buckets; a later one; neither.
FOREIGN = [
    b'{"watermarks":[],"applied":-1,"seq":0,"poisoned":[],"held":[]}',
    b'{"topics":[["a",2],["b",1]]}\n{}',
    b'{"topics":[["a",2],["b",1]],"buckets":1}\n{}',
    b'{"format":%d,"topics":[["a",2],["b",1]],"buckets":1}\n{}' % (FORMAT + 1),
    b"[1]\n{}",
    b"\x00",
]
OTHERS = [{"b": 1, "a": 2}, {"a": 2}, {"a": 1, "b": 1}, {"c": 1, "a": 2, "b": 1}, {"a": 2, "c": 1}]


@pytest.mark.parametrize("now", GROWN)
def test_topics_and_partitions_may_be_added_behind(now: dict[str, int]) -> None:
    """The state is what it was."""
    assert opened(sealed(STATE, BEFORE), now) == STATE


@pytest.mark.parametrize("now", OTHERS)
def test_any_other_change_is_refused(now: dict[str, int]) -> None:
    """The error lists the topics that the checkpoint knows, in their order."""
    with pytest.raises(GrowthError, match="where the checkpoint knows it") as found:
        opened(sealed(STATE, BEFORE), now)
    assert "a (2), b (1)" in found.value.expected


def test_a_state_without_topics_is_compared_with_none() -> None:
    """The harness's own runs hold a checkpoint against its topics by Kafka's ids."""
    assert opened(sealed(STATE, {}), {}) == STATE


@pytest.mark.parametrize("topics", [BEFORE, {}])
@pytest.mark.parametrize("stored", FOREIGN)
def test_a_state_of_another_version_is_refused(stored: bytes, topics: dict[str, int]) -> None:
    """The error says what it is, what was expected and how to go on."""
    with pytest.raises(StateFormatError, match="written by another version") as found:
        opened(stored, topics)
    assert f"format {FORMAT}" in found.value.expected
    assert "a new checkpoint and a new root" in found.value.hint
