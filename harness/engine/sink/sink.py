"""The databases of one run's consumer: owned by the run, read by it, dropped by it.

SQL is run inside databases that this run created, and nowhere else; the consumer's account
sees no others. What the consumer did to its tables is data, a server that is gone is not.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from threading import Lock

from harness.engine.sink import reading
from harness.engine.sink.session import Refused, Session, quoted
from harness.engine.sink.shapes import Shapes, sent_columns
from harness.engine.sink.statements import create_table, literal
from harness.errors import SetupError, UsageError
from harness.model.observed import Observed, Outcome, RawRow
from harness.model.source_events import SourceTable
from harness.model.table import TableId
from harness.runner.contract.job import ChangefeedJob
from harness.runner.contract.job_file import SinkJob
from harness.runner.manifest import Consumer
from harness.runner.result import Maker, Result
from harness.services import Services
from harness.services.service import MariaDb

NAME_LENGTH = 64
SCHEMA_LENGTH = 30  # of an upstream's schema in the name of its database
OUTSIDE = re.compile(r"[^A-Za-z0-9_]")
# Statements about whole databases, which are the run's own here.
_OF_DATABASES = re.compile(r"\s*(?:CREATE|DROP|ALTER)\s+(?:DATABASE|SCHEMA)\b", re.IGNORECASE)
# How a consumer ends that cannot run a statement.
GAVE_UP = frozenset({Outcome.ERROR, Outcome.CRASH})


class Sink:
    """Databases on one server for one run; cases that run at once use its session in turn."""

    def __init__(self, session: Session, run: str, result: Result) -> None:
        """Take a session of somebody who may create databases and accounts."""
        self._session = session
        self._lock = Lock()
        self._result = result
        self._owner = f"h{OUTSIDE.sub('', run)[:20]}"
        self._shapes: dict[str, Mapping[TableId, SourceTable]] = {}
        self._created: list[str] = []
        # What this server does not take of a changefeed's DDL, "" for nothing.
        self._untaken: dict[str, str] = {}
        self._collation = session.collation()
        self.job = SinkJob(
            session.server.host, session.server.port, self._owner, secrets.token_hex(16)
        )
        self._may(f"CREATE USER {self._account} IDENTIFIED BY {literal(self.job.password)}")

    @property
    def _account(self) -> str:
        return f"{literal(self._owner)}@'%'"

    def databases(self, shapes: Shapes, index: int, again: str = "") -> Mapping[str, str]:
        """Create a case's databases, and its tables where that is ours to do; return the names.

        `again` separates the databases of a second reading of the case from those of the first.
        """
        with self._lock:
            return self._databases(shapes, index, again)

    def _databases(self, shapes: Shapes, index: int, again: str) -> Mapping[str, str]:
        there = enumerate(shapes.schemas)
        names = {schema: self._name(schema, n, index, again) for n, schema in there}
        for name in names.values():
            self._create(name)
        self._shapes[shapes.feed] = shapes.tables
        by_ddl = self._result.tables is Maker.BY_DDL and bool(shapes.ddl)
        if by_ddl:
            self._untaken[shapes.feed] = self._tried(shapes, index, again)
        there_before = shapes.uncreated if by_ddl else shapes.tables
        for source_table in there_before.values() if self._result.tables is not Maker.OWN else ():
            self._create_table(names[source_table.table.id.schema], source_table)
        return names

    def _tried(self, shapes: Shapes, index: int, again: str) -> str:
        """Return the first DDL that this server does not take, "" where it takes all of them.

        It is run in databases of its own, over the tables that are there before the stream.
        """
        there = enumerate(shapes.schemas)
        names = {schema: self._name(schema, n, index, f"{again}t") for n, schema in there}
        for name in names.values():
            self._create(name)
        for table in shapes.uncreated.values():
            self._create_table(names[table.table.id.schema], table)
        for schema, query in shapes.ddl:
            text = query
            for upstream, name in names.items():
                text = text.replace(f"{quoted(upstream)}.", f"{quoted(name)}.")
            try:
                if schema in names and not _OF_DATABASES.match(text):
                    self._session.run(f"USE {quoted(names[schema])}")
                    self._session.run(text)
            except Refused as error:
                return f"a database that takes {query}: {error}"
        return ""

    def answers(
        self, feeds: Sequence[ChangefeedJob], observed: Mapping[str, Observed]
    ) -> dict[str, Observed]:
        """Return the answers with the tables of those that are done."""
        return {feed.id: self.answer(feed, observed[feed.id]) for feed in feeds}

    def answer(self, feed: ChangefeedJob, observed: Observed) -> Observed:
        """Return one answer with its tables, if it is done; a table that is broken is invalid."""
        untaken = self._untaken.get(feed.id, "")
        if untaken and observed.outcome in GAVE_UP:
            return replace(observed, outcome=Outcome.NOT_APPLICABLE, detail=untaken)
        if observed.outcome is not Outcome.DONE:
            return observed
        reader = TableReader(self._session, self._result)
        try:
            with self._lock:
                return reader.read(self._shapes[feed.id], feed.databases, observed)
        except (Refused, reading.TooMuch) as error:
            return replace(observed, outcome=Outcome.INVALID, detail=f"in the sink: {error}")

    def drop(self) -> None:
        """Drop what was created; SetupError names what could not be."""
        try:
            session = Session(self._session.server)  # the old one may be in any state
            for name in self._created:
                session.run(f"DROP DATABASE IF EXISTS {quoted(name)}")
            session.run(f"DROP USER IF EXISTS {self._account}")
            session.close()
        except (Refused, SetupError) as error:
            raise SetupError(
                f"the database at {self._session.server} keeps databases of this run: {error}",
                hint=f"drop the databases that begin with {self._owner}_ by hand",
            ) from error

    def _name(self, schema: str, number: int, index: int, again: str) -> str:
        plain = OUTSIDE.sub("_", schema)[:SCHEMA_LENGTH]
        return f"{self._owner}_{index:04}{again}_{number}_{plain}"

    def _create(self, name: str) -> None:
        self._may(f"CREATE DATABASE {quoted(name)} CHARACTER SET utf8mb4 COLLATE utf8mb4_bin")
        self._created.append(name)
        pattern = name.replace("_", "\\_")  # in a grant an underscore stands for any character
        self._may(f"GRANT ALL ON {quoted(pattern)}.* TO {self._account}")

    def _may(self, sql: str) -> None:
        """Run what the server may not let us do."""
        try:
            self._session.run(sql)
        except Refused as error:
            raise SetupError(
                f"the database at {self._session.server} does not take a sink: {error}",
                expected="an account that may create databases and accounts",
                hint="leave `database.url` unset, and the harness starts a server of its own",
            ) from error

    def _create_table(self, database: str, source_table: SourceTable) -> None:
        table = source_table.table.id
        name = self._result.named(table.schema, table.name)
        if len(name) > NAME_LENGTH:
            raise UsageError(
                f"`result.table` makes {name!r} of {table}, which has {len(name)} characters",
                expected=f"names of at most {NAME_LENGTH} characters",
            )
        place = f"{quoted(database)}.{quoted(name)}"
        for wide in (False, True):
            try:
                self._session.run(create_table(place, source_table, self._collation, wide=wide))
            except Refused as error:
                refusal = error
            else:
                return
        raise SetupError(
            f"the sink cannot have the table {table}: {refusal}",
            hint="leave the case out with -k, or let the consumer create its tables"
            " (`tables: own`)",
        )


class TableReader:
    """Reads tables of the upstream where a consumer has put them."""

    def __init__(self, session: Session, result: Result) -> None:
        """Take a session, and how the consumer calls tables."""
        self._session = session
        self._result = result

    def read(
        self,
        wanted: Mapping[TableId, SourceTable],
        databases: Mapping[str, str],
        observed: Observed,
    ) -> Observed:
        """Return the answer with these tables; raises Refused and TooMuch."""
        there = {name: reading.tables(self._session, name) for name in set(databases.values())}
        lacking: dict[TableId, tuple[str, ...]] = {}
        found: dict[TableId, tuple[RawRow, ...]] = {}
        for table, source_table in wanted.items():
            database = databases[table.schema]
            name = self._result.named(table.schema, table.name)
            types = there[database].get(name)
            columns = sent_columns(source_table)
            absent = () if types is None else reading.missing(types, columns)
            if types is None or absent:
                lacking[table] = absent
            else:
                found[table] = reading.rows(self._session, (database, name), types, columns)
        return replace(observed, tables=found, lacking=lacking)


@contextmanager
def sink_of(services: Services, consumer: Consumer, run: str) -> Generator[Sink | None]:
    """Yield the sink of a consumer that writes into a database, else None."""
    if not consumer.result.in_database:
        yield None
        return
    with sink(services.mariadb, run, consumer.result) as made:
        yield made


@contextmanager
def sink(server: MariaDb, run: str, result: Result) -> Generator[Sink]:
    """Yield the sink of a run on a server; what it created is dropped, whatever happened."""
    session = Session(server)
    try:
        made = Sink(session, run, result)
        try:
            yield made
        except BaseException:
            with suppress(SetupError):  # the first error is the one to report
                made.drop()
            raise
        made.drop()
    finally:
        session.close()
