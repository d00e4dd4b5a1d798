"""A table as TiCDC's mounter sees it: type codes, flags, handle key, columns that are sent."""

from __future__ import annotations

from harness.ddl import tidb
from harness.model.source_events import SourceTable
from harness.model.table import Table


def source_table(table: Table, *, stored: bool = True, newer: bool = False) -> SourceTable:
    """Derive what TiDB derives from a table; the handle key is its valid index, if there is one.

    `stored` says whether stored generated columns are sent, `newer` whether handle and flags are
    found as the newer architecture finds them.
    """
    return SourceTable(
        table=table,
        codes=tuple(tidb.type_code(column) for column in table.columns),
        flags=tidb.column_flags(table, newer=newer),
        emitted=tuple(
            ordinal
            for ordinal, column in enumerate(table.columns)
            if tidb.is_emitted(column) and (stored or column.generated is None)
        ),
        handle=tidb.handle_columns(table, newer=newer),
    )


def eligible(table: Table | None, *, force_replicate: bool, newer: bool = False) -> bool:
    """Return whether TiCDC replicates the table: views are, tables need a valid index or force.

    One over a virtual column is valid in the newer architecture (`newer`).
    """
    if table is None or table.is_sequence:
        return False
    return table.is_view or force_replicate or tidb.handle(table, newer=newer) is not None
