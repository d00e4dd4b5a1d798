"""What many consumers of one case ask alike is worked out once: each message is decoded once.

Decoding is pure, so remembering it changes no answer; it only saves most of the time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from harness.contracts import Wire
from harness.errors import DecodingError
from harness.model.decoded import DecodedEvent
from harness.model.large import Rows, whole
from harness.model.record import Record

Decoded = tuple[DecodedEvent, ...] | DecodingError


class RememberedWire:
    """A wire that decodes the same bytes once.

    It knows the rows that messages have the handle key of alone, as a reader who asks for them.
    """

    def __init__(self, wire: Wire, left_out: Rows) -> None:
        """Take the wire that decodes, and the rows that messages leave out."""
        self._left_out = left_out
        self._wire = wire
        self._known: dict[tuple[bytes | None, bytes | None], Decoded] = {}
        self.complete = wire.complete
        self.row_ids = wire.row_ids

    def encode(self, events: Iterable[Any]) -> Iterator[Record]:
        """Encode as the wire does."""
        return self._wire.encode(events)

    def decode(self, key: bytes | None, value: bytes | None) -> tuple[DecodedEvent, ...]:
        """Return the events of a message; raise what the wire raised before."""
        pair = (key, value)
        if pair not in self._known:
            try:
                events = self._wire.decode(key, value)
                self._known[pair] = tuple(whole(event, self._left_out) for event in events)
            except DecodingError as error:
                self._known[pair] = error
        found = self._known[pair]
        if isinstance(found, DecodingError):
            raise found.with_traceback(None)
        return found
