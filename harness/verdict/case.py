"""What a verdict needs to know of one case beside the two states."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from harness.model.decoded import DecodedEvent
from harness.model.finding import Place
from harness.model.record import Record
from harness.model.settings import Settings, SettingValue
from harness.model.source_events import SourceEvent

Partition = tuple[str, int]
Where = tuple[str, int, int]  # topic, partition, offset


@dataclass(frozen=True, slots=True)
class Arrival:
    """One event of one message as readers meet it; `number` is its place in the message, from 0.

    The n-th copy of an event is an arrival of its own, with the same `place.origin.event`.
    `value_schema` is the registry's text of the value's schema, None where it has none.
    """

    place: Place
    decoded: DecodedEvent
    number: int = 0
    value_schema: str | None = None


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What is known of a run beside its records.

    `in_flight` are the messages that were read and not finished when the consumer was stopped,
    `next_read` the one that it had to read next. `young` are the partitions that came into being
    when it ran already. `ends` are the end offsets.
    """

    in_flight: frozenset[Where] = frozenset()
    next_read: Where | None = None
    young: frozenset[Partition] = frozenset()
    ends: Mapping[Partition, int] = field(default_factory=dict[Partition, int])


def nothing_arrives() -> tuple[Arrival, ...]:
    """Return no arrivals, where what lies on the topics is not known."""
    return ()


@dataclass(frozen=True, slots=True)
class Judged:
    """One case under judgement.

    `clauses` are those that the scenario cites, the first of them being its main point; `places`
    maps each event number to the places of its records, every copy of them, and `messages` how many
    messages say it once: a deletion's tombstone is a second one. `row_ids` says whether
    the wire identifies rows without a key. `compacted` are the events of which compaction removed
    a record. `hostile` are the places of what no consumer can
    read; None where everything can be, and `faults` the names of the delivery's faults. `arrivals`
    returns what readers meet, in the order of sending; `settings`, `dialect` and `run` are the
    case's.
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
    faults: tuple[str, ...] = ()
    arrivals: Callable[[], tuple[Arrival, ...]] = field(default=nothing_arrives, compare=False)
    settings: Settings = field(default_factory=dict[str, SettingValue])
    dialect: str = ""
    run: Circumstances = Circumstances()

    def places_of(self, events: Sequence[SourceEvent]) -> tuple[Place, ...]:
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
