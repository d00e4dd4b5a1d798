"""Where a row's values end up: a column's name is taken for a quoted one before it is looked up.

A column called `"q"` gives its value to the column `q`, to nobody where there is none, and is NULL
itself. Other columns are their own.

Source: V:VitessChangeRecordEmitter.java columnValues and getPosition, C:util/Strings.java
unquoteIdentifierPart, C:relational/TableImpl.java columnWithName (3.3.1.Final, by the oracle).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from harness.codecs.debezium.columns import ColumnType
from harness.model.vstream import Cells, RowChange

QUOTES: Final = frozenset("\"'`")

# By the position of a column, the position of the cell that is its value; None for no cell.
CellSources = tuple[int | None, ...]


def cell_sources(columns: Sequence[ColumnType]) -> CellSources | None:
    """Return which cell each column's value is, None where each has its own."""
    if not any(_unquoted(column.name) != column.name for column in columns):
        return None
    positions = {column.name.lower(): n for n, column in enumerate(columns)}
    found: list[int | None] = [None] * len(columns)
    for number, column in enumerate(columns):
        position = positions.get(_unquoted(column.name).lower())
        if position is not None:
            found[position] = number
    return tuple(found)


def moved(change: RowChange, sources: CellSources) -> RowChange:
    """Return a row change with each cell where the connector puts it."""
    return replace(
        change, before=_moved(change.before, sources), after=_moved(change.after, sources)
    )


def _moved(cells: Cells | None, sources: CellSources) -> Cells | None:
    if cells is None or len(cells) != len(sources):
        return cells
    return tuple(None if source is None else cells[source] for source in sources)


def _unquoted(name: str) -> str:
    if len(name) < 2 or name[0] != name[-1] or name[0] not in QUOTES:
        return name
    return name[1:-1].replace(name[0] * 2, name[0])
