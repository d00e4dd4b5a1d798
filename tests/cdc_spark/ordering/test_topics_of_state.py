"""Promises of a state's topics: they grow behind each other, and change in no other way."""

from __future__ import annotations

import pytest

from cdc_spark.errors import GrowthError
from cdc_spark.ordering.topics_of_state import opened, sealed

STATE = b'{"held":["\\n"]}'
BEFORE = {"a": 2, "b": 1}
GROWN = [BEFORE, {"a": 3, "b": 1}, {"a": 2, "b": 1, "c": 1}]
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


def test_a_state_without_topics_is_left_alone() -> None:
    """The harness's own runs hold a checkpoint against its topics by Kafka's ids."""
    assert opened(sealed(STATE, {}), {}) == STATE
