"""One message made malformed, in each way that a wire form can be broken.

What comes out is refused by every right decoder. A corrupted message names no schema any more
where its id must reach the reader as it is: whoever sends records writes real ids over known ones.

Source: the framing of `harness.wire.framing`; the registry's framing (a zero byte, four bytes of
schema id); https://github.com/kafkajs/confluent-schema-registry/issues/146 (a wrong first byte).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from enum import StrEnum
from random import Random
from types import MappingProxyType

from harness.errors import DecodingError
from harness.model.record import Record, SchemaUse
from harness.wire.framing import VERSION, frame_values, unframe

REGISTRY_HEAD = 5
# Beyond any length and any id that is ever given.
HUGE_INT64 = (2**62).to_bytes(8, "big")
HUGE_VARINT = b"\xfe" + b"\xff" * 8 + b"\x01"
UNKNOWN_ID = 2_000_000_000


class Form(StrEnum):
    """How a message's bytes are put together."""

    FRAMED = "framed"
    REGISTRY = "registry"
    JSON = "json"


def form(record: Record) -> Form | None:
    """Return the form of a message; None for tombstones and what is malformed already."""
    if record.value is None:
        return None
    if record.value_schema is not None:
        return Form.REGISTRY
    if record.value[:1] in (b"{", b"["):
        return Form.JSON
    try:
        unframe(record.key or b"", record.value)
    except DecodingError:
        return None
    return Form.FRAMED


def truncated(record: Record, random: Random) -> Record:
    """Cut the value short; a registry's head stays whole, and so names the schema it named."""
    value = _value(record)
    least = REGISTRY_HEAD if form(record) is Form.REGISTRY else 0
    cut = random.randint(min(least, len(value) - 1), len(value) - 1)
    return replace(record, value=value[:cut] or b"\x00")


def wrong_magic(record: Record, random: Random) -> Record:
    """Begin the value with a byte that no framing begins with; 1 and 2 are marks of TiCDC."""
    first = bytes([random.randint(3, 255)])
    return replace(record, value=first + _value(record)[1:], value_schema=None)


def unknown_version(record: Record, random: Random) -> Record:
    """Say another version of the Open Protocol in the key."""
    version = random.randint(VERSION + 1, 2**31)
    return replace(record, key=version.to_bytes(8, "big") + (record.key or b"")[8:])


def unknown_schema_id(record: Record, random: Random) -> Record:
    """Name a schema id that the registry never gave."""
    number = UNKNOWN_ID + random.randint(0, 100_000_000)
    value = b"\x00" + number.to_bytes(4, "big") + _value(record)[REGISTRY_HEAD:]
    return replace(record, value=value, value_schema=None)


def garbage_value(record: Record, random: Random) -> Record:
    """Put text that is no JSON where the JSON was, with lengths that fit."""
    garbage = b"{]" + bytes(random.randint(0x20, 0x7E) for _ in range(random.randint(1, 40)))
    if form(record) is Form.JSON:
        return replace(record, value=garbage)
    pairs = unframe(record.key or b"", _value(record))
    return replace(record, value=frame_values([garbage] * len(pairs)))


def garbage_key(record: Record, random: Random) -> Record:
    """Put bytes that mean nothing where the key was."""
    length = max(len(record.key or b""), 8)
    return replace(record, key=b"\xff" + random.randbytes(length - 1), key_schema=None)


def wrong_type(record: Record, random: Random) -> Record:
    """Put well-formed data of another type where the row was."""
    wrong = json.dumps(random.choice([0, 1.5, "row", [], True, None])).encode()
    match form(record):
        case Form.FRAMED:
            pairs = unframe(record.key or b"", _value(record))
            return replace(record, value=frame_values([b'{"u":%b}' % wrong] * len(pairs)))
        case Form.JSON:
            return replace(record, value=wrong)
        case _:
            subject = record.value_schema.subject if record.value_schema is not None else ""
            # Registered under a subject of its own, where no older version can refuse it.
            use = SchemaUse(f"{subject}-wrong-type", '"string"', UNKNOWN_ID)
            value = b"\x00" + UNKNOWN_ID.to_bytes(4, "big") + b"\x06row"
            return replace(record, value=value, value_schema=use)


def huge_length(record: Record, random: Random) -> Record:
    """Announce more bytes than there are in the world."""
    del random
    value = _value(record)
    if form(record) is Form.FRAMED:
        return replace(record, value=HUGE_INT64 + value[8:])
    return replace(record, value=value[:REGISTRY_HEAD] + HUGE_VARINT)


def _value(record: Record) -> bytes:
    assert record.value is not None
    return record.value


Corruption = Callable[[Record, Random], Record]
_FORMS = frozenset(Form)

# Corruption -> the forms that it can break.
CORRUPTIONS: Mapping[Corruption, frozenset[Form]] = MappingProxyType(
    {
        truncated: _FORMS,
        wrong_magic: frozenset({Form.REGISTRY}),
        unknown_version: frozenset({Form.FRAMED}),
        unknown_schema_id: frozenset({Form.REGISTRY}),
        garbage_value: frozenset({Form.FRAMED, Form.JSON}),
        garbage_key: _FORMS,
        wrong_type: _FORMS,
        huge_length: frozenset({Form.FRAMED, Form.REGISTRY}),
    }
)
