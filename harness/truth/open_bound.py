"""The Open Protocol's codec bound to a vector's settings, and what may differ under them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from harness.codecs.open.codec import OpenWire
from harness.codecs.open.settings import OpenSettings, settings
from harness.truth.open_messages import (
    CLAIM_CHECK,
    COMPRESSED,
    Message,
    Place,
    comparable,
    file_names,
    message_differences,
)
from harness.truth.result import Difference, Vector
from harness.truth.ticdc_config import settings_of

DIALECT = "current"
Messages = Mapping[Place, Sequence[Message]]


@dataclass(frozen=True, slots=True)
class Bound:
    """One vector's settings and codec."""

    settings: OpenSettings
    wire: OpenWire

    @classmethod
    def to(cls, vector: Vector) -> Bound:
        """Read a vector's settings; UsageError for what TiCDC refuses."""
        read = settings(settings_of(vector), DIALECT)
        return cls(read, OpenWire(read))

    def message_differences(self, mine: Messages, vendor: Messages) -> Iterator[Difference]:
        """Yield each message that differs by more than these settings leave open."""
        way = self.settings.compression
        return message_differences(comparable(mine, way), comparable(vendor, way))

    def files(self, mine: Messages, vendor: Messages) -> Mapping[str, bytes]:
        """Return our claim-check files by the names that the vendor gave them."""
        stored = {check.name: check.content for check in self.wire.claim_checks}
        pairs = zip(file_names(vendor), file_names(mine), strict=False)
        return {theirs: stored[ours] for theirs, ours in pairs}

    def reader(self, files: Mapping[str, bytes]) -> OpenWire:
        """Return the codec that reads claim checks from these files."""
        return OpenWire(self.settings, load=files.__getitem__)

    def excused(self, mine: Messages, vendor: Messages) -> tuple[str, ...]:
        """Return the names of the exceptions that were applied, once each."""
        found: tuple[str, ...] = (CLAIM_CHECK,) if file_names(vendor) else ()
        if self.settings.compression != "none" and _bytes(mine) != _bytes(vendor):
            found += (COMPRESSED,)
        return found


def _bytes(messages: Messages) -> list[bytes]:
    return [message.value for place in sorted(messages, key=str) for message in messages[place]]
