"""Open Protocol messages beside the vendor's, partition by partition, byte for byte.

A difference is said in the words of the event where it is, not in hexadecimal. `Bound` is the codec
under a vector's settings, and what may differ under them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from harness.codecs.open.codec import BoundOpen
from harness.codecs.open.settings import OpenSettings, settings
from harness.errors import DecodingError, plural
from harness.model.record import Record
from harness.truth.result import Difference, Vector
from harness.truth.ticdc_config import settings_of
from harness.wire.compression import decompressed
from harness.wire.framing import frame_values, unframe

Place = tuple[str | None, int | str | None]
CLAIM_CHECK, COMPRESSED = "claim-check-file", "compressed-bytes"
# tiflow c7b2588 pkg/sink/codec/common/message.go:31 MaxRecordOverhead.
RECORD_OVERHEAD = 36
_FILE = re.compile(
    rb'("ccl":"[^"]*?)([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.json)"', re.IGNORECASE
)
_ANY_FILE = rb'\g<1>00000000-0000-0000-0000-000000000000.json"'


@dataclass(frozen=True, slots=True)
class Message:
    """One message and where it stands in its vector, or in our output."""

    where: str
    key: bytes
    value: bytes
    headers: tuple[object, ...] = ()


def in_order(vector: Vector) -> list[tuple[Place, Message]]:
    """Return a vector's messages as they stand, each with its topic and partition."""
    found: list[tuple[Place, Message]] = []
    for number, event in enumerate(vector["events"]):
        if "key_hex" in event:
            key, value = bytes.fromhex(event["key_hex"]), bytes.fromhex(event["value_hex"])
            message = Message(f"events[{number}]", key, value, tuple(event.get("headers") or ()))
            found.append(((event["topic"], event["partition"]), message))
    return found


def theirs(vector: Vector) -> dict[Place, list[Message]]:
    """Return a vector's messages by topic and partition."""
    found: dict[Place, list[Message]] = defaultdict(list)
    for place, message in in_order(vector):
        found[place].append(message)
    return found


def ours(records: Iterable[Record]) -> dict[Place, list[Message]]:
    """Return our records by topic and partition."""
    found: dict[Place, list[Message]] = defaultdict(list)
    for record in records:
        place = (record.topic, record.partition)
        where = f"{record.topic}/{record.partition} message {len(found[place])}"
        message = Message(where, record.key or b"", record.value or b"", record.headers)
        found[place].append(message)
    return found


def message_differences(
    mine: Mapping[Place, Sequence[Message]], vendor: Mapping[Place, Sequence[Message]]
) -> Iterator[Difference]:
    """Yield each message that differs, is missing or is too much."""
    for place in sorted({*mine, *vendor}, key=str):
        left, right = mine.get(place, ()), vendor.get(place, ())
        for number in range(max(len(left), len(right))):
            if number >= len(left):
                yield Difference(right[number].where, "no message", _described(right[number]))
            elif number >= len(right):
                yield Difference(left[number].where, _described(left[number]), "no message")
            else:
                yield from one_difference(left[number], right[number])


def one_difference(mine: Message, vendor: Message) -> Iterator[Difference]:
    """Yield how our message differs from the vendor's, at its first differing event."""
    if mine.headers != vendor.headers:
        yield Difference(f"{vendor.where}.headers", str(mine.headers), str(vendor.headers))
    if (mine.key, mine.value) == (vendor.key, vendor.value):
        return
    left, right = _events(mine.key, mine.value), _events(vendor.key, vendor.value)
    if len(left) == len(right):
        for number, (one, other) in enumerate(zip(left, right, strict=True)):
            for part, a, b in zip(("key", "value"), one, other, strict=True):
                if a != b:
                    yield Difference(f"{vendor.where} event {number} {part}", _text(a), _text(b))
                    return
    yield Difference(
        f"{vendor.where} ({len(left)} and {plural(len(right), 'event')})",
        f"{mine.key.hex()} {mine.value.hex()}",
        f"{vendor.key.hex()} {vendor.value.hex()}",
    )


def file_names(messages: Mapping[Place, Sequence[Message]]) -> list[str]:
    """Return the names of the claim-check files that messages name, by place, in order."""
    return [
        match[2].decode()
        for place in sorted(messages, key=str)
        for message in messages[place]
        for match in _FILE.finditer(message.key)
    ]


def comparable(
    messages: Mapping[Place, Sequence[Message]], compression: str
) -> dict[Place, list[Message]]:
    """Return messages without what may differ: names of files, and how values were compressed."""
    return {
        place: [_comparable(message, compression) for message in found]
        for place, found in messages.items()
    }


def _comparable(message: Message, compression: str) -> Message:
    key, value = _FILE.sub(_ANY_FILE, message.key), message.value
    if compression != "none":
        with suppress(DecodingError):
            values = [decompressed(v, compression) if v else v for _, v in unframe(key, value)]
            value = frame_values(values)
    return replace(message, key=key, value=value)


def _events(key: bytes, value: bytes) -> tuple[tuple[bytes, bytes], ...]:
    try:
        return unframe(key, value)
    except DecodingError:
        return ()


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "backslashreplace")


def _described(message: Message) -> str:
    pairs = _events(message.key, message.value)
    texts = [f"{_text(key)} {_text(value)}" for key, value in pairs]
    return "; ".join(texts) or f"{message.key.hex()} {message.value.hex()}"


DIALECT = "current"
Messages = Mapping[Place, Sequence[Message]]


@dataclass(frozen=True, slots=True)
class Bound:
    """One vector's settings and codec."""

    settings: OpenSettings
    wire: BoundOpen

    @classmethod
    def to(cls, vector: Vector) -> Bound:
        """Read a vector's settings; UsageError for what TiCDC refuses."""
        read = settings(settings_of(vector), DIALECT)
        return cls(read, BoundOpen(read))

    def message_differences(self, mine: Messages, vendor: Messages) -> Iterator[Difference]:
        """Yield each message that differs by more than these settings leave open."""
        way = self.settings.compression
        return message_differences(comparable(mine, way), comparable(vendor, way))

    def files(self, mine: Messages, vendor: Messages) -> Mapping[str, bytes]:
        """Return our claim-check files by the names that the vendor gave them."""
        stored = {check.name: check.content for check in self.wire.claim_checks}
        pairs = zip(file_names(vendor), file_names(mine), strict=False)
        return {theirs: stored[ours] for theirs, ours in pairs}

    def reader(self, files: Mapping[str, bytes]) -> BoundOpen:
        """Return the codec that reads claim checks from these files."""
        return BoundOpen(self.settings, load=files.__getitem__)

    def excused(self, mine: Messages, vendor: Messages) -> tuple[str, ...]:
        """Return the names of the exceptions that were applied, once each."""
        found: tuple[str, ...] = (CLAIM_CHECK,) if file_names(vendor) else ()
        if self.settings.compression != "none" and _bytes(mine) != _bytes(vendor):
            found += (COMPRESSED,)
        return found


def _bytes(messages: Messages) -> list[bytes]:
    return [message.value for place in sorted(messages, key=str) for message in messages[place]]
