"""What is compressed comes back; what is not compressed is refused, and quickly."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import DecodingError
from harness.wire.compression import COMPRESSIONS, LARGEST, compressed, decompressed

PACKED = [way for way in COMPRESSIONS if way != "none"]


@pytest.mark.parametrize("way", COMPRESSIONS)
@given(data=st.binary(max_size=300), times=st.sampled_from([1, 2, 1000]))
def test_round_trip(way: str, data: bytes, times: int) -> None:
    """Any bytes come back, short or long, repetitive or not."""
    assert decompressed(compressed(data * times, way), way) == data * times


@pytest.mark.parametrize("way", PACKED)
@given(data=st.binary(max_size=60))
def test_any_bytes(way: str, data: bytes) -> None:
    """Any other bytes are refused with DecodingError, or happen to be right."""
    try:
        assert len(decompressed(data, way)) <= LARGEST
    except DecodingError:
        return


@pytest.mark.parametrize("way", PACKED)
def test_truncated(way: str) -> None:
    """A block that is cut is refused, wherever it is cut."""
    packed = compressed(bytes(range(256)) * 4, way)
    for cut in range(1, len(packed) - 8):
        with pytest.raises(DecodingError):
            decompressed(packed[:cut], way)


def test_bombs() -> None:
    """A block that says it holds gigabytes is refused before any of them is made room for."""
    with pytest.raises(DecodingError, match="a snappy block of"):
        decompressed(b"\xff\xff\xff\xff\x0f" + b"\0" * 8, "snappy")


# What klauspost/compress and pierrec/lz4 write: formats are shared, so a hand-made block suffices.
# Source: snappy's format_description.txt (length, then a literal); lz4_Frame_format.md.
def test_foreign_blocks() -> None:
    """Blocks that other compressors could write are read."""
    assert decompressed(b"\x02\x04{}", "snappy") == b"{}"
    with pytest.raises(DecodingError):
        decompressed(b"\x03\x04{}", "snappy")
