"""The Open Protocol's versioned batches: big-endian lengths, several events to a message.

Key:   int64 version, then for each event int64 length and the event's key.
Value: for each event int64 length and the event's value.

Source: TiCDC Open Protocol, §Message format; tiflow c7b2588 open/open_protocol_encoder.go:81.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import repeat
from operator import add
from struct import Struct

from harness.errors import DecodingError

VERSION = 1
_INT64 = Struct(">q")
VERSION_PREFIX = _INT64.pack(VERSION)
_pack = _INT64.pack
_FIRST = Struct(">qq")
# Nearly all lengths, which are found faster than packed.
_SMALL = [_pack(length) for length in range(2048)]


def frame_keys(keys: Sequence[bytes]) -> bytes:
    """Return the message key that holds these event keys, in order."""
    return VERSION_PREFIX + frame_values(keys)


def frame_values(values: Sequence[bytes]) -> bytes:
    """Return the message value that holds these event values, in order."""
    return b"".join(framed(values))


def framed(texts: Sequence[bytes]) -> list[bytes]:
    """Return each text behind its length, as two parts; joining any whole pairs gives frames."""
    parts = [b""] * (2 * len(texts))
    parts[::2] = _lengths(texts)
    parts[1::2] = texts
    return parts


def frame_each_key(keys: Sequence[bytes]) -> Iterator[bytes]:
    """Yield a message key for each event key."""
    return map(add, map(_FIRST.pack, repeat(VERSION), map(len, keys)), keys)


def frame_each_value(values: Sequence[bytes]) -> Iterator[bytes]:
    """Yield a message value for each event value."""
    return map(add, _lengths(values), values)


def _lengths(texts: Sequence[bytes]) -> list[bytes]:
    try:
        return [*map(_SMALL.__getitem__, map(len, texts))]
    except IndexError:
        return [*map(_pack, map(len, texts))]


def unframe(key: bytes, value: bytes) -> tuple[tuple[bytes, bytes], ...]:
    """Return the (event key, event value) pairs of a message; DecodingError if malformed."""
    if len(key) < 8:
        raise DecodingError(
            f"a message key of {len(key)} bytes has no room for the protocol version",
            expected="8 bytes of version, then framed event keys",
        )
    (version,) = _INT64.unpack_from(key)
    if version != VERSION:
        raise DecodingError(f"protocol version {version}", expected=f"version {VERSION}")
    keys = _split(key, 8, "key")
    values = _split(value, 0, "value")
    if len(keys) != len(values):
        raise DecodingError(f"{len(keys)} event keys beside {len(values)} event values")
    if not keys:
        raise DecodingError("a message without any event")
    return tuple(zip(keys, values, strict=True))


def _split(data: bytes, offset: int, part: str) -> list[bytes]:
    frames: list[bytes] = []
    while offset < len(data):
        if offset + 8 > len(data):
            raise DecodingError(f"the {part} ends inside a length, at byte {offset}")
        (length,) = _INT64.unpack_from(data, offset)
        offset += 8
        if length < 0 or offset + length > len(data):
            raise DecodingError(
                f"length {length} at byte {offset - 8} of the {part} exceeds its {len(data)} bytes"
            )
        frames.append(data[offset : offset + length])
        offset += length
    return frames
