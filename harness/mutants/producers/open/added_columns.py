"""Columns that were added after a row was stored."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from harness.model.columns import Column, ColumnKind
from harness.model.reshape import default_value, zero_value
from harness.model.source_events import RowEvent, SourceEvent
from harness.model.values import Row, Value
from harness.mutants.producers.changefeed.edits import emitted
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.patch import Patch

Ids = frozenset[int | None]


def _old_rows(value: Callable[[Column, Value], Value]) -> Patch:
    """Return the patch that changes added columns in the old images of rows stored before."""

    def changed(events: Sequence[SourceEvent]) -> Iterable[SourceEvent]:
        stored: dict[object, Ids] = {}
        for event in events:
            if not isinstance(event, RowEvent):
                yield event
                continue
            before, columns = event.before, event.table.table.columns
            if event.after is not None:
                had = None if before is None else stored.get(_key(event, before))
                stored[_key(event, event.after)] = frozenset(column.id for column in columns)
            else:
                had = None if before is None else stored.pop(_key(event, before), None)
            if before is None or had is None:
                yield event
                continue
            given = zip(columns, before, strict=True)
            yield replace(event, before=tuple(_old(c, v, had, value) for c, v in given))

    return emitted(changed)


def _key(event: RowEvent, image: Row) -> object:
    handle = tuple(image[ordinal] for ordinal in event.table.handle)
    return str(event.table.table.id), handle or event.row_id


def _old(column: Column, found: Value, had: Ids, value: Callable[[Column, Value], Value]) -> Value:
    return found if column.id in had or column.former_id in had else value(column, found)


def _bare(column: Column) -> bool:
    """Tell whether a column is NOT NULL and was added without a default."""
    return not column.nullable and column.default is None


def default_of_now(column: Column, found: Value) -> Value:
    """Return a column's present default, what was found where that is none or a function."""
    default = column.default
    return found if default is None or default.is_expression else default_value(column, default)


ROWS: tuple[WrongProducer, ...] = (
    WrongProducer(
        "open-added-column-null",
        "open.row.added-column",
        "It sends NULL for an added column in the old image of rows that were stored before.",
        _old_rows(lambda _, __: None),
    ),
    WrongProducer(
        "open-added-column-zero-for-null",
        "open.row.added-column",
        "It sends the zero value there for an added column that is NULL.",
        _old_rows(lambda column, found: zero_value(column) if found is None else found),
    ),
    WrongProducer(
        "open-added-column-null-for-zero",
        "open.row.added-column",
        "It sends NULL there for an added column that is NOT NULL and has no default.",
        _old_rows(lambda column, found: None if _bare(column) else found),
    ),
    WrongProducer(
        "open-added-enum-of-no-member",
        "open.row.added-column",
        "It sends the invalid member there for an added ENUM without a default.",
        _old_rows(
            lambda column, found: 0 if _bare(column) and column.kind is ColumnKind.ENUM else found
        ),
    ),
    WrongProducer(
        "open-added-column-by-the-default-of-now",
        "open.row.added-column",
        "It sends the default there that a later statement gave to the column.",
        _old_rows(default_of_now),
    ),
)
