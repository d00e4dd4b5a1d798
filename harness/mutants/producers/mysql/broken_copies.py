"""Copies that break off: what is begun anew, from where, and what is never said."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Final

from harness.codecs.connect.schema import ConnectRecord
from harness.model.binlog import LogCopy, LogEvent, LogRow, LogSnapshot, LogTable
from harness.model.change import Op
from harness.model.record import Origin
from harness.model.values import Row
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.mysql.edits import CODEC, log, row, stream
from harness.mutants.producers.patch import Patch, constant
from harness.mutants.producers.records import Records, op

Anew = Callable[[LogSnapshot, LogSnapshot], Iterable[LogEvent]]
Read = tuple[LogTable, Row, Origin]


def _anew(change: Anew) -> Patch:
    """Return the patch that changes a copy that is begun anew, by the one that broke off."""

    def changed(events: Iterable[LogEvent]) -> Iterator[LogEvent]:
        broken: LogSnapshot | None = None
        for event in events:
            if not isinstance(event, LogSnapshot) or broken is None:
                yield event
            else:
                yield from change(broken, event)
            broken = event if isinstance(event, LogSnapshot) else broken

    return log(changed)


def _by_key(snapshot: LogSnapshot) -> dict[tuple[object, ...], Read]:
    """Return the rows that a copy sends, by table and key."""
    return {
        (table.table.id, *(row[table.table.position(name)] for name in table.key)): one
        for one in snapshot.sent()
        for table, row, _ in (one,)
    }


def _rest(broken: LogSnapshot, event: LogSnapshot) -> Iterator[LogEvent]:
    """Copy what the first copy has not sent."""
    known = _by_key(broken)
    left = {origin.event for key, (_, _, origin) in _by_key(event).items() if key not in known}
    tables = tuple(
        LogCopy(copy.table, tuple(one for one in copy.rows if one[1].event in left))
        for copy in event.tables
    )
    yield replace(event, tables=tables)


def _gone(broken: LogSnapshot, event: LogSnapshot) -> Iterator[LogEvent]:
    """Delete what the first copy has sent and is there no more."""
    yield event
    left = _by_key(event)
    for key, (table, image, origin) in _by_key(broken).items():
        if key not in left:
            yield LogRow(event.gtid, Op.DELETE, table, image, None, 0, origin)


def _changed(broken: LogSnapshot, event: LogSnapshot) -> Iterator[LogEvent]:
    """Send an update of what is another row than the first copy has sent."""
    known = _by_key(broken)
    for key, (table, image, origin) in _by_key(event).items():
        if key in known and known[key][1] != image and known[key][0].table == table.table:
            yield LogRow(event.gtid, Op.UPDATE, table, known[key][1], image, 0, origin)
    yield event


def _first_once(given: Records) -> Iterator[ConnectRecord]:
    """Mark the first row of all once."""
    seen = False
    for record in given:
        if op(record) == "r" and record.value["source"]["snapshot"] == "first":
            if seen:
                record.value["source"]["snapshot"] = "true"
            seen = True
        yield record


def _one_more(events: Iterable[LogEvent]) -> Iterator[LogEvent]:
    """Break a copy off one row later."""
    for event in events:
        if isinstance(event, LogSnapshot) and event.broken_after is not None:
            yield replace(event, broken_after=event.broken_after + 1)
        else:
            yield event


def _last_of_each(given: Records) -> Iterator[ConnectRecord]:
    """Mark as the last the row behind which a copy breaks off."""
    records = list(given)
    read = [record for record in records if op(record) == "r"]
    for before, record in pairwise(read):
        if record.value["source"]["snapshot"] == "first":
            before.value["source"]["snapshot"] = "last"
    yield from records


ROWS: Final[tuple[WrongProducer, ...]] = (
    row(
        "copy-goes-on",
        "snapshot.starts-over",
        "It goes on with a copy that broke off behind the rows that it has sent.",
        _anew(_rest),
    ),
    row(
        "copy-given-up",
        "snapshot.starts-over",
        "It follows the log when it starts again, although it ended in its copy.",
        _anew(lambda *_: ()),
    ),
    row(
        "copy-anew-without-statements",
        "snapshot.starts-over",
        "It sends no statements of a copy that it begins anew.",
        _anew(lambda _, event: (replace(event, statements=()),)),
    ),
    row(
        "copy-anew-of-old-rows",
        "snapshot.starts-over",
        "It sends the rows of the first copy where it begins one anew.",
        _anew(lambda broken, event: (replace(event, tables=broken.tables),)),
    ),
    row(
        "copy-anew-has-no-first-row",
        "snapshot.starts-over",
        "It marks no row as `first` in a copy that it begins anew.",
        stream(_first_once),
    ),
    row(
        "copy-anew-at-the-old-place",
        "snapshot.position-anew",
        "It writes the position of the first copy where it begins one anew.",
        _anew(lambda broken, event: (replace(event, gtid=broken.gtid),)),
    ),
    row(
        "gone-rows-deleted",
        "snapshot.position-anew",
        "It deletes rows that were gone when it began its copy anew.",
        _anew(_gone),
    ),
    row(
        "changes-between-copies-sent",
        "snapshot.position-anew",
        "It sends changes between a copy that broke off and the next as updates.",
        _anew(_changed),
    ),
    row(
        "one-row-held-back",
        "snapshot.last-held-back",
        "It sends all rows that it has read but one before it dies.",
        replace(log(_one_more), then=constant(f"{CODEC}.connector:_HELD_BACK", 1)),
    ),
    row(
        "last-row-before-the-break",
        "snapshot.last-held-back",
        "It marks the last row before its end as `last`.",
        stream(_last_of_each),
    ),
)
