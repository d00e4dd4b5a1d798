"""The Open Protocol as a `Wire`: encoder and decoder bound to one changefeed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from harness.contracts import Codec
from harness.model.decoded import DecodedEvent
from harness.model.mounted import VendorEvent
from harness.model.record import Record
from harness.protocols.ticdc_open.decode import decode
from harness.protocols.ticdc_open.dialect import DIALECTS
from harness.protocols.ticdc_open.encode import Encoder
from harness.protocols.ticdc_open.settings import Settings, settings


class OpenWire:
    """One changefeed's codec."""

    def __init__(self, bound: Settings) -> None:
        """Take the settings that decide the bytes."""
        self._settings = bound

    @property
    def complete(self) -> str:
        """Return what a resolved ts promises in this dialect."""
        return self._settings.dialect.complete

    @property
    def row_ids(self) -> bool:
        """Return whether keys carry `rid`, which rows of keyless tables always have."""
        return self._settings.dialect.row_id

    def encode(self, events: Iterable[VendorEvent]) -> Iterator[Record]:
        """Yield the records of the vendor input."""
        return Encoder(self._settings).encode(events)

    def decode(self, key: bytes | None, value: bytes | None) -> tuple[DecodedEvent, ...]:
        """Return the events of one message."""
        return decode(key, value, self._settings)


def bind(values: Mapping[str, Any], dialect: str) -> OpenWire:
    """Return the codec for a scenario's `settings.open` and a dialect's name."""
    return OpenWire(settings(values, dialect))


OPEN = Codec("open", "TiCDC Open Protocol", tuple(DIALECTS), bind)
