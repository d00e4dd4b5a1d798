"""A case as one delivery of it in memory has it: offsets with gaps, where its reader stopped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from harness.model.finding import Place
from harness.mutants.delivery import Delivery, Lying, Message
from harness.verdict.case import Arrival, Circumstances, Judged, Where


def as_delivered(judged: Judged, there: Lying, delivery: Delivery) -> Judged:
    """Return the case with the offsets of a delivery and what its reader went through."""
    offsets = _offsets(there, delivery)
    return replace(
        judged,
        places={
            event: tuple(_moved(place, offsets) for place in places)
            for event, places in judged.places.items()
        },
        arrivals=_Moved(judged, offsets, _turns(delivery)),
        run=_circumstances(delivery),
    )


@dataclass(frozen=True, slots=True)
class _Moved:
    """The arrivals of a case at other offsets, in the order in which they are read."""

    judged: Judged
    offsets: Mapping[Where, int]
    turns: Mapping[Where, int]

    def __call__(self) -> tuple[Arrival, ...]:
        moved = [
            replace(one, place=_moved(one.place, self.offsets)) for one in self.judged.arrivals()
        ]
        return tuple(sorted(moved, key=self._turn))

    def _turn(self, one: Arrival) -> int:
        return self.turns.get((one.place.topic, one.place.partition, one.place.offset), 0)


def _offsets(there: Lying, delivery: Delivery) -> Mapping[Where, int]:
    """Return the delivery's offset of each message by the place where it lies."""
    lying: dict[tuple[str, int], list[Message]] = {}
    for message in reversed(there.messages):
        lying.setdefault(message.place, []).append(message)
    return {
        (*message.place, lying[message.place].pop().offset): message.offset
        for message in delivery.messages()
    }


def _turns(delivery: Delivery) -> Mapping[Where, int]:
    """Return which message is read as the n-th."""
    return {_where(message): turn for turn, message in enumerate(delivery.messages())}


def _moved(place: Place, offsets: Mapping[Where, int]) -> Place:
    offset = offsets.get((place.topic, place.partition, place.offset), place.offset)
    return replace(place, offset=offset)


def _circumstances(delivery: Delivery) -> Circumstances:
    if delivery.stopped is None:
        return Circumstances(ends=delivery.ends)
    behind = [m for batch in delivery.batches[delivery.stopped + 1 :] for m in batch]
    return Circumstances(
        frozenset(map(_where, delivery.batches[delivery.stopped])),
        _where(behind[0]) if behind else None,
        delivery.young,
        delivery.ends,
    )


def _where(message: Message) -> Where:
    return (*message.place, message.offset)
