"""TiCDC Avro: encoder and decoder bound to one changefeed and its registry."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from harness.codecs.avro.decode import decode
from harness.codecs.avro.dialect import DIALECTS
from harness.codecs.avro.encode import AvroEncoder
from harness.codecs.avro.settings import AvroSettings, settings
from harness.codecs.avro.stored_default import stored_default
from harness.contracts import DEFAULT_DIALECT, Codec, OtherZone, SchemaRegistry
from harness.model.columns import BINARIES, Column, ColumnKind
from harness.model.decoded import DecodedEvent
from harness.model.record import Record
from harness.model.settings import Settings
from harness.model.source_events import SourceEvent
from harness.wire.registry import MemoryRegistry


class BoundAvro:
    """One changefeed's codec."""

    def __init__(self, bound: AvroSettings, registry: SchemaRegistry) -> None:
        """Take the settings that decide the bytes, and the registry that gives the ids."""
        self._settings = bound
        self._registry = registry

    @property
    def complete(self) -> str | None:
        """Return what a checkpoint promises; without the watermark there is none."""
        return "at-or-below" if self._settings.watermark else None

    @property
    def row_ids(self) -> bool:
        """Return False: Avro has nothing that rows without a key could be distinguished by."""
        return False

    def encode(self, events: Iterable[SourceEvent]) -> Iterator[Record]:
        """Yield the records of the vendor input."""
        return AvroEncoder(self._settings, self._registry).encode(events)

    def in_zone(self, zone_of: OtherZone) -> BoundAvro:
        """Return this codec reading TIMESTAMPs by the zone that takes the place of the server's."""
        found = replace(self._settings, zone=zone_of(self._settings.zone))
        return BoundAvro(found, self._registry)

    def decode(self, key: bytes | None, value: bytes | None) -> tuple[DecodedEvent, ...]:
        """Return the events of one message."""
        return decode(key, value, self._settings, self._registry)


def bind(values: Settings, dialect: str, registry: SchemaRegistry | None = None) -> BoundAvro:
    """Return the codec for a scenario's `settings.avro` and a dialect's name.

    Without a registry the schemas are kept in memory, under BACKWARD compatibility.
    """
    bound = settings(values, dialect)
    return BoundAvro(bound, MemoryRegistry() if registry is None else registry)


def carries_default(column: Column, values: Settings) -> bool:
    """Return whether a field's default is the column's: not of a precise DECIMAL, nor lost bytes.

    TiDB writes a default that is not UTF-8 with U+FFFD, so Avro's Base64 holds other bytes.
    Source: TiCDC codec notes §3.4, 3.5.
    """
    if column.kind is ColumnKind.DECIMAL:
        return settings(values, DEFAULT_DIALECT).decimal_string
    if column.kind not in BINARIES:
        return True
    try:
        (stored_default(column) or "").encode()
    except UnicodeEncodeError:
        return False
    return True


def _always(values: Settings) -> bool:
    del values
    return True


AVRO = Codec(tuple(DIALECTS), bind, needs_registry=_always)
