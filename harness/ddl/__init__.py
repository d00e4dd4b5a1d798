"""The DDL catalogue: SQL text to statements, table schemas, TiDB's jobs and TiCDC's text.

Pure: no I/O, no clock. What a scenario's SQL does to tables is decided here alone; record, `emit:`
steps, the TiDB source and the changefeed matrix all ask the same catalogue. What other packages use
is on this page:

* `Catalogue.apply(sql, schema)` runs one statement: `Applied` has the next catalogue and the
  `DdlJob`s, each with its `ActionType`, the text that TiCDC sends, and the table before and after.
* `parse(sql)` returns a statement; its `restore()` is the text that TiCDC sends.
  `parse_expression(text)` reads one expression, made of `ColumnRef`, `Literal` and `Compound`.
* `split`, `classify`, `is_ddl`, `referenced_schemas` and `tokenize` read any SQL.
* `handle`, `handle_columns`, `column_flags`, `type_code` and `is_emitted` say what TiDB and TiCDC
  derive from a table.
* `DdlError` is all that is raised for SQL that is wrong, with line and column.

A family of statements is one module (`database`, `create_table`, `alter`, ...): its data, how it is
read, `restore` (TiCDC's text) and `apply` (what it does), side by side. `definitions` holds what
they share about tables, `sql` how SQL is read.
"""

from __future__ import annotations

from harness.ddl.catalogue import Applied, Catalogue
from harness.ddl.change import Statement
from harness.ddl.classify import (
    DML,
    StatementKind,
    classify,
    is_ddl,
    referenced_schemas,
    split,
)
from harness.ddl.database import CreateDatabase, DropDatabase
from harness.ddl.drop_table import DropTables
from harness.ddl.errors import DdlError
from harness.ddl.jobs import ActionType, DdlJob
from harness.ddl.sql.lexer import TokenKind, tokenize
from harness.ddl.sql.tree import (
    ColumnRef,
    Compound,
    Expr,
    Literal,
    LiteralKind,
    TableRef,
    quote_name,
)
from harness.ddl.statements import parse, parse_expression
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
    "ColumnRef",
    "Compound",
    "CreateDatabase",
    "DdlError",
    "DdlJob",
    "DropDatabase",
    "DropTables",
    "Expr",
    "Literal",
    "LiteralKind",
    "Statement",
    "StatementKind",
    "TableRef",
    "TokenKind",
    "classify",
    "column_flags",
    "handle",
    "handle_columns",
    "is_ddl",
    "is_emitted",
    "parse",
    "parse_expression",
    "quote_name",
    "referenced_schemas",
    "split",
    "tokenize",
    "type_code",
]
