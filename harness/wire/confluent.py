"""Confluent's wire format: a zero byte, a schema's id as a big-endian int32, then the Avro body.

Source: TiCDC codec notes §3.1; tiflow c7b2588 pkg/sink/codec/avro/confluent_schema_registry.go
`getMsgHeader`; Confluent, Formats, serializers and deserializers, §Wire format.
"""

from __future__ import annotations

from struct import Struct

from harness.errors import DecodingError

MAGIC = 0
_HEADER = Struct(">bi")
HEADER_SIZE = _HEADER.size


def confluent_header(schema_id: int) -> bytes:
    """Return the five bytes before every body that was written with this schema."""
    return _HEADER.pack(MAGIC, schema_id)


def confluent_frame(schema_id: int, body: bytes) -> bytes:
    """Return a body with the id of its schema in front."""
    return confluent_header(schema_id) + body


def confluent_unframe(data: bytes) -> tuple[int, bytes]:
    """Return the schema's id and the body; DecodingError when there is no such header."""
    if len(data) < HEADER_SIZE:
        raise DecodingError(
            f"{len(data)} bytes have no room for a schema id",
            expected="a zero byte, four bytes of schema id, then the body",
        )
    magic, schema_id = _HEADER.unpack_from(data)
    if magic != MAGIC:
        raise DecodingError(f"magic byte {magic & 0xFF}", expected=f"magic byte {MAGIC}")
    return schema_id, data[HEADER_SIZE:]
