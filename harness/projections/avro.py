"""TiCDC Avro: rows lie under the names of tables and columns as Avro takes them.

Nothing on the wire has the original names, so expected tables go by the sanitised ones.

Source: tiflow c7b2588 pkg/sink/codec/common/helper.go:345 `SanitizeName`; clause
`avro.schema.sanitised`.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from harness.contracts import DEFAULT_DIALECT, Projection
from harness.model.settings import Settings
from harness.model.source_events import RowEvent, SourceTable
from harness.model.table import TableId

_FORBIDDEN: Final = re.compile(r"[^A-Za-z0-9_]")


def projection(values: Settings, dialect: str = DEFAULT_DIALECT) -> Projection:
    """Return what gives a row event its sanitised names; no setting and no dialect matters."""
    del values, dialect
    renamed: dict[int, tuple[SourceTable, SourceTable]] = {}

    def project(row: RowEvent) -> RowEvent:
        if id(row.table) not in renamed:
            renamed[id(row.table)] = (row.table, _renamed(row.table))
        return replace(row, table=renamed[id(row.table)][1])

    return project


def _renamed(source: SourceTable) -> SourceTable:
    table = source.table
    name = TableId(_sanitised(table.id.schema), _sanitised(table.id.name))
    columns = tuple(replace(column, name=_sanitised(column.name)) for column in table.columns)
    if name == table.id and columns == table.columns:
        return source
    return replace(source, table=replace(table, id=name, columns=columns, indexes=()))


def _sanitised(name: str) -> str:
    safe = _FORBIDDEN.sub("_", name)
    return f"_{safe}" if safe[:1].isdigit() else safe
