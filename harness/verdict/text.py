"""Values and rows as people read them in a diff."""

from __future__ import annotations

from harness.model.mounted import MountedTable
from harness.model.values import Row, Value


def value_text(value: Value) -> str:
    """Return a value with its kind visible: NULL, 'text', x'bytes', number."""
    if value is None:
        return "NULL"
    if isinstance(value, bytes):
        return f"x'{value.hex()}'"
    if isinstance(value, str):
        return repr(value)
    return str(value)


def row_text(table: MountedTable, row: Row) -> str:
    """Return a row as `{id: 1, val: 'a'}`, in table order, without columns that are never sent."""
    columns = table.table.columns
    cells = (f"{columns[i].name}: {value_text(row[i])}" for i in table.emitted)
    return "{" + ", ".join(cells) + "}"


def key_text(table: MountedTable, row: Row) -> str:
    """Return the handle key as `id=1`; the whole row when there is none."""
    columns = table.table.columns
    ordinals = table.handle or table.emitted
    return ",".join(f"{columns[i].name}={value_text(row[i])}" for i in ordinals)
