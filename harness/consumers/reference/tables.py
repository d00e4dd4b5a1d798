"""Materialised tables: row events and DDL applied to rows, by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from harness.ddl import ActionType, Catalogue, DdlJob, handle_columns
from harness.model.decoded import DecodedEvent, settled
from harness.model.reshape import reshape
from harness.model.table import TableId
from harness.model.values import Value

NamedRow = dict[str, Value]
Key = tuple[Value, ...]


class Tables:
    """All tables of one changefeed; keyed rows in `rows`, rows without a handle key in `loose`."""

    def __init__(self, catalogue: Catalogue) -> None:
        """Start with the tables that exist at the start offsets, empty."""
        self._catalogue = catalogue
        self.rows: dict[TableId, dict[Key, NamedRow]] = {}
        self.loose: dict[TableId, list[NamedRow]] = {}

    def apply_row(self, event: DecodedEvent) -> None:
        """Apply one row event: a put replaces the row of its key, a delete removes it."""
        table = TableId(event.schema, event.table)
        if event.before is not None:
            self._remove(table, event, event.before)
        if event.after is None:
            return
        row = dict(event.after)
        if event.handle:
            self.rows.setdefault(table, {})[_key(event.handle, row)] = row
        else:
            self.loose.setdefault(table, []).append(row)

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
        """Run one DDL statement; unqualified names belong to the event's schema.

        A database that is not known was there before the stream began.
        """
        known = event.schema in self._catalogue.schemas()
        if event.schema and not known and event.type != ActionType.CREATE_SCHEMA:
            quoted = event.schema.replace("`", "``")
            self._catalogue = self._catalogue.apply(f"CREATE DATABASE `{quoted}`").catalogue
        applied = self._catalogue.apply(event.query, event.schema)
        self._catalogue = applied.catalogue
        for job in applied.jobs:
            self._follow(job)
        alive = {table.id for table in self._catalogue.tables()}
        for table in (set(self.rows) | set(self.loose)) - alive:
            self.rows.pop(table, None)
            self.loose.pop(table, None)

    def all(self) -> Mapping[TableId, list[NamedRow]]:
        """Return every table with its rows."""
        tables: dict[TableId, list[NamedRow]] = {
            table.id: []
            for table in self._catalogue.tables()
            if not table.is_view and not table.is_sequence
        }
        for table, rows in self.rows.items():
            tables.setdefault(table, []).extend(rows.values())
        for table, loose in self.loose.items():
            tables.setdefault(table, []).extend(loose)
        return tables

    def _remove(self, table: TableId, event: DecodedEvent, image: Mapping[str, Value]) -> None:
        if event.handle:
            self.rows.get(table, {}).pop(_key(event.handle, image), None)
        elif image in self.loose.get(table, []):
            self.loose[table].remove(dict(image))

    def _follow(self, job: DdlJob) -> None:
        before, after = job.before, job.after
        if before is None:
            return
        keyed = self.rows.pop(before.id, {})
        loose = self.loose.pop(before.id, [])
        if after is None or before.physical_id != after.physical_id:
            return
        names = [column.name for column in before.columns]

        def moved(row: NamedRow) -> NamedRow:
            new = reshape(before, after, tuple(row.get(name) for name in names))
            pairs = zip(after.columns, new, strict=True)
            return {c.name: v for c, v in pairs if c.generated is None or c.generated.stored}

        rows = [moved(row) for row in (*keyed.values(), *loose)]
        # The statement may have given the rows another handle key, or the first one.
        handle = [after.columns[ordinal].name for ordinal in handle_columns(after)]
        self.rows[after.id] = {_key(handle, row): row for row in rows} if handle else {}
        self.loose[after.id] = [] if handle else rows


def _key(handle: Iterable[str], row: Mapping[str, Value]) -> Key:
    """Return the values of the handle key, whatever the order in which its columns are named."""
    return tuple(row.get(name) for name in sorted(handle))
