"""A canonical value as people read and write it: in locks, in scenarios, in messages.

Numbers are numbers, bytes their hexadecimal digits, ENUM and SET their members where that is
unambiguous, all else is as MySQL prints it. `canonical` reads it back.
"""

from __future__ import annotations

from harness.model.canonical import canonical
from harness.model.columns import Column, ColumnKind
from harness.model.values import Value


def written_value(column: Column, value: Value) -> int | float | str | None:
    """Return a canonical value as JSON data."""
    if isinstance(value, bytes):
        return value.hex()
    if column.kind is ColumnKind.ENUM and isinstance(value, int):
        return _unambiguous(column, value, _enum_text(column, value))
    if column.kind is ColumnKind.SET and isinstance(value, int):
        return _unambiguous(column, value, _set_text(column, value))
    return value


def _enum_text(column: Column, value: int) -> str:
    return column.members[value - 1] if 0 < value <= len(column.members) else ""


def _set_text(column: Column, value: int) -> str:
    return ",".join(m for bit, m in enumerate(column.members) if value >> bit & 1)


def _unambiguous(column: Column, value: int, text: str) -> int | str:
    """Prefer the text, unless it reads back as something else (members like '1' or '')."""
    try:
        return text if text and canonical(column, text) == value else value
    except ValueError:
        return value
