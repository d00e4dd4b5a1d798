"""DDL and resolved events in the Open Protocol: broadcast, each to every partition of its topic."""

from __future__ import annotations

from collections.abc import Iterator

from harness.model.record import Origin, Record
from harness.model.source_events import ResolvedEvent
from harness.truth.open_bound import Bound
from harness.truth.open_messages import Message, Place, in_order
from harness.truth.open_reading import read_messages
from harness.truth.result import Difference, Parts, Vector
from harness.truth.ticdc_config import default_topic, partitions
from harness.truth.ticdc_ddl import mount_ddl

# How a vector says that a message goes to every partition.
_EVERY = frozenset({"all", None})


def compare_ddl(bound: Bound, vector: Vector) -> Parts:
    """Compare the messages of a vector's DDL with those of our own catalogue's jobs."""
    mounted = mount_ddl(vector)
    wrong = list(mounted.differences)
    vendor = in_order(vector)
    for number in range(max(len(vendor), len(mounted.events))):
        if number >= len(mounted.events) or number >= len(vendor):
            counts = (len(mounted.events), len(vendor))
            wrong.append(Difference("events", *(f"{count} DDL events" for count in counts)))
            break
        event = mounted.events[number]
        wrong += _broadcast(bound, list(bound.wire.encode([event])), *vendor[number], vector)
    reads, unread = read_messages(bound.wire, bound.settings, vector)
    wrong += unread
    for event, read in zip(mounted.events, reads, strict=False):
        given = (event.commit_ts, event.schema, event.table, event.query, event.type)
        it = read.event
        came = (it.commit_ts, it.schema, it.table, it.query, it.type)
        wrong += [] if given == came else [Difference(read.where, f"read {came}", f"given {given}")]
    return wrong, ()


def compare_checkpoint(bound: Bound, vector: Vector) -> Parts:
    """Compare a resolved mark on every partition."""
    marks = [
        ResolvedEvent(
            vector["checkpoint_ts"], default_topic(vector), n, Origin(1, 0, 0, "resolved")
        )
        for n in range(partitions(vector))
    ]
    records = list(bound.wire.encode(marks))
    wrong: list[Difference] = []
    vendor = in_order(vector)
    if len(vendor) != 1:
        wrong.append(Difference("events", "1 message", f"{len(vendor)} messages"))
    for (_, partition), message in vendor:
        # The encoder knows no topic here: the sink broadcasts to all that it has.
        wrong += _broadcast(bound, records, (default_topic(vector), partition), message, vector)
    reads, unread = read_messages(bound.wire, bound.settings, vector)
    for read in reads:
        given, came = ("resolved", vector["checkpoint_ts"]), (read.event.kind, read.event.commit_ts)
        wrong += [] if given == came else [Difference(read.where, f"read {came}", f"given {given}")]
    return wrong + unread, ()


def _broadcast(
    bound: Bound, records: list[Record], place: Place, vendor: Message, vector: Vector
) -> Iterator[Difference]:
    """Yield what is wrong with an event that goes to every partition of its topic."""
    topic, partition = place
    places = [(record.topic, record.partition) for record in records]
    wanted = [(topic, number) for number in range(partitions(vector))]
    if places != wanted or partition not in _EVERY:
        yield Difference(f"{vendor.where}.partition", str(places), f"{partition}: {wanted}")
    for record in records:
        mine = Message("", record.key or b"", record.value or b"", record.headers)
        yield from bound.message_differences({place: [mine]}, {place: [vendor]})
