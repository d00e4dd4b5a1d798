"""What of a row TiCDC Avro tells: names of tables and columns as Avro takes them.

Nothing on the wire has the names themselves, so the truth that a consumer must reach goes by these.

Source: tiflow c7b2588 pkg/sink/codec/common/helper.go:345 `SanitizeName`; clause
`avro.schema.sanitised`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from harness.codecs.avro.names import sanitised
from harness.model.source_events import RowEvent, SourceTable
from harness.model.table import TableId


def teller(values: Mapping[str, Any]) -> Callable[[RowEvent], RowEvent | None]:
    """Return what gives a row event the names that are told of it."""
    del values
    known: dict[int, tuple[SourceTable, SourceTable]] = {}

    def tell(row: RowEvent) -> RowEvent | None:
        if id(row.table) not in known:
            known[id(row.table)] = (row.table, _renamed(row.table))
        return replace(row, table=known[id(row.table)][1])

    return tell


def _renamed(mounted: SourceTable) -> SourceTable:
    table = mounted.table
    told = TableId(sanitised(table.id.schema), sanitised(table.id.name))
    columns = tuple(replace(column, name=sanitised(column.name)) for column in table.columns)
    if told == table.id and columns == table.columns:
        return mounted
    return replace(mounted, table=replace(table, id=told, columns=columns, indexes=()))
