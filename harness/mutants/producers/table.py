"""All wrong producers, by name; a new one is a row of its section's table.

A distribution that registers a protocol adds its own by an entry point of `GROUP` that names their
table: `morse = "morse.mutants:ROWS"`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import entry_points
from types import MappingProxyType

from harness.errors import UsageError
from harness.mutants.producers.avro import ROWS as AVRO
from harness.mutants.producers.changefeed import ROWS as CHANGEFEED
from harness.mutants.producers.connect import converters
from harness.mutants.producers.kafka import brokers
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.mysql import ROWS as MYSQL
from harness.mutants.producers.open import ROWS as OPEN
from harness.mutants.producers.registry import registries
from harness.mutants.producers.vitess import ROWS as VITESS

GROUP = "cdc_conformance.wrong_producers"
SECTIONS: tuple[tuple[WrongProducer, ...], ...] = (
    OPEN,
    AVRO,
    CHANGEFEED,
    converters.ROWS,
    registries.ROWS,
    brokers.ROWS,
    VITESS,
    MYSQL,
)


def every() -> Iterator[WrongProducer]:
    """Yield our own rows, section by section, then those of other distributions."""
    for section in SECTIONS:
        yield from section
    for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        yield from point.load()


def by_name(rows: Iterable[WrongProducer]) -> Mapping[str, WrongProducer]:
    """Return the rows by name; UsageError for a name that two of them have."""
    found: dict[str, WrongProducer] = {}
    for mutant in rows:
        if mutant.name in found:
            raise UsageError(
                f"two wrong producers are named {mutant.name!r}", expected="a name of its own"
            )
        found[mutant.name] = mutant
    return MappingProxyType(found)


PRODUCERS: Mapping[str, WrongProducer] = by_name(every())
