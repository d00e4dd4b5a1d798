"""Columns whose names stand in quotes: their values are lost, or another column's.

The connector takes the quotes off a name before it looks for the column (3.3.1.Final, by the
oracle): `"q"` is NULL in every record, and a `q` that stands before it has its value. A `q` that
stands behind it has its own, which the connector writes over the other.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from harness.errors import UsageError
from harness.model.source_events import SourceTable
from harness.model.values import Row

_QUOTED: Final = re.compile(r"""(["'`])(.*)\1""", re.DOTALL)


Misplace = Callable[[Row | None], Row | None]


def misplacer(source: SourceTable) -> Misplace:
    """Return what puts a table's values in the columns that the connector puts them in."""
    columns = source.table.columns
    quoted = {n: m for n, c in enumerate(columns) if (m := _QUOTED.fullmatch(c.name))}
    if not quoted:
        return as_it_is
    _refuse_needed(source, frozenset(quoted))
    places = {column.name.lower(): n for n, column in enumerate(columns)}
    taken = {
        place: ordinal
        for ordinal, found in quoted.items()
        for place in [places.get(found[2].replace(found[1] * 2, found[1]).lower())]
        if place is not None and place < ordinal
    }

    def image(values: Row | None) -> Row | None:
        if values is None:
            return None
        own = (None if n in quoted else value for n, value in enumerate(values))
        return tuple(values[taken[n]] if n in taken else value for n, value in enumerate(own))

    return image


def as_it_is(values: Row | None) -> Row | None:
    """Return a row with its values where they are."""
    return values


def _refuse_needed(table: SourceTable, quoted: frozenset[int]) -> None:
    """Refuse quoted columns that must have a value: what the connector writes is made up."""
    for ordinal in quoted:
        column = table.table.columns[ordinal]
        if ordinal in table.handle or not column.nullable:
            raise UsageError(
                f"column {table.table.id}.{column.name} loses its values, which are needed",
                expected="a nullable column outside of the key",
                hint="the Vitess connector takes the quotes off such a name",
            )
