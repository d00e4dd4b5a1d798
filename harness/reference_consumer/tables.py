"""Materialised tables: row events and DDL applied to rows, by name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from harness.ddl import ActionType, Catalogue, DdlError, DdlJob, handle_columns, is_emitted
from harness.ddl.stored_rows import PARTITIONS_MOVE, moved_by
from harness.model.decoded import DecodedEvent, settled
from harness.model.table import Table, TableId
from harness.model.values import Value

NamedRow = dict[str, Value]
Key = tuple[Value, ...]


def with_schema(catalogue: Catalogue, event: DecodedEvent) -> Catalogue:
    """Return the catalogue with the event's database: one not known was there before the stream."""
    known = event.schema in catalogue.schemas()
    if not event.schema or known or event.type == ActionType.CREATE_SCHEMA:
        return catalogue
    quoted = event.schema.replace("`", "``")
    return catalogue.apply(f"CREATE DATABASE `{quoted}`").catalogue


class Tables:
    """All tables of one changefeed; keyed rows in `rows`, rows without a handle key in `loose`.

    Consumers that are wrong, or of another design, replace steps: `apply_row`, `apply_ddl`,
    `empty`, `follow`, `remove`, `as_last`, `key_of`.
    """

    def __init__(self, catalogue: Catalogue) -> None:
        """Start with the tables that exist at the start offsets, empty."""
        self._catalogue = catalogue
        # The last row event of each table: its columns, and its defaults.
        self._shapes: dict[TableId, DecodedEvent] = {}
        self.rows: dict[TableId, dict[Key, NamedRow]] = {}
        self.loose: dict[TableId, list[NamedRow]] = {}
        # The row event that gave each table its handle key, where no DDL does.
        self._keyed_by: dict[TableId, DecodedEvent] = {}
        # Of streams that may have a TRUNCATE among rows: how old each keyed row is.
        self._ages: dict[TableId, dict[Key, tuple[int, int]]] = {}

    def apply_row(self, event: DecodedEvent) -> None:
        """Apply one row event: a put replaces the row of its key, a delete removes it."""
        table = TableId(event.schema, event.table)
        event = self._with_key(table, self._shaped(table, event))
        gone = event.key if event.before is None else event.before
        if gone is not None and (event.before is not None or event.after is None):
            self.remove(table, event, gone)
        if event.after is None:
            return
        row = dict(event.after)
        if event.handle:
            key = self.key_of(event.handle, row)
            self.rows.setdefault(table, {})[key] = row
            if event.place is not None:
                self._ages.setdefault(table, {})[key] = event.age
        else:
            self.loose.setdefault(table, []).append(row)

    def empty(self, truncation: DecodedEvent) -> None:
        """Remove the rows of a table that are older than its TRUNCATE, which may come late.

        Rows without a key are in the order of their only partition, so all of them are older.
        """
        table, age = TableId(truncation.schema, truncation.table), truncation.age
        ages = self._ages.get(table, {})
        for key in [key for key in self.rows.get(table, {}) if ages.get(key, age) <= age]:
            del self.rows[table][key]
        if table in self.loose:
            self.loose[table].clear()

    def settle(self, event: DecodedEvent) -> DecodedEvent:
        """Return a row event with the values that its table's columns have."""
        try:
            schema = self._catalogue.table(TableId(event.schema, event.table))
        except KeyError:
            return event
        kinds = {column.name: column.kind for column in schema.columns}

        def image(row: Mapping[str, Value] | None) -> NamedRow | None:
            if row is None:
                return None
            return {n: settled(kinds[n], v) if n in kinds else v for n, v in row.items()}

        return replace(event, before=image(event.before), after=image(event.after))

    def apply_ddl(self, event: DecodedEvent) -> None:
        """Run one DDL statement; unqualified names belong to the event's schema."""
        self._catalogue = with_schema(self._catalogue, event)
        known = {table.id for table in self._catalogue.tables()}
        try:
            applied = self._catalogue.apply(event.query, event.schema)
        except DdlError:
            # Of a partition that no statement has defined no rows are known.
            of_partition = event.type in PARTITIONS_MOVE
            if TableId(event.schema, event.table) in known and not of_partition:
                raise
            self._apply_unannounced(event)
            return
        self._catalogue = applied.catalogue
        for job in applied.jobs:
            self.follow(job)
        alive = {table.id for table in self._catalogue.tables()}
        for table in set(self.rows) | set(self.loose):
            dropped = table.schema not in self._catalogue.schemas()
            if dropped or (table in known and table not in alive):
                self.rows.pop(table, None)
                self.loose.pop(table, None)

    def _apply_unannounced(self, event: DecodedEvent) -> None:
        """Run a statement on a table whose creation is not in the stream.

        It became eligible later (`changefeed.ddl.schema-gap`): its rows say what they look like.
        """
        if event.type in (ActionType.DROP_TABLE, ActionType.TRUNCATE_TABLE):
            self.rows.pop(TableId(event.schema, event.table), None)
            self.loose.pop(TableId(event.schema, event.table), None)

    def all(self) -> Mapping[TableId, list[NamedRow]]:
        """Return every table with its rows."""
        tables: dict[TableId, list[NamedRow]] = {
            table.id: []
            for table in self._catalogue.tables()
            if not table.is_view and not table.is_sequence
        }
        known = set(tables)
        for table, rows in self.rows.items():
            tables.setdefault(table, []).extend(rows.values())
        for table, loose in self.loose.items():
            tables.setdefault(table, []).extend(loose)
        for table in set(tables) - known:
            tables[table] = [self.as_last(table, row) for row in tables[table]]
        return tables

    def _shaped(self, table: TableId, event: DecodedEvent) -> DecodedEvent:
        """Give older rows the columns of a new one if it has others; an older event gets theirs.

        Where no DDL announces a change, rows do. A column that is gone takes its values with it,
        also if one of its name comes back later. Partitions overtake each other, so an older row
        may come behind one of a newer shape.
        """
        last = self._shapes.get(table)
        if event.after is None:
            return event
        changed = last is not None and set(last.after or ()) != set(event.after)
        if changed and not self._tells_ddl(table):
            if last is not None and event.age < last.age:
                return replace(event, after=self.as_last(table, event.after))
            self._shapes[table] = event
            for key, older in self.rows.get(table, {}).items():
                self.rows[table][key] = self.as_last(table, older)
            self.loose[table] = [self.as_last(table, older) for older in self.loose.get(table, [])]
        elif last is None or event.age >= last.age:
            self._shapes[table] = event
        return event

    def _with_key(self, table: TableId, event: DecodedEvent) -> DecodedEvent:
        """Find a table's rows by the handle key of a newer row from now on, an older row by theirs.

        Where no DDL announces that a key comes, goes or is over other columns, rows do.
        """
        last = self._keyed_by.setdefault(table, event)
        same = last.handle == event.handle or set(last.handle) == set(event.handle)
        if same or self._tells_ddl(table):
            return event
        if event.age < last.age:
            return replace(event, handle=last.handle)
        self._keyed_by[table] = event
        rows = [*self.rows.pop(table, {}).values(), *self.loose.pop(table, [])]
        self.rows[table] = {self.key_of(event.handle, row): row for row in rows if event.handle}
        self.loose[table] = [] if event.handle else rows
        return event

    def _tells_ddl(self, table: TableId) -> bool:
        return any(known.id == table for known in self._catalogue.tables())

    def as_last(self, table: TableId, row: Mapping[str, Value]) -> NamedRow:
        """Return a row in its table's last shape, where no DDL announced the change."""
        shape = self._shapes[table]
        return {name: row.get(name, shape.defaults.get(name)) for name in shape.after or {}}

    def remove(self, table: TableId, event: DecodedEvent, image: Mapping[str, Value]) -> None:
        """Remove the row that an event's old image names, if it is there."""
        if event.handle:
            self.rows.get(table, {}).pop(self.key_of(event.handle, image), None)
        elif image in self.loose.get(table, []):
            self.loose[table].remove(dict(image))

    def follow(self, job: DdlJob) -> None:
        """Move the rows of a job's tables to where the statement leaves them."""
        before = {table.id: table for table in _before(job)}
        after: dict[TableId, Table] = {}
        rows: dict[TableId, list[NamedRow]] = {}
        for name, move in moved_by(job).items():
            columns = before[name].column_names
            computed = [c.name for c in before[name].columns if c.generated and is_emitted(c)]
            for row in (*self.rows.pop(name, {}).values(), *self.loose.pop(name, [])):
                place = move(tuple(map(row.get, columns)))
                if place is not None:
                    table, image = place
                    pairs = zip(table.columns, image, strict=True)
                    # Up to v4.0.4 no generated column was sent, and none comes with a DDL.
                    whole = all(each in row for each in computed)
                    sent = {
                        c.name: value
                        for c, value in pairs
                        if is_emitted(c) and (whole or c.generated is None)
                    }
                    rows.setdefault(table.id, []).append(sent)
                    after[table.id] = table
        for name, table in after.items():
            # The statement may have given the rows another handle key, or the first one.
            handle = [table.columns[ordinal].name for ordinal in handle_columns(table)]
            keyed = {self.key_of(handle, row): row for row in rows[name]}
            self.rows[name] = keyed if handle else {}
            self.loose[name] = [] if handle else rows[name]

    def key_of(self, handle: Iterable[str], row: Mapping[str, Value]) -> Key:
        """Return the values of the handle key, in whatever order its columns are named."""
        return tuple(row.get(name) for name in sorted(handle))


def _before(job: DdlJob) -> Iterator[Table]:
    """Yield the tables of a job as they were."""
    if job.before is not None:
        yield job.before
    if job.exchanged is not None:
        yield job.exchanged[0]
