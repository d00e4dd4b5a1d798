"""Confluent's frame: a zero byte and an id before every body."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import DecodingError
from harness.wire.confluent import confluent_frame, confluent_unframe

IDS = st.sampled_from([0, 1, 2**31 - 1]) | st.integers(0, 2**31 - 1)


def test_bytes() -> None:
    """The id is a big-endian int32 (vector type_tinyint_null/0/avro)."""
    assert confluent_frame(2, bytes.fromhex("020200")).hex() == "0000000002020200"


@given(IDS, st.binary())
def test_round_trip(schema_id: int, body: bytes) -> None:
    """What is framed comes back."""
    assert confluent_unframe(confluent_frame(schema_id, body)) == (schema_id, body)


@given(st.binary(max_size=4))
def test_short(data: bytes) -> None:
    """Fewer than five bytes have no room for an id."""
    with pytest.raises(DecodingError, match="no room"):
        confluent_unframe(data)


@given(st.integers(1, 255), st.binary(min_size=4))
def test_magic(magic: int, rest: bytes) -> None:
    """Any first byte but zero is refused, and named."""
    with pytest.raises(DecodingError, match=f"magic byte {magic}\n"):
        confluent_unframe(bytes([magic]) + rest)
