"""A stream as its rules read it: messages in the order of sending, each with its decoded events.

A rule is a clause, what breaks it, and when it is in force. It speaks of first copies, because all
three protocols deliver at least once: a copy proves nothing about order.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from harness.contracts import BoundCodec
from harness.errors import DecodingError
from harness.model.decoded import DecodedEvent, EventKind
from harness.model.record import Origin, Record
from harness.model.settings import Settings
from harness.model.table import Table

Place = tuple[str, int]
Decode = Callable[[Record], Sequence[DecodedEvent]]
ROWS = frozenset({EventKind.INSERT, EventKind.UPDATE, EventKind.UPSERT, EventKind.DELETE})
MARK, DDL = EventKind.RESOLVED, EventKind.DDL


@dataclass(frozen=True, slots=True)
class Sent:
    """One event of a message; `first` unless the same event was in an earlier one.

    A broadcast is one event of each partition that it is sent to. `number` counts the messages of
    the stream from 0.
    """

    number: int
    record: Record
    event: DecodedEvent
    origin: Origin
    first: bool

    @property
    def place(self) -> Place:
        """Return the topic and partition."""
        return (self.record.topic, self.record.partition)

    @property
    def ts(self) -> int:
        """Return the commit ts: the wire's, or the upstream's where the wire has none."""
        return self.event.commit_ts or self.origin.commit_ts

    @property
    def table(self) -> tuple[str, str]:
        """Return database and table."""
        return (self.event.schema, self.event.table)

    @property
    def row(self) -> Hashable | None:
        """Return what tells the row from all others: table, key columns, values; None for none."""
        event = self.event
        if event.key is not None:
            return (*self.table, *event.key.items()) if event.key else None
        image = event.image
        if image is None or not event.handle:
            return None
        return (*self.table, *((name, image.get(name)) for name in event.handle))

    def __str__(self) -> str:
        """Render as kind, table, key and the message's place."""
        what = f"{self.event.kind} {'.'.join(filter(None, self.table))}".strip()
        key = f" {self.origin.key}" if self.origin.key else ""
        return f"{what}{key} in {self.record.topic}/{self.record.partition}, message {self.number}"


@dataclass(frozen=True, slots=True)
class Stream:
    """The messages of a case, as they were produced or as a delivery leaves them.

    `partitions` is what the changefeed knows of; `grown` says that a delivery added some, `pinned`
    that the scenario itself chose partitions. `produced` is False for what a delivery left.
    `complete` is what a resolved ts promises: `at-or-below` or `below`, None without any. `tables`
    has the table of each row event that the upstream emitted, by the event's number.
    """

    records: tuple[Record, ...]
    events: tuple[Sent, ...]
    settings: Settings
    dialect: str
    partitions: int
    complete: str | None
    tables: Mapping[int, Table]
    produced: bool = True
    grown: bool = False
    pinned: bool = False

    @property
    def rows(self) -> Iterator[Sent]:
        """Yield the row events, copies included."""
        return (sent for sent in self.events if sent.event.kind in ROWS)

    @property
    def first_rows(self) -> Iterator[Sent]:
        """Yield the first copy of each row event."""
        return (sent for sent in self.rows if sent.first)

    def setting(self, *names: str) -> object:
        """Return the first of these settings that is given, None for none."""
        return next((self.settings[name] for name in names if name in self.settings), None)


@dataclass(frozen=True, slots=True)
class StreamRule:
    """What a clause demands of a stream.

    `breaches` yields a sentence for each place that breaks it. `when` is the condition in words,
    "always" for none, and `applies` decides it. `settings` are the names that a message tells with
    their values.
    """

    clause: str
    breaches: Callable[[Stream], Iterable[str]]
    when: str = "always"
    applies: Callable[[Stream], bool] = lambda _: True
    settings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Breach:
    """A rule that a stream breaks, and where first."""

    rule: StreamRule
    what: str


def broken(rules: Iterable[StreamRule], stream: Stream) -> Iterator[Breach]:
    """Yield each rule in force that the stream breaks, with its first breach."""
    for rule in rules:
        what = next(iter(rule.breaches(stream)), None) if rule.applies(stream) else None
        if what is not None:
            yield Breach(rule, what)


def remembering(wire: BoundCodec) -> Decode:
    """Return a decoder that reads each message once; what cannot be read has no events."""
    known: dict[tuple[bytes | None, bytes | None], Sequence[DecodedEvent]] = {}

    def decode(record: Record) -> Sequence[DecodedEvent]:
        pair = (record.key, record.value)
        if pair not in known:
            try:
                known[pair] = wire.decode(*pair)
            except DecodingError:
                known[pair] = ()
        return known[pair]

    return decode


def decoded_events(records: Sequence[Record], decode: Decode) -> Iterator[Sent]:
    """Yield the events of the messages in order, with which of them are first copies."""
    seen: set[Hashable] = set()
    for number, record in enumerate(records):
        events = decode(record)
        # Not so many events as origins: a message that a fault put there, which says nothing.
        if len(events) != len(record.origins):
            continue
        for event, origin in zip(events, record.origins, strict=True):
            broadcast = event.kind not in ROWS and event.kind is not EventKind.TOMBSTONE
            # What is broadcast is an event of its own in each partition.
            there = (record.topic, record.partition) if broadcast else (record.topic,)
            name = (*there, origin.event, event.kind, origin.kind, origin.key)
            yield Sent(number, record, event, origin, name not in seen)
            seen.add(name)
