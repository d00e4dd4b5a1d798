"""Tables as rows make them: nothing in the stream tells of DDL, so a new shape comes with a row."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from registry import COMMIT_TS, Schema, Table

Row = dict[str, Any]


class Tables:
    """The rows of a changefeed by table and key, and how far each key has come."""

    def __init__(self) -> None:
        self._rows: dict[Table, dict[str, Row]] = {}
        self._shapes: dict[Table, tuple[int, Row]] = {}
        self._greatest: dict[tuple[Table, str], int] = {}

    def delete(self, table: Table, key: Row) -> None:
        """Remove a row. A tombstone has no commit ts, so what its key has seen stays known."""
        self._rows.setdefault(table, {}).pop(key_of(key), None)

    def put(self, table: Table, key: Row, told: Row, schema: Schema) -> None:
        """Take an inserted or updated row, unless its key has seen a later one.

        A stream that is sent again brings older versions back. Without TiDB's extension there is
        no commit ts: then the order of arrival within the partition is all there is.
        """
        name = key_of(key)
        row = {column: told[column] for column in schema.readers}
        ts = told.get(COMMIT_TS, 0) if COMMIT_TS not in schema.readers else 0
        if ts and ts < self._greatest.get((table, name), 0):
            return
        self._greatest[table, name] = max(ts, self._greatest.get((table, name), 0))
        rows = self._rows.setdefault(table, {})
        shaped_at, shape = self._shapes.get(table, (0, schema.defaults))
        if ts >= shaped_at:
            if shape.keys() != schema.defaults.keys():
                for other, older in rows.items():
                    rows[other] = in_shape(older, schema.defaults)
            self._shapes[table] = (ts, schema.defaults)
        else:
            row = in_shape(row, shape)
        rows[name] = row

    def rows(self) -> Iterator[tuple[Table, list[Row]]]:
        """Yield each table with its rows."""
        for table, rows in self._rows.items():
            yield table, list(rows.values())


def key_of(key: Row) -> str:
    """Return one text for the values of a key, whatever the order of its columns."""
    return json.dumps(key, sort_keys=True)


def in_shape(row: Row, shape: Row) -> Row:
    """Return a row with the columns of another shape, which is a default by column."""
    return {column: row.get(column, default) for column, default in shape.items()}
