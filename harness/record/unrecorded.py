"""What a scenario's SQL would fail at, said before a database has run it.

The catalogue runs the DDL; the tables and columns that other statements name are looked up in it.
What sqlglot cannot read is left to the database.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from harness.ddl import Catalogue, DdlError
from harness.documents.nearest import did_you_mean, one_of
from harness.errors import Location, Problem
from harness.model.table import Table
from harness.scenario.document import DdlStep, Scenario, SqlStatement, TransactionStep


def mistakes(scenario: Scenario) -> tuple[Problem, ...]:
    """Return every mistake of the SQL and of the tables that are expected, in file order."""
    reader = _Reader(scenario, Catalogue.with_schemas(*scenario.databases))
    found = [problem for step in scenario.upstream for problem in reader.step(step)]
    return (*found, *reader.expected())


@dataclass(slots=True)
class _Reader:
    """One pass over a scenario's steps; `whole` until DDL fails, for then nobody knows what is."""

    scenario: Scenario
    catalogue: Catalogue
    ever: set[str] = field(default_factory=set[str])
    whole: bool = True

    def step(self, step: object) -> Iterator[Problem]:
        if not self.whole:
            return
        if isinstance(step, DdlStep):
            yield from self.ddl(step.statement)
        elif isinstance(step, TransactionStep):
            for statement in step.statements:
                yield from self.rows(statement)

    def ddl(self, statement: SqlStatement) -> Iterator[Problem]:
        try:
            self.catalogue = self.catalogue.apply(statement.sql).catalogue
        except DdlError as error:
            self.whole = False
            what = error.what
            if what.startswith("line "):
                what = what.partition(": ")[2]
            place = self.scenario.place_in(statement, error.line, error.column)
            yield Problem(place, what, error.expected, error.hint)
        self.ever |= {str(table.id) for table in self.catalogue.tables()}

    def rows(self, statement: SqlStatement) -> Iterator[Problem]:
        """Look up what a statement names; its first line is the place."""
        place = self.scenario.place_in(statement, 1, 1)
        tree, tables = _read(statement.sql)
        known = {str(table.id): table for table in self.catalogue.tables()}
        for name in tables:
            if name.lower() not in {one.lower() for one in known}:
                yield Problem(
                    place,
                    f"there is no table `{name}` at this step",
                    one_of(known) if known else "a `ddl` step before it that creates the table",
                    did_you_mean(name, known),
                )
        if len(tables) == 1:
            for table in known.values():
                if str(table.id).lower() == tables[0].lower():
                    yield from _columns(place, table, _named(tree, table))

    def expected(self) -> Iterator[Problem]:
        """Look up the tables of `expect`; where settings may rename tables, nothing is said."""
        scenario = self.scenario
        if not self.whole or scenario.settings or scenario.profiles:
            return
        there = {str(table.id): table for table in self.catalogue.tables()}
        for name, wanted in scenario.expect.tables.items():
            place = scenario.place(wanted.line)
            if name not in self.ever:
                hint = did_you_mean(name, self.ever)
                what = f"`expect.tables` names `{name}`, which no step creates"
                yield Problem(place, what, one_of(sorted(self.ever)), hint)
            elif wanted.rows and name in there:
                for row, line in zip(wanted.rows, wanted.lines, strict=False):
                    yield from _columns(scenario.place(line), there[name], row)


def _columns(place: Location, table: Table, named: Any) -> Iterator[Problem]:  # noqa: ANN401 - names
    """Yield a problem for each name that is no column of the table."""
    known = {name.lower() for name in table.column_names}
    for name in dict.fromkeys(named):
        if name.lower() not in known:
            columns = one_of(table.column_names)
            what = f"`{table.id}` has no column `{name}`"
            yield Problem(place, what, columns, did_you_mean(name, table.column_names))


def _read(sql: str) -> tuple[Any, tuple[str, ...]]:
    """Return the tree of a statement and the tables that it names, none where it is not read."""
    from sqlglot import exp, parse_one  # noqa: PLC0415 - takes 0.3 s, and recorded SQL needs none
    from sqlglot.errors import SqlglotError  # noqa: PLC0415 - see above

    # sqlglot does not read MySQL's REPLACE; INSERT has the same tables and columns.
    plain = f"INSERT {sql[7:]}" if sql[:7].upper() == "REPLACE" else sql
    try:
        tree = parse_one(plain, dialect="mysql")
    except SqlglotError:
        return None, ()
    if not isinstance(tree, exp.Insert | exp.Update | exp.Delete) or tree.find(exp.CTE):
        return None, ()
    named = [f"{one.db}.{one.name}" for one in tree.find_all(exp.Table) if one.db]
    return tree, tuple(dict.fromkeys(named))


def _named(tree: Any, table: Table) -> list[str]:  # noqa: ANN401 - sqlglot's expressions
    """Return the columns that an INSERT lists, or that an UPDATE or DELETE of one table names."""
    from sqlglot import exp  # noqa: PLC0415 - see above

    if isinstance(tree, exp.Insert):
        listed = tree.this.expressions if isinstance(tree.this, exp.Schema) else []
        return [one.name for one in listed]
    words = {table.id.name.lower(), table.id.schema.lower(), ""}
    return [
        one.name
        for one in tree.find_all(exp.Column)
        if one.table.lower() in words and not one.this.quoted
    ]
