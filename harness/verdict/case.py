"""What a verdict needs to know of one case beside the two states."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from harness.model.finding import Place
from harness.model.record import Record
from harness.model.source_events import RowEvent


@dataclass(frozen=True, slots=True)
class Judged:
    """One case under judgement.

    `clauses` are those that the scenario cites, the first of them being its main point; `places`
    maps each event number to the places of its records, every copy of them, and `messages` how many
    messages say it once: a deletion's tombstone is a second one. `row_ids` says whether
    the wire identifies rows without a key. `compacted` are the events of which compaction removed
    a record. `hostile` are the places of what no consumer can
    read; None where everything can be.
    """

    case: str
    protocol: str
    clauses: tuple[str, ...]
    line: int
    places: Mapping[int, tuple[Place, ...]]
    messages: Mapping[int, int] = field(default_factory=dict[int, int])
    row_ids: bool = False
    compacted: AbstractSet[int] = frozenset()
    hostile: tuple[Place, ...] | None = None

    def places_of(self, events: Sequence[RowEvent]) -> tuple[Place, ...]:
        """Return the records of some events, in the order in which they lie on the topic."""
        found = [place for event in events for place in self.places.get(event.origin.event, ())]
        return tuple(sorted(found, key=lambda place: (place.topic, place.partition, place.offset)))

    def copies_of(self, event: int) -> int:
        """Return how often an event is there to be read; a part of what says it counts for it."""
        return -(-len(self.places.get(event, ())) // self.messages.get(event, 1))

    def main_clause(self) -> str:
        """Return the clause that a finding cites when no narrower one fits."""
        return self.clauses[0] if self.clauses else ""


def places(records: Sequence[Record]) -> Mapping[int, tuple[Place, ...]]:
    """Return where each event's records lie once they are produced in this order, without gaps."""
    offsets: dict[tuple[str, int], int] = {}
    lying: list[tuple[Record, int]] = []
    for record in records:
        partition = (record.topic, record.partition)
        offset = offsets.get(partition, 0)
        offsets[partition] = offset + 1
        lying.append((record, offset))
    return places_at(lying)


def places_at(lying: Iterable[tuple[Record, int]]) -> Mapping[int, tuple[Place, ...]]:
    """Return where each event's records lie, given the offset of each record."""
    found: dict[int, list[Place]] = {}
    for record, offset in lying:
        for origin in record.origins:
            place = Place(record.topic, record.partition, offset, origin)
            found.setdefault(origin.event, []).append(place)
    return {event: tuple(there) for event, there in found.items()}
