"""The DDL catalogue: SQL text to syntax tree, table schemas, TiDB actions and restored text.

Pure: no I/O, no clock. What a scenario's SQL does to tables is decided here alone; record, `emit:`
steps, the TiDB personality and the changefeed matrix all ask the same catalogue.
"""

from __future__ import annotations

from harness.ddl.action import ActionType
from harness.ddl.catalogue import Applied, Catalogue
from harness.ddl.errors import DdlError
from harness.ddl.grammar.statements import Statement, parse
from harness.ddl.restored.statements import restore
from harness.ddl.schema.jobs import DdlJob
from harness.ddl.texts import (
    DML,
    StatementKind,
    classify,
    is_ddl,
    referenced_schemas,
    split,
)
from harness.ddl.tidb import (
    ColumnFlag,
    column_flags,
    handle,
    handle_columns,
    is_emitted,
    type_code,
)

__all__ = [
    "DML",
    "ActionType",
    "Applied",
    "Catalogue",
    "ColumnFlag",
    "DdlError",
    "DdlJob",
    "Statement",
    "StatementKind",
    "classify",
    "column_flags",
    "handle",
    "handle_columns",
    "is_ddl",
    "is_emitted",
    "parse",
    "referenced_schemas",
    "restore",
    "split",
    "type_code",
]
