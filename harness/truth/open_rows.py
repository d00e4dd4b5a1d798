"""Row changes in the Open Protocol: our messages beside the vendor's, and the vendor's read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from harness.contracts import Wire
from harness.errors import EncodingError, SourceStopped
from harness.model.change import Op
from harness.model.record import Record
from harness.model.source_events import RowEvent
from harness.sources.tidb.dispatch import target_of
from harness.sources.tidb.mounter import eligible
from harness.truth.open_bound import Bound
from harness.truth.open_messages import ours, theirs
from harness.truth.open_reading import read_messages, row_differences
from harness.truth.result import Difference, Parts, Vector
from harness.truth.ticdc_config import force_replicate
from harness.truth.ticdc_ddl import mount_ddl
from harness.truth.ticdc_followed import feed_of
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
        yield Difference("events", "nothing is sent", f"{len(vector['events'])} messages")


def _encoded(
    wire: Wire, rows: tuple[RowEvent, ...]
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
        yield Difference("events[].encode_error", f"{len(refused)} rows", f"{len(recorded)} rows")
    for (number, error), text in zip(refused.items(), recorded, strict=False):
        code = error.code if isinstance(error, SourceStopped) else type(error).__name__
        sizes = set(re.findall(r"\b(?:length|maxMessageBytes):(\d+)", text))
        if code not in text or not sizes <= set(re.findall(r"\d+", error.what)):
            yield Difference(f"row {number} encode_error", f"{code}: {error.what}", text)
