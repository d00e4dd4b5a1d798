"""Tables in memory: rows by their key, or a multiset where rows have none."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

Row = dict[str, Any]
Name = tuple[str, str]  # database, table


class Declined(Exception):  # noqa: N818 - it is no error: the answer is `not-applicable`
    """Something that this program does not do; says what."""


class Table:
    """The rows of one table. Which columns are its key is what its last row said."""

    def __init__(self) -> None:
        self.key: tuple[str, ...] = ()
        self.shape: dict[str, tuple[str, Any]] = {}
        self.shaped_at = 0
        self._rows: dict[str, list[tuple[Row, Row]]] = {}  # each with its key beside it

    def all(self) -> list[Row]:
        """Return the rows."""
        return [row for rows in self._rows.values() for _, row in rows]

    def put(self, key: Row, row: Row) -> None:
        """Take a row, in the place of the one with its key."""
        self._use(tuple(sorted(key)))
        rows = self._rows.setdefault(text_of(key or row), [])
        if key:
            rows.clear()
        rows.append((key, row))

    def remove(self, key: Row, row: Row) -> None:
        """Remove the row with this key, or one row like this where there are no keys."""
        self._use(tuple(sorted(key)))
        rows = self._rows.get(text_of(key or row))
        if rows:
            rows.pop()

    def change(self, new: Callable[[Row], Row]) -> None:
        """Give every row another form."""
        known = [(old | row, new(row)) for rows in self._rows.values() for old, row in rows]
        self._rows = {}
        for told, row in known:
            key = {name: told.get(name) for name in self.key}
            self._rows.setdefault(text_of(key or row), []).append((key, row))

    def fitted(self, row: Row, shape: Mapping[str, tuple[str, Any]], ts: int) -> Row:
        """Return a row in the table's shape, which is that of the newest row.

        A shape is kind and default by column. Nothing else tells of DDL, so older rows follow: a
        column that stayed keeps its value, a new one, or one of another kind, has its default.
        Partitions overtake each other: a row of a lower commit ts does not change the shape back.
        """
        if ts < self.shaped_at:
            return in_shape(row, shape, self.shape)
        last, self.shape, self.shaped_at = self.shape, dict(shape), ts
        if last and last != self.shape:
            self.change(lambda older: in_shape(older, last, self.shape))
        return row

    def _use(self, key: tuple[str, ...]) -> None:
        """Find rows by another key from now on."""
        if key != self.key:
            self.key = key
            self.change(lambda row: row)


def in_shape(row: Row, own: Mapping[str, tuple[str, Any]], shape: Mapping[str, Any]) -> Row:
    """Return a row with the columns of another shape."""
    return {
        name: row[name] if name in row and own[name][0] == kind else default
        for name, (kind, default) in shape.items()
    }


def text_of(values: Row) -> str:
    """Return one text for some columns' values, whatever the order of the columns."""
    return json.dumps(values, sort_keys=True)
