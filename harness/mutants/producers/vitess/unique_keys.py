"""Which unique key counts as the primary one, and which column as unique by itself.

MySQL decides both where it flags columns, so what is patched is the table that VStream describes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from harness.model.table import Index, Table
from harness.model.vstream import FieldFlag
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.patch import Patch, adjusted, instead

FIELDS: Final = "harness.sources.vitess.fields"
CLAUSE: Final = "vitess.key.unique-as-primary"
Flags = tuple[FieldFlag, ...]


def _never_null(table: Table, index: Index) -> bool:
    return not any(table.column(name).nullable for name in index.columns)


def _whole(index: Index) -> bool:
    return all(part.column is not None and part.length is None for part in index.parts)


def _counting(counts: Callable[[Table, Index], bool], place: int = 0) -> Patch:
    """Return the patch by which other unique keys count as primary; the first of them does."""

    def primary(table: Table) -> Index | None:
        if table.primary_key is not None:
            return table.primary_key
        found = [index for index in table.indexes if index.unique and counts(table, index)]
        return found[place] if found else None

    return instead(f"{FIELDS}:_primary", primary)


def _first_column(flags: Flags, table: Table) -> Flags:
    """Leave the flag of a primary key to the first column of a unique key that counts as one."""
    marked = [number for number, own in enumerate(flags) if own & FieldFlag.PRIMARY_KEY]
    if table.primary_key is not None:
        return flags
    return tuple(
        own & ~FieldFlag.PRIMARY_KEY if number in marked[1:] else own
        for number, own in enumerate(flags)
    )


def _parts_too(flags: Flags, table: Table) -> Flags:
    """Flag each column that a unique key has among others as one that is unique by itself."""
    parts = {name for index in table.indexes if index.unique for name in index.columns}
    return tuple(
        own | FieldFlag.UNIQUE_KEY if column.name in parts and not own else own
        for own, column in zip(flags, table.columns, strict=True)
    )


def _first_declared(flags: Flags, table: Table) -> Flags:
    """Leave the flag of a unique key to the column of the one that was declared first."""
    alone = [index.columns[0] for index in table.indexes if index.unique and len(index.parts) == 1]
    return tuple(
        own if column.name in alone[:1] else own & ~FieldFlag.UNIQUE_KEY
        for own, column in zip(flags, table.columns, strict=True)
    )


ROWS: tuple[WrongProducer, ...] = (
    WrongProducer(
        "vitess-key-of-declared-primary-alone",
        CLAUSE,
        "It takes no unique key without NULL for a primary one.",
        instead(f"{FIELDS}:_primary", lambda table: table.primary_key),
    ),
    WrongProducer(
        "vitess-key-of-the-last-unique-without-null",
        CLAUSE,
        "It takes the last of the unique keys without NULL for a primary one.",
        _counting(lambda table, index: _whole(index) and _never_null(table, index), -1),
    ),
    WrongProducer(
        "vitess-key-of-a-unique-with-null",
        CLAUSE,
        "It takes a unique key for a primary one whose columns may be NULL.",
        _counting(lambda _, index: _whole(index)),
    ),
    WrongProducer(
        "vitess-key-of-a-unique-prefix",
        CLAUSE,
        "It takes a unique key over a column's first characters for a primary one.",
        _counting(_never_null),
    ),
    WrongProducer(
        "vitess-key-of-the-first-unique-column-alone",
        CLAUSE,
        "It has the first column alone of a unique key that counts as primary.",
        adjusted(f"{FIELDS}:key_flags", _first_column),
    ),
    WrongProducer(
        "vitess-key-of-a-part-of-a-unique",
        "vitess.key.first-unique",
        "It takes a column for unique by itself that a unique key has among others.",
        adjusted(f"{FIELDS}:key_flags", _parts_too),
    ),
    WrongProducer(
        "vitess-key-of-the-first-declared-unique",
        "vitess.key.first-unique",
        "It takes the column of the unique key that was declared first, as the page says.",
        adjusted(f"{FIELDS}:key_flags", _first_declared),
    ),
)
