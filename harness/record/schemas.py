"""The catalogue's tables against the server's information_schema.

They are two independent accounts of one DDL statement. Where they differ, rows would be read with
wrong types, so nothing is locked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from harness.ddl import TokenKind, tokenize
from harness.model.columns import INTEGERS, TEMPORALS, Column, ColumnKind
from harness.model.table import Table
from harness.record.rows import is_base
from harness.record.server import Server

# What a server may call a kind; MariaDB's JSON is an alias.
ALIASES: Mapping[ColumnKind, frozenset[str]] = {ColumnKind.JSON: frozenset({"json", "longtext"})}
LENGTH_KINDS = frozenset(
    {ColumnKind.CHAR, ColumnKind.VARCHAR, ColumnKind.BINARY, ColumnKind.VARBINARY}
)


@dataclass(frozen=True, slots=True)
class ServerColumn:
    """One row of information_schema.columns."""

    name: str
    data_type: str
    column_type: str
    nullable: bool
    length: int | None
    precision: int | None
    scale: int | None
    fsp: int | None
    generated: bool


def differences(server: Server, databases: Sequence[str], tables: Sequence[Table]) -> Iterator[str]:
    """Yield what the server's tables have otherwise than the catalogue's."""
    there = _server_tables(server, databases)
    ours = {(t.id.schema.lower(), t.id.name.lower()): t for t in tables if is_base(t)}
    for name in sorted(ours.keys() - there.keys()):
        yield f"the server has no table {ours[name].id}"
    for name in sorted(there.keys() - ours.keys()):
        yield f"the server has a table {'.'.join(name)} that the catalogue lacks"
    for name in sorted(ours.keys() & there.keys()):
        yield from _table(ours[name], there[name])


def _server_tables(
    server: Server, databases: Sequence[str]
) -> dict[tuple[str, str], list[ServerColumn]]:
    names = ", ".join(
        "'" + name.replace("'", "''").replace("\\", "\\\\") + "'" for name in databases
    )
    found: dict[tuple[str, str], list[ServerColumn]] = {}
    for row in server.rows(
        "SELECT c.table_schema, c.table_name, c.column_name, c.data_type, c.column_type,"  # noqa: S608
        " c.is_nullable, c.character_maximum_length, c.numeric_precision, c.numeric_scale,"
        " c.datetime_precision, c.extra FROM information_schema.columns c"
        " JOIN information_schema.tables t USING (table_schema, table_name)"
        f" WHERE t.table_type = 'BASE TABLE' AND c.table_schema IN ({names})"
        " ORDER BY c.table_schema, c.table_name, c.ordinal_position"
    ):
        text = [None if part is None else part.decode() for part in row]
        table = (text[0] or "").lower(), (text[1] or "").lower()
        found.setdefault(table, []).append(_column(text[2:]))
    return found


def _column(text: Sequence[str | None]) -> ServerColumn:
    name, data_type, column_type, nullable, length, precision, scale, fsp, extra = text
    return ServerColumn(
        name=name or "",
        data_type=(data_type or "").lower(),
        column_type=column_type or "",
        nullable=nullable == "YES",
        length=_number(length),
        precision=_number(precision),
        scale=_number(scale),
        fsp=_number(fsp),
        generated="GENERATED" in (extra or "").upper().replace("DEFAULT_GENERATED", ""),
    )


def _number(text: str | None) -> int | None:
    return None if text is None else int(text)


def _table(table: Table, there: Sequence[ServerColumn]) -> Iterator[str]:
    ours, theirs = [c.name for c in table.columns], [c.name for c in there]
    if ours != theirs:
        yield f"{table.id}: the catalogue has the columns {ours}, the server {theirs}"
        return
    for column, other in zip(table.columns, there, strict=True):
        for what, (mine, its) in _properties(column, other).items():
            if mine != its:
                where = f"{table.id}, column `{column.name}`, {what}"
                yield f"{where}: the catalogue says {mine}, the server {its}"


def _properties(column: Column, other: ServerColumn) -> dict[str, tuple[object, object]]:
    """Return what is compared, by name: the catalogue's value and the server's."""
    kind = column.kind
    same_type = other.data_type in ALIASES.get(kind, {kind.value})
    found: dict[str, tuple[object, object]] = {
        "type": (kind.value, kind.value if same_type else other.data_type),
        "nullable": (column.nullable, other.nullable),
        "generated": (column.generated is not None, other.generated),
    }
    for kinds, properties in MORE:
        if kind in kinds and same_type:
            found |= properties(column, other)
    return found


def _signedness(column: Column, other: ServerColumn) -> dict[str, tuple[object, object]]:
    return {"unsigned": (column.unsigned, "unsigned" in other.column_type.lower())}


def _length(column: Column, other: ServerColumn) -> dict[str, tuple[object, object]]:
    return {"length": (column.length, other.length)}


def _digits(column: Column, other: ServerColumn) -> dict[str, tuple[object, object]]:
    mine, its = (column.length, column.scale or 0), (other.precision, other.scale)
    return {"precision": (mine, its)}


def _bits(column: Column, other: ServerColumn) -> dict[str, tuple[object, object]]:
    return {"bits": (column.length or 1, other.precision)}


def _fraction(column: Column, other: ServerColumn) -> dict[str, tuple[object, object]]:
    return {"fractional digits": (column.fsp, other.fsp or 0)}


def _members(column: Column, other: ServerColumn) -> dict[str, tuple[object, object]]:
    # Servers print members as SQL literals, with quotes doubled and backslashes escaped.
    tokens = tokenize(other.column_type)
    members = tuple(token.text for token in tokens if token.kind is TokenKind.STRING)
    return {"members": (column.members, members)}


Properties = Callable[[Column, ServerColumn], dict[str, tuple[object, object]]]
MORE: Sequence[tuple[frozenset[ColumnKind], Properties]] = (
    (INTEGERS | {ColumnKind.DECIMAL, ColumnKind.FLOAT, ColumnKind.DOUBLE}, _signedness),
    (LENGTH_KINDS, _length),
    (frozenset({ColumnKind.DECIMAL}), _digits),
    (frozenset({ColumnKind.BIT}), _bits),
    (TEMPORALS - {ColumnKind.DATE}, _fraction),
    (frozenset({ColumnKind.ENUM, ColumnKind.SET}), _members),
)
