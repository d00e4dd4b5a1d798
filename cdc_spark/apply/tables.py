"""One table's rows, found by handle key, by row id, or by their whole image.

A table is a set of rows under its handle key, and a multiset without one. Which columns are
the handle key is what the row events say; when that changes (ADD PRIMARY KEY), the rows are found
by the new one from then on. A delete of a row that is not there leaves the table as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from cdc_spark.apply.partitions import Partitions, Within
from cdc_spark.apply.schema import Column
from cdc_spark.apply.values import Value, normal

Row = dict[str, Value]
Place = tuple[str | None, ...]  # what a row is found by
_Index = dict[Place, dict[int, None]]  # row numbers, in order of arrival


@dataclass(frozen=True, slots=True)
class RowChange:
    """What a row event says: `key` names the handle key's columns, `rid` is the row's id."""

    key: tuple[str, ...]
    before: Row | None
    after: Row | None
    rid: int | None = None


class Table:
    """The rows of one table, with the definitions of its columns as far as they are known."""

    def __init__(self, schema: str, name: str, columns: Iterable[Column] = ()) -> None:
        """Start empty."""
        self.schema = schema
        self.name = name
        self.columns = {column.name.lower(): column for column in columns}
        self.partitions: Partitions | None = None
        self._rows: dict[int, Row] = {}
        self._next = 0
        self._key: tuple[str, ...] | None = None
        self._index: _Index = {}
        self._by_rid: dict[int, int] = {}
        self._rid_of: dict[int, int] = {}

    def __iter__(self) -> Iterator[Row]:
        """Iterate over the rows."""
        return iter(self._rows.values())

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self._rows)

    def insert(self, row: Row) -> None:
        """Add a row as it is: for rows from before the start offsets."""
        self._put(self._new_number(), row, None)

    def apply(self, change: RowChange) -> bool:
        """Apply a row event; return whether it met a row that was there."""
        self._use_key(change.key)
        before, after = change.before, change.after
        number, place = self._find(change)
        if after is None:
            assert before is not None
            if number is not None:
                self._remove(number)
            return number is not None
        if change.key:  # the row was looked for in the place that it is to have
            assert place is not None
            self._keep(self._new_number() if number is None else number, after, place)
            return number is not None
        found = number is not None
        if number is not None:
            self._remove(number)
        self._put(self._new_number() if number is None else number, after, change.rid)
        return found

    def clear(self) -> None:
        """Remove all rows."""
        self._rows.clear()
        self._index.clear()
        self._by_rid.clear()
        self._rid_of.clear()

    @property
    def may_have_rows(self) -> bool:
        """Return whether a statement on rows may find any."""
        return bool(self._rows)

    def drop(self, goes: Within) -> None:
        """Remove the rows of some partitions."""
        self._taken(goes)

    def exchange(self, other: Table, goes: Within) -> None:
        """Give another table the rows of some partitions, and take all of its own."""
        mine, its = self._taken(goes), other._taken(None)
        self._give(its)
        other._give(mine)

    def _taken(self, goes: Within | None) -> list[tuple[Row, int | None]]:
        """Remove rows, all without `goes`; return them with their ids."""
        taken: list[tuple[Row, int | None]] = []
        for number, row in list(self._rows.items()):
            if goes is None or goes(row):
                rid = self._rid_of.pop(number, None)
                if rid is not None:
                    del self._by_rid[rid]
                del self._rows[number]
                taken.append((row, rid))
        self._key = None
        return taken

    def _give(self, rows: Iterable[tuple[Row, int | None]]) -> None:
        for row, rid in rows:
            number = self._new_number()
            self._rows[number] = row
            if rid is not None:
                self._by_rid[rid] = number
                self._rid_of[number] = rid

    def reshape(self, columns: Iterable[Column], change: Callable[[Row], Row]) -> None:
        """Give the table new columns and every row its new form."""
        self._rows = {number: change(row) for number, row in self._rows.items()}
        self.columns = {column.name.lower(): column for column in columns}
        self._key = None

    def _new_number(self) -> int:
        self._next += 1
        return self._next

    def _use_key(self, key: tuple[str, ...]) -> None:
        if key == self._key:
            return
        self._key = key
        self._index = {}
        for number, row in self._rows.items():
            self._index.setdefault(self._place(row), {})[number] = None

    def _place(self, row: Row) -> Place:
        """Return what a row is found by: its handle key, or all of it."""
        names = self._key or sorted(row)
        return tuple([normal(self.columns.get(name.lower()), row.get(name)) for name in names])

    def _find(self, change: RowChange) -> tuple[int | None, Place | None]:
        """Return the row that a change is about, and the place where it was looked for."""
        image = change.after if change.after is not None and change.key else change.before
        if not change.key and change.rid is not None and change.rid in self._by_rid:
            return self._by_rid[change.rid], None
        if image is None:  # an insert into a table without a handle key
            return None, None
        place = self._place(image)
        return next(iter(self._index.get(place, ())), None), place

    def _keep(self, number: int, row: Row, place: Place) -> None:
        self._rows[number] = row
        self._index.setdefault(place, {})[number] = None

    def _put(self, number: int, row: Row, rid: int | None) -> None:
        if self._key is None:
            self._rows[number] = row
        else:
            self._keep(number, row, self._place(row))
        if rid is not None and not self._key:
            self._by_rid[rid] = number
            self._rid_of[number] = rid

    def _remove(self, number: int) -> None:
        row = self._rows.pop(number)
        place = self._place(row)
        numbers = self._index[place]
        del numbers[number]
        if not numbers:
            del self._index[place]
        rid = self._rid_of.pop(number, None)
        if rid is not None:
            del self._by_rid[rid]
