"""Promises of what is set aside: nothing of a message is lost, and names are names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdc_spark.errors import UsageError
from cdc_spark.set_aside import MessagePlace, packed, places, statements, unpacked

PARTS = st.none() | st.binary(max_size=9)
HEADERS = st.none() | st.lists(st.fixed_dictionaries({"key": st.text(), "value": PARTS}))
MESSAGES = st.fixed_dictionaries(
    {"key": PARTS, "value": PARTS, "headers": HEADERS, "timestamp": st.none() | st.integers(0, 9)}
)


@given(MESSAGES, st.text())
def test_a_packed_message_comes_back_whole(message: dict[str, object], reason: str) -> None:
    """Key, value, headers and timestamp are what they were, NULL and empty apart."""
    assert unpacked(packed(reason, message)) == (reason, message)


@pytest.mark.parametrize("text", ["no JSON", "{}", '{"reason":1}', "[]", "7"])
def test_a_bare_reason_stays_one(text: str) -> None:
    """What was never packed is the reason."""
    assert unpacked(text)[0] == text


def test_messages_are_named_by_their_place() -> None:
    """A name is topic, partition and offset, as errors write it."""
    assert places([("t", 0, 7), ["t", 1, 0]]) == {MessagePlace("t", 0, 7), MessagePlace("t", 1, 0)}
    assert str(MessagePlace("t", 0, 7)) == "topic t, partition 0, offset 7"
    assert statements({("t", 0, 7): "DROP TABLE x"}) == {MessagePlace("t", 0, 7): "DROP TABLE x"}


@pytest.mark.parametrize("named", ["t", 7, ("t", 0), ("t", 0, -1), ("t", "0", 1), (1, 0, 1)])
def test_what_is_no_name_is_refused(named: object) -> None:
    """The error shows what was given and what a name is."""
    with pytest.raises(UsageError, match="the name of a message is"):
        places([named])


def test_a_statement_without_text_is_refused() -> None:
    """An empty text is no statement."""
    with pytest.raises(UsageError, match="the statement of topic t"):
        statements({("t", 0, 7): " "})
