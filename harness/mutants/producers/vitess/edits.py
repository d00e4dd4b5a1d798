"""Patches of the Vitess connector: of its records, and of what stands before and behind it.

`responses` changes what the connector is given, `kafka` what Kafka is given. Rows are not written
by columns under these patches, which changes no byte of the right producer's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, Final

from harness.codecs.debezium_vitess.codec import VitessConfiguration
from harness.model.record import Record
from harness.model.vstream import VStreamResponse
from harness.mutants.producers.patch import Patch, patch, result
from harness.mutants.producers.records import Edits, Records

CODEC: Final = "harness.codecs.debezium_vitess.codec"
CONNECTOR: Final = "harness.codecs.debezium_vitess.encode:Connector"


def stream(change: Callable[[Records], Records]) -> Patch:
    """Return the patch that changes all records of a connector together."""

    def changed(original: Callable[..., None]) -> Callable[..., None]:
        def start(self: Any, settings: Any, clock: Any, *rest: Any) -> None:  # noqa: ANN401 a method of any instance
            original(self, settings, clock, *rest[:2])  # the third writes rows by columns
            emitted = self.emitted
            self.emitted = lambda given: iter(change(emitted(given)))

        return start

    return patch(f"{CONNECTOR}.__init__", changed)


EDITS: Final = Edits(stream)
each, one, values, keys = EDITS.each, EDITS.one, EDITS.values, EDITS.keys
value_schema, key_schema, typed = EDITS.value_schema, EDITS.key_schema, EDITS.typed
without, renamed, moved, valued = EDITS.without, EDITS.renamed, EDITS.moved, EDITS.valued
by_transaction, of_status = EDITS.by_transaction, EDITS.of_status


def responses(change: Callable[[Iterable[VStreamResponse]], Iterable[VStreamResponse]]) -> Patch:
    """Return the patch by which the connector hears other responses than the stream sends."""

    def changed(original: Callable[..., Any]) -> Callable[..., Any]:
        return lambda self, events: original(self, change(events))

    return patch(f"{CODEC}:BoundVitess.encode", changed)


def kafka(change: Callable[[Iterable[Record]], Iterable[Record]]) -> Patch:
    """Return the patch that changes what the producer sends, in bytes."""
    return result(f"{CODEC}:BoundVitess.encode", lambda given: iter(change(given)))


def with_settings(change: Callable[[dict[str, Any]], object]) -> Patch:
    """Return the patch that changes, in place, the settings that the connector is given.

    Whoever reads what it sends is still given the settings as they are.
    """

    def changed(original: Callable[..., VitessConfiguration]) -> Callable[..., Any]:
        def bound(given: Mapping[str, Any], dialect: str) -> VitessConfiguration:
            own = dict(given)
            change(own)
            return replace(original(own, dialect), values=given)

        return bound

    return patch(f"{CODEC}:bound_to", changed)


def ignoring(*names: str) -> Patch:
    """Return the patch by which the connector ignores settings, of which it takes the defaults."""
    return with_settings(lambda own: [own.pop(name, None) for name in names])


def by_default(**defaults: object) -> Patch:
    """Return the patch by which settings that nobody gave are these; `_` stands for a dot."""

    def change(own: dict[str, Any]) -> None:
        for name, value in defaults.items():
            own.setdefault(name.replace("_", "."), value)

    return with_settings(change)
