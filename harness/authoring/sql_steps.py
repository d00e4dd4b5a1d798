"""From a plain SQL file to the steps of a scenario, as a database would have run it.

BEGIN and COMMIT delimit transactions; statements outside them are one transaction a run, up to the
next DDL. A step has no current database, so USE and `--database` end up in the table names. What a
scenario cannot hold is left out and reported, never dropped in silence.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field, fields, is_dataclass
from typing import cast

from harness.ddl import (
    Catalogue,
    CreateDatabase,
    DdlError,
    DropDatabase,
    DropTables,
    StatementKind,
    TableRef,
    classify,
    parse,
    quote_name,
    referenced_schemas,
    split,
)
from harness.errors import Location, UsageError
from harness.model.table import Table

# Kind of a statement -> why no scenario can hold it.
LEFT_OUT = {
    StatementKind.SELECT: "changes no table",
    StatementKind.SET: "recording has a session of its own",
    StatementKind.LOAD: "reads a file that is no part of a scenario",
    StatementKind.OTHER: "is neither a change of rows nor DDL of tables",
}
# mysqldump has these around the rows of a table.
OF_LOADING = (" DISABLE KEYS", " ENABLE KEYS")
# How much of a statement a message shows, what a dump puts before its words, and triggers.
SHOWN = 100
_OF_DUMPS = re.compile(r"/\*!\d*|\*/|\bDEFINER\s*=\s*(?:`[^`]*`|[^\s@`]+)(?:@(?:`[^`]*`|[^\s`]+))?")
_TRIGGER = re.compile(r"CREATE\s+(?:OR\s+REPLACE\s+)?TRIGGER\b", re.IGNORECASE)
NO_TRIGGER = "no trigger runs in a scenario: write what it does to rows as statements"
# A line for the `mysql` program, which dumps have around triggers: what ends a statement from here.
_DELIMITER = re.compile(r"^[ \t]*DELIMITER[ \t]+(\S+)[ \t]*\r?$", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class SqlStep:
    """One step: a DDL statement alone, or one transaction; `line` is that of the first."""

    ddl: bool
    statements: tuple[str, ...]
    line: int


@dataclass(frozen=True, slots=True)
class SqlSteps:
    """What an SQL file holds; `tables` are those that exist after its last statement."""

    steps: tuple[SqlStep, ...]
    databases: tuple[str, ...]
    tables: tuple[Table, ...]
    kinds: frozenset[StatementKind]
    left_out: tuple[str, ...]


def read_steps(
    text: str, file: str, databases: tuple[str, ...] = (), after: SqlSteps | None = None
) -> SqlSteps:
    """Return the steps of an SQL text; UsageError names file and line of what cannot be one.

    The first of `databases` is the current one until the text says USE. The steps `after` which
    these come are in the answer too.
    """
    known = dict.fromkeys((*databases, *(after.databases if after else ())))
    reader = _Reader(file, known, databases[0] if databases else "")
    if after is not None:
        reader.steps += after.steps
        reader.left_out += after.left_out
        reader.kinds |= after.kinds
    for part, delimiter, begins in _parts(text):
        try:
            statements = split(part) if delimiter == ";" else _split_at(part, delimiter)
        except DdlError as error:
            raise reader.wrong(begins + error.line, error) from None
        for sql, line, _ in statements:
            try:
                reader.take(sql, begins + line)
            except DdlError as error:
                raise reader.wrong(begins + line + error.line - 1, error) from None
    return reader.result()


def shortened(sql: str) -> str:
    """Return a statement on a line: what it makes or changes first, and no word cut in two."""
    text = _OF_DUMPS.sub(" ", sql)
    return textwrap.shorten(text, SHOWN, placeholder=" …", break_on_hyphens=False)


def _is_trigger(sql: str) -> bool:
    return _TRIGGER.match(shortened(sql)) is not None


def _parts(text: str) -> Iterator[tuple[str, str, int]]:
    """Yield what lies between DELIMITER lines, what ends statements there, and the lines before."""
    begin, delimiter = 0, ";"
    for line in _DELIMITER.finditer(text):
        yield text[begin : line.start()], delimiter, text.count("\n", 0, begin)
        begin, delimiter = line.end(), line[1]
    yield text[begin:], delimiter, text.count("\n", 0, begin)


def _split_at(text: str, delimiter: str) -> Iterator[tuple[str, int, int]]:
    """Split at another delimiter; a statement that has a `;` within stays whole."""
    at = 0
    for part in text.split(delimiter):
        if sql := part.strip():
            start = at + part.index(sql)
            yield sql, text.count("\n", 0, start) + 1, 1
        at += len(part) + len(delimiter)


@dataclass(slots=True)
class _Reader:
    """One pass over the statements of a file."""

    file: str
    databases: dict[str, None]
    current: str
    steps: list[SqlStep] = field(default_factory=list[SqlStep])
    left_out: list[str] = field(default_factory=list[str])
    kinds: set[StatementKind] = field(default_factory=set[StatementKind])
    pending: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])
    begun: int = 0

    def wrong(self, line: int, error: DdlError) -> UsageError:
        what = error.what.partition(": ")[2] if error.what.startswith("line ") else error.what
        place = Location(self.file, line)
        return UsageError(f"{place}: {what}", expected=error.expected, hint=error.hint)

    def take(self, sql: str, line: int) -> None:
        kind = classify(sql)
        if kind is StatementKind.TRANSACTION:
            self.bracket(sql, line)
        elif kind is StatementKind.USE:
            self.current = next(iter(referenced_schemas(sql)), "")
        elif kind is StatementKind.DDL:
            self.flush()
            self.ddl(sql, line)
        elif kind in LEFT_OUT:
            self.skip(sql, line, NO_TRIGGER if _is_trigger(sql) else LEFT_OUT[kind])
        else:
            self.kinds.add(kind)
            self.pending.append((self.qualified(sql, line), line))

    def bracket(self, sql: str, line: int) -> None:
        words = sql.upper().split()
        if words[0] in ("BEGIN", "START"):
            self.flush()
            self.begun = line
        elif words[0] == "COMMIT":
            self.flush()
        elif words[0] == "ROLLBACK" and "TO" not in words:
            if self.begun:
                for undone, where in self.pending:
                    self.skip(undone, where, "is rolled back")
                self.pending.clear()
            self.begun = 0
        elif self.begun:
            self.pending.append((sql, line))

    def ddl(self, sql: str, line: int) -> None:
        statement = parse(sql)
        name = getattr(statement, "name", "")
        if isinstance(statement, CreateDatabase) and name not in self.databases:
            self.databases[name] = None
            self.skip(sql, line, "the harness creates databases")
        elif isinstance(statement, DropDatabase) and name not in self.databases:
            self.skip(sql, line, "the database is not there yet")
        elif sql.rstrip("*/ ").upper().endswith(OF_LOADING):
            self.skip(sql, line, "how a dump is loaded")
        elif isinstance(statement, DropTables) and statement.if_exists and self.lacks(statement):
            self.skip(sql, line, "the table is not there yet")
        else:
            self.kinds.add(StatementKind.DDL)
            self.steps.append(SqlStep(ddl=True, statements=(self.qualified(sql, line),), line=line))

    def lacks(self, statement: DropTables) -> bool:
        """Return whether none of the tables is there, as a dump has it before it makes one."""
        there = {(table.id.schema, table.id.name) for table in self.tables()}
        return not any((ref.schema or self.current, ref.name) in there for ref in statement.tables)

    def qualified(self, sql: str, line: int) -> str:
        """Return the statement with the current database before each table that has none."""
        schemas = referenced_schemas(sql)
        bare = _bare_names(sql) if "" in schemas else frozenset[int]()
        if bare is None or (bare and not self.current):
            raise UsageError(
                f"{Location(self.file, line)}: this statement names a table without its database",
                expected="`database.table`, because a step has no current database",
                hint="--database NAME names the database of such tables; so does USE in the file",
            )
        for at in sorted(bare, reverse=True):
            sql = f"{sql[:at]}{_name(self.current)}.{sql[at:]}"
        named = sorted(schemas - {""}) + [self.current] * bool(bare)
        self.databases |= dict.fromkeys(named)
        return sql

    def skip(self, sql: str, line: int, why: str) -> None:
        self.left_out.append(f"{Location(self.file, line)}: {shortened(sql)} ({why})")

    def flush(self) -> None:
        if self.pending:
            statements = tuple(sql for sql, _ in self.pending)
            self.steps.append(SqlStep(ddl=False, statements=statements, line=self.pending[0][1]))
            self.pending.clear()
        self.begun = 0

    def result(self) -> SqlSteps:
        if self.begun:
            raise UsageError(
                f"{Location(self.file, self.begun)}: this transaction is never committed",
                expected="COMMIT",
            )
        self.flush()
        if not self.steps:
            raise UsageError(
                f"{self.file}: no statement in it changes a table",
                expected="DDL, INSERT, UPDATE, DELETE or REPLACE",
            )
        return SqlSteps(
            tuple(self.steps),
            tuple(self.databases),
            self.tables(),
            frozenset(self.kinds),
            tuple(self.left_out),
        )

    def tables(self) -> tuple[Table, ...]:
        """Let the catalogue run the DDL, so that its mistakes are reported now."""
        catalogue = Catalogue.with_schemas(*self.databases)
        for step in self.steps:
            if step.ddl:
                try:
                    catalogue = catalogue.apply(step.statements[0]).catalogue
                except DdlError as error:
                    raise self.wrong(step.line + error.line - 1, error) from None
        return catalogue.tables()


def _name(database: str) -> str:
    return database if database.isidentifier() and database.isascii() else quote_name(database)


def _bare_names(sql: str) -> frozenset[int] | None:
    """Return where the table names begin that have no database, None when nobody knows."""
    if classify(sql) is StatementKind.DDL:
        return frozenset(ref.at for ref in table_references(parse(sql)) if not ref.schema)
    return _bare_names_of_query(sql)


def table_references(node: object) -> Iterator[TableRef]:
    """Yield the names of tables in a part of a statement."""
    if isinstance(node, TableRef):
        yield node
    elif isinstance(node, tuple):
        for item in cast("tuple[object, ...]", node):
            yield from table_references(item)
    elif is_dataclass(node):
        for part in fields(node):
            yield from table_references(getattr(node, part.name))


def _bare_names_of_query(sql: str) -> frozenset[int] | None:
    """Ask sqlglot, which keeps the places of names; imported here, for it takes 0.3 s."""
    from sqlglot import exp, parse_one  # noqa: PLC0415 - see above
    from sqlglot.errors import SqlglotError  # noqa: PLC0415 - see above

    # sqlglot does not read MySQL's REPLACE; INSERT has the same tables, and as many letters.
    plain = f"INSERT {sql[7:]}" if sql[:7].upper() == "REPLACE" else sql
    try:
        tree = parse_one(plain, dialect="mysql")
    except SqlglotError:
        return None
    tables = list(tree.find_all(exp.Table))
    known = {cte.alias.lower() for cte in tree.find_all(exp.CTE)}
    known |= {table.alias.lower() for table in tables if table.alias}
    places: set[int] = set()
    for table in tables:
        if table.db or table.name.lower() in known:
            continue
        at = int(table.this.meta.get("start", 0))
        if not sql[at:].lstrip("`").startswith(table.name):
            return None
        places.add(at)
    return frozenset(places)
