"""Claim checks: a message that is too large lies in a file, and what is sent names the file.

The encoder does no I/O: it returns the files as data, and the sender of the records stores them.

Source: tiflow c7b2588 pkg/sink/kafka/claimcheck/claim_check.go:84, 107, 117; TiDB's storages name
themselves by scheme, bucket and prefix, without the parameters of the URI.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from random import Random
from types import MappingProxyType
from uuid import UUID

import orjson

from harness.contracts import Load
from harness.errors import DecodingError, plural
from harness.wire.framing import frame_keys, frame_values, unframe

_SCHEMES: Mapping[str, str] = MappingProxyType(
    {"": "file", "local": "file", "gs": "gcs", "azblob": "azure"}
)


@dataclass(frozen=True, slots=True)
class ClaimCheck:
    """One file of the claim-check storage: its name there, and its content."""

    name: str
    content: bytes


def names(seed: int) -> Iterator[str]:
    """Yield file names without end: random UUIDs, the same for the same seed."""
    random = Random(seed)
    while True:
        yield f"{UUID(int=random.getrandbits(128), version=4)}.json"


def location(storage_uri: str, name: str) -> str:
    """Return what the record says of a file's place."""
    without_parameters = storage_uri.partition("?")[0].partition("#")[0]
    scheme, mark, path = without_parameters.partition("://")
    if not mark:
        scheme, path = "", without_parameters
    return f"{_SCHEMES.get(scheme, scheme)}://{path.rstrip('/')}/{name}"


def content(key: bytes, value: bytes) -> bytes:
    """Return the file that holds an event: a whole message of its own, as JSON."""
    message = {
        "key": b64encode(frame_keys([key])).decode(),
        "value": b64encode(frame_values([value])).decode(),
    }
    return orjson.dumps(message)


def stored_event(place: str, load: Load | None) -> tuple[bytes, bytes]:
    """Return the event key and value that a claim check stands for."""
    if load is None:
        raise DecodingError(
            f"the row lies in the claim check {place}, and no storage was given to read it from"
        )
    name = place.rpartition("/")[2]
    try:
        content = load(name)
    except (OSError, LookupError) as error:
        raise DecodingError(f"the claim check {place} cannot be read: {error}") from error
    try:
        message = orjson.loads(content)
        key, value = (b64decode(message[part], validate=True) for part in ("key", "value"))
    except (ValueError, TypeError, LookupError) as error:
        raise DecodingError(
            f"the claim check {place} holds no message: {error!r}",
            expected='{"key":"<Base64>","value":"<Base64>"}',
        ) from error
    events = unframe(key, value)
    if len(events) != 1:
        raise DecodingError(
            f"the claim check {place} holds {plural(len(events), 'event')}, not one"
        )
    return events[0]
