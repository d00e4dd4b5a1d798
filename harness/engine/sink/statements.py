"""CREATE TABLE for a sink: every legal value of the upstream fits, and no two keys become one.

A table of a sink has the columns that are sent and the key that identifies rows, nothing that
could refuse a legal order of rows: no other keys, no generated columns, and NOT NULL only in a key
that upstream has so as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from harness.engine.sink.session import quoted
from harness.engine.sink.shapes import sent_columns
from harness.model.columns import BINARIES, CHARACTERS, Column, ColumnKind, Default
from harness.model.source_events import SourceTable

# Kinds that MariaDB spells with what is declared between brackets.
LENGTHS: Mapping[ColumnKind, int] = {
    ColumnKind.BIT: 1,
    ColumnKind.CHAR: 1,
    ColumnKind.BINARY: 1,
    ColumnKind.VARCHAR: 1,
    ColumnKind.VARBINARY: 1,
}
KEY_LENGTH = 255  # characters of a text in a key that says nothing of its length
SECONDS = frozenset({ColumnKind.TIME, ColumnKind.DATETIME, ColumnKind.TIMESTAMP})
MEMBERS = frozenset({ColumnKind.ENUM, ColumnKind.SET})
# Types whose columns take no literal default everywhere.
UNDEFAULTED = (CHARACTERS | BINARIES | {ColumnKind.JSON, ColumnKind.VECTOR}) - {
    ColumnKind.CHAR,
    ColumnKind.VARCHAR,
    ColumnKind.BINARY,
    ColumnKind.VARBINARY,
}


def create_table(
    place: str, source_table: SourceTable, collation: str, *, wide: bool = False
) -> str:
    """Return the statement that creates a table at a place, which is quoted already.

    `collation` is of utf8mb4 and compares by code points. A `wide` table keeps texts outside of
    its rows, which have 65535 bytes and no more.
    """
    key = [source_table.table.columns[ordinal].name for ordinal in source_table.handle]
    lines = [
        _column(column, collation, in_key=column.name in key, wide=wide)
        for column in sent_columns(source_table)
    ]
    lines += _key(source_table, key)
    body = ",\n  ".join(lines)
    return f"CREATE TABLE {place} (\n  {body}\n)"


def _column(column: Column, collation: str, *, in_key: bool, wide: bool) -> str:
    kind = _type(column, collation, in_key=in_key, wide=wide)
    null = "NOT NULL" if in_key and not column.nullable else "NULL"
    return f"{quoted(column.name)} {kind} {null}{_default(column, wide=wide)}"


def _type(column: Column, collation: str, *, in_key: bool, wide: bool) -> str:
    kind = column.kind
    name = kind.value.upper()
    text = f" CHARACTER SET utf8mb4 COLLATE {collation}"
    if kind is ColumnKind.VARCHAR and _is_unbounded(column):
        return f"VARCHAR({KEY_LENGTH}){text}" if in_key else f"LONGTEXT{text}"
    widened = wide and not in_key
    if kind is ColumnKind.VECTOR or (widened and kind in {ColumnKind.VARCHAR, ColumnKind.CHAR}):
        return f"LONGTEXT{text}"
    if widened and kind is ColumnKind.VARBINARY:
        return "LONGBLOB"
    if kind in MEMBERS:
        return f"{name}({', '.join(map(literal, column.members))}){text}"
    if kind is ColumnKind.DECIMAL:
        name = f"{name}({column.length or 10}, {column.scale or 0})"
    elif kind in LENGTHS:
        declared = LENGTHS[kind] if column.length is None else column.length
        name = f"{name}({declared})"
    elif kind in SECONDS:
        name = f"{name}({column.fsp})"
    return f"{name}{text if kind in CHARACTERS else ''}{' UNSIGNED' if column.unsigned else ''}"


def _is_unbounded(column: Column) -> bool:
    """Return whether a text stands for a value of another type, whose length says nothing of it."""
    return column.length is None or column.charset == "binary"


def _default(column: Column, *, wide: bool) -> str:
    default = column.default
    undefined = default is None or default.text is None or default.is_expression
    if undefined or wide or column.kind in UNDEFAULTED or column.generated is not None:
        return ""
    assert default is not None
    return f" DEFAULT {_default_text(column, default)}"


def _default_text(column: Column, default: Default) -> str:
    text = default.text or ""
    if default.is_binary:
        return f"x'{text}'"
    return text if column.kind is ColumnKind.BIT and text.isdigit() else literal(text)


def _key(source_table: SourceTable, names: list[str]) -> Iterator[str]:
    """Yield the key over the handle's columns, by the index that declares it."""
    if not names:
        return
    index = next((one for one in source_table.table.indexes if list(one.columns) == names), None)
    lengths = {part.column: part.length for part in index.parts if part.length} if index else {}
    parts = [quoted(name) + (f"({lengths[name]})" if name in lengths else "") for name in names]
    yield f"{'PRIMARY KEY' if index and index.primary else 'UNIQUE KEY'} ({', '.join(parts)})"


def literal(text: str) -> str:
    """Return a text as a literal of SQL."""
    escaped = text.replace("\\", "\\\\").replace("'", "''").replace("\0", "\\0")
    return f"'{escaped}'"
