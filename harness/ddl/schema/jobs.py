"""DDL jobs: what one statement makes TiDB do, as TiCDC's DDL puller sees it.

Source: tiflow c7b2588 cdc/model/sink.go:1092 `FromJobWithArgs`, which rebuilds some queries.
"""

from __future__ import annotations

from dataclasses import dataclass

from harness.ddl.action import ActionType
from harness.model.table import Table


@dataclass(frozen=True, slots=True)
class DdlJob:
    """One DDL event.

    `schema` and `table` are the new names (`table` is empty for a database), `old_schema` and
    `old_table` the ones before a rename, the same otherwise. `query` is what TiCDC sends, `source`
    the user's text. `before` and `after` are the table's versions, None where there is none. For
    EXCHANGE PARTITION they are those of the partitioned table, and `exchanged` is the other one
    (before, after).
    """

    action: ActionType
    schema: str
    table: str
    query: str
    source: str
    before: Table | None = None
    after: Table | None = None
    old_schema: str = ""
    old_table: str = ""
    exchanged: tuple[Table, Table] | None = None

    def __post_init__(self) -> None:
        """Fill in the old names where nothing was renamed."""
        object.__setattr__(self, "old_schema", self.old_schema or self.schema)
        object.__setattr__(self, "old_table", self.old_table or self.table)
