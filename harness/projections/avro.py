"""TiCDC Avro: rows lie under the names of tables and columns as Avro takes them, without old rows.

Nothing on the wire has the original names, so expected tables go by the sanitised ones. In releases
to 8.5.1 (dialect `6`) a column without a default of its own has in the schema what its older rows
have, so that is its default.

Source: tiflow c7b2588 pkg/sink/codec/common/helper.go:345 `SanitizeName`; 029a086
cdc/entry/mounter.go:531 `getDDLDefaultDefinition`; clauses `avro.schema.sanitised`,
`avro.default.origin`, `avro.row.no-old-value`.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from harness.contracts import DEFAULT_DIALECT, Projection
from harness.model.change import Op
from harness.model.columns import Column, Default
from harness.model.settings import Settings
from harness.model.source_events import RowEvent, SourceTable
from harness.model.table import TableId

_FORBIDDEN: Final = re.compile(r"[^A-Za-z0-9_]")
_OF_OLD_ROWS: Final = frozenset({"6"})


def projection(values: Settings, dialect: str = DEFAULT_DIALECT) -> Projection:
    """Return what gives a row event its sanitised names, and columns their defaults on the wire."""
    del values
    of_old_rows = dialect in _OF_OLD_ROWS
    renamed: dict[int, tuple[SourceTable, SourceTable]] = {}

    def project(row: RowEvent) -> RowEvent:
        if id(row.table) not in renamed:
            renamed[id(row.table)] = (row.table, _renamed(row.table, of_old_rows=of_old_rows))
        table = renamed[id(row.table)][1]
        if row.op is Op.UPDATE and row.table.handle:
            return replace(row, table=table, before=None)
        return replace(row, table=table)

    return project


def _renamed(source: SourceTable, *, of_old_rows: bool) -> SourceTable:
    table = source.table
    name = TableId(_sanitised(table.id.schema), _sanitised(table.id.name))
    columns = tuple(
        replace(
            column,
            name=_sanitised(column.name),
            default=_of_old_rows(column) if of_old_rows else column.default,
        )
        for column in table.columns
    )
    if name == table.id and columns == table.columns:
        return source
    return replace(source, table=replace(table, id=name, columns=columns, indexes=()))


def _of_old_rows(column: Column) -> Default | None:
    own = column.default is not None and column.default.text is not None
    return column.default if own else column.origin_default


def _sanitised(name: str) -> str:
    safe = _FORBIDDEN.sub("_", name)
    return f"_{safe}" if safe[:1].isdigit() else safe
