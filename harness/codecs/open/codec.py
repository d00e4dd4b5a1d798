"""The Open Protocol: encoder and decoder bound to one changefeed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from harness.codecs.open.decode import decode
from harness.codecs.open.dialect import DIALECTS
from harness.codecs.open.encode import OpenEncoder
from harness.codecs.open.settings import OpenSettings, settings
from harness.codecs.ticdc.claim_check import ClaimCheck
from harness.contracts import Codec, Load, OtherZone, SchemaRegistry
from harness.model.decoded import DecodedEvent
from harness.model.record import Record
from harness.model.settings import Settings
from harness.model.source_events import SourceEvent


class BoundOpen:
    """One changefeed's codec.

    `seed` decides the names of claim checks, `load` reads one by its name. Without `load`, those
    that this very wire has encoded are known.
    """

    def __init__(self, bound: OpenSettings, seed: int = 0, load: Load | None = None) -> None:
        """Take the settings that decide the bytes."""
        self._settings = bound
        self._seed = seed
        self._stored: dict[str, ClaimCheck] = {}
        self._load = load or self._own

    @property
    def complete(self) -> str:
        """Return what a resolved ts promises in this dialect."""
        return self._settings.dialect.complete

    @property
    def row_ids(self) -> bool:
        """Return whether keys carry `rid`, which rows of keyless tables always have."""
        return self._settings.dialect.row_id

    @property
    def large(self) -> str:
        """Return what becomes of a row that is too large: `large-message-handle-option`."""
        return self._settings.large

    @property
    def claim_checks(self) -> tuple[ClaimCheck, ...]:
        """Return the files that the records encoded so far name; who sends them stores these."""
        return tuple(self._stored.values())

    def encode(self, events: Iterable[SourceEvent]) -> Iterator[Record]:
        """Return the records of the vendor input; the same input gives the same records again."""
        return OpenEncoder(self._settings, self._store, self._seed).encode(events)

    def decode(self, key: bytes | None, value: bytes | None) -> tuple[DecodedEvent, ...]:
        """Return the events of one message."""
        return decode(key, value, self._settings, self._load)

    def reading(self, load: Load) -> BoundOpen:
        """Return this codec with claim checks read by their names from a storage."""
        return BoundOpen(self._settings, self._seed, load)

    def in_zone(self, zone_of: OtherZone) -> BoundOpen:
        """Return this codec reading TIMESTAMPs by the zone that takes the place of the server's."""
        found = replace(self._settings, zone=zone_of(self._settings.zone))
        return BoundOpen(found, self._seed, self._load)

    def _store(self, check: ClaimCheck) -> None:
        self._stored[check.name] = check

    def _own(self, name: str) -> bytes:
        return self._stored[name].content


def bind(values: Settings, dialect: str, registry: SchemaRegistry | None = None) -> BoundOpen:
    """Return the codec for a scenario's `settings.open` and a dialect's name; no schemas here."""
    del registry
    return BoundOpen(settings(values, dialect))


OPEN = Codec(tuple(DIALECTS), bind)
