"""Copies: in which order tables are read, and what stands in rows that are read and behind them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import zip_longest
from typing import Any, Final

from harness.codecs.connect.schema import ConnectRecord, Schema, SchemaType
from harness.model.binlog import LogEvent, LogSnapshot
from harness.model.columns import Column
from harness.model.table import TableId
from harness.model.values import Value
from harness.mutants.producers.mysql.edits import each, log, row, stream, values
from harness.mutants.producers.patch import Patch, patch
from harness.mutants.producers.records import CHANGE, Records, SchemaChange, Values, at, op

_JSON: Final = "io.debezium.data.Json"
_INSTEAD: Final = "harness.codecs.debezium_mysql.reads:_instead"
_LATER: Final = "1971-01-01 00:00:00"
# A view of scenarios/mysql/copied-kinds, the table that it shows, and one with a foreign key.
_VIEW, _VIEWED, _REFERS = (TableId("shop", name) for name in ("w", "p", "c"))


def _by_their_own_names(events: Iterable[LogEvent]) -> Iterator[LogEvent]:
    """Read tables in the order of their names, whatever their databases."""
    for event in events:
        if isinstance(event, LogSnapshot):
            tables = sorted(event.tables, key=lambda copy: copy.table.table.id.name)
            yield replace(event, tables=tuple(tables))
        else:
            yield event


def _in_turn(given: Records) -> Iterator[ConnectRecord]:
    """Send a row of each table in turn."""
    records = list(given)
    read = [number for number, record in enumerate(records) if op(record) == "r"]
    topics: dict[str, list[ConnectRecord]] = {}
    for number in read:
        topics.setdefault(records[number].topic, []).append(records[number])
    turns = (one for turn in zip_longest(*topics.values()) for one in turn if one is not None)
    for number, record in zip(read, turns, strict=True):
        records[number] = record
    yield from records


def _without_after(value: Values) -> None:
    if value["op"] == "r":
        value["after"] = None


def _remembered(
    column: str, change: SchemaChange, held: Callable[[Any], Any] = str, *, read: bool
) -> Patch:
    """Return the patch of a column's type in new rows, in those read or in those behind them."""
    named = at(("after",), at((column,), change))

    def changed(record: ConnectRecord) -> Records:
        schema = record.value_schema
        if not op(record) or schema is None or (op(record) == "r") is not read:
            return (record,)
        after = record.value["after"]
        if after is not None and after.get(column) is not None:
            after = {**after, column: held(after[column])}
        value = {**record.value, "after": after}
        return (replace(record, value=value, value_schema=named(schema)),)

    return each(changed)


def _json(schema: Schema) -> Schema:
    return replace(schema, name=_JSON, version=1)


def _boolean(schema: Schema) -> Schema:
    return replace(schema, kind=SchemaType.BOOLEAN, default=True)


def _instead(fits: Callable[[Column], bool], what: Callable[[Column], Value]) -> Patch:
    """Return the patch that reads a zero TIMESTAMP of some columns as something else."""

    def changed(original: Callable[[Column], Value]) -> Callable[[Column], Value]:
        return lambda column: what(column) if fits(column) else original(column)

    return patch(_INSTEAD, changed)


def _by_the_clock(column: Column) -> bool:
    return not column.nullable and column.default is not None and column.default.is_expression


def _text(column: Column) -> str:
    """Return the text of a column's default, if it is one and the column is never NULL."""
    default = None if column.nullable else column.default
    return "" if default is None or default.is_expression else default.text or ""


def _views_too(events: Iterable[LogEvent]) -> Iterator[LogEvent]:
    """Say of a view, too, that it is made."""
    for event in events:
        if isinstance(event, LogSnapshot):
            table = next(one for one in event.statements if _VIEWED in (one.tables or ()))
            sql = f"CREATE VIEW `{_VIEW.schema}`.`{_VIEW.name}` AS SELECT 1 AS `id`"
            view = replace(table, sql=sql, tables=(_VIEW,), changes=())
            yield replace(event, statements=(*event.statements, view))
        else:
            yield event


def _view_read(record: ConnectRecord) -> Records:
    """Read of a view what is read of the table that it shows."""
    viewed = op(record) == "r" and record.topic.endswith(f".{_VIEWED.name}")
    topic = f"{record.topic[: -len(_VIEWED.name)]}{_VIEW.name}"
    return (record, replace(record, topic=topic)) if viewed else (record,)


def _unread(events: Iterable[LogEvent]) -> Iterator[LogEvent]:
    """Read no row of a table that refers to another."""
    for event in events:
        if isinstance(event, LogSnapshot):
            kept = tuple(copy for copy in event.tables if copy.table.table.id != _REFERS)
            yield replace(event, tables=kept)
        else:
            yield event


def _unsaid(events: Iterable[LogEvent]) -> Iterator[LogEvent]:
    """Say of a table that refers to another neither that it is dropped nor that it is made."""
    for event in events:
        if isinstance(event, LogSnapshot):
            kept = tuple(one for one in event.statements if _REFERS not in (one.tables or ()))
            yield replace(event, statements=kept)
        else:
            yield event


ROWS: Final = (
    row(
        "views-copied",
        "snapshot.base-tables",
        "It says of a view that it is made.",
        log(_views_too),
    ),
    row("views-read", "snapshot.base-tables", "It reads the rows of a view.", each(_view_read)),
    row(
        "base-table-unread",
        "snapshot.base-tables",
        "It reads no row of a table with a foreign key.",
        log(_unread),
    ),
    row(
        "base-table-unsaid",
        "snapshot.base-tables",
        "It does not say of a table with a foreign key that it is made.",
        log(_unsaid),
    ),
    row(
        "tables-by-their-own-names",
        "snapshot.tables-by-name",
        "It reads tables by their names without those of their databases.",
        log(_by_their_own_names),
    ),
    row(
        "tables-in-turn",
        "snapshot.tables-by-name",
        "It reads a row of each table in turn.",
        stream(_in_turn),
    ),
    row(
        "read-without-after",
        "snapshot.read",
        "It leaves after null for a row that is read.",
        values(CHANGE, _without_after),
    ),
    row(
        "json-remembered-of-rows-read",
        "snapshot.shown-types",
        "It knows of rows that it reads that their column was declared JSON.",
        _remembered("j", _json, read=True),
    ),
    row(
        "json-remembered-of-later-rows",
        "snapshot.shown-types",
        "It knows of rows behind those that it reads that their column was declared JSON.",
        _remembered("j", _json, read=False),
    ),
    row(
        "bool-remembered-of-rows-read",
        "snapshot.shown-types",
        "It knows of rows that it reads that their column was declared BOOL.",
        _remembered("v", _boolean, bool, read=True),
    ),
    row(
        "bool-remembered-of-later-rows",
        "snapshot.shown-types",
        "It knows of rows behind those that it reads that their column was declared BOOL.",
        _remembered("v", _boolean, bool, read=False),
    ),
    row(
        "zero-timestamps-of-the-clock-later",
        "snapshot.zero-timestamp",
        "It reads a zero TIMESTAMP of a column that defaults to the clock as one of 1971.",
        _instead(_by_the_clock, lambda _: _LATER),
    ),
    row(
        "zero-timestamps-without-digits",
        "snapshot.zero-timestamp",
        "It reads a zero TIMESTAMP as its default without the digits of its column.",
        _instead(lambda column: bool(_text(column)), _text),
    ),
)
