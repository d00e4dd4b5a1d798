"""Rules' predicates that several protocols share: over order, homes and topics of rows."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator

from harness.ddl.physical import physical_of
from harness.stream_rules.stream import Place, Sent, Stream

Of = Callable[[Sent], Hashable | None]


def rising(stream: Stream, of: Of, number: Callable[[Sent], int]) -> Iterator[str]:
    """Yield where, among the first copies of one group, a number falls.

    Groups are apart by partition: across partitions no order is promised. None is in no group.
    """
    last: dict[tuple[Place, Hashable], Sent] = {}
    for sent in stream.first_rows:
        group = of(sent)
        if group is None:
            continue
        before = last.get((sent.place, group))
        if before is not None and number(before) > number(sent):
            yield f"{sent} comes behind {before}, which is newer"
        last[sent.place, group] = sent


def in_one_place(stream: Stream, of: Of) -> Iterator[str]:
    """Yield where rows of one group are in two partitions of a topic; None is in no group."""
    homes: dict[tuple[str, Hashable], Sent] = {}
    for sent in stream.rows:
        group = of(sent)
        if group is None:
            continue
        home = homes.setdefault((sent.record.topic, group), sent)
        if home.record.partition != sent.record.partition:
            yield f"{sent} is not in the partition of {home}"


def one_table_a_topic(stream: Stream) -> Iterator[str]:
    """Yield topics that hold rows of two tables."""
    tables: dict[str, Sent] = {}
    for sent in stream.rows:
        before = tables.setdefault(sent.record.topic, sent)
        if before.table != sent.table:
            yield f"{sent} shares its topic with {before}"


def in_one_topic(stream: Stream, of: Of) -> Iterator[str]:
    """Yield where rows of one group are in two topics."""
    topics: dict[Hashable, Sent] = {}
    for sent in stream.rows:
        before = topics.setdefault(of(sent), sent)
        if before.record.topic != sent.record.topic:
            yield f"{sent} is in another topic than {before}"


_RANKS = {"delete": 0, "upsert": 1, "update": 1, "insert": 2}


def deletes_first(stream: Stream) -> Iterator[str]:
    """Yield rows of one table and ts that are sent behind a kind that goes after theirs.

    Each partition of a table is a table of its own here: TiDB sorts by physical table.
    """
    highest: dict[Hashable, Sent] = {}
    for sent in stream.first_rows:
        name = (sent.place, sent.table, physical(stream, sent), sent.ts)
        before = highest.setdefault(name, sent)
        if _rank(before) > _rank(sent):
            yield f"{sent} comes behind {before}, at one ts"
        highest[name] = sent


def physical(stream: Stream, sent: Sent) -> int:
    """Return the physical partition of a row, 0 of a table without partitions."""
    table = stream.tables.get(sent.origin.event)
    physical = None if table is None else physical_of(table)
    image = sent.event.key if sent.event.image is None else sent.event.image
    if table is None or physical is None or image is None:
        return 0
    return physical(tuple(map(image.get, table.column_names)), sent.origin.line)


def _rank(sent: Sent) -> int:
    return _RANKS[sent.event.kind.value]


def one_event_a_row(stream: Stream) -> Iterator[str]:
    """Yield rows that have two events at one ts which are not the two halves of a split.

    The halves may be in two partitions, and then in either order.
    """
    known: dict[Hashable, Sent] = {}
    for sent in stream.first_rows:
        if sent.row is None:
            continue
        name = (sent.record.topic, sent.row, sent.ts)
        before = known.get(name)
        if before is not None:
            halves = (_rank(before), _rank(sent))
            apart = before.place != sent.place
            if halves not in _HALVES and not (apart and halves[::-1] in _HALVES):
                yield f"{sent} is a second event of the row of {before}, at one ts"
        known[name] = sent


# A delete, and the insert or upsert of the same key.
_HALVES = frozenset({(0, 1), (0, 2)})
