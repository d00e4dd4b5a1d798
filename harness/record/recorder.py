"""Runs a scenario's SQL once on a real database, and locks what happened to its rows.

First everything is executed, and after each step every table is read. Then the log of row events is
replayed beside those readings: after each step the folded log must equal what a SELECT said, or
nothing is locked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, Protocol

from harness.ddl import Catalogue, DdlError, DdlJob
from harness.documents.nearest import did_you_mean, one_of
from harness.errors import Location, Problem, ScenarioError
from harness.model.change import Op, RowChanged
from harness.model.columns import Column
from harness.model.table import Table, TableId
from harness.model.values import Row
from harness.record import binlog, guard, reads, schemas
from harness.record.form import read_row, table_id, written_row, written_table
from harness.record.lock import header, write_lock
from harness.record.rows import Rows, all_rows
from harness.record.server import Server, SqlError, Upstream, databases_of_our_own
from harness.record.session import sql_steps
from harness.record.world import World, difference
from harness.scenario.document import NOTHING, DdlStep, Scenario, SqlStatement, TransactionStep

Line = Mapping[str, Any]
Reading = Mapping[TableId, Rows]


class SqlRefused(ScenarioError):  # noqa: N818  (what the server did)
    """The database refuses a statement."""


class DisagreementError(ScenarioError):
    """Catalogue, log and database disagree, so that nothing can be locked."""


@dataclass(frozen=True, slots=True)
class Recording:
    """The lines of a lock, and what a SELECT of each table said after the last step."""

    lines: Sequence[Line]
    rows: Reading


class Event(Protocol):
    """Rows of one operation on one table by one statement, however they became known."""

    @property
    def op(self) -> Op:
        """Return what happened to the rows."""
        ...

    @property
    def table(self) -> TableId:
        """Return the table as the server names it."""
        ...

    def read(self, columns: Sequence[Column]) -> Iterator[tuple[Row | None, Row | None]]:
        """Yield before and after of each row; ValueError when columns do not fit."""
        ...


class Source(Protocol):
    """Where row events come from."""

    name: str

    def before(self, step: int, statement: int, sql: str, tables: tuple[Table, ...]) -> None:
        """Take note that a statement follows; after a transaction's last, `sql` is empty."""
        ...

    def events(self) -> Mapping[tuple[int, int], Sequence[Event]]:
        """Return all events by step and statement, in order."""
        ...


@dataclass(slots=True)
class FromLog:
    """Row events out of the server's binary log."""

    server: Server
    begin: binlog.Position
    databases: Sequence[str]
    marks: str
    name: str = "binlog"

    def before(self, step: int, statement: int, sql: str, tables: tuple[Table, ...]) -> None:
        """Leave a mark in the log."""
        del sql, tables
        binlog.mark(self.server, self.marks, step, statement)

    def events(self) -> Mapping[tuple[int, int], Sequence[Event]]:
        """Read the log from where the recording began."""
        return binlog.logged(self.server, self.begin, self.databases, self.marks)


class FromReads:
    """Row events out of readings before and after each statement."""

    name = "reads"

    def __init__(self, server: Server) -> None:
        """Take the session that runs the statements: it sees its own changes."""
        self._server = server
        self._last: Reading = {}
        self._previous = ""
        self._savepoints: dict[str, int] = {}
        self._found: dict[tuple[int, int], list[Event]] = {}

    def before(self, step: int, statement: int, sql: str, tables: tuple[Table, ...]) -> None:
        """Read all tables; what changed is the previous statement's doing."""
        now = all_rows(self._server, tables)
        if statement:
            self._happened(step, statement - 1, now, tables)
        self._last, self._previous = now, sql

    def _happened(self, step: int, statement: int, now: Reading, tables: tuple[Table, ...]) -> None:
        verb, name = guard.savepoint(self._previous)
        if verb == "ROLLBACK":  # what it took back never happened
            for undone in range(self._savepoints[name], statement):
                self._found.pop((step, undone), None)
            return
        if verb == "SAVEPOINT":
            self._savepoints[name] = statement
        events = self._found.setdefault((step, statement), [])
        for table in tables:
            if table.id in now:
                events += reads.changed(table, self._last[table.id], now[table.id])

    def events(self) -> Mapping[tuple[int, int], Sequence[Event]]:
        """Return what was found."""
        return self._found


def record(
    scenario: Scenario, upstream: Upstream, golden_root: Path, *, binary_log: bool = True
) -> Path:
    """Record a scenario and return its lock, which is written whole or not at all.

    Without a usable binary log, or when `binary_log` is False, rows are read before and after each
    statement. Raises ScenarioError (SQL that the server refuses, with its line; a log that differs
    from a SELECT), UsageError (a database of that name exists), SetupError (the server).
    """
    marks, databases = binlog.marks_database(), scenario.databases
    with databases_of_our_own(upstream, [*databases, marks]) as server:
        source: Source = FromReads(server)
        begin = binlog.position(server) if binary_log else None
        if begin is not None:
            binlog.prepare_marks(server, marks)
            source = FromLog(server, begin, databases, marks)
        found = recorded(scenario, server, source)
    return write_lock(scenario, golden_root, found.lines)


def recorded(
    scenario: Scenario, server: Server, source: Source, session: Mapping[str, str] = NOTHING
) -> Recording:
    """Run a scenario on a server that has its databases, empty, and return what happened.

    `session` holds variables under which its statements run, other than a recording's own.
    Raises ScenarioError as `record` does: `SqlRefused` for SQL that the server refuses,
    `DisagreementError` where it is not certain what happened.
    """
    readings = _Run(scenario, server, source, session).execute()
    first: Line = header(scenario, server.version, source.name)
    lines = [first, *_Replay(scenario, source.events(), readings).lines()]
    return Recording(lines, readings[-1] if readings else {})


def _refuse(where: Location, what: str, *, expected: str = "", hint: str = "") -> NoReturn:
    raise ScenarioError((Problem(where, what, expected, hint),))


def _disagree(where: Location, what: str, *, hint: str = "") -> NoReturn:
    raise DisagreementError((Problem(where, what, hint=hint),))


def _apply(scenario: Scenario, world: World, statement: SqlStatement) -> tuple[DdlJob, ...]:
    """Run a DDL statement in a world; ScenarioError names its place in the file."""
    try:
        return world.ddl(statement.sql)
    except DdlError as error:
        where = scenario.place_in(statement, error.line, error.column)
        what = error.what.partition(": ")[2] or error.what
        _refuse(where, f"SQL: {what}", expected=error.expected, hint=error.hint)
    except ValueError as error:
        where = Location(scenario.file, statement.line, statement.column)
        _disagree(where, f"what this does to stored rows cannot be known: {error}")


class _Run:
    """The first pass: everything is executed, and read after each step."""

    def __init__(
        self, scenario: Scenario, server: Server, source: Source, session: Mapping[str, str]
    ) -> None:
        self.scenario = scenario
        self.server = server
        self.session = session
        self.source = source
        self.world = World(scenario.databases)

    @property
    def catalogue(self) -> Catalogue:
        """Return what exists on the server by now."""
        return self.world.catalogue

    def execute(self) -> Sequence[Reading]:
        """Run all steps and return a reading after each."""
        ours = {name.lower() for name in self.scenario.databases}
        foreign = [name for name in self.server.databases() if name.lower() not in ours]
        wrong = tuple(guard.problems(self.scenario, foreign))
        if wrong:
            raise ScenarioError(wrong)
        return [self.step(number, step) for number, step in enumerate(sql_steps(self.scenario))]

    def step(self, number: int, step: DdlStep | TransactionStep) -> Reading:
        if not step.emit:
            if isinstance(step, DdlStep):
                self.ddl(step)
            else:
                self.transaction(number, step)
        return all_rows(self.server, self.catalogue.tables())

    def ddl(self, step: DdlStep) -> None:
        # Rows play no part here: the catalogue alone is what `schemas` and `rows` ask.
        _apply(self.scenario, self.world, step.statement)
        self.run(step.statement)
        tables = self.catalogue.tables()
        different = list(schemas.differences(self.server, self.scenario.databases, tables))
        if different:
            _disagree(
                Location(self.scenario.file, step.statement.line, step.statement.column),
                f"the catalogue and the server disagree after this statement: {different[0]}",
                hint="spell the definition out, or state the step under `emit`",
            )

    def transaction(self, number: int, step: TransactionStep) -> None:
        tables = self.catalogue.tables()
        self.server.run("START TRANSACTION")
        for ordinal, statement in enumerate(step.statements):
            self.source.before(number, ordinal, statement.sql, tables)
            self.run(statement)
        self.source.before(number, len(step.statements), "", tables)
        self.server.run("COMMIT")

    def run(self, statement: SqlStatement) -> None:
        try:
            with self.server.under(self.session):
                self.server.run(statement.sql)
        except SqlError as error:
            problem = Problem(
                Location(self.scenario.file, statement.line, statement.column),
                f"the database refuses this statement: {error}",
                hint="correct it; what only TiDB can run belongs into a step `emit`",
            )
            raise SqlRefused((problem,)) from error


class _Replay:
    """The second pass: the log is folded and held against the readings."""

    def __init__(
        self,
        scenario: Scenario,
        events: Mapping[tuple[int, int], Sequence[Event]],
        readings: Sequence[Reading],
    ) -> None:
        self.scenario = scenario
        self.events = events
        self.readings = readings
        self.world = World(scenario.databases)
        self.there = World(scenario.databases)

    def lines(self) -> Iterator[Line]:
        """Yield the lock's lines after the header."""
        for number, step in enumerate(sql_steps(self.scenario)):
            if isinstance(step, DdlStep):
                yield self.ddl(number, step)
            else:
                yield from self.transaction(number, step)
            self.compare(step, self.readings[number])

    def ddl(self, number: int, step: DdlStep) -> Line:
        jobs = _apply(self.scenario, self.world, step.statement)
        if not step.emit:
            _apply(self.scenario, self.there, step.statement)
        pairs = [(job.before, job.after) for job in jobs if job.before or job.after]
        pairs += [job.exchanged for job in jobs if job.exchanged]
        tables = [{"before": written_table(b), "after": written_table(a)} for b, a in pairs]
        return {"step": number, "ddl": step.statement.sql, "tables": tables}

    def transaction(self, number: int, step: TransactionStep) -> Iterator[Line]:
        changes = list(self.stated(step) if step.emit else self.recorded(number, step))
        yield {"step": number, "transaction": step.name, "rows": len(changes)}
        for statement, change in changes:
            line: dict[str, Any] = {"step": number, "statement": statement}
            line |= {"op": change.op.value, "table": str(change.table)}
            columns = self.world.catalogue.table(change.table).columns
            for name, image in (("before", change.before), ("after", change.after)):
                if image is not None:
                    line[name] = written_row(columns, image)
            yield line

    def stated(self, step: TransactionStep) -> Iterator[tuple[int, RowChanged]]:
        """Yield the rows of an `emit:` step."""
        for ordinal, row in enumerate(step.rows):
            where = self.scenario.place(row.line)
            name = table_id(row.table)
            table = self.world.catalogue.find(name.schema, name.name)
            if table is None:
                there = [str(one.id) for one in self.world.catalogue.tables()]
                _refuse(
                    where,
                    f"table {row.table} does not exist",
                    expected=one_of(there) if there else "a `ddl` step before it that creates it",
                    hint=did_you_mean(row.table, there),
                )
            expected = _columns_of(table)
            try:
                before = None if row.before is None else read_row(table.columns, row.before)
                after = None if row.after is None else read_row(table.columns, row.after)
                change = RowChanged(Op(row.op), table.id, before, after, row.line)
                expected = "a row that the steps before have left"
                self.world.change(change)
            except ValueError as error:
                what = f"{row.op} in {row.table}: {error}"
                _refuse(where, what, expected=expected, hint="state whole rows")
            yield ordinal, change

    def recorded(self, number: int, step: TransactionStep) -> Iterator[tuple[int, RowChanged]]:
        """Yield the rows that the database logged."""
        for ordinal, statement in enumerate(step.statements):
            for event in self.events.get((number, ordinal), ()):
                table = self.there.catalogue.find(event.table.schema, event.table.name)
                if table is not None and not table.is_sequence:
                    for change in self.rows(statement, table, event):
                        yield ordinal, change

    def rows(self, statement: SqlStatement, table: Table, event: Event) -> Iterator[RowChanged]:
        where = Location(self.scenario.file, statement.line, statement.column)
        known = self.world.catalogue.find(table.id.schema, table.id.name)
        if known is None or _shape(known) != _shape(table):
            _refuse(
                where,
                f"an `emit:` step gave {table.id} a form that the database does not know",
                hint="state the rows of this transaction under `emit` as well",
            )
        try:
            for before, after in event.read(table.columns):
                change = RowChanged(event.op, known.id, before, after, statement.line)
                self.there.change(change)
                self.world.change(change)
                yield change
        except ValueError as error:
            _disagree(where, f"the server's log cannot be followed: {error}")

    def compare(self, step: DdlStep | TransactionStep, reading: Reading) -> None:
        """Hold the fold of what the database ran against what a SELECT said after the step."""
        for table in self.there.catalogue.tables():
            if table.id not in reading:
                continue
            what = difference(table, self.there.rows[table.id], reading[table.id])
            if what is not None:
                line = step.statement.line if isinstance(step, DdlStep) else step.line
                _disagree(
                    self.scenario.place(line),
                    f"after this step the log and the database disagree: {what}",
                    hint="nothing was locked: a consumer that follows the log cannot reach what"
                    " the database has; do it in another way, or state it under `emit`",
                )


def _columns_of(table: Table) -> str:
    """Return what a stated row has to have, with the types that its values must fit."""
    types = (f"`{c.name}` {c.kind.value}{' unsigned' * c.unsigned}" for c in table.columns)
    return "a value for each column: " + ", ".join(types)


def _shape(table: Table) -> tuple[tuple[object, ...], ...]:
    return tuple((c.name, c.kind, c.length, c.scale, c.members, c.unsigned) for c in table.columns)
