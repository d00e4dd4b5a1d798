"""What many consumers of one case ask alike is worked out once: messages decoded, DDL run.

Both are pure, so remembering them changes no answer; it only saves most of the time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from harness.contracts import Wire
from harness.ddl import Catalogue, DdlError
from harness.ddl.catalogue import Applied
from harness.ddl.grammar.statements import Statement
from harness.errors import DecodingError
from harness.model.decoded import DecodedEvent
from harness.model.record import Record

Decoded = tuple[DecodedEvent, ...] | DecodingError


class RememberedWire:
    """A wire that decodes the same bytes once."""

    def __init__(self, wire: Wire) -> None:
        """Take the wire that decodes."""
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
                self._known[pair] = self._wire.decode(key, value)
            except DecodingError as error:
                self._known[pair] = error
        found = self._known[pair]
        if isinstance(found, DecodingError):
            raise found.with_traceback(None)
        return found


@dataclass(frozen=True, slots=True)
class RememberedCatalogue(Catalogue):
    """A catalogue that runs the same statement once; what follows from it remembers likewise."""

    known: dict[tuple[str, str], Applied | DdlError] = field(
        default_factory=dict[tuple[str, str], Applied | DdlError]
    )

    def apply(
        self, sql: str | Statement, schema: str = "", *, ansi_quotes: bool = False
    ) -> Applied:
        """Run one DDL statement, or recall what it did; raises what it raised before."""
        if not isinstance(sql, str) or ansi_quotes:
            return Catalogue.apply(self, sql, schema, ansi_quotes=ansi_quotes)
        name = (sql, schema)
        if name not in self.known:
            try:
                applied = Catalogue.apply(self, sql, schema)
                after = RememberedCatalogue(applied.catalogue.moment)
                self.known[name] = Applied(after, applied.jobs)
            except DdlError as error:
                self.known[name] = error
        found = self.known[name]
        if isinstance(found, DdlError):
            raise found.with_traceback(None)
        return found
