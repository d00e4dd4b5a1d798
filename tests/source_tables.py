"""Source tables for tests: what an encoder is given, made by hand or drawn.

TiDB's codes, flags and handle key come from the catalogue's own tables, so that a test never states
them twice.
"""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from harness.ddl import tidb
from harness.model.columns import Column, ColumnKind
from harness.model.source_events import SourceTable
from harness.model.table import Index, IndexPart, Table, TableId
from harness.model.values import Row
from tests.strategies import NAMES, columns, values

SHOP_T = TableId("shop", "t")


@st.composite
def tables(draw: st.DrawFn, kind: ColumnKind) -> SourceTable:
    """Draw a table with an integer key and a column of a kind, under names of any characters."""
    names = draw(st.lists(NAMES, min_size=2, max_size=2, unique_by=str.lower))
    key = Column(1, names[0], ColumnKind.BIGINT, nullable=False)
    column = draw(columns(kind, name=names[1]))
    return shop_table(key, column, name=TableId(draw(NAMES), draw(NAMES)))


def shop_table(
    *members: Column, key: tuple[str, ...] | None = None, name: TableId = SHOP_T
) -> SourceTable:
    """Return a table over these columns; the first is the primary key unless `key` is given."""
    names = (members[0].name,) if key is None else key
    primary = Index(1, "PRIMARY", tuple(map(IndexPart, names)), unique=True, primary=True)
    table = Table(
        name, members, (primary,) if names else (), clustered=bool(names), physical_id=100
    )
    return SourceTable(
        table=table,
        codes=tuple(map(tidb.type_code, members)),
        flags=tidb.column_flags(table),
        emitted=tuple(range(len(members))),
        handle=tidb.handle_columns(table),
    )


def rows(table: SourceTable) -> SearchStrategy[Row]:
    """Return whole rows of a table."""
    return st.tuples(*(values(column) for column in table.table.columns))
