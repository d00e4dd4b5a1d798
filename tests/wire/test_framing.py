"""The frames of the Open Protocol: what is framed comes back, what is not framed is refused."""

from __future__ import annotations

from struct import pack

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import DecodingError
from harness.wire.framing import frame_keys, frame_values, unframe

VERSION = pack(">q", 1)
INT64 = st.integers(-(2**63), 2**63 - 1)
EVENTS = st.lists(st.tuples(st.binary(max_size=40), st.binary(max_size=40)), min_size=1, max_size=8)
# One key frame and its value frame, written by hand.
KEY = VERSION + pack(">q", 2) + b"{}"
VALUE = pack(">q", 4) + b"null"


def message(events: list[tuple[bytes, bytes]]) -> tuple[bytes, bytes]:
    """Return the message key and value that hold these events."""
    return frame_keys([key for key, _ in events]), frame_values([value for _, value in events])


def test_layout() -> None:
    """A key is version, then lengths and event keys; a value lengths and event values."""
    key, value = message([(b"{}", b"null"), (b"k", b"")])
    assert key.hex() == "0000000000000001" + "0000000000000002" + "7b7d" + "0000000000000001" + "6b"
    assert value.hex() == "0000000000000004" + "6e756c6c" + "0000000000000000"


@given(EVENTS)
def test_round_trip(events: list[tuple[bytes, bytes]]) -> None:
    """Unframing gives back the framed events, in order."""
    assert list(unframe(*message(events))) == events


# Wrong message -> part of what is said about it.
MALFORMED = {
    "empty key": (b"", VALUE, "no room for the protocol version"),
    "half a version": (VERSION[:7], VALUE, "7 bytes has no room"),
    "version 0": (pack(">q", 0) + KEY[8:], VALUE, "protocol version 0"),
    "version 2": (pack(">q", 2) + KEY[8:], VALUE, "protocol version 2"),
    "little-endian version": (pack("<q", 1) + KEY[8:], VALUE, "protocol version 72057594037927936"),
    "no event": (VERSION, b"", "without any event"),
    "a key alone": (KEY, b"", "1 event keys beside 0 event values"),
    "a value alone": (VERSION, VALUE, "0 event keys beside 1 event values"),
    "two values": (KEY, VALUE + VALUE, "1 event keys beside 2 event values"),
    "negative key length": (VERSION + pack(">q", -1), VALUE, "length -1 at byte 8 of the key"),
    "least key length": (VERSION + pack(">q", -(2**63)), VALUE, "length -9223372036854775808"),
    "huge key length": (VERSION + pack(">q", 2**63 - 1), VALUE, "exceeds its 16 bytes"),
    "negative value length": (KEY, pack(">q", -4) + b"null", "length -4 at byte 0 of the value"),
    "huge value length": (KEY, pack(">q", 2**62) + b"null", "exceeds its 12 bytes"),
    "one byte too many announced": (KEY, pack(">q", 5) + b"null", "length 5 at byte 0"),
    "a stray byte after the value": (KEY, VALUE + b"\n", "the value ends inside a length"),
    "a stray byte after the key": (KEY + b"\n", VALUE, "the key ends inside a length, at byte 18"),
}


@pytest.mark.parametrize(("key", "value", "said"), MALFORMED.values(), ids=MALFORMED)
def test_malformed(key: bytes, value: bytes, said: str) -> None:
    """What breaks the layout is refused with words about the break."""
    with pytest.raises(DecodingError, match=said):
        unframe(key, value)


@given(EVENTS)
def test_truncation(events: list[tuple[bytes, bytes]]) -> None:
    """A message cut anywhere, in key or value, is refused: nothing of it is taken for whole."""
    key, value = message(events)
    for cut in range(len(key)):
        with pytest.raises(DecodingError):
            unframe(key[:cut], value)
    for cut in range(len(value)):
        with pytest.raises(DecodingError):
            unframe(key, value[:cut])


def refused_or_whole(key: bytes, value: bytes) -> bool:
    """Return whether a message is refused with DecodingError, or is just its frames."""
    try:
        events = unframe(key, value)
    except DecodingError:
        return True
    return message(list(events)) == (key, value)


@given(st.binary(max_size=60), st.binary(max_size=60))
def test_any_bytes(key: bytes, value: bytes) -> None:
    """Whatever the bytes are, they frame or are refused with DecodingError, nothing else."""
    assert refused_or_whole(key, value)


@given(EVENTS, INT64, st.data())
def test_any_length(events: list[tuple[bytes, bytes]], length: int, data: st.DataObject) -> None:
    """A length overwritten by any other is refused, unless the frames still add up."""
    key, value = message(events)
    at = data.draw(st.sampled_from(range(8, len(key) - 7)))
    assert refused_or_whole(key[:at] + pack(">q", length) + key[at + 8 :], value)
