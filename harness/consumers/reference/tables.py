"""Materialised tables: row events and DDL applied to rows, by name."""

from __future__ import annotations

from collections.abc import Mapping

from harness.ddl import Catalogue, DdlJob
from harness.model.columns import CHARACTERS
from harness.model.decoded import DecodedEvent, EventKind
from harness.model.reshape import reshape
from harness.model.table import Table, TableId
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
        if event.kind is EventKind.DELETE:
            self._remove(table, event, event.before or {})
            return
        if event.before is not None:
            self._remove(table, event, event.before)
        assert event.after is not None
        row = self._typed(table, event.after)
        if event.handle:
            self.rows.setdefault(table, {})[_key(event, row)] = row
        else:
            self.loose.setdefault(table, []).append(row)

    def apply_ddl(self, event: DecodedEvent) -> None:
        """Run one DDL statement; unqualified names belong to the event's schema."""
        if event.schema and event.schema not in self._catalogue.schemas():
            create = f"CREATE DATABASE IF NOT EXISTS `{event.schema}`"
            self._catalogue = self._catalogue.apply(create).catalogue
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
        row = self._typed(table, image)
        if event.handle:
            self.rows.get(table, {}).pop(_key(event, row), None)
        elif row in self.loose.get(table, []):
            self.loose[table].remove(row)

    def _typed(self, table: TableId, image: Mapping[str, Value]) -> NamedRow:
        """Decode bytes that are text: without flags the wire does not tell TEXT from BLOB."""
        row = dict(image)
        schema = self._schema(table)
        for column in schema.columns if schema else ():
            value = row.get(column.name)
            if isinstance(value, bytes) and column.kind in CHARACTERS:
                row[column.name] = value.decode()
        return row

    def _schema(self, table: TableId) -> Table | None:
        try:
            return self._catalogue.table(table)
        except KeyError:
            return None

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

        self.rows[after.id] = {key: moved(row) for key, row in keyed.items()}
        self.loose[after.id] = [moved(row) for row in loose]


def _key(event: DecodedEvent, row: Mapping[str, Value]) -> Key:
    return tuple(row.get(name) for name in event.handle)
