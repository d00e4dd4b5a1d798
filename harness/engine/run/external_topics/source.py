"""The upstream's tables, read in one snapshot and never written: their shape and their rows.

The shape comes from information_schema, through our own catalogue, so that types and handle keys
are what they are in recordings.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass

from harness.ddl import Catalogue, DdlError
from harness.engine.run.external_topics.document import LiveFile
from harness.engine.sink.statements import literal
from harness.errors import Location, Problem, ScenarioError, SetupError
from harness.model.table import Table, TableId
from harness.record.rows import Rows, table_rows
from harness.record.server import Server, SqlError, TextRow, quoted


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Tables with their rows, all as of one moment."""

    tables: Mapping[TableId, Table]
    rows: Mapping[TableId, Rows]


def snapshot(live: LiveFile) -> Snapshot:
    """Read the tables in one consistent snapshot.

    Raises SetupError when the server cannot be used, ScenarioError for a table that is not there.
    """
    upstream = live.upstream
    server = Server(upstream)
    try:
        return tables_now(server, live.shown, live.lines)
    except (SqlError, ValueError) as error:
        raise SetupError(
            f"the upstream {upstream} cannot be read: {error}",
            hint="the user needs SELECT on the tables and on information_schema",
        ) from error
    finally:
        server.close()


def tables_now(server: Server, shown: str, lines: Mapping[TableId, int]) -> Snapshot:
    """Read tables in one consistent snapshot; `lines` are those of a file that names them.

    Raises ScenarioError for a table that is not there.
    """
    server.run("START TRANSACTION WITH CONSISTENT SNAPSHOT")
    tables = {name: _table(server, Location(shown, line), name) for name, line in lines.items()}
    rows = {name: table_rows(server, table) for name, table in tables.items()}
    server.run("ROLLBACK")
    return Snapshot(tables, rows)


def changed(before: Snapshot, after: Snapshot) -> frozenset[TableId]:
    """Return the tables that were not the same both times, in shape or rows."""
    return frozenset(
        name
        for name, rows in before.rows.items()
        if rows != after.rows[name] or before.tables[name] != after.tables[name]
    )


def _table(server: Server, where: Location, name: TableId) -> Table:
    columns = list(_columns(server, name))
    if not columns:
        problem = Problem(
            where,
            f"the upstream {server.upstream} has no table {name}, or {server.upstream.user} may"
            " not see it",
            "tables by the names that they have upstream, schema.name",
        )
        raise ScenarioError((problem,))
    members = ", ".join([*columns, *_keys(server, name)])
    schema, table = quoted(name.schema), quoted(name.name)
    sql = f"CREATE TABLE {schema}.{table} ({members})"
    try:
        catalogue = Catalogue.empty().apply(f"CREATE DATABASE {schema}").catalogue
        return catalogue.apply(sql, name.schema).catalogue.table(name)
    except DdlError as error:
        what = f"the shape of {name} is not understood: {error.what}: {sql}"
        raise ScenarioError((Problem(where, what, error.expected, error.hint),)) from error


def _columns(server: Server, name: TableId) -> Iterator[str]:
    """Yield the columns' definitions, without the virtual ones, which are never sent."""
    documents = _json_columns(server, name)
    for column, kind, nullable, extra in _asked(
        server,
        "column_name, column_type, is_nullable, extra",
        "columns",
        name,
        "ORDER BY ordinal_position",
    ):
        if "VIRTUAL" in extra.upper():
            continue
        declared = "json" if column in documents else kind
        yield f"{quoted(column)} {declared}{'' if nullable == 'YES' else ' NOT NULL'}"


def _json_columns(server: Server, name: TableId) -> frozenset[str]:
    """Return the columns that MariaDB calls LONGTEXT and checks to be JSON; else none."""
    found: list[list[str]] = []
    with suppress(SqlError):  # MySQL and TiDB have no such column, and need none
        found = _asked(
            server,
            "constraint_name",
            "check_constraints",
            name,
            "AND check_clause LIKE 'json_valid(%'",
            schema="constraint_schema",
        )
    return frozenset(column for (column,) in found)


def _keys(server: Server, name: TableId) -> Iterator[str]:
    """Yield the definitions of the unique keys over whole columns, the primary key first."""
    parts: dict[str, list[str] | None] = {}
    for key, column, length in _asked(
        server,
        "index_name, column_name, sub_part",
        "statistics",
        name,
        "AND non_unique = 0 ORDER BY index_name <> 'PRIMARY', index_name, seq_in_index",
    ):
        columns = parts.setdefault(key, [])
        if length or not column:
            parts[key] = None  # over a part of a column, or an expression: no row is known by it
        elif columns is not None:
            columns.append(quoted(column))
    for key, names in parts.items():
        if names:
            kind = "PRIMARY KEY" if key == "PRIMARY" else f"UNIQUE KEY {quoted(key)}"
            yield f"{kind} ({', '.join(names)})"


def _asked(
    server: Server, what: str, source: str, name: TableId, rest: str, schema: str = "table_schema"
) -> list[list[str]]:
    where = f"{schema} = {literal(name.schema)} AND table_name = {literal(name.name)}"
    rows = server.rows(f"SELECT {what} FROM information_schema.{source} WHERE {where} {rest}")  # noqa: S608
    return [_texts(row) for row in rows]


def _texts(row: TextRow) -> list[str]:
    return ["" if part is None else part.decode() for part in row]
