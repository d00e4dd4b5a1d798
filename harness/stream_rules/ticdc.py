"""Rules of both protocols of TiCDC: what dispatchers choose, and what marks promise."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator

from harness.ddl.tidb import is_emitted
from harness.model.table import Table, TableId
from harness.sources.tidb.changefeed import changefeed
from harness.sources.tidb.dispatcher import Dispatcher
from harness.stream_rules.shared import in_one_place
from harness.stream_rules.stream import DDL, MARK, ROWS, Place, Sent, Stream, StreamRule

_BY_TABLE = ("default", "table")
_BY_INDEX = ("index-value", "rowid")
DISPATCHERS = "sink.dispatchers"
Kind = Callable[[Dispatcher], bool]


def dispatched(stream: Stream) -> Callable[[Sent], Dispatcher]:
    """Return what finds the dispatcher of an event's table; one of no words for the default."""
    feed = changefeed(stream.settings, stream.partitions, dialect=stream.dialect)
    default = Dispatcher((), "default")
    known: dict[tuple[str, str], Dispatcher] = {}

    def of(sent: Sent) -> Dispatcher:
        if sent.table not in known:
            known[sent.table] = feed.rule(TableId(*sent.table)) or default
        return known[sent.table]

    return of


def _kind(rule: Dispatcher) -> str:
    return rule.partition.lower()


def by_table(rule: Dispatcher) -> bool:
    """Tell whether the table alone decides."""
    return _kind(rule) in _BY_TABLE


def by_handle(rule: Dispatcher) -> bool:
    """Tell whether the handle's values decide."""
    return _kind(rule) in _BY_INDEX and not rule.index


def keeps_rows_together(rule: Dispatcher) -> bool:
    """Tell whether a row whose key stays has one partition, whatever else changes in it."""
    return by_table(rule) or by_handle(rule)


def homes(of: Callable[[Sent], Hashable | None], kind: Kind) -> Callable[[Stream], Iterator[str]]:
    """Return a rule's predicate: under dispatchers of a kind, a group is in one partition."""

    def breaches(stream: Stream) -> Iterator[str]:
        rule = dispatched(stream)
        return in_one_place(stream, lambda sent: of(sent) if kind(rule(sent)) else None)

    return breaches


def _by_columns(stream: Stream) -> Iterator[str]:
    rule = dispatched(stream)

    def values(sent: Sent) -> Hashable | None:
        table, names = stream.tables.get(sent.origin.event), rule(sent).columns
        return _values(sent, names if table is None else _looked_at(stream, table, names))

    return in_one_place(stream, values)


def _looked_at(stream: Stream, table: Table, names: Iterable[str]) -> tuple[str, ...]:
    """Return the columns whose values decide where these are named.

    The older architecture counts virtual columns in a table, and none of them in a row.
    """
    feed = changefeed(stream.settings, stream.partitions, dialect=stream.dialect)
    columns = tuple(names)
    sent = [column.name for column in table.columns if is_emitted(column)]
    if feed.newer or len(sent) == len(table.columns):
        return columns
    places = [place for place in map(table.position, columns) if place < len(sent)]
    return tuple(sent[place] for place in places) if len(places) == len(columns) else ()


def _by_named_index(stream: Stream) -> Iterator[str]:
    rule = dispatched(stream)

    def values(sent: Sent) -> Hashable | None:
        table, name = stream.tables.get(sent.origin.event), rule(sent).index.lower()
        if table is None or not name:
            return None
        columns = next((i.columns for i in table.indexes if i.name.lower() == name), ())
        return _values(sent, _looked_at(stream, table, columns))

    return in_one_place(stream, values)


def _values(sent: Sent, columns: tuple[str, ...]) -> Hashable | None:
    """Return the columns' values with the table; None where the event does not carry them all."""
    image = {name.lower(): value for name, value in (sent.event.image or {}).items()}
    if not columns or any(name.lower() not in image for name in columns):
        return None
    return (*sent.table, *((name, str(image[name.lower()])) for name in columns))


def chosen_alone(stream: Stream) -> bool:
    """Tell whether every partition is the dispatcher's choice."""
    return not stream.grown and not stream.pinned


def _table(sent: Sent) -> Hashable:
    return sent.table


ALONE = "where no partition was added on the way, and none pinned"
_SETTINGS = (DISPATCHERS,)
# A partition that is added on the way takes rows which were not seen before; their choice is then
# no function of the values alone.
PARTITION_RULES: tuple[StreamRule, ...] = (
    StreamRule(
        "changefeed.partition.default",
        homes(_table, lambda rule: _kind(rule) == "default"),
        f"without a dispatcher, or under `default`; {ALONE}",
        chosen_alone,
        _SETTINGS,
    ),
    StreamRule(
        "changefeed.partition.table",
        homes(_table, lambda rule: _kind(rule) == "table"),
        f"under `partition: table`; {ALONE}",
        chosen_alone,
        _SETTINGS,
    ),
    StreamRule(
        "changefeed.partition.index-value",
        homes(lambda sent: sent.row, by_handle),
        "under `index-value` or `rowid` without `index`",
        settings=_SETTINGS,
    ),
    StreamRule(
        "changefeed.partition.named-index",
        _by_named_index,
        f"under `index-value` with `index`; {ALONE}",
        chosen_alone,
        _SETTINGS,
    ),
    StreamRule(
        "changefeed.partition.ts",
        homes(lambda sent: sent.ts, lambda rule: _kind(rule) == "ts"),
        f"under `partition: ts`; {ALONE}",
        chosen_alone,
        _SETTINGS,
    ),
    StreamRule(
        "changefeed.partition.columns",
        _by_columns,
        f"under `partition: columns`; {ALONE}",
        chosen_alone,
        _SETTINGS,
    ),
)


def marked(*, inclusive: bool) -> Callable[[Stream], Iterator[str]]:
    """Return a rule's predicate: no first copy comes behind a mark that has completed it."""

    def breaches(stream: Stream) -> Iterator[str]:
        marks: dict[Place, Sent] = {}
        for sent in stream.events:
            if sent.event.kind is MARK:
                before = marks.get(sent.place)
                marks[sent.place] = sent if before is None or sent.ts > before.ts else before
            elif sent.event.kind in ROWS or sent.event.kind is DDL:
                mark = marks.get(sent.place)
                done = mark is not None and (
                    sent.ts < mark.ts
                    or (inclusive and sent.ts == mark.ts and sent.event.kind is not DDL)
                )
                if sent.first and done:
                    yield f"{sent} comes behind {mark}, which has completed its ts {sent.ts}"

    return breaches
