"""Offsets, partitions and restarts: what a consumer reads, and what it reads again."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator

from harness.model.decoded import DecodedEvent, EventKind
from harness.mutants.delivery import Delivery, Message, Partition
from harness.mutants.mutant import ALL, Mutant, sign
from harness.mutants.parts import Batch, Events, GivesUp, Known, Parts
from harness.reference_consumer.arrive import Arrivals
from harness.reference_consumer.hold import Hold, Place, Ready


class GapFails(Events):
    """Takes an offset that is not the next for lost data."""

    def __init__(self, known: Known) -> None:
        """Start before all partitions."""
        del known
        self._next: dict[Partition, int] = {}

    def read(self, event: DecodedEvent, message: Message) -> Iterable[DecodedEvent]:
        """Give up where an offset is missing."""
        expected = self._next.get(message.place, message.offset)
        if message.offset > expected:
            raise GivesUp(f"data loss: offset {expected} was expected, {message.offset} was read")
        self._next[message.place] = message.offset + 1
        return (event,)


def _waits_for_last(delivery: Delivery) -> str:
    """Return what is waited for: the message just below an end offset where there is none."""
    last: dict[Partition, int] = {}
    for message in delivery.messages():
        last[message.place] = message.offset
    for place, end in sorted(delivery.ends.items()):
        if end > delivery.starts.get(place, 0) and last.get(place, -1) < end - 1:
            return f"waits for offset {end - 1} of {place[0]}/{place[1]}, which is a marker"
    return ""


def _without(delivery: Delivery, dropped: frozenset[Message]) -> Iterator[Batch]:
    for batch in delivery.batches:
        yield tuple(message for message in batch if message not in dropped)


def _no_young(delivery: Delivery) -> Iterable[Batch]:
    young = (message for message in delivery.messages() if message.place in delivery.young)
    return _without(delivery, frozenset(young))


def _young_from_latest(delivery: Delivery) -> Iterable[Batch]:
    young = [message for message in delivery.messages() if message.place in delivery.young]
    return _without(delivery, frozenset(young[: (len(young) + 1) // 2]))


def _first_partition(delivery: Delivery) -> Iterable[Batch]:
    others = (message for message in delivery.messages() if message.partition)
    return _without(delivery, frozenset(others))


def _commits_first(delivery: Delivery) -> Iterable[Batch]:
    """Return the batches without the one that was read, committed, and not written."""
    for number, batch in enumerate(delivery.batches):
        yield () if number == delivery.stopped else batch


def _one_too_far(delivery: Delivery) -> Iterable[Batch]:
    """Return the batches; after the stop the next message is taken for one that was read."""
    rest = (
        delivery.batches if delivery.stopped is None else delivery.batches[: delivery.stopped + 1]
    )
    yield from rest
    if delivery.stopped is not None:
        after = delivery.batches[delivery.stopped + 1 :]
        skipped = after[0][1:] if after else ()
        yield skipped
        yield from after[1:]


def _last_message_lost(delivery: Delivery) -> Iterable[Batch]:
    """Return all but each partition's last message: the end offset is taken for the last one's."""
    last: dict[Partition, Message] = {message.place: message for message in delivery.messages()}
    return _without(delivery, frozenset(last.values()))


def _written_twice(delivery: Delivery) -> Iterable[Batch]:
    for number, batch in enumerate(delivery.batches):
        yield batch
        if number == delivery.stopped:
            yield batch


class WrittenAgain(Hold):
    """Takes what it reads a second time at one place for news; other copies it knows."""

    _again = False

    def take(self, event: DecodedEvent, place: Place) -> Iterator[Ready]:
        """Take an event, and remember where it was read."""
        name = (place, self.identity_of(event)) if event.kind is not EventKind.RESOLVED else place
        self._again = name in self._places
        self._places.add(name)
        yield from super().take(event, place)

    def is_known(self, event: DecodedEvent) -> bool:
        """Know nothing of what is read again."""
        return not self._again and super().is_known(event)

    @property
    def _places(self) -> set[Hashable]:
        if not hasattr(self, "_read"):
            self._read: set[Hashable] = set()
        return self._read


class InMemory(Hold):
    """Keeps what waits nowhere but in memory."""

    def forget(self) -> None:
        """Lose what waits."""
        self.waiting.clear()


def _forget_waiting(room: Hold | Arrivals) -> None:
    if isinstance(room, InMemory):
        room.forget()


# By what a message can be read at all.
_CONFLUENT = "registry.frame.magic registry.frame.schema-id registry.frame.body registry.id-unknown"
_READABLE = {
    "open": "open.frame.version-1 open.frame.key-length open.frame.value-length open.event.kinds",
    "avro": _CONFLUENT,
    "vitess": f"connect.json.envelope vitess.envelope.fields {_CONFLUENT}",
    "debezium-mysql": f"connect.json.envelope debezium-mysql.envelope.fields {_CONFLUENT}",
}
_LOST = (sign("event-missing missing-row stale-row extra-row ddl-missing"),)

ROWS: tuple[Mutant, ...] = (
    Mutant(
        "last-record-is-end",
        "offsets",
        "It waits for the message before the end offset, where a marker may be.",
        "kafka.offsets-have-gaps",
        Parts(stuck=_waits_for_last),
        (sign("consumer", "did not answer in time: waits for offset"),),
        ALL,
        (
            "https://github.com/apache/hudi/issues/8258",
            "https://github.com/apache/spark/pull/21917",
        ),
    ),
    Mutant(
        "gap-is-data-loss",
        "offsets",
        "It takes an offset that nobody sees, as a marker's, for lost data.",
        "kafka.offsets-have-gaps",
        Parts(events=GapFails),
        (sign("consumer", "data loss: offset"),),
        ALL,
        (
            "https://github.com/apache/spark/pull/20836",
            "https://github.com/MaterializeInc/materialize/pull/2968",
        ),
    ),
    Mutant(
        "end-offset-is-read",
        "offsets",
        "It takes the end offset for the last message's and leaves that one unread.",
        "kafka.position-is-next",
        Parts(reads=_last_message_lost),
        _LOST,
    ),
    Mutant(
        "ignore-new-partition",
        "offsets",
        "It never reads a partition that came into being after it had started.",
        "kafka.partitions-grow",
        Parts(reads=_no_young),
        _LOST,
        ALL,
        ("https://github.com/quickwit-oss/quickwit/issues/758",),
    ),
    Mutant(
        "new-partition-from-latest",
        "offsets",
        "It reads a new partition from where it finds it, not from its beginning.",
        "kafka.partitions-grow",
        Parts(reads=_young_from_latest),
        _LOST,
        ALL,
        ("https://github.com/ArroyoSystems/arroyo/pull/132",),
    ),
    Mutant(
        "first-partition-only",
        "offsets",
        "It reads the partition 0 of each topic.",
        "kafka.partitions-grow",
        Parts(reads=_first_partition),
        _LOST,
    ),
    Mutant(
        "commit-offsets-first",
        "restart",
        "It commits offsets before it has written, and loses a batch when it is stopped between.",
        "kafka.at-most-once",
        Parts(reads=_commits_first),
        _LOST,
        ALL,
        (
            "https://github.com/apache/seatunnel/issues/10574",
            "https://github.com/airbytehq/airbyte/pull/31093",
        ),
    ),
    Mutant(
        "skips-what-it-cannot-read",
        "offsets",
        "It passes over a message that it cannot decode, as if nothing had been lost.",
        _READABLE,
        Parts(skips=True),
        (sign("consumer", "says nothing of a message that cannot be read"),),
        seen=("https://github.com/kafkajs/confluent-schema-registry/issues/146",),
    ),
    Mutant(
        "earliest-where-data-were-lost",
        "offsets",
        "It goes on with the oldest message where those that it had to read were deleted.",
        "kafka.retention",
        Parts(resets=True),
        (sign("consumer", "says nothing of a message that cannot be read"),),
        seen=("https://github.com/apache/spark/pull/31089",),
    ),
    Mutant(
        "resumes-one-too-far",
        "restart",
        "It resumes behind the message that it had to read next.",
        "kafka.position-is-next",
        Parts(reads=_one_too_far),
        _LOST,
    ),
    Mutant(
        "batch-written-twice",
        "restart",
        "It writes the batch in which it was stopped a second time, without looking for copies.",
        "kafka.at-least-once",
        Parts(reads=_written_twice, hold=WrittenAgain),
        (sign("duplicate-row extra-row ddl-repeated"), sign("consumer", "exists|already")),
        ("open",),
        (
            "https://github.com/apache/paimon/issues/9666",
            "https://github.com/apache/spark/pull/57495",
        ),
    ),
    Mutant(
        "held-rows-forgotten",
        "restart",
        "It keeps what waits for a resolved event in memory only, and has lost it after a restart.",
        "kafka.at-most-once",
        Parts(hold=InMemory, restart=_forget_waiting),
        _LOST,
        ("open",),
    ),
)
