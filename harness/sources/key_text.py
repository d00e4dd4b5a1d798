"""A row's handle key as text, for whoever walks a wrong row back to its line: `id=1,name=x`."""

from __future__ import annotations

from collections.abc import Callable

from harness.model.columns import ColumnKind
from harness.model.source_events import SourceTable
from harness.model.values import Row, Value
from harness.wire.go_json import shortest

_SPELT = "backslashreplace"


def value_text(kind: ColumnKind, value: Value) -> bytes:
    """Return the text of a column's value that takes part in the hash."""
    if value.__class__ is int:
        return b"%d" % value
    if value is None:
        return b"null"
    if isinstance(value, bytes):
        return value
    if isinstance(value, float):
        return f"{shortest(value, 32 if kind is ColumnKind.FLOAT else 64):f}".encode()
    return str(value).encode()


def key_text(table: SourceTable, row: Row) -> str:
    """Return a row's key; the whole row without a handle."""
    return key_texts(table)(row)


def key_texts(table: SourceTable) -> Callable[[Row], str]:
    """Return a function from a row of this table to its key's text."""
    ordinals = table.handle or table.emitted
    columns = [(table.table.columns[ordinal], ordinal) for ordinal in ordinals]
    places = [(f"{column.name}=", ordinal, column.kind) for column, ordinal in columns]

    def text(row: Row) -> str:
        return ",".join(
            [
                name + value_text(kind, row[ordinal]).decode("utf-8", _SPELT)
                for name, ordinal, kind in places
            ]
        )

    if len(places) > 1 or not places:
        return text
    name, place, _ = places[0]

    def single(row: Row) -> str:
        value = row[place]
        return f"{name}{value}" if value.__class__ is int else text(row)

    return single
