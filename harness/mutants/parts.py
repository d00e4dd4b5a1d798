"""What a mutant may have of its own: each part stands for one of the reference consumer's."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from harness.contracts import OtherZone
from harness.model.columns import Column
from harness.model.decoded import DecodedEvent, EventKind
from harness.model.values import Value
from harness.mutants.delivery import Delivery, Message
from harness.reference_consumer.arrive import Arrivals
from harness.reference_consumer.hold import Hold, Ready
from harness.reference_consumer.tables import Tables

# What a consumer reads between two restarts.
Batch = Sequence[Message]
# Schema and table to the columns by name, as far as the mutant knows them.
Known = Mapping[tuple[str, str], Mapping[str, Column]]


class GivesUp(ValueError):  # noqa: N818  (it is what the consumer does)
    """A mutant's own reason to end a changefeed; whatever else it raises is not its defect."""


class Events:
    """A difference in how one consumer reads events, with what it remembers between them."""

    def read(self, event: DecodedEvent, message: Message) -> Iterable[DecodedEvent]:
        """Return what the consumer makes of an event; the event itself without a difference."""
        del message
        return (event,)

    def restart(self) -> None:
        """Forget what was only in memory."""


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of one mutant; None and the reference's own classes are no difference.

    `value` changes each value of a known column; `events` makes a reader of events; `message`
    changes bytes before they are decoded; `batch` the order in which a batch is applied; `reads`
    which batches are really read; `stuck` says for what a consumer waits in vain, "" for nothing;
    `restart` is done to the waiting room when the consumer is stopped and goes on; `skips` passes
    over messages that cannot be decoded; `resets` goes on where its messages were deleted; `zone`
    is what it takes the source server's time zone for.
    """

    value: Callable[[Column, Value], Value] | None = None
    events: Callable[[Known], Events] | None = None
    message: Callable[[], Callable[[Message], Message]] | None = None
    hold: type[Hold] = Hold
    arrivals: type[Arrivals] = Arrivals
    tables: type[Tables] = Tables
    batch: Callable[[list[Ready]], list[Ready]] | None = None
    reads: Callable[[Delivery], Iterable[Batch]] | None = None
    stuck: Callable[[Delivery], str] | None = None
    restart: Callable[[Hold | Arrivals], None] | None = None
    skips: bool = False
    resets: bool = False
    zone: OtherZone | None = None


def row_key(event: DecodedEvent) -> Hashable:
    """Return table and key of a row event, as text."""
    image = event.key or (event.before if event.kind is EventKind.DELETE else event.after) or {}
    names = sorted(event.handle) or sorted(image)
    return (event.schema, event.table, tuple(str(image.get(name)) for name in names))
