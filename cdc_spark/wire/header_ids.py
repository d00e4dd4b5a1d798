"""Schemas that a message names in its headers, and not before its body.

Confluent's serializers may write a schema's identity into the headers `__key_schema_id` and
`__value_schema_id`: a version byte, then 4 bytes of an id (version 0) or 16 of a GUID (version 1).
Such a part gets the frame that it would have had. A GUID has a number of this process's own there,
from `FIRST_GUID` on, where no registry's ids are.

Source: Confluent Schema Registry 8, §Wire format, §Schema IDs in headers.
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

from cdc_spark.untyped import ArrowBatch, Column, pa, pc
from cdc_spark.wire.confluent import HEAD, MAGIC

NAMES = {"key": "__key_schema_id", "value": "__value_schema_id"}
FIRST_GUID = 1 << 31  # ids are positive signed numbers of 32 bits
_GUID_MAGIC, _GUID_BYTES = 1, 17
_numbers: dict[bytes, int] = {}
_guids: list[bytes] = []


def framed(messages: ArrowBatch, side: str) -> Column:
    """Return the keys or the values of messages, each behind the id that its headers name."""
    parts = messages[side]
    names = messages.schema.names
    if "headers" not in names or not _any(messages["headers"], NAMES[side]):
        return parts
    both = zip(parts.to_pylist(), messages["headers"].to_pylist(), strict=True)
    return pa.array([_framed(part, headers, NAMES[side]) for part, headers in both], pa.binary())


def _any(headers: Column, name: str) -> bool:
    if headers.null_count == len(headers):
        return False
    found = pc.equal(headers.flatten().field("key"), name)
    return bool(pc.any(found, min_count=0).as_py())


def _framed(part: bytes | None, headers: Any, name: str) -> bytes | None:  # noqa: ANN401 - Arrow's
    named = [one["value"] for one in headers or () if one["key"] == name and one["value"]]
    if part is None or not named:
        return part
    head: bytes = named[-1]  # Kafka's rule: of equal headers the last counts
    if len(head) == HEAD and head[0] == MAGIC:
        return head + part
    if len(head) == _GUID_BYTES and head[0] == _GUID_MAGIC:
        return bytes([MAGIC]) + _number(head[1:]).to_bytes(HEAD - 1, "big") + part
    return part


def _number(guid: bytes) -> int:
    if guid not in _numbers:
        _numbers[guid] = FIRST_GUID + len(_guids)
        _guids.append(guid)
    return _numbers[guid]


def guid_of(schema_id: int) -> str:
    """Return the GUID behind a number that `framed` gave; "" for a registry's own id."""
    at = schema_id - FIRST_GUID
    return str(UUID(bytes=_guids[at])) if 0 <= at < len(_guids) else ""
