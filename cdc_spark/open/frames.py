"""A Kafka message holds one or more events, each a frame of the key and a frame of the value.

key   = u64be version (1), then for each event u64be length + JSON
value =                         for each event u64be length + JSON

Every byte belongs to a frame, and both sides have the same number of frames. A resolved event
has nothing to say in its value: the 2020 document shows no value at all, current encoders send a
frame of length 0; both are accepted.

Sources: TiCDC Open Protocol (2020), §Message format; tiflow c7b2588 pkg/sink/codec/open.
"""

from __future__ import annotations

from cdc_spark.errors import DecodingError

VERSION = 1
_WORD = 8


def split(key: bytes | None, value: bytes | None) -> list[tuple[bytes, bytes]]:
    """Return the (key, value) frames of one message; raises DecodingError."""
    if not key:
        raise DecodingError("the message has no key", expected="an Open Protocol key of version 1")
    if len(key) < _WORD:
        raise DecodingError(f"the key has {len(key)} bytes", expected="8 bytes of version at least")
    version = int.from_bytes(key[:_WORD], "big")
    if version != VERSION:
        raise DecodingError(f"the key says protocol version {version}", expected="version 1")
    keys = _frames(key, _WORD, "key")
    values = _frames(value, 0, "value") if value else [b""] * len(keys)
    if not keys:
        raise DecodingError("the key holds no event", expected="one event or more")
    if len(keys) != len(values):
        raise DecodingError(
            f"the key holds {len(keys)} events and the value {len(values)}",
            expected="as many values as keys",
        )
    return list(zip(keys, values, strict=True))


def _frames(data: bytes, position: int, side: str) -> list[bytes]:
    """Return the frames of one side from `position` to its end."""
    found: list[bytes] = []
    size = len(data)
    while position < size:
        start = position + _WORD
        if start > size:
            raise DecodingError(
                f"the {side} ends within a length, at byte {size}", expected="8 bytes of length"
            )
        length = int.from_bytes(data[position:start], "big")
        position = start + length
        if position > size:
            raise DecodingError(
                f"the {side}'s frame at byte {start} claims {length} bytes, {size - start} are left"
            )
        found.append(data[start:position])
    return found
