"""Tables of streams that carry rows alone: a new shape is learnt from the first row that has it.

A shape is JSON: for each column its name, its type, and its default where the schema has one.

Rule 1. When a row has another shape than its table, older rows follow: a column that stayed keeps
        its value, a new one (or one that is now of another type) has its default, else NULL, and
        one that was dropped is forgotten.
Rule 2. A row that is older than the one that gave the table its shape does not change it back: it
        follows the table's shape instead. What is older is said by the payload's `since`, else by
        the commit ts; without one, by arrival.
Rule 3. The stream does not carry TRUNCATE, DROP and RENAME: rows that the database removed stay.

Source: TiCDC Avro Protocol, §DDL events and schema changes; Debezium Vitess connector, §Data change
events.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import orjson

from cdc_spark.apply.tables import Row, Table
from cdc_spark.apply.values import Value


@dataclass(slots=True)
class Shape:
    """A table's columns as the newest row has them: type and default by name."""

    text: bytes = b""
    ts: int = 0
    columns: dict[str, tuple[str, Value]] = field(default_factory=dict[str, tuple[str, Value]])

    def fitted(self, row: Row, types: dict[str, str]) -> Row:
        """Return a row of another shape in this one; `types` are its own columns'."""
        return {
            name: row[name] if name in row and types.get(name, kind) == kind else default
            for name, (kind, default) in self.columns.items()
        }


@dataclass(slots=True)
class Shapes:
    """The shapes of one changefeed's tables, and how often one took the place of another."""

    known: dict[Table, Shape] = field(default_factory=dict[Table, Shape])
    changes: int = 0

    def follow(
        self, table: Table, described: list[Any], ts: int, rows: tuple[Row | None, ...]
    ) -> list[Row | None]:
        """Let a table follow the shape of a row's event; return the row's images in its shape."""
        text = orjson.dumps(described)
        last = self.known.get(table)
        if last is not None and last.text == text:
            last.ts = max(last.ts, ts)
            return list(rows)
        columns = {one[0]: (one[1], one[2] if len(one) > 2 else None) for one in described}
        if last is not None and ts and ts < last.ts:
            types = {name: kind for name, (kind, _) in columns.items()}
            return [None if row is None else last.fitted(row, types) for row in rows]
        self.changes += last is not None
        shape = Shape(text, ts, columns)
        before = {} if last is None else {name: kind for name, (kind, _) in last.columns.items()}
        if len(table):
            table.reshape(table.columns.values(), lambda row: shape.fitted(row, before))
        self.known[table] = shape
        return list(rows)
