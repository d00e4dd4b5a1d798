"""Every role that a newcomer can implement, on one page.

Roles are shapes, not base classes: anything with these members fits. The tables that list who
plays a role are literal dictionaries (`harness.protocols.PROTOCOLS`, `harness.faults.FAULTS`, ...).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Protocol

from harness.model.decoded import DecodedEvent
from harness.model.mounted import VendorEvent
from harness.model.record import Record


class Wire(Protocol):
    """One protocol bound to one changefeed's settings and dialect."""

    @property
    def complete(self) -> str:
        """Return what a resolved ts promises: `at-or-below` or `below`."""
        ...

    @property
    def row_ids(self) -> bool:
        """Return whether the wire tells rows without a key apart, so that copies are known."""
        ...

    def encode(self, events: Iterable[VendorEvent]) -> Iterator[Record]:
        """Yield the records of a stream of vendor input, in emission order.

        Raises EncodingError for what the protocol cannot express.
        """
        ...

    def decode(self, key: bytes | None, value: bytes | None) -> tuple[DecodedEvent, ...]:
        """Return the events of one message; raises DecodingError for malformed bytes."""
        ...


@dataclass(frozen=True, slots=True)
class Codec:
    """A protocol: its name in scenarios, its dialects (the default first), and how to bind it."""

    name: str
    title: str
    dialects: tuple[str, ...]
    bind: Callable[[Mapping[str, Any], str], Wire]


class Fault(Protocol):
    """A disturbance: records in, records out.

    A fault keeps every record's origins, terminates, and depends on nothing but its arguments.
    It raises StepError when it has nothing to act on: an authoring mistake, never silence.
    """

    def __call__(
        self, records: Sequence[Record], options: Mapping[str, Any], line: int, random: Random
    ) -> tuple[Record, ...]:
        """Return the disturbed records."""
        ...
