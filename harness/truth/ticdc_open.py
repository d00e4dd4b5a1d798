"""TiCDC Open Protocol vectors: bytes of every message, and what our decoder reads in them.

Row changes go to the partition that a dispatcher chooses; DDL and resolved events are broadcast,
each to every partition of its topic.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from harness.contracts import BoundCodec
from harness.errors import EncodingError, HarnessError, SourceStopped, plural
from harness.model.change import Op
from harness.model.record import Origin, Record
from harness.model.source_events import ResolvedEvent, RowEvent
from harness.sources.tidb.dispatch import target_of
from harness.sources.tidb.mounter import eligible
from harness.truth.open_messages import Bound, Message, Place, in_order, ours, theirs
from harness.truth.open_reading import read_messages, row_differences
from harness.truth.result import Difference, Parts, Result, Vector
from harness.truth.ticdc_config import default_topic, force_replicate, partitions
from harness.truth.ticdc_ddl import feed_of, mount_ddl
from harness.truth.ticdc_rows import mount_rows
from harness.truth.ticdc_session import prepared


def compare_rows(bound: Bound, vector: Vector) -> Parts:
    """Compare the messages of a vector's rows; a vector without any must send nothing."""
    if not vector.get("dispatch"):
        return list(_unsent(vector)), ()
    mounted = mount_rows(vector)
    if mounted.differences:
        return list(mounted.differences), mounted.excused
    records, refused = _encoded(bound.wire, mounted.rows)
    mine, vendor = ours(records), theirs(vector)
    wrong = [*_misrouted(vector, mounted.rows), *_refused(refused, vector)]
    wrong += bound.message_differences(mine, vendor)
    stored = bound.files(mine, vendor)
    found, unread = read_messages(bound.reader(stored), bound.settings, vector)
    fitting = [row for row in mounted.rows if row.origin.event not in refused]
    wrong += [*unread, *row_differences(bound.settings, fitting, found)]
    return wrong, (*mounted.excused, *bound.excused(mine, vendor))


def _misrouted(vector: Vector, rows: Sequence[RowEvent]) -> Iterator[Difference]:
    """Yield where our own rules send a row elsewhere than the vector says."""
    feed = feed_of(vector)
    for number, row in enumerate(rows):
        table, image = row.table.table.id, row.before if row.op is Op.DELETE else row.after
        assert image is not None
        target = target_of(feed.rule(table), row.table, image, row.commit_ts)
        ours = f"{feed.topic_for(table)}/{target.partition(feed.partitions)}"
        if ours != (theirs := f"{row.topic}/{row.partition}"):
            yield Difference(f"dispatch[{number}]", ours, theirs)


def _unsent(vector: Vector) -> Iterator[Difference]:
    """Yield what we would send of a vector that sends nothing: no-op DDL, tables without a key."""
    for event in mount_ddl(vector).events:
        yield Difference("events", event.query, "nothing is sent")
    session = prepared(vector)
    force = force_replicate(vector)
    for row in vector["rows"]:
        if not row.get("not_scheduled"):
            yield Difference("rows", "a row that is not dispatched", "not_scheduled")
    if vector["rows"] and all(
        eligible(t, force_replicate=force) for t in session.catalogue.tables()
    ):
        yield Difference("rows", "every table is replicated", "not_scheduled")
    if vector["events"]:
        yield Difference("events", "nothing is sent", f"{plural(len(vector['events']), 'message')}")


def _encoded(
    wire: BoundCodec, rows: tuple[RowEvent, ...]
) -> tuple[list[Record], Mapping[int, EncodingError]]:
    """Return the records, and why each row that cannot be encoded cannot, by number."""
    try:
        return list(wire.encode(rows)), {}
    except EncodingError:
        refused: dict[int, EncodingError] = {}
    for row in rows:
        try:
            list(wire.encode([row]))
        except EncodingError as error:
            refused[row.origin.event] = error
    return list(wire.encode(row for row in rows if row.origin.event not in refused)), refused


def _refused(refused: Mapping[int, EncodingError], vector: Vector) -> Iterator[Difference]:
    """Yield where refusals differ: how many, the vendor's code, the sizes that they name."""
    recorded = [str(event["encode_error"]) for event in vector["events"] if "encode_error" in event]
    if len(recorded) != len(refused):
        yield Difference(
            "events[].encode_error",
            f"{plural(len(refused), 'row')}",
            f"{plural(len(recorded), 'row')}",
        )
    for (number, error), text in zip(refused.items(), recorded, strict=False):
        code = error.code if isinstance(error, SourceStopped) else type(error).__name__
        sizes = set(re.findall(r"\b(?:length|maxMessageBytes):(\d+)", text))
        if code not in text or not sizes <= set(re.findall(r"\d+", error.what)):
            yield Difference(f"row {number} encode_error", f"{code}: {error.what}", text)


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
    """Compare a resolved event on every partition."""
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
        wrong.append(Difference("events", "1 message", f"{plural(len(vendor), 'message')}"))
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


# What stands beside the bytes: compared, or (the parsed JSON, the rule's name) implied by them.
_COMPARED = frozenset(
    {
        *("topic", "partition", "key_hex", "value_hex", "headers", "version"),
        *("frames", "producer_length", "rows", "encode_error"),
    }
)
_DERIVED = frozenset({"partition_rule", "key_json", "value_json"})
UNKNOWN_MEMBER = "unknown-member"
_KINDS: Mapping[str, Callable[[Bound, Vector], Parts]] = {
    "dml": compare_rows,
    "ddl": compare_ddl,
    "checkpoint": compare_checkpoint,
}


def compare(vector: Vector) -> Result:
    """Compare one vector of the Open Protocol, whatever kind of event it holds."""
    if "config_error" in vector:
        return Result(vector["id"], tuple(_refusal(vector)))
    kind = str(vector.get("kind"))
    if kind not in _KINDS:
        return Result(vector["id"], (Difference("kind", f"one of {', '.join(_KINDS)}", kind),))
    differences, excused = _KINDS[kind](Bound.to(vector), vector)
    members = {name for event in vector["events"] for name in event}
    if members - _COMPARED - _DERIVED:
        excused += (UNKNOWN_MEMBER,)
    return Result(vector["id"], tuple(differences), excused)


def _refusal(vector: Vector) -> Iterator[Difference]:
    """Yield a difference when settings that TiCDC refuses are taken, or refused for another."""
    theirs = str(vector["config_error"])
    try:
        Bound.to(vector)
        feed_of(vector)
    except HarnessError as error:
        codes = re.findall(r"\[CDC:(\w+)\]", theirs)
        if codes and not any(code in str(error) for code in codes):
            yield Difference("config_error", f"refused: {error}", theirs)
        return
    yield Difference("config_error", "taken", theirs)
