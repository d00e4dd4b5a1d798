"""Which columns a key may hold, and how much of them.

Source: TiDB pkg/ddl/index.go, `checkIndexColumn`, `checkIndexPrefixLength`; a key is refused here
that TiDB, MySQL and MariaDB refuse alike, with MySQL's words.
"""

from __future__ import annotations

from harness.ddl.charsets import find_charset
from harness.ddl.expressions import restore_expression
from harness.ddl.schema.refusals import Refused, unknown_key_column
from harness.ddl.syntax import Constraint, KeyPart
from harness.model.columns import BINARIES, CHARACTERS, Column, ColumnKind
from harness.model.table import Index, IndexPart, Table

_SIZED = frozenset({ColumnKind.CHAR, ColumnKind.VARCHAR, ColumnKind.BINARY, ColumnKind.VARBINARY})
_TEXTUAL = CHARACTERS | BINARIES
_MAX_BYTES = 3072


def find_column(table: Table, name: str) -> Column | None:
    """Return the column of that name in any case, None when absent."""
    return next((c for c in table.columns if c.name.lower() == name.lower()), None)


def build_parts(table: Table, key: Constraint) -> tuple[IndexPart, ...]:
    """Return the parts of a key as the table keeps them; Refused when it cannot hold them."""
    parts: list[IndexPart] = []
    seen: set[str] = set()
    size = 0
    for part in key.parts:
        if part.expr is not None:
            parts.append(IndexPart(None, expression=restore_expression(part.expr)))
            continue
        column = find_column(table, part.column)
        if column is None:
            raise unknown_key_column(part.at, part.column, tuple(c.name for c in table.columns))
        if column.name in seen:
            raise Refused(part.at, f"Duplicate column name '{part.column}'")
        seen.add(column.name)
        parts.append(_plain_part(column, part))
        size += _bytes(column, part.length)
    if size > _MAX_BYTES:
        what = f"Specified key was too long ({size} bytes); max key length is {_MAX_BYTES} bytes"
        raise Refused(
            key.at, what, hint="shorten a column, or give its part a length: (column(20))"
        )
    return tuple(parts)


def refuse_unfit_change(indexes: tuple[Index, ...], old: str, column: Column, at: int) -> None:
    """Raise Refused when `column`, replacing `old`, cannot stay in the keys over it."""
    for index in indexes:
        for part in index.parts:
            if part.column == old:
                room = (column.length or _MAX_BYTES) if column.kind in _TEXTUAL else 0
                keeps = part.length is not None and part.length < room
                _refuse_unfit(column, part.length if keeps else None, at)


def _plain_part(column: Column, part: KeyPart) -> IndexPart:
    _refuse_unfit(column, part.length, part.at)
    # A prefix as long as the column is no prefix.
    is_whole = column.kind in _SIZED and part.length == column.length
    return IndexPart(column.name, None if is_whole else part.length)


def _refuse_unfit(column: Column, length: int | None, at: int) -> None:
    name = column.name
    if column.kind is ColumnKind.JSON:
        raise Refused(at, f"JSON column '{name}' cannot be used in key specification.")
    if column.kind in _TEXTUAL and column.length == 0:
        raise Refused(at, f"The used storage engine can't index column '{name}'")
    if column.kind in _TEXTUAL and column.kind not in _SIZED and length is None:
        what = f"BLOB/TEXT column '{name}' used in key specification without a key length"
        raise Refused(at, what, hint=f"write {name}(20) to index the first 20 characters")
    if length is None:
        return
    if length == 0:
        raise Refused(at, f"Key part '{name}' length cannot be 0")
    too_long = column.kind in _SIZED and length > (column.length or 1)
    if column.kind not in _TEXTUAL or too_long:
        raise Refused(
            at,
            "Incorrect prefix key; the used key part isn't a string, the used length is longer than"
            " the key part, or the storage engine doesn't support unique prefix keys",
        )


def _bytes(column: Column, length: int | None) -> int:
    if column.kind not in _TEXTUAL:
        return 0
    charset = find_charset(column.charset or "")
    width = 1 if charset is None or column.kind in BINARIES else charset.width
    return (length or column.length or 1) * width
