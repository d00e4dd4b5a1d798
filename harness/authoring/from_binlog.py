"""A binary log as SQL: its statements, and its row events as the statements that make them again.

A log seldom begins with an empty table. A row that it changes and never inserted was there before,
so it is inserted right before the transaction that needs it. What columns a table has is said by
the DDL in the log, or by what stands before it (`--from schema.sql --from binlog.000003`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from harness.authoring.from_server import TableAddress, read_tables, text_literal
from harness.authoring.sql_steps import (
    LEFT_OUT,
    SqlSteps,
    read_steps,
    shortened,
    table_references,
)
from harness.ddl import (
    CreateDatabase,
    DdlError,
    StatementKind,
    TableRef,
    classify,
    parse,
    quote_name,
)
from harness.documents.yaml_file import BYTES_MAX
from harness.errors import UsageError
from harness.model.change import Op, RowChanged
from harness.model.columns import Column, ColumnKind
from harness.model.table import Table, TableId
from harness.model.values import Row, Value
from harness.model.written import written_value
from harness.record.binlog_file import (
    FIRST,
    LoggedChange,
    LoggedCommit,
    LoggedEvent,
    LoggedQuery,
    events_of_file,
    events_of_server,
    logged_events,
)
from harness.record.reads import key_ordinals
from harness.record.world import World

# Databases of the servers themselves; no scenario has them.
SYSTEM = frozenset({"mysql", "sys", "information_schema", "performance_schema"})
_NUMBERS = frozenset({ColumnKind.DECIMAL, ColumnKind.YEAR})


@dataclass(frozen=True, slots=True)
class BinlogScope:
    """Whose changes are taken: all but the servers' own, or those of `databases` or of `tables`.

    `world` is what stands before the log; `whole` says that its rows are known as well.
    """

    world: World
    whole: bool
    databases: frozenset[str] = frozenset()
    tables: frozenset[TableId] = frozenset()

    def has(self, table: TableId) -> bool:
        """Return whether the changes of a table are wanted."""
        if self.tables:
            return table in self.tables
        return self.has_database(table.schema)

    def has_database(self, name: str) -> bool:
        """Return whether anything in a database is wanted."""
        if self.tables:
            return any(table.schema == name for table in self.tables)
        return name.lower() not in SYSTEM and (not self.databases or name in self.databases)


def steps_of_log(
    log: Path | TableAddress,
    databases: tuple[str, ...],
    positions: tuple[int, int],
    after: SqlSteps | None,
) -> SqlSteps:
    """Return the steps before, and those of a log: a file, or the one that an address names.

    Of a log what lies from one position up to another is taken, 0 for its beginning and its end.
    Raises UsageError for a log that cannot be read, SetupError for a server that refuses us.
    """
    start, stop = positions[0] or FIRST, positions[1]
    tables = frozenset[TableId]()
    if isinstance(log, TableAddress):
        after = read_steps(read_tables(log, 0).sql, str(log), databases, after)
        tables = frozenset(TableId(*name) for name in log.tables)
        raw, name = events_of_server(log, log.log, start, stop), log.log
    else:
        raw, name = events_of_file(log, start, stop), str(log)
    has_rows = after is not None and bool(after.kinds - {StatementKind.DDL})
    scope = BinlogScope(_world(after), has_rows, frozenset(databases), tables)
    sql, left_out = sql_of(logged_events(raw), scope)
    if not sql.strip():
        raise UsageError(
            f"{name}: no event there changes a table that is asked for",
            expected="row events or DDL",
            hint="mysqlbinlog prints what a log holds, with positions",
        )
    steps = read_steps(sql, f"{name} as SQL", databases, after)
    return replace(steps, left_out=(*steps.left_out, *left_out))


def _world(after: SqlSteps | None) -> World:
    """Return the tables that the steps before have made."""
    world = World(after.databases if after else ())
    for step in after.steps if after else ():
        if step.ddl:
            world.ddl(step.statements[0])
    return world


def sql_of(events: Iterable[LoggedEvent], scope: BinlogScope) -> tuple[str, tuple[str, ...]]:
    """Return a log's changes as SQL, and what of the log is not in it, as sentences.

    UsageError names the place of what no statement can say.
    """
    writer = _Writer(scope, whole=scope.whole)
    for event in events:
        writer.take(event)
    writer.commit()
    return "\n".join(writer.lines) + "\n", tuple(writer.left_out)


@dataclass(slots=True)
class _Writer:
    """One pass over a log; `before` are the rows that the open transaction finds."""

    scope: BinlogScope
    whole: bool
    lines: list[str] = field(default_factory=list[str])
    left_out: list[str] = field(default_factory=list[str])
    size: int = 0
    before: list[str] = field(default_factory=list[str])
    pending: list[str] = field(default_factory=list[str])
    current: str = ""

    def take(self, event: LoggedEvent) -> None:
        match event:
            case LoggedCommit():
                self.commit()
            case LoggedQuery():
                self.query(event)
            case LoggedChange():
                if self.scope.has(event.rows.table):
                    self.pending += self.rows(event)
        written = self.size + sum(map(len, (*self.before, *self.pending)))
        if written > BYTES_MAX:
            raise UsageError(
                f"{event.place}: up to here the log makes {written} bytes of SQL",
                expected=f"at most {BYTES_MAX}, as much as a scenario may have",
                hint="--start-position and --stop-position take a part of a log, --database what is"
                " in one database",
            )

    def commit(self) -> None:
        """Write the open transaction, and before it the rows that it finds."""
        self.write(*self.before)
        if self.pending:
            self.write("BEGIN;", *self.pending, "COMMIT;")
        self.before.clear()
        self.pending.clear()

    def write(self, *lines: str) -> None:
        self.lines += lines
        self.size += sum(map(len, lines))

    def query(self, event: LoggedQuery) -> None:
        kind, words = _kind(event), event.sql.upper().split()
        if kind is StatementKind.TRANSACTION:
            if words[0] == "COMMIT":
                self.commit()
            elif words[0] == "ROLLBACK" and "TO" not in words:
                self.pending.clear()
            elif self.pending and words[0] not in {"BEGIN", "START"}:
                self.pending.append(f"{event.sql};")
        elif event.database and not self.scope.has_database(event.database):
            return
        elif kind is StatementKind.DDL:
            self.commit()
            self.ddl(event)
        elif kind in LEFT_OUT:
            self.left_out.append(f"{event.place}: {shortened(event.sql)} ({LEFT_OUT[kind]})")
        elif not self.scope.tables or self.mentions(event.sql):
            # The rows of a statement are not in the log: which ones are there is no longer known.
            self.whole = True
            self.pending += [*self.use(event.database), f"{event.sql};"]

    def ddl(self, event: LoggedQuery) -> None:
        try:
            statement = parse(event.sql)
            if isinstance(statement, CreateDatabase):
                self.database(statement.name)
                return
            if self.scope.tables:
                self.must_leave(event, table_references(statement))
                return
            if event.database:
                self.database(event.database)
            self.scope.world.ddl(event.sql, event.database)
        except DdlError as error:
            raise UsageError(
                f"{event.place}: {shortened(event.sql)}: {error.what}",
                expected=error.expected,
                hint=error.hint
                or "what the log takes for granted, say before it: --from schema.sql --from LOG",
            ) from None
        except ValueError as error:
            what = f"{event.place}: what this does to stored rows cannot be known: {error}"
            raise UsageError(what, expected="DDL that keeps the rows' values") from None
        self.write(*self.use(event.database), f"{event.sql};")

    def must_leave(self, event: LoggedQuery, references: Iterable[TableRef]) -> None:
        """Refuse DDL of a wanted table: how it was before, the server does not say."""
        touched = {TableId(ref.schema or event.database, ref.name) for ref in references}
        if touched & self.scope.tables:
            raise UsageError(
                f"{event.place}: the table was another one before: {shortened(event.sql)}",
                expected="a part of the log in which the tables are as they are now",
                hint="--start-position with a place behind this one",
            )

    def mentions(self, sql: str) -> bool:
        """Return whether a statement has the name of a wanted table in it."""
        return any(table.name.lower() in sql.lower() for table in self.scope.tables)

    def use(self, database: str) -> list[str]:
        """Return what makes a database the current one, nothing where it is."""
        if not database or database == self.current:
            return []
        self.current = database
        return [f"USE {quote_name(database)};"]

    def database(self, name: str) -> None:
        """Have a database that was there before the log."""
        if name.lower() not in {one.lower() for one in self.scope.world.catalogue.databases}:
            self.scope.world.ddl(f"CREATE DATABASE {quote_name(name)}")

    def rows(self, event: LoggedChange) -> Iterator[str]:
        """Yield the statements that make a row event again."""
        world, name = self.scope.world, event.rows.table
        table = world.catalogue.find(name.schema, name.name)
        if table is None:
            raise UsageError(
                f"{event.place}: rows of {name}, and nothing before them says what it is",
                expected="its CREATE TABLE, in the log or in what stands before it",
                hint=f"mysqldump --no-data {name.schema} > schema.sql; then --from schema.sql"
                " --from LOG, in this order",
            )
        try:
            for before, after in event.rows.read(table.columns):
                if before is not None and not self.whole and not world.rows[table.id][before]:
                    self.before.append(_insert(table, before))
                    world.change(RowChanged(Op.INSERT, table.id, None, before, 0))
                if not self.whole:
                    world.change(RowChanged(event.rows.op, table.id, before, after, 0))
                yield _statement(table, before, after)
        except (ValueError, LookupError, AssertionError) as error:
            raise UsageError(
                f"{event.place}: a row of {name} cannot be read: {error}",
                expected="whole rows (binlog_row_image=FULL) of the columns that the table has",
                hint="compare SHOW CREATE TABLE of then with what --from says before the log",
            ) from None


def _kind(event: LoggedQuery) -> StatementKind:
    try:
        return classify(event.sql)
    except DdlError as error:
        what = f"{event.place}: {shortened(event.sql)}: {error.what}"
        raise UsageError(what, expected=error.expected, hint=error.hint) from None


def _statement(table: Table, before: Row | None, after: Row | None) -> str:
    if before is None:
        assert after is not None
        return _insert(table, after)
    if after is None:
        return f"DELETE FROM {_name(table)} WHERE {_where(table, before)};"  # noqa: S608 - quoted
    stored = list(_stored(table))
    changed = [(column, i) for column, i in stored if before[i] != after[i]] or stored
    values = ", ".join(f"{quote_name(c.name)} = {_literal(c, after[i])}" for c, i in changed)
    return f"UPDATE {_name(table)} SET {values} WHERE {_where(table, before)};"  # noqa: S608 - quoted


def _insert(table: Table, row: Row) -> str:
    columns = list(_stored(table))
    names = ", ".join(quote_name(column.name) for column, _ in columns)
    values = ", ".join(_literal(column, row[i]) for column, i in columns)
    return f"INSERT INTO {_name(table)} ({names}) VALUES ({values});"  # noqa: S608 - quoted


def _where(table: Table, row: Row) -> str:
    """Return what is true of the row alone: its key, or all of it and no second row like it."""
    keys = key_ordinals(table)
    parts: Sequence[tuple[Column, int]] = (
        [(table.columns[i], i) for i in keys]
        if keys
        else [pair for pair in _stored(table) if pair[0].kind is not ColumnKind.JSON]
    )
    equal = "=" if keys else "<=>"
    said = " AND ".join(f"{quote_name(c.name)} {equal} {_literal(c, row[i])}" for c, i in parts)
    return said if keys else f"{said} LIMIT 1"


def _stored(table: Table) -> Iterator[tuple[Column, int]]:
    """Yield the columns that a statement may set, with their ordinals."""
    for ordinal, column in enumerate(table.columns):
        if column.generated is None:
            yield column, ordinal


def _name(table: Table) -> str:
    return f"{quote_name(table.id.schema)}.{quote_name(table.id.name)}"


def _literal(column: Column, value: Value) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, bytes):
        return f"X'{value.hex()}'"
    written = written_value(column, value)
    if isinstance(written, str):
        return written if column.kind in _NUMBERS else text_literal(written)
    return repr(written)
