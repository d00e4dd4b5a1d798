"""Promises of the message framing."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdc_spark.errors import DecodingError
from cdc_spark.open import frames
from tests.cdc_spark.messages import message, resolved

WORDS = [(7).to_bytes(8, "big"), (1).to_bytes(8, "big")]

MALFORMED = {
    "no key": (None, b"", "has no key"),
    "empty key": (b"", b"", "has no key"),
    "short key": (b"\0\0\0", b"", "3 bytes"),
    "other version": (WORDS[0], b"", "version 7"),
    "no event": (WORDS[1], b"", "holds no event"),
    "length cut off": (WORDS[1] + b"\0\0\0\1", b"", "within a length"),
    "frame cut off": (WORDS[1] + WORDS[0] + b"{}", b"", "claims 7 bytes, 2 are left"),
    "length beyond all": (WORDS[1] + b"\xff" * 8, b"", "claims 18446744073709551615"),
    "one value too many": (message(resolved(1))[0], b"\0" * 16, "1 events and the value 2"),
    "value cut off": (message(resolved(1))[0], b"\0" * 9, "the value ends within a length"),
}


@given(st.lists(st.tuples(st.text(min_size=1), st.text()), min_size=1, max_size=20))
def test_frames_come_back_in_order(pairs: list[tuple[str, str]]) -> None:
    """Whatever number of events a message holds, all come back as they were written."""
    found = frames.split(*message(*pairs))
    assert found == [(key.encode(), value.encode()) for key, value in pairs]


@pytest.mark.parametrize("value", [None, b"", b"\0" * 8])
def test_a_resolved_event_needs_no_value(value: bytes | None) -> None:
    """The document's missing value and the encoders' empty frame are the same."""
    key, _ = message(resolved(5))
    assert [side[1] for side in frames.split(key, value)] == [b""]


@pytest.mark.parametrize("case", MALFORMED)
def test_malformed_messages_are_refused(case: str) -> None:
    """Every way of being malformed is refused in words that name it."""
    key, value, words = MALFORMED[case]
    with pytest.raises(DecodingError, match=re.escape(words)):
        frames.split(key, value)


@given(st.binary(max_size=60), st.binary(max_size=60))
def test_no_bytes_do_harm(key: bytes, value: bytes) -> None:
    """Arbitrary bytes are split or refused, and nothing else happens."""
    try:
        found = frames.split(WORDS[1] + key, value)
    except DecodingError:
        return
    assert sum(8 + len(part) for part, _ in found) == len(key)
