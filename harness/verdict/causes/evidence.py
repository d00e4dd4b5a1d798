"""What is known of a case that failed: what was sent, what should be, what was answered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

from harness.model.canonical import canonical
from harness.model.change import Op
from harness.model.decoded import EventKind
from harness.model.finding import Finding, Place
from harness.model.observed import Observed, RawRow
from harness.model.source_events import DdlEvent, RowEvent, SourceEvent
from harness.model.table import TableId
from harness.model.values import Row, Value
from harness.verdict.case import Arrival, Judged, Partition
from harness.verdict.expected import Expected, TableState
from harness.verdict.read import raw_key, read_row
from harness.verdict.text import key_text

Tables = Mapping[TableId, TableState]
# What a delete arrives as.
GONE = frozenset({EventKind.DELETE, EventKind.TOMBSTONE})
# What is no copy of the event that it comes behind.
_SAYS_NOTHING = frozenset({EventKind.TOMBSTONE, EventKind.HEARTBEAT})
Identity = tuple[int, bool]  # the event's number, and whether it deletes
Name = tuple[str, str]  # table and key, as texts
Step = tuple[int | None, bool]  # commit ts, and whether it deletes


@dataclass(frozen=True)
class Evidence:
    """One failed case; what costs time is worked out when it is asked for."""

    judged: Judged
    expected: Expected
    observed: Observed

    @cached_property
    def arrivals(self) -> tuple[Arrival, ...]:
        """Return what readers meet, in the order of sending."""
        return self.judged.arrivals()

    @cached_property
    def events(self) -> Mapping[Identity, SourceEvent]:
        """Return rows and DDL by what identifies them, as the wire shows them."""
        every = (*self.expected.applied, *self.expected.held)
        return {identity(event): event for event in every}

    def event_of(self, arrival: Arrival) -> SourceEvent | None:
        """Return the event of an arrival; None for a resolved event, a boundary or a heartbeat."""
        if arrival.decoded.kind is EventKind.HEARTBEAT:  # it comes behind an event of others
            return None
        return self.events.get(identity_of(arrival))

    @cached_property
    def _copies(self) -> Mapping[Identity, tuple[Arrival, ...]]:
        found: dict[Identity, list[Arrival]] = {}
        for one in self.arrivals:
            if one.decoded.kind not in _SAYS_NOTHING:
                found.setdefault(identity_of(one), []).append(one)
        return {name: tuple(all_of) for name, all_of in found.items()}

    def copies_of(self, event: SourceEvent) -> tuple[Arrival, ...]:
        """Return the arrivals of an event, without the tombstone of a delete."""
        return self._copies.get(identity(event), ())

    def last_copy(self, finding: Finding) -> Place | None:
        """Return the last copy of an event about a finding's row; None where none came twice.

        A put without an old row comes first: what adds a row is that.
        """
        every = [self.copies_of(event) for event in self.history(finding)]
        copied = [copies for copies in every if len(copies) > 1]
        blind = [copies for copies in copied if copies[0].decoded.before is None]
        chosen = [copies for copies in blind if copies[0].decoded.after is not None] or copied
        return chosen[-1][-1].place if chosen else None

    def is_copy(self, arrival: Arrival) -> bool:
        """Tell whether an arrival is a further copy of what came before."""
        first = self._copies.get(identity_of(arrival), (arrival,))[0]
        return arrival is not first and arrival.decoded.kind not in _SAYS_NOTHING

    def is_row(self, arrival: Arrival) -> bool:
        """Tell whether an arrival is a change of a row."""
        return isinstance(self.event_of(arrival), RowEvent)

    def first_read(self, places: Sequence[Place]) -> Place | None:
        """Return which of some records is read first; the first of them where none is."""
        read = (one.place for one in self.arrivals if one.place in places)
        return next(read, next(iter(places), None))

    def gaps_at_end(self) -> Iterator[Partition]:
        """Yield the partitions behind whose last message there is an offset that nobody sees."""
        last = {(one.place.topic, one.place.partition): one.place.offset for one in self.arrivals}
        for partition, end in self.judged.run.ends.items():
            if last.get(partition, -1) < end - 1:
                yield partition

    def place_of(self, event: SourceEvent | None) -> Place | None:
        """Return where the first copy of an event lies."""
        if event is None:
            return None
        there = self.copies_of(event)
        if there:
            return there[0].place
        return next(iter(self.judged.places.get(event.origin.event, ())), None)

    @cached_property
    def rows(self) -> Mapping[Name, tuple[RowEvent, ...]]:
        """Return the row events of each key, in the order in which they are to be applied."""
        found: dict[Name, list[RowEvent]] = {}
        for event in self.expected.applied:
            if isinstance(event, RowEvent):
                found.setdefault(name_of(event), []).append(event)
        for state in self.expected.tables.values():
            for history in state.history.values():
                name = (str(state.source_table.table.id), name_of(history[-1])[1])
                found.setdefault(name, list(history))
        return {name: tuple(events) for name, events in found.items()}

    def history(self, finding: Finding) -> tuple[RowEvent, ...]:
        """Return the events about a finding's row, in order; of a row that DDL changed since, too.

        A row without a key is known by its values: those of the columns that are still there.
        """
        found = self.rows.get((finding.table, finding.key), ())
        for table, state in () if found else self.expected.tables.items():
            if str(table) == finding.table and state.keyless:
                return tuple(_of_row(state, finding.key))
        return found

    @cached_property
    def ddl(self) -> tuple[DdlEvent, ...]:
        """Return the DDL statements that are complete, in order."""
        return self.expected.ddl

    @cached_property
    def _read(self) -> dict[tuple[TableId, int], Counter[Row] | None]:
        return {}

    def answered(self, table: TableId, state: TableState) -> Counter[Row] | None:
        """Return the answered rows of a table as a version of it reads them; None if it cannot."""
        place = (table, id(state.source_table))
        if place not in self._read:
            raws = (self.observed.tables or {}).get(table, ())
            rows = [_shorter(state, raw) or read_row(self.judged, state, raw) for raw in raws]
            right = [row for row in rows if not isinstance(row, Finding)]
            self._read[place] = Counter(right) if len(right) == len(rows) else None
        return self._read[place]

    @cached_property
    def reported(self) -> Mapping[Name, Sequence[Step]] | None:
        """Return what was applied by key, in the consumer's order; None where it does not say."""
        if self.observed.events is None:
            return None
        found: dict[Name, list[Step]] = {}
        versions: dict[str, list[RowEvent]] = {}
        for event in self._row_events():
            versions.setdefault(str(event.table.table.id), []).append(event)
        known = {name_of(event) for event in self._row_events()}
        for one in self.observed.events:
            table, delete = str(one.table), one.op is Op.DELETE
            image = (one.before if delete else one.after) or {}
            mine = versions.get(table, [])
            dated = [event for event in mine if event.commit_ts == one.commit_ts] or mine
            if not dated or not dated[-1].table.handle:
                continue
            texts = [raw_key(event.table, image) for event in reversed(dated[-1:] + mine[-1:])]
            text = next((text for text in texts if (table, text) in known), texts[0])
            found.setdefault((table, text), []).append((one.commit_ts, delete))
        return found

    def _row_events(self) -> Iterator[RowEvent]:
        return (event for event in self.events.values() if isinstance(event, RowEvent))

    def agrees(self, tables: Tables) -> bool:
        """Tell whether some tables are exactly the answered ones."""
        if any(
            rows and table not in tables for table, rows in (self.observed.tables or {}).items()
        ):
            return False
        return all(self._agrees(table, state) for table, state in tables.items())

    def _agrees(self, table: TableId, state: TableState) -> bool:
        """Tell whether a table has just the answered rows; most often their number says no."""
        raws = (self.observed.tables or {}).get(table, ())
        return len(raws) == len(state.all_rows()) and self.answered(table, state) == _emitted(state)

    @cached_property
    def tables_are_right(self) -> bool:
        """Tell whether only the events or statements are wrong."""
        return self.agrees(self.expected.tables)

    @property
    def is_silent(self) -> bool:
        """Tell whether the answer is `done` and nothing else: no row, no list of events or DDL."""
        observed = self.observed
        rows = any((observed.tables or {}).values())
        return not rows and observed.events is None and observed.ddl is None

    def applied(self, events: Sequence[SourceEvent]) -> bool:
        """Tell whether the consumer may have applied just these rows, as far as it reports."""
        if self.reported is None:
            return True
        wanted: dict[Name, list[Step]] = {}
        for event in events:
            if isinstance(event, RowEvent) and event.table.handle:
                step = (event.commit_ts, event.op is Op.DELETE)
                wanted.setdefault(name_of(event), []).append(step)
        if wanted.keys() != self.reported.keys():
            return False
        return all(_alike(steps, self.reported[name]) for name, steps in wanted.items())

    def executed(self, events: Sequence[SourceEvent]) -> bool:
        """Tell whether the consumer may have executed just these statements, if it reports any."""
        if self.observed.ddl is None:
            return True
        # Among rows a statement is one of them, and nobody reports it as executed.
        wanted = [] if self.expected.unordered else [e for e in events if isinstance(e, DdlEvent)]
        got = [one.query for one in self.observed.ddl]
        return len(wanted) == len(got) and all(
            query in (event.query, event.source) for query, event in zip(got, wanted, strict=True)
        )


def _alike(wanted: Sequence[Step], reported: Sequence[Step]) -> bool:
    """Tell whether the same steps are told in the same order, repetitions aside."""
    if any(ts is None for ts, _ in reported):
        one, other = (list(map(_is_delete, steps)) for steps in (wanted, reported))
        if len(one) >= len(other):
            return one == other
        return [kind for kind, _ in groupby(one)] == [kind for kind, _ in groupby(other)]
    return list(dict.fromkeys(wanted)) == list(dict.fromkeys(reported))


def _of_row(state: TableState, key: str) -> Iterator[RowEvent]:
    """Yield the puts from which a row without a key may have come."""
    columns = state.source_table.table.columns
    rows = [row for row in state.multiset if key_text(state.source_table, row) == key]
    for event in state.events():
        names = {column.name: n for n, column in enumerate(event.table.table.columns)}
        shared = [(names[c.name], n) for n, c in enumerate(columns) if c.name in names]
        for row in rows[:1]:
            if event.after and all(event.after[old] == row[new] for old, new in shared):
                yield event


def _is_delete(step: Step) -> bool:
    return step[1]


def _shorter(state: TableState, raw: RawRow) -> Row | None:
    """Return a row that lacks the last columns of its table, as one of the columns before them."""
    table = state.source_table
    columns = [(n, table.table.columns[n]) for n in table.emitted]
    there = [(n, column) for n, column in columns if column.name in raw]
    if not there or len(there) == len(columns) or columns[: len(there)] != there:
        return None
    values: list[Value] = [None] * columns[len(there)][0]
    try:
        for n, column in there:
            values[n] = canonical(column, raw[column.name])
    except ValueError:
        return None
    return tuple(values) if len(raw) == len(there) else None


def _emitted(state: TableState) -> Counter[Row]:
    shown = frozenset(state.source_table.emitted)
    return Counter(
        tuple(value if n in shown else None for n, value in enumerate(row))
        for row in state.all_rows()
    )


def identity(event: SourceEvent) -> Identity:
    """Return what identifies an event; the two halves of a moved row have one number."""
    return event.origin.event, isinstance(event, RowEvent) and event.op is Op.DELETE


def identity_of(arrival: Arrival) -> Identity:
    """Return what identifies the event of an arrival."""
    return arrival.place.origin.event, arrival.decoded.kind in GONE


def name_of(event: RowEvent) -> Name:
    """Return table and key of a row event, as findings have them."""
    image = event.before if event.after is None else event.after
    assert image is not None
    return str(event.table.table.id), key_text(event.table, image)
