"""A right consumer of another design: it buffers nothing and reads again from the start.

At each resolved event that moves the least ts of all partitions, it forgets its tables and applies
the log anew, pass by pass: one pass finds the next commit ts, one applies its deletes, one its
puts, one its DDL. A copy is an event that changes nothing the second time, so copies are not told
apart, but for rows without a key. Where a protocol has no resolved events, the last message of each
key, as compaction would leave it, is the row, unless a later TRUNCATE emptied its table.

It shares with the reference consumer the wire's decoder, the reading of DDL (`harness.ddl`) and
what a DDL makes of a row (`harness.ddl.stored_rows`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from harness.contracts import BoundCodec
from harness.ddl import Catalogue, DdlError, DdlJob, handle_columns, is_emitted
from harness.ddl.stored_rows import PARTITIONS_MOVE, moved_by
from harness.model.decoded import DecodedEvent, EventKind, settled
from harness.model.table import Table, TableId
from harness.model.values import Row, Value

Place = tuple[str, int]
Log = Sequence[tuple[Place, DecodedEvent]]
Image = dict[str, Value]
PUTS = frozenset({EventKind.INSERT, EventKind.UPDATE, EventKind.UPSERT})


@dataclass(slots=True)
class Rows:
    """Tables in the making: what DDL says of them, and their rows by key, or one by one."""

    catalogue: Catalogue = field(default_factory=Catalogue.empty)
    keyed: dict[TableId, dict[object, Image]] = field(
        default_factory=dict[TableId, dict[object, Image]]
    )
    loose: dict[TableId, list[Image]] = field(default_factory=dict[TableId, list[Image]])

    def remove(self, event: DecodedEvent, image: Mapping[str, Value]) -> None:
        """Remove the row of an image's key, or one row that equals it."""
        name = TableId(event.schema, event.table)
        if event.handle:
            self.keyed.get(name, {}).pop(_key(event.handle, image), None)
        elif dict(image) in self.loose.get(name, []):
            self.loose[name].remove(dict(image))

    def put(self, event: DecodedEvent) -> None:
        """Put the new row in the place of the old one."""
        name, new = TableId(event.schema, event.table), dict(event.after or {})
        if event.before is not None:
            self.remove(event, event.before)
        if event.handle:
            self.keyed.setdefault(name, {})[_key(event.handle, new)] = new
        else:
            self.loose.setdefault(name, []).append(new)

    def typed(self, event: DecodedEvent) -> DecodedEvent:
        """Return a row event with the values that its table's columns have."""
        try:
            table = self.catalogue.table(TableId(event.schema, event.table))
        except KeyError:
            return event
        kinds = {column.name: column.kind for column in table.columns}

        def image(row: Mapping[str, Value] | None) -> Image | None:
            if row is None:
                return None
            return {n: settled(kinds[n], v) if n in kinds else v for n, v in row.items()}

        return replace(event, before=image(event.before), after=image(event.after))

    def run(self, event: DecodedEvent) -> None:
        """Run a DDL; one of a table that nobody has created changes no row that is here."""
        if event.schema and event.schema not in self.catalogue.schemas():
            quoted = event.schema.replace("`", "``")
            made = f"CREATE DATABASE IF NOT EXISTS `{quoted}`"
            self.catalogue = self.catalogue.apply(made).catalogue
        try:
            applied = self.catalogue.apply(event.query, event.schema)
        except DdlError:
            known = any(t.id == TableId(event.schema, event.table) for t in self.catalogue.tables())
            if known and event.type not in PARTITIONS_MOVE:
                raise
            return
        before = {table.id for table in self.catalogue.tables()}
        self.catalogue = applied.catalogue
        for job in applied.jobs:
            self._follow(job)
        for name in before - {table.id for table in self.catalogue.tables()}:
            self.keyed.pop(name, None)
            self.loose.pop(name, None)

    def _follow(self, job: DdlJob) -> None:
        moves = moved_by(job)
        taken = {
            name: [*self.keyed.pop(name, {}).values(), *self.loose.pop(name, [])] for name in moves
        }
        for table in (job.before, job.exchanged[0] if job.exchanged else None):
            for row in taken[table.id] if table is not None else ():
                assert table is not None
                place = moves[table.id](tuple(row.get(name) for name in table.column_names))
                if place is not None:
                    self._settled(*place, row)

    def _settled(self, table: Table, values: Row, before: Image) -> None:
        """Put a row into its table after a DDL; a generated column that was not sent stays away."""
        named = zip(table.columns, values, strict=True)
        row = {
            column.name: value
            for column, value in named
            if is_emitted(column) and (column.generated is None or column.name in before)
        }
        handle = [table.columns[ordinal].name for ordinal in handle_columns(table)]
        if handle:
            self.keyed.setdefault(table.id, {})[_key(handle, row)] = row
        else:
            self.loose.setdefault(table.id, []).append(row)

    def all(self) -> dict[TableId, list[Image]]:
        """Return each table with its rows."""
        found: dict[TableId, list[Image]] = {
            table.id: []
            for table in self.catalogue.tables()
            if not table.is_view and not table.is_sequence
        }
        for name, rows in self.keyed.items():
            found.setdefault(name, []).extend(rows.values())
        for name, loose in self.loose.items():
            found.setdefault(name, []).extend(loose)
        return found


def _key(names: Sequence[str], image: Mapping[str, Value]) -> object:
    return tuple(image.get(name) for name in sorted(names))


@dataclass(slots=True)
class Rereading:
    """One changefeed: its log as Kafka keeps it, and the tables of the last reading.

    `partitions` are all that must be heard; `complete` is what a resolved ts promises.
    """

    wire: BoundCodec
    partitions: frozenset[Place]
    complete: str | None
    log: list[tuple[Place, DecodedEvent]] = field(default_factory=list[tuple[Place, DecodedEvent]])
    reached: int = 0
    rows: Rows = field(default_factory=Rows)

    def take(self, place: Place, key: bytes | None, value: bytes | None) -> None:
        """Take a message; read all anew where it completes more than was complete."""
        for event in self.wire.decode(key, value):
            self.log.append((place, event))
            if event.kind is EventKind.RESOLVED and self.complete is not None:
                limit = self._limit()
                if limit > self.reached:
                    self.reached, self.rows = limit, Rows()
                    _read(_dated(self.log), limit, self.rows)

    def tables(self) -> Mapping[TableId, Sequence[Image]]:
        """Return the tables as they are after all that was taken."""
        return self.rows.all() if self.complete is not None else last_of_each(self.log)

    def _limit(self) -> int:
        marks = dict.fromkeys(self.partitions, 0)
        for place, event in self.log:
            if event.kind is EventKind.RESOLVED:
                marks[place] = max(marks[place], event.commit_ts)
        return min(marks.values()) - (self.complete == "below")


def _read(log: Log, limit: int, rows: Rows) -> None:
    """Apply everything up to a ts, one commit ts after the other."""
    ts = 0
    while True:
        later = (event.commit_ts for _, event in log if ts < event.commit_ts <= limit)
        ts = min(later, default=0)
        if not ts:
            return
        now = [event for _, event in log if event.commit_ts == ts]
        for event in _once(now, (EventKind.DDL,)):
            rows.run(event)
        for event in _once(now, (EventKind.DELETE,)):
            gone = rows.typed(event)
            rows.remove(gone, gone.before or gone.key or {})
        for event in _once(now, tuple(PUTS)):
            rows.put(rows.typed(event))


def _once(events: Sequence[DecodedEvent], kinds: tuple[EventKind, ...]) -> Iterator[DecodedEvent]:
    """Yield the events of these kinds and one ts without their copies."""
    seen: set[object] = set()
    for event in events:
        if event.kind not in kinds:
            continue
        image = tuple(sorted((event.image or {}).items(), key=lambda pair: pair[0]))
        old = () if event.before is None else tuple(sorted(event.before.items()))
        name = (event.schema, event.table, event.query, event.row_id, old, image)
        if name not in seen:
            yield event
        seen.add(name)


def _dated(log: Log) -> Log:
    """Return the log with the ts of the next event of its partition for deletes without one."""
    found: list[tuple[Place, DecodedEvent]] = []
    following: dict[Place, int] = {}
    for place, event in reversed(log):
        if event.commit_ts:
            following[place] = event.commit_ts
        elif event.kind is EventKind.DELETE:
            # Nothing behind it says how late it is: it is not complete.
            found.append((place, replace(event, commit_ts=following.get(place, 2**63))))
            continue
        found.append((place, event))
    return found[::-1]


@dataclass(slots=True)
class _Last:
    """The last message of a key: where it stood, and its row, None where the row is gone."""

    at: tuple[int, int, int]
    event: DecodedEvent


def last_of_each(log: Log) -> Mapping[TableId, Sequence[Image]]:
    """Return the tables of a stream of rows alone: of each key the last message is the row."""
    last: dict[object, _Last] = {}
    names: dict[object, object] = {}
    loose: dict[TableId, list[_Last]] = {}
    shapes: dict[TableId, list[tuple[tuple[int, int, int], DecodedEvent]]] = {}
    emptied: dict[TableId, tuple[int, int]] = {}
    for number, (place, event) in enumerate(log):
        at = (*event.age, number)
        if event.kind is EventKind.TOMBSTONE and event.key is not None:
            last.pop(names.get((place[0], event.key_text)), None)
            continue
        if event.empties:
            table = TableId(event.schema, event.table)
            emptied[table] = max(event.age, emptied.get(table, event.age))
        if event.kind not in PUTS and event.kind is not EventKind.DELETE:
            continue
        table = TableId(event.schema, event.table)
        if event.after is not None:
            shapes.setdefault(table, []).append((at, event))
        if not event.handle:
            _without_key(loose.setdefault(table, []), _Last(at, event))
            continue
        image = event.key if event.key is not None else event.image or {}
        row = (table, _key(event.handle, image))
        names[place[0], event.key_text] = row
        # Rows that carry a commit ts may be in several partitions: the greatest is the last.
        before = last.get(row)
        if before is None or not event.commit_ts or event.commit_ts >= before.at[0]:
            last[row] = _Last(at, event)
    found: dict[TableId, list[Image]] = {name: [] for name in shapes}
    for kept in (*last.values(), *(one for rows in loose.values() for one in rows)):
        name = TableId(kept.event.schema, kept.event.table)
        if kept.event.after is not None and kept.event.age >= emptied.get(name, kept.event.age):
            found[name].append(_fitted(kept, shapes[name]))
    return found


def _without_key(rows: list[_Last], one: _Last) -> None:
    """Add and remove rows that only their images tell apart."""
    gone = one.event.before
    match = next((row for row in rows if row.event.after == gone), None)
    if gone is not None and match is not None:
        rows.remove(match)
    if one.event.after is not None:
        rows.append(one)


def _fitted(kept: _Last, shapes: Sequence[tuple[tuple[int, int, int], DecodedEvent]]) -> Image:
    """Return a row as its table's last shape has it: through each shape that came after it."""
    row = dict(kept.event.after or {})
    for at, shape in sorted(shapes, key=lambda pair: pair[0]):
        if at < kept.at:
            continue
        columns = shape.after or {}
        row = {name: row.get(name, shape.defaults.get(name)) for name in columns}
    return row
