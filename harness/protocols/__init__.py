"""The registry of protocols: one `ProtocolSpec` a protocol, loaded when it is asked for.

A distribution adds a protocol of its own by an entry point of the group `cdc_conformance.protocols`
that names its row: `morse = "morse:PROTOCOL"`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from importlib.metadata import EntryPoint, entry_points

from harness.errors import UsageError
from harness.protocols.protocol import ProtocolSpec

GROUP = "cdc_conformance.protocols"
OWN = {
    "open": "harness.protocols.open:OPEN",
    "avro": "harness.protocols.avro:AVRO",
    "vitess": "harness.protocols.vitess:VITESS",
    "debezium-mysql": "harness.protocols.mysql:MYSQL",
}


class Registry(Mapping[str, ProtocolSpec]):
    """The protocols by name, our own first; names are known before any row is loaded."""

    def __init__(self) -> None:
        """Load nothing yet."""
        self._loaded: dict[str, ProtocolSpec] = {}

    @cached_property
    def _places(self) -> Mapping[str, EntryPoint]:
        own = [EntryPoint(name, place, GROUP) for name, place in OWN.items()]
        found: dict[str, EntryPoint] = {}
        for point in (*own, *entry_points(group=GROUP)):
            if point.name in found and found[point.name].value != point.value:
                raise UsageError(
                    f"two distributions register a protocol {point.name!r}",
                    expected="a name that no other protocol has",
                    hint=f"{found[point.name].value} and {point.value}",
                )
            found[point.name] = point
        return found

    @property
    def packages(self) -> frozenset[str]:
        """Return the top-level packages and modules of the protocols that are not our own."""
        points = (point for name, point in self._places.items() if name not in OWN)
        return frozenset(point.module.partition(".")[0] for point in points)

    def __getitem__(self, name: str) -> ProtocolSpec:
        """Return the row of a protocol; UsageError for an entry point that does not load."""
        if name not in self._loaded:
            self._loaded[name] = _loaded(self._places[name])
        return self._loaded[name]

    def __iter__(self) -> Iterator[str]:
        """Yield the names."""
        return iter(self._places)

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._places)

    def __contains__(self, name: object) -> bool:
        """Return whether there is such a protocol, without loading it."""
        return name in self._places


def _loaded(point: EntryPoint) -> ProtocolSpec:
    try:
        row = point.load()
    except (ImportError, AttributeError) as error:
        raise UsageError(
            f"the protocol {point.name!r} does not load: {error}",
            expected=f"a ProtocolSpec at {point.value}",
        ) from error
    if not isinstance(row, ProtocolSpec) or row.name != point.name:
        raise UsageError(
            f"{point.value} is no ProtocolSpec named {point.name!r}",
            expected="a row whose name is its entry point's",
        )
    return row


PROTOCOLS = Registry()
