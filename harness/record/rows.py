"""What a SELECT says a table holds, in canonical values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from harness.model.canonical import canonical
from harness.model.columns import BINARIES, Column, ColumnKind
from harness.model.table import Table, TableId
from harness.model.values import Row, Value
from harness.record.server import Server, quoted

Rows = Counter[Row]

# How a column is asked for where its plain text is not its whole value.
EXPRESSIONS: Mapping[ColumnKind, str] = {
    ColumnKind.FLOAT: "{} + 0e0",  # a FLOAT's own text has six digits only
    ColumnKind.ENUM: "{} + 0",
    ColumnKind.SET: "CAST({} AS UNSIGNED)",
    ColumnKind.BIT: "CAST({} AS UNSIGNED)",
}

# Asked for by number: as text, it might be the name of another member.
NUMBERED = frozenset({ColumnKind.ENUM, ColumnKind.SET})


def table_rows(server: Server, table: Table) -> Rows:
    """Return all rows of a table, each with how often it occurs."""
    expressions = ", ".join(
        EXPRESSIONS.get(column.kind, "{}").format(quoted(column.name)) for column in table.columns
    )
    source = f"{quoted(table.id.schema)}.{quoted(table.id.name)}"
    found = server.rows(f"SELECT {expressions} FROM {source}")  # noqa: S608 - quoted names
    return Counter(
        tuple(_value(c, text) for c, text in zip(table.columns, row, strict=True)) for row in found
    )


def all_rows(server: Server, tables: tuple[Table, ...]) -> dict[TableId, Rows]:
    """Return the rows of every base table."""
    return {table.id: table_rows(server, table) for table in tables if is_base(table)}


def is_base(table: Table) -> bool:
    """Return whether a table stores rows of its own."""
    return not table.is_view and not table.is_sequence


def _value(column: Column, text: bytes | None) -> Value:
    if text is None:
        return None
    if column.kind in NUMBERED:
        return canonical(column, int(text))
    return canonical(column, text if column.kind in BINARIES else text.decode())
