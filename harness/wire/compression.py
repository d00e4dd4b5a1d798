"""Compressed values as TiCDC writes them: snappy's block format, and LZ4's frame format.

Compressors may differ in their bytes and still be right: what counts is what comes out again.
Reading is bounded, so that a small message cannot fill the memory.

Source: tiflow c7b2588 pkg/compression/compress.go.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import cramjam

from harness.errors import DecodingError

LARGEST = 256 * 1024 * 1024
# No LZ4 frame holds more than this many bytes for each of its own.
_MOST_FOR_ONE = 255


def _same(data: bytes) -> bytes:
    return data


def _snappy(data: bytes) -> bytes:
    return bytes(cramjam.snappy.compress_raw(data))


def _lz4(data: bytes) -> bytes:
    return bytes(cramjam.lz4.compress(data))


def _from_snappy(data: bytes) -> bytes:
    # The block begins with the length of what comes out.
    length = cramjam.snappy.decompress_raw_len(data)
    if length > LARGEST:
        raise DecodingError(f"a snappy block of {length} bytes", expected=f"at most {LARGEST}")
    return bytes(cramjam.snappy.decompress_raw(data))


def _from_lz4(data: bytes) -> bytes:
    room = bytearray(min(LARGEST, len(data) * _MOST_FOR_ONE))
    return bytes(room[: cramjam.lz4.decompress_into(data, room)])


_WAYS: Mapping[str, tuple[Callable[[bytes], bytes], Callable[[bytes], bytes]]] = MappingProxyType(
    {"none": (_same, _same), "snappy": (_snappy, _from_snappy), "lz4": (_lz4, _from_lz4)}
)
COMPRESSIONS = tuple(_WAYS)


def compressed(data: bytes, way: str) -> bytes:
    """Return the data compressed in one of `COMPRESSIONS`."""
    return _WAYS[way][0](data)


def decompressed(data: bytes, way: str) -> bytes:
    """Return what was compressed in one of `COMPRESSIONS`; DecodingError for anything else."""
    try:
        return _WAYS[way][1](data)
    except cramjam.DecompressionError as error:
        raise DecodingError(f"{len(data)} bytes are not {way}: {error}") from error
