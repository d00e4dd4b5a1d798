"""What is sent when and where: order, resolved events, partitions, splits, large rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from harness.codecs.open.types import Writer
from harness.model.change import Op
from harness.model.columns import ColumnKind
from harness.model.source_events import ResolvedEvent, RowEvent, SourceEvent
from harness.model.table import Table
from harness.model.values import Row
from harness.mutants.producers.changefeed.edits import emitted, resolved, rows
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.open.edits import ROW, events, settings, values
from harness.mutants.producers.patch import adjusted, constant, instead, patch, returns
from harness.sources.tidb.store import NetChange

Reshape = Callable[[Table, Table, Row], Row]
Events = Sequence[SourceEvent]
SPLIT = "harness.sources.tidb.split:split_on"
RESHAPED = "harness.sources.tidb.cluster:reshape"


def _runs(events_: Events) -> Iterator[list[SourceEvent]]:
    """Yield the runs of row events, and the other events one by one."""
    run: list[SourceEvent] = []
    for event in events_:
        if isinstance(event, RowEvent):
            run.append(event)
        else:
            yield run
            yield [event]
            run = []
    yield run


def _newest_first(events_: Events) -> Iterable[SourceEvent]:
    """Yield the rows of a table between two other events from the newest ts to the oldest."""
    for run in _runs(events_):
        yield from sorted(
            run, key=lambda event: -event.commit_ts if isinstance(event, RowEvent) else 0
        )


def _inserts_first(events_: Events) -> Iterable[SourceEvent]:
    """Yield inserts before deletes within each ts of a table."""
    order = {Op.INSERT: 0, Op.UPDATE: 1, Op.DELETE: 2}
    for run in _runs(events_):
        mine = [event for event in run if isinstance(event, RowEvent)]
        yield from sorted(mine, key=lambda event: (event.commit_ts, order[event.op])) or run


def _one_late(events_: Events) -> Iterable[SourceEvent]:
    """Yield the events with each mark before the last row that it promises."""
    given = [*events_]
    for at in range(1, len(given)):
        mark, row = given[at], given[at - 1]
        if isinstance(mark, ResolvedEvent) and isinstance(row, RowEvent):
            given[at - 1], given[at] = mark, row
    return given


def _late_in_partition_1(events_: Events) -> Iterable[SourceEvent]:
    """Return the events with each mark of partition 1 before the last row that it promises."""
    done: list[SourceEvent] = []
    for event in events_:
        at = len(done)
        if isinstance(event, ResolvedEvent) and event.partition == 1:
            here = [
                n
                for n, e in enumerate(done)
                if isinstance(e, RowEvent | ResolvedEvent)
                and (e.topic, e.partition) == (event.topic, 1)
            ]
            if here and isinstance(done[here[-1]], RowEvent):
                at = here[-1]
        done.insert(at, event)
    return done


def _marks_to_0(mark: ResolvedEvent) -> Iterable[SourceEvent]:
    return (mark,) if mark.partition == 0 else ()


def _last_marks(events_: Events) -> Iterable[SourceEvent]:
    """Yield the events with the marks of the highest ts alone."""
    last = max((event.ts for event in events_ if isinstance(event, ResolvedEvent)), default=0)
    return [e for e in events_ if not isinstance(e, ResolvedEvent) or e.ts == last]


def _moved(row: RowEvent) -> Iterable[SourceEvent]:
    stays = row.op is Op.INSERT or not row.partition
    return (replace(row, partition=row.partition if stays else row.partition - 1),)


def _by_number(row: RowEvent) -> Iterable[SourceEvent]:
    return (replace(row, partition=min(row.partition, row.origin.event % 2)),)


def _twice(row: RowEvent) -> Iterable[SourceEvent]:
    """Yield an update as two versions of its row, as two statements would have made it."""
    yield row
    if row.op is Op.UPDATE:
        yield row


def _as_insert(row: RowEvent) -> Iterable[SourceEvent]:
    """Yield an update as a delete and an insert."""
    if row.op is not Op.UPDATE:
        return (row,)
    return (
        replace(row, op=Op.DELETE, after=None),
        replace(row, op=Op.INSERT, before=None),
    )


def _unsplit(unique: Sequence[int], changes: Iterable[NetChange]) -> list[NetChange]:
    del unique
    return [*changes]


def _nulls_in_new_columns(original: Reshape) -> Reshape:
    def reshaped(before: Table, after: Table, row: Row) -> Row:
        return tuple(
            value if column.name in before.column_names else None
            for column, value in zip(after.columns, original(before, after, row), strict=True)
        )

    return reshaped


def _latin(strings: Callable[[Sequence[str]], Sequence[str]]) -> Writer:
    """Return a writer of bytes that JSON alone escapes."""

    def write(given: Sequence[bytes]) -> Sequence[str]:
        return strings(b"\n".join(given).decode("latin-1").split("\n"))

    return write


def _within_a_day(text: str) -> str:
    sign, _, rest = text.rpartition("-")
    hours, _, minutes = rest.partition(":")
    return f"{'-' if '-' in text else sign}{int(hours) % 24:02d}:{minutes}"


ROWS: tuple[WrongProducer, ...] = (
    WrongProducer(
        "open-newest-version-first",
        "open.order.per-table-ts",
        "It sends the rows of a table from the newest ts to the oldest.",
        emitted(_newest_first),
    ),
    WrongProducer(
        "open-marks-to-one-partition",
        "open.resolved.broadcast",
        "It sends resolved events to the partition 0 alone.",
        resolved(_marks_to_0),
    ),
    WrongProducer(
        "open-marks-once",
        "open.resolved.broadcast",
        "It sends the last resolved events alone.",
        emitted(_last_marks),
    ),
    WrongProducer(
        "open-mark-before-its-row",
        "open.resolved.complete",
        "It sends a resolved event before the last row that it promises.",
        emitted(_one_late),
    ),
    WrongProducer(
        "open-mark-beyond-its-rows",
        "open.resolved.complete",
        "It gives a resolved event a ts beyond rows that follow.",
        resolved(lambda mark: (replace(mark, ts=mark.ts + (1 << 30)),)),
    ),
    WrongProducer(
        "open-mark-before-its-row-of-one-partition",
        "open.resolved.per-partition",
        "It sends the resolved events of partition 1 before the last row there.",
        emitted(_late_in_partition_1),
    ),
    WrongProducer(
        "open-mark-promises-less",
        "open.resolved.inclusive",
        "It gives a resolved event the ts after that of the last row.",
        resolved(lambda mark: (replace(mark, ts=mark.ts + 1),)),
    ),
    WrongProducer(
        "open-rows-over-partitions-by-kind",
        "open.row.same-partition",
        "It sends updates and deletes to the partition before that of their row.",
        rows(_moved),
    ),
    WrongProducer(
        "open-rows-round-robin",
        "open.partition.by-table",
        "It deals the rows of a table round.",
        rows(_by_number),
    ),
    WrongProducer(
        "open-index-value-round-robin",
        "open.partition.index-value",
        "It deals rows round under `index-value`.",
        rows(_by_number),
    ),
    WrongProducer(
        "open-row-told-twice-in-a-transaction",
        "open.txn.one-event-per-row",
        "It sends an event for each change that a transaction makes to a row.",
        rows(_twice),
    ),
    WrongProducer(
        "open-update-as-two-events",
        "open.txn.net-effect",
        "It sends an update as a delete and an insert.",
        rows(_as_insert),
    ),
    WrongProducer(
        "open-inserts-before-deletes",
        "open.txn.deletes-first",
        "It sends inserts of a ts before its deletes.",
        emitted(_inserts_first),
    ),
    WrongProducer(
        "open-key-update-not-split",
        "open.row.pk-update-split",
        "It sends an update of a unique key as an update.",
        instead(SPLIT, _unsplit),
    ),
    WrongProducer(
        "open-added-column-null",
        "open.row.added-column",
        "It sends NULL for an added column in rows that were stored before.",
        patch(RESHAPED, _nulls_in_new_columns),
    ),
    WrongProducer(
        "open-virtual-columns-sent",
        "open.row.no-virtual-columns",
        "It sends virtual generated columns.",
        returns("harness.ddl.tidb:is_emitted", value=True),
    ),
    WrongProducer(
        "open-stored-columns-left-out",
        "open.row.no-virtual-columns",
        "It leaves stored generated columns out.",
        adjusted("harness.ddl.tidb:is_emitted", lambda _, column: column.generated is None),
    ),
    WrongProducer(
        "open-large-row-in-full",
        "open.large.handle-key-only",
        "It stops at a row that is too large under `handle-key-only`.",
        settings(lambda given: {"large": "none"} if given.large == "handle-key-only" else {}),
    ),
    WrongProducer(
        "open-large-row-without-ohk",
        "open.large.handle-key-only",
        "It leaves `ohk` out of the key of a row that was too large.",
        events(ROW, lambda key, _: key.pop("ohk", None)),
    ),
    WrongProducer(
        "open-large-row-in-the-message",
        "open.large.claim-check",
        "It sends the handle columns instead of a claim check.",
        settings(
            lambda given: {"large": "handle-key-only"} if given.large == "claim-check" else {}
        ),
    ),
    WrongProducer(
        "open-claim-check-without-its-place",
        "open.large.claim-check",
        "It leaves `ccl` out of the key.",
        events(ROW, lambda key, _: key.pop("ccl", None)),
    ),
    WrongProducer(
        "open-compression-ignored",
        "open.frame.compressed",
        "It compresses nothing.",
        settings(lambda _: {"compression": "none"}),
    ),
    WrongProducer(
        "open-html-as-it-is",
        "open.json.escapes",
        "It writes `<`, `>` and `&` as they are.",
        constant("harness.codecs.open.dialect:CURRENT.html_escapes", value=False),
    ),
    WrongProducer(
        "open-bytes-escaped-once",
        "open.type.escaped-twice",
        "It writes binary text with the escapes of JSON alone.",
        instead("harness.codecs.open.types:_quoted", _latin),
    ),
    WrongProducer(
        "open-fraction-trimmed",
        "open.value.temporal-digits",
        "It cuts trailing zeros off a fraction of a second.",
        values(ColumnKind.DATETIME, lambda text: text.rstrip("0").rstrip(".") or text),
    ),
    WrongProducer(
        "open-zero-date-as-null",
        "open.value.zero-date",
        "It sends a zero date as an empty text.",
        values(ColumnKind.DATE, lambda text: "" if "-00" in text else text),
    ),
    WrongProducer(
        "open-time-within-a-day",
        "open.value.time-range",
        "It counts a TIME within one day.",
        values(ColumnKind.TIME, _within_a_day),
    ),
    WrongProducer(
        "open-timestamp-with-a-zone",
        "open.value.timestamp-zone",
        "It names the zone behind a TIMESTAMP.",
        values(ColumnKind.TIMESTAMP, lambda text: f"{text}+00:00"),
    ),
    WrongProducer(
        "open-datetime-with-a-zone",
        "open.value.timestamp-zone",
        "It names a zone behind a DATETIME.",
        values(ColumnKind.DATETIME, lambda text: f"{text}Z"),
    ),
    WrongProducer(
        "open-enum-invalid-as-its-first",
        "open.value.enum-invalid",
        "It sends the invalid member of an ENUM as its first.",
        values(ColumnKind.ENUM, lambda text: text if text != "0" else "1"),
    ),
    WrongProducer(
        "open-char-padded",
        "open.value.char-trimmed",
        "It pads CHAR with a blank.",
        values(ColumnKind.CHAR, lambda text: f"{text} "),
    ),
    WrongProducer(
        "open-binary-trimmed",
        "open.value.char-trimmed",
        "It cuts zero bytes off the end of BINARY.",
        values(ColumnKind.BINARY, lambda text: text.removesuffix(r"\\x00")),
    ),
    WrongProducer(
        "open-integers-as-doubles",
        "open.value.bigint-exact",
        "It rounds BIGINT to 53 bits.",
        values(ColumnKind.BIGINT, lambda text: str(int(float(text)))),
    ),
)
