"""Confluent's wire format: a magic byte, a schema's id, and one datum of Avro.

Source: Confluent Schema Registry, §Wire format.
"""

from __future__ import annotations

from cdc_spark.errors import DecodingError

MAGIC = 0
HEAD = 5


def unframe(data: bytes, side: str) -> tuple[int, bytes]:
    """Return the schema's id and the body; raises DecodingError for another format."""
    if len(data) < HEAD or data[0] != MAGIC:
        raise DecodingError(
            f"the {side} begins with {data[:HEAD].hex() or 'nothing'}",
            expected="0x00 and the four bytes of a schema's id",
        )
    return int.from_bytes(data[1:HEAD], "big"), data[HEAD:]
