"""The simulator of a server with a binary log: from a change log to the events of that log.

Rules:
* a transaction that changed rows is one GTID, and so is each DDL statement; one without rows is
  not logged;
* rows stay in statement order, nothing is netted; a row event holds the rows of one statement on
  one table;
* the session's clock stands still, as it does for recordings;
* a connector that starts behind a transaction reads the tables that are there first; from then on
  it knows them as SHOW CREATE TABLE has them. One that dies while it reads begins to read anew.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import count
from types import MappingProxyType
from typing import Final

from harness.ddl import Catalogue
from harness.ddl.charsets import MYSQL_DEFAULT_CHARSET
from harness.ddl.jobs import DdlJob
from harness.errors import StepError, replaying
from harness.model.binlog import (
    LogBegin,
    LogCommit,
    LogDdl,
    LogEvent,
    LogRow,
    LogSnapshot,
    LogTable,
    LogTableChange,
    LogTruncate,
)
from harness.model.change import Change, DdlRun, Resolve, RowChanged, Transaction
from harness.model.record import Origin
from harness.model.source_events import SourceTable
from harness.model.table import Table, TableId
from harness.model.values import Row
from harness.sources.key_text import key_texts
from harness.sources.mysql.charsets import (
    refuse_changed,
    refuse_collated,
    refuse_database,
    refuse_rows,
)
from harness.sources.mysql.declared import (
    keeps_keys,
    original_of,
    refuse_misread,
    refuse_row,
    unique_columns,
)
from harness.sources.mysql.known import Known
from harness.sources.mysql.show_create import show_create, shown
from harness.sources.mysql.snapshot import HELD_BACK, Found
from harness.sources.mysql.statements import altered, parsed, truncates, unlogged
from harness.sources.stored import Stored
from harness.sources.tidb.mounter import source_table

# MariaDB's `binlog_row_event_max_size`: a row event that would become longer is ended before.
_EVENT_BYTES: Final = 8192
# 2024-02-29T12:34:56Z: what the sessions of recordings set `timestamp` to.
SECOND: Final = 1_709_210_096
BROKEN_OFF: Final = SECOND - 1  # when a copy is read that breaks off


def _event(change: RowChanged) -> tuple[object, ...]:
    """Return what the rows of one event share."""
    return change.op, change.table, change.line, change.statement


def _bytes(change: RowChanged) -> int:
    """Return about how many bytes a row takes in the log."""
    return sum(
        len(value.encode()) if isinstance(value, str) else len(value)
        for row in (change.before, change.after)
        for value in row or ()
        if isinstance(value, str | bytes)
    )


class Server:
    """One server while its log is replayed."""

    def __init__(
        self,
        databases: Iterable[str],
        copied_after: str | None = None,
        broken_off: tuple[str, int | None] | None = None,
    ) -> None:
        """Start with empty databases; a connector starts behind `copied_after`, None: at once.

        Behind `broken_off` it began a copy before, of which it sent so many rows.
        """
        self._catalogue = Catalogue.with_schemas(*databases, charset=MYSQL_DEFAULT_CHARSET)
        self._logged = 0
        self._row = 0
        self._events = count()
        self._known = Known()
        self._tables: dict[TableId, LogTable] = {}
        self._texts: dict[TableId, Callable[[Row], str]] = {}
        self._keys: dict[TableId, tuple[str, ...]] = {}
        self._copied_after = copied_after
        self._broken_off = broken_off
        # What is there before a connector starts; None once it has started.
        self._stored = None if copied_after is None else Stored()
        self._numbers: dict[TableId, int] = {}

    def replay(self, changes: Iterable[Change]) -> Iterator[LogEvent]:
        """Yield the events of changes; StepError, with the scenario's line, where one cannot be."""
        for step, change in enumerate(changes):
            with replaying(change.line):
                match change:
                    case DdlRun():
                        yield from self._ddl(step, change)
                    case Transaction():
                        yield from self._transaction(step, change)
                    case Resolve():
                        pass  # a server logs no resolved events

    def _gtid(self) -> str:
        self._logged += 1
        return f"0-1-{self._logged}"

    def _ddl(self, step: int, run: DdlRun) -> Iterator[LogEvent]:
        applied = self._catalogue.apply(run.sql, run.schema)
        if not applied.jobs and unlogged(run.sql):
            return
        keyed = frozenset(name for name, key in self._keys.items() if key)
        if self._stored is None:
            self._refuse(run, applied.jobs, keyed)
            refuse_database(run.sql, applied.catalogue.databases)
        self._catalogue = applied.catalogue
        self._tables.clear()
        self._texts.clear()
        gtid = self._gtid()
        origin = Origin(run.line, step, next(self._events), "ddl", commit_ts=SECOND * 1000)
        for before, after in self._changed(run, applied.jobs):
            self._learn(run, before, after)
        if self._stored is not None:
            for job in applied.jobs:
                self._stored.follow(job, run.line)
            return
        yield LogBegin(gtid, origin)
        if truncates(run.sql):
            for job in applied.jobs:
                assert job.before is not None
                own = replace(origin, event=next(self._events))
                yield LogTruncate(gtid, self._table(job.before), own)
            return
        find = self._catalogue.table
        for one in parsed(run.sql, run.schema, applied.jobs, keyed=keyed, find=find):
            changes = tuple(
                LogTableChange(kind, name, None if table is None else self._table(table))
                for kind, name, table in one.changes
            )
            yield LogDdl(gtid, one.sql, one.database, one.tables, changes, origin)

    def _refuse(self, run: DdlRun, jobs: Iterable[DdlJob], keyed: Collection[TableId]) -> None:
        """Refuse a statement that the connector takes otherwise than the server."""
        name = altered(run.sql, run.schema)
        before = next((job.before for job in jobs if job.before is not None), None)
        if name is not None:
            before = self._catalogue.table(name)
        refuse_misread(run.sql, before, keyed=before is not None and before.id in keyed)

    def _changed(self, run: DdlRun, jobs: Sequence[DdlJob]) -> Iterator[tuple[Table | None, Table]]:
        """Yield tables before and after a statement; one that nothing was done to, as it is."""
        yield from ((job.before, job.after) for job in jobs if job.after is not None)
        name = None if jobs else altered(run.sql, run.schema)
        if name is not None:
            table = self._catalogue.table(name)
            yield table, table

    def _learn(self, run: DdlRun, before: Table | None, after: Table) -> None:
        """Keep what the connector takes from a statement of a table's columns and key."""
        refuse_changed(before, after, run.sql)
        if self._stored is None:
            inherited = self._catalogue.databases.get(after.id.schema)
            refuse_collated(run.sql, after, None if inherited is None else inherited.name)
        original = original_of(run.sql, run.schema)
        if original is not None:
            same = self._catalogue.table(original)
            self._keys[after.id] = self._keys.get(same.id, ())
            self._known.copy(same, after)
            return
        self._known.learn(run.sql, before, after)
        if self._stored is None:
            self._known.refuse_floats(after)
        if not keeps_keys(run.sql):
            self._keys[after.id] = self._key(run.sql, before, after)

    def _table(self, table: Table) -> LogTable:
        return self._known.version(table, self._keys.get(table.id, ()))

    def _key(self, sql: str, before: Table | None, after: Table) -> tuple[str, ...]:
        """Return a table's key as the connector keeps it.

        Without a primary key the first UNIQUE of the text becomes one: at its column, null or not,
        or over columns that are never null by the text. It stays one when it is dropped, under the
        names that its columns have by then.
        """
        if after.primary_key is not None:
            return after.primary_key.columns
        if before is not None and before.primary_key is None:
            kept = [before.column(name).id for name in self._keys.get(before.id, ())]
            names = {one: c.name for c in after.columns for one in (c.former_id, c.id)}
            if found := tuple(names[one] for one in kept if one in names):
                return found
        return next(unique_columns(sql, after, partial(self._known.may_be_null, after)), ())

    def _transaction(self, step: int, transaction: Transaction) -> Iterator[LogEvent]:
        if self._stored is not None:
            yield from self._store(step, transaction, self._stored)
            return
        if not transaction.changes:
            return
        gtid = self._gtid()
        yield LogBegin(gtid, self._origin(step, transaction, "begin", transaction.line))
        last: RowChanged | None = None
        size = 0
        for change in transaction.changes:
            size += _bytes(change)
            same = last is not None and _event(last) == _event(change) and size < _EVENT_BYTES
            self._row = self._row + 1 if same else 0
            size = size if same else _bytes(change)
            table = self._version(change.table, change.line)
            origin = self._origin(step, transaction, change.op.value, change.line)
            image = change.before if change.after is None else change.after
            assert image is not None
            refuse_row(table, image, change.line)
            name, key = str(change.table), self._text(change.table, table)(image)
            origin = replace(origin, table=name, key=key)
            yield LogRow(gtid, change.op, table, change.before, change.after, self._row, origin)
            last = change
        yield LogCommit(gtid, self._origin(step, transaction, "end", transaction.line))

    def _store(self, step: int, transaction: Transaction, stored: Stored) -> Iterator[LogSnapshot]:
        """Commit a transaction that no connector follows; yield what one finds behind the last."""
        if transaction.changes:
            self._gtid()
        for change in transaction.changes:
            table = self._version(change.table, change.line)
            origin = self._origin(step, transaction, change.op.value, change.line)
            if change.after is not None:
                key = self._text(change.table, table)(change.after)
                origin = replace(origin, table=str(change.table), key=key)
                self._count(table.table, change.after)
            stored.apply("", change, origin)
        if self._broken_off is not None and transaction.name == self._broken_off[0]:
            yield self._broken(self._broken_off[1], step, transaction, stored)
        if transaction.name == self._copied_after:
            self._stored = None
            yield self._found(step, transaction, stored)

    def _broken(
        self, rows: int | None, step: int, transaction: Transaction, stored: Stored
    ) -> LogSnapshot:
        """Return a copy that breaks off; who read it is dead, and knows nothing of the tables.

        It is read a second before the next one: no connector is there again within the same.
        """
        known = self._catalogue, self._known, self._keys
        found = self._found(step, transaction, stored)
        self._catalogue, self._known, self._keys = known
        self._tables.clear()
        self._texts.clear()
        count = sum(len(copy.rows) for copy in found.tables)
        tables = tuple(
            replace(copy, rows=tuple((row, _before(origin)) for row, origin in copy.rows))
            for copy in found.tables
        )
        sent = max(0, count - HELD_BACK) if rows is None else rows
        return replace(found, tables=tables, origin=_before(found.origin), broken_after=sent)

    def _count(self, table: Table, row: Row) -> None:
        """Remember the greatest number that AUTO_INCREMENT has given, or was given."""
        for column, value in zip(table.columns, row, strict=True):
            if column.auto_increment and isinstance(value, int):
                self._numbers[table.id] = max(value + 1, self._numbers.get(table.id, 1))

    def _found(self, step: int, transaction: Transaction, stored: Stored) -> LogSnapshot:
        """Return what a connector reads at its start, and know the tables as it does then."""
        line = transaction.line
        # The connector asks for base tables alone.
        own = [one for one in self._catalogue.tables() if not (one.is_view or one.is_sequence)]
        texts = {one.id: show_create(one, line, self._numbers.get(one.id, 1)) for one in own}
        by_name = {name: shown(table) for name, table in self._catalogue.by_name.items()}
        self._catalogue = replace(self._catalogue, by_name=MappingProxyType(by_name))
        self._tables.clear()
        self._texts.clear()
        known = [self._catalogue.table(one.id) for one in own]
        self._known = Known.shown(known)
        self._keys = {table.id: self._key("", None, table) for table in known}
        tables = [self._table(table) for table in known]
        origin = self._origin(step, transaction, "copy", line)
        number = partial(next, self._events)
        gtid = f"0-1-{self._logged}"
        return Found(gtid, tables, texts, stored, origin, number).snapshot(rows=True)

    def _version(self, name: TableId, line: int) -> LogTable:
        """Return a table as it is now; StepError where there is none."""
        if name not in self._tables:
            try:
                self._tables[name] = self._table(self._catalogue.table(name))
            except KeyError:
                raise StepError(
                    f"table {name} does not exist",
                    line=line,
                    expected="a table that an earlier step has made",
                ) from None
            if self._stored is None:
                refuse_rows(self._tables[name].table, line)
        return self._tables[name]

    def _text(self, name: TableId, table: LogTable) -> Callable[[Row], str]:
        """Return what gives the key of a table's rows as text."""
        if name not in self._texts:
            self._texts[name] = key_texts(keyed(table))
        return self._texts[name]

    def _origin(self, step: int, transaction: Transaction, kind: str, line: int) -> Origin:
        number = next(self._events)
        return Origin(line, step, number, kind, transaction.name, commit_ts=SECOND * 1000)


def _before(origin: Origin) -> Origin:
    return replace(origin, commit_ts=(BROKEN_OFF - SECOND) * 1000 + origin.commit_ts)


def keyed(table: LogTable) -> SourceTable:
    """Return a table with the key that the connector takes as its handle."""
    ordinals = tuple(table.table.position(name) for name in table.key)
    return replace(source_table(table.table), handle=ordinals)
