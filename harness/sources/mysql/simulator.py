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

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import count
from types import MappingProxyType
from typing import Final, TypeVar

from harness.ddl import Catalogue
from harness.ddl.charsets import MYSQL_DEFAULT_CHARSET
from harness.ddl.jobs import DdlJob
from harness.errors import StepError, UsageError, replaying
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
from harness.model.columns import Column, ColumnKind
from harness.model.record import Origin
from harness.model.source_events import SourceTable
from harness.model.table import Table, TableId
from harness.model.values import Row
from harness.sources.key_text import key_texts
from harness.sources.mysql.declared import (
    changed_columns,
    declared_comments,
    declared_null,
    declared_signs,
    defined_columns,
    keeps_keys,
    original_of,
    refuse_misread,
    refuse_row,
    unique_columns,
)
from harness.sources.mysql.show_create import escaped, show_create, shown
from harness.sources.mysql.snapshot import HELD_BACK, Found
from harness.sources.mysql.statements import altered, parsed, truncates, unlogged
from harness.sources.mysql.texts import code
from harness.sources.stored import Stored
from harness.sources.tidb.mounter import source_table

# MariaDB's `binlog_row_event_max_size`: a row event that would become longer is ended before.
_EVENT_BYTES: Final = 8192
# 2024-02-29T12:34:56Z: what the sessions of recordings set `timestamp` to.
SECOND: Final = 1_709_210_096
BROKEN_OFF: Final = SECOND - 1  # when a copy is read that breaks off
_SPELLED: Final = re.compile(
    r"`?(\w+)`?\s+((?:BOOL|BOOLEAN|INT1|INT2|INT3|INT4|INT8|INTEGER|MIDDLEINT|DEC|NUMERIC|FIXED|REAL"
    r"|FLOAT4|FLOAT8|DOUBLE\s+PRECISION|LONG\s+VARCHAR|LONG\s+VARBINARY|LONG"
    r"|(?:NATIONAL\s+)?(?:CHARACTER|CHAR)\s+VARYING|NATIONAL\s+(?:VARCHAR|CHARACTER|CHAR)"
    r"|CHARACTER|CHAR(?!\s*\()|BINARY(?!\s*\()|NCHAR\s+(?:VARYING|VARCHAR)|NCHAR|NVARCHAR)\b"
    r"|(?:FLOAT|BLOB|TEXT|YEAR)\s*\(\s*\d+\s*\)|(?:TIME|DATETIME|TIMESTAMP)\s*\(\s*0\s*\))"
    r"(\s*\()?",
    re.IGNORECASE,
)


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


_SIZED: Final = frozenset({"CHAR", "CHARACTER", "BINARY"})  # "CHAR()" is one without a length

Place = tuple[TableId, int]  # of a column, by its id
_T = TypeVar("_T")


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
        # A column's spelling by its id, which stays when it is renamed.
        self._spelled: dict[Place, str] = {}
        # Whether a column may be NULL to the connector, where the server has it otherwise.
        self._optional: dict[Place, bool] = {}
        # SIGNED, where a column was declared so; and comments as statements have them.
        self._signs: dict[Place, str] = {}
        self._comments: dict[Place, str] = {}
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
        _check_charset(before, after, run.sql)
        original = original_of(run.sql, run.schema)
        if original is not None:
            self._copy_known(self._catalogue.table(original), after)
            return
        self._spell(run.sql, before, after)
        self._declare(run.sql, before, after)
        self._sign(run.sql, before, after)
        self._comment(run.sql, before, after)
        if self._stored is None:
            self._check_floats(after)
        if not keeps_keys(run.sql):
            self._keys[after.id] = self._key(run.sql, before, after)

    def _copy_known(self, original: Table, made: Table) -> None:
        """Take what the connector knows of a table for one that was made LIKE it."""
        self._keys[made.id] = self._keys.get(original.id, ())
        for column, same in zip(original.columns, made.columns, strict=True):
            old, new = (original.id, column.id), (made.id, same.id)
            for known in (self._spelled, self._signs, self._comments):
                _put(known, new, known.get(old))
            _put(self._optional, new, self._optional.get(old))

    def _spell(self, sql: str, before: Table | None, after: Table) -> None:
        """Keep how a statement spells the types of the columns that it makes."""
        found = _SPELLED.findall(code(sql))
        words = {
            name.lower(): ("" if "(" in word else " ").join(word.upper().split())
            + ("()" if word.upper() in _SIZED and not sized else "")
            for name, word, sized in found
        }
        old = frozenset[int]() if before is None else {column.id for column in before.columns}
        defined = defined_columns(sql)
        for column in after.columns:
            word = words.get(column.name.lower())
            untouched = column.id in old and column.name.lower() not in defined
            if word is None and before is not None and untouched:
                word = self._spelled.get((before.id, column.id))
            _put(self._spelled, (after.id, column.id), word)

    def _declare(self, sql: str, before: Table | None, after: Table) -> None:
        """Keep where the connector takes a column for nullable or not, and the server does not."""
        said = declared_null(sql)
        old = {} if before is None else {c.id: self._may_be_null(before, c) for c in before.columns}
        for column in after.columns:
            former = old.get(column.id, old.get(column.former_id or 0, column.nullable))
            found = said.get(column.name.lower(), former)
            may = former if found is None else found
            _put(self._optional, (after.id, column.id), may if may != column.nullable else None)

    def _sign(self, sql: str, before: Table | None, after: Table) -> None:
        """Keep SIGNED, which the server takes for nothing."""
        said = declared_signs(sql)
        for column in after.columns:
            former = None if before is None else self._signs.get((before.id, column.id))
            words = said.get(column.name.lower(), former)
            _put(self._signs, (after.id, column.id), words if words == "SIGNED" else None)

    def _comment(self, sql: str, before: Table | None, after: Table) -> None:
        """Keep comments as statements have them, and those that CHANGE COLUMN says nothing of."""
        said, changed = declared_comments(sql), changed_columns(sql)
        old = {} if before is None else {one.id: one for one in before.columns}
        for column in after.columns:
            name, former = column.name.lower(), old.get(column.former_id or column.id)
            kept = None
            if before is not None and former is not None and (name in changed or name not in said):
                shown = escaped(former.comment) or None
                kept = self._comments.get((before.id, former.id), shown)
            comment = said.get(name)
            comment = kept if comment is None else comment
            _put(self._comments, (after.id, column.id), comment)

    def _check_floats(self, after: Table) -> None:
        """Refuse a FLOAT of whose values the connector makes none for the schema that it has."""
        for column in after.columns:
            place = after.id, column.id
            odd = place in self._signs or self._spelled.get(place) == "FLOAT4"
            if column.kind is ColumnKind.FLOAT and column.scale is None and odd:
                raise UsageError(
                    f"{after.id}.{column.name} is declared FLOAT4 or FLOAT SIGNED, of which the "
                    "connector leaves every value out",
                    expected="FLOAT, FLOAT UNSIGNED or FLOAT ZEROFILL",
                )

    def _may_be_null(self, table: Table, column: Column) -> bool:
        return self._optional.get((table.id, column.id), column.nullable)

    def _table(self, table: Table) -> LogTable:
        return LogTable(
            table,
            self._keys.get(table.id, ()),
            _of(table, self._spelled),
            _of(table, self._optional),
            _of(table, self._signs),
            _of(table, self._comments),
        )

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
        return next(unique_columns(sql, after, partial(self._may_be_null, after)), ())

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
        known = self._catalogue, dict(self._spelled), self._keys
        found = self._found(step, transaction, stored)
        self._catalogue, self._spelled, self._keys = known
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
        self._spelled = {
            (table.id, column.id): "YEAR(4)"
            for table in own
            for column in table.columns
            if column.kind is ColumnKind.YEAR
        }
        self._optional.clear()
        self._signs.clear()
        self._comments.clear()
        self._tables.clear()
        self._texts.clear()
        known = [self._catalogue.table(one.id) for one in own]
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
        return self._tables[name]

    def _text(self, name: TableId, table: LogTable) -> Callable[[Row], str]:
        """Return what gives the key of a table's rows as text."""
        if name not in self._texts:
            self._texts[name] = key_texts(keyed(table))
        return self._texts[name]

    def _origin(self, step: int, transaction: Transaction, kind: str, line: int) -> Origin:
        number = next(self._events)
        return Origin(line, step, number, kind, transaction.name, commit_ts=SECOND * 1000)


def _put(known: dict[Place, _T], place: Place, one: _T | None) -> None:
    """Keep what is known of a column; None for nothing."""
    known.pop(place, None)
    if one is not None:
        known[place] = one


def _of(table: Table, known: Mapping[Place, _T]) -> tuple[tuple[str, _T], ...]:
    """Return what is known of a table's columns, by their names."""
    places = ((column.name, (table.id, column.id)) for column in table.columns)
    return tuple((name, known[place]) for name, place in places if place in known)


def _check_charset(before: Table | None, after: Table, sql: str) -> None:
    """Refuse another character set of a table, which the connector takes no notice of."""
    old = {} if before is None else {column.id: column.charset for column in before.columns}
    known = defined_columns(sql)
    changed = (
        column.name
        for column in after.columns
        if column.name.lower() not in known and old.get(column.id, column.charset) != column.charset
    )
    name = next(changed, "")
    if name or (before is not None and before.charset != after.charset):
        raise UsageError(
            f"{after.id} gets another character set, and the connector reads texts in the old one",
            expected="MODIFY COLUMN with a character set, which it follows",
        )


def _before(origin: Origin) -> Origin:
    return replace(origin, commit_ts=(BROKEN_OFF - SECOND) * 1000 + origin.commit_ts)


def keyed(table: LogTable) -> SourceTable:
    """Return a table with the key that the connector takes as its handle."""
    ordinals = tuple(table.table.position(name) for name in table.key)
    return replace(source_table(table.table), handle=ordinals)
