"""DDL: records of statements on their topic, and the columns of the rows behind them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any, Final

from harness.codecs.connect.schema import ConnectRecord
from harness.ddl.definitions.columns import ColumnDef, OptionKind
from harness.ddl.definitions.keys import ConstraintKind
from harness.ddl.index import CreateIndex
from harness.ddl.rename_table import RenameTables
from harness.model.binlog import LogDdl, LogEvent, LogRow, LogTable, LogTruncate
from harness.model.table import TableId
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.mysql.edits import (
    CONNECTOR,
    each,
    ignoring,
    log,
    moved,
    of_statements,
    one,
    renamed,
    row,
    stream,
    valued,
    values,
    without,
)
from harness.mutants.producers.mysql.envelope import SOURCE
from harness.mutants.producers.patch import constant, instead, patch
from harness.mutants.producers.records import SCHEMA_CHANGE, Records, Values, kind
from harness.sources.mysql.statements import Parsed

FIELDS: Final = ("source", "ts_ms", "databaseName", "schemaName", "ddl", "tableChanges")
_PAIR: Final = re.compile(r"RENAME TABLE (\w+)\.(\w+) TO ")
_PARSED: Final = "harness.sources.mysql.statements"
RUNS: Final = f"{_PARSED}:_runs"
_LISTED: Final = "harness.sources.mysql.declared:_in_parentheses"


def _fields() -> Iterator[WrongProducer]:
    for name in FIELDS:
        yield row(
            f"statement-without-{name.replace('_', '-').lower()}",
            "ddl.fields",
            f"It leaves `{name}` out of a statement's value.",
            without(SCHEMA_CHANGE, name),
        )
    for first, second in pairwise(FIELDS):
        yield row(
            f"statement-{second.replace('_', '-').lower()}-ahead",
            "ddl.fields",
            f"It writes `{second}` of a statement before `{first}`.",
            moved(SCHEMA_CHANGE, second, first),
        )


def _identified(form: str, value: Values) -> None:
    """Write the id of a renamed table by its old and its new name."""
    pair = _PAIR.match(value["ddl"])
    if pair is not None:
        old = f'"{pair[1]}"."{pair[2]}"'
        value["tableChanges"] = [
            {**one, "id": form.format(old=old, new=one["id"])} for one in value["tableChanges"]
        ]


def _all_dropped(value: Values) -> None:
    value["ddl"] = f"{value['ddl']}, a"


def _to_its_table(record: ConnectRecord) -> ConnectRecord:
    source = record.value["source"]
    name = f"{record.topic}.{source['db']}.{(source['table'] or '').partition(',')[0]}"
    return replace(record, topic=name, partition=None) if source["table"] else record


def _first_of(begin: str, given: Records) -> Iterator[ConnectRecord]:
    """Leave of the records of one statement that begins so the first."""
    last = ""
    for record in given:
        if kind(record) == SCHEMA_CHANGE and record.value["ddl"].startswith(begin):
            gtid = record.value["source"]["gtid"]
            if gtid == last:
                continue
            last = gtid
        yield record


def _without_tables(record: ConnectRecord) -> Records:
    empty = kind(record) == SCHEMA_CHANGE and not record.value["tableChanges"]
    return () if empty else (record,)


def _without_statements(begins: tuple[str, ...], record: ConnectRecord) -> Records:
    left_out = kind(record) == SCHEMA_CHANGE and record.value["ddl"].startswith(begins)
    return () if left_out else (record,)


def _renames_typed(value: Values) -> None:
    value["tableChanges"] = [{**one, "type": "RENAME"} for one in value["tableChanges"]]


def _database_listed(value: Values) -> None:
    if not value["tableChanges"]:
        own = f'"{value["databaseName"]}"'
        value["tableChanges"] = [{"type": "ALTER", "id": own, "table": None}]


def _truncates(events: Iterable[LogEvent]) -> Iterator[LogEvent]:
    """Yield a statement of DDL before each TRUNCATE."""
    for event in events:
        if isinstance(event, LogTruncate):
            name = event.table.table.id
            sql = f"TRUNCATE TABLE {name}"
            yield LogDdl(event.gtid, sql, name.schema, (name,), (), event.origin)
        yield event


def _counted(*, skipped: bool) -> Callable[..., Callable[[Any, LogRow], None]]:
    """Let the connector remember the row of each event that is skipped, or of those left out."""

    def changed(original: Callable[[Any, LogRow], None]) -> Callable[[Any, LogRow], None]:
        def handle(self: Any, event: LogRow) -> None:  # noqa: ANN401 - the connector's own
            original(self, event)
            if self._skips(event) is skipped:
                self._state.row = event.row

        return handle

    return changed


def _first_columns(original: Callable[..., Any]) -> Callable[..., Any]:
    """Let a table keep the columns that it had first, if they are as many."""
    known: dict[str, LogTable] = {}

    def shape(self: object, table: LogTable) -> Any:  # noqa: ANN401 a shape or None
        name = str(table.table.id)
        first = known.setdefault(name, table)
        many = len(first.table.columns) == len(table.table.columns)
        return original(self, first if many else table)

    return shape


def _old_names(original: Callable[..., Iterator[Parsed]]) -> Callable[..., Iterator[Parsed]]:
    """List the tables of a RENAME TABLE by the names that they had."""

    def renamed_tables(sql: str, statement: RenameTables, jobs: Sequence[Any]) -> Iterator[Parsed]:
        old = tuple(TableId(job.old_schema, job.old_table) for job in jobs)
        yield from (replace(one, tables=old) for one in original(sql, statement, jobs))

    return renamed_tables


def _keyless(value: Values) -> None:
    (one,) = value["tableChanges"]
    value["tableChanges"] = [{**one, "table": {**one["table"], "primaryKeyColumnNames": []}}]


def _keyed(value: Values) -> None:
    (one,) = value["tableChanges"]
    value["tableChanges"] = [{**one, "table": {**one["table"], "primaryKeyColumnNames": ["v"]}}]


def _last_as_said(original: Callable[..., Any]) -> Callable[..., Any]:
    """Say of the last column in parentheses what its own text says."""

    def nullable(columns: Sequence[ColumnDef]) -> dict[str, bool]:
        return {**original(columns), **_as_said(columns[-1:])}

    return nullable


def _any_unique(statement: CreateIndex, _: object) -> bool:
    return statement.constraint.kind is ConstraintKind.UNIQUE


def _as_said(columns: Iterable[ColumnDef]) -> dict[str, bool]:
    required = {OptionKind.NOT_NULL, OptionKind.PRIMARY_KEY}
    return {
        column.name.lower(): required.isdisjoint(option.kind for option in column.options)
        for column in columns
    }


def _unless_changed(value: Values) -> None:
    """Leave the table out of what is known of an ALTER TABLE that changes nothing."""
    if value["ddl"].endswith(" FORCE"):
        value["tableChanges"] = []


def _of_one_database(tables: Sequence[TableId]) -> Iterator[tuple[TableId, tuple[TableId, ...]]]:
    for table in tables:
        yield table, tuple(other for other in tables if other.schema == table.schema)


ROWS: Final = (
    *_fields(),
    row(
        "statements-to-a-topic-of-the-database",
        "ddl.topic",
        "It sends statements to a topic that has the database in its name.",
        one(
            SCHEMA_CHANGE,
            lambda record: replace(record, topic=f"{record.topic}.{record.value['databaseName']}"),
        ),
    ),
    row(
        "statements-among-rows",
        "ddl.none",
        "It sends statements to the topics of their tables.",
        one(SCHEMA_CHANGE, _to_its_table),
    ),
    row(
        "no-statements",
        "ddl.topic",
        "It sends no statements.",
        each(lambda record: () if kind(record) == SCHEMA_CHANGE else (record,)),
    ),
    *(
        row(
            f"no-statements-of-{words}",
            "ddl.topic",
            f"It sends no statement about {words}.",
            each(partial(_without_statements, begins)),
        )
        for words, begins in (
            ("databases", ("CREATE DATABASE", "ALTER DATABASE", "DROP DATABASE")),
            ("indexes", ("CREATE INDEX", "CREATE UNIQUE INDEX")),
        )
    ),
    row(
        "renames-of-their-own-type",
        "ddl.type",
        "It calls the change of a table that is renamed RENAME.",
        of_statements("RENAME TABLE", _renames_typed),
    ),
    row(
        "statements-always",
        "ddl.off",
        "It pays no heed to include.schema.changes.",
        ignoring("include.schema.changes"),
    ),
    row(
        "no-table-of-what-changed-nothing",
        "ddl.table-changes",
        "It describes no table after an ALTER TABLE that changes nothing.",
        values(SCHEMA_CHANGE, _unless_changed),
    ),
    row(
        "renamed-by-both-names",
        "ddl.rename-id",
        "It writes the old and the new name as the id of a table that is renamed.",
        of_statements("RENAME TABLE", partial(_identified, "{old},{new}")),
    ),
    row(
        "renamed-by-the-old-name",
        "ddl.rename-id",
        "It writes the old name as the id of a table that is renamed.",
        of_statements("RENAME TABLE", partial(_identified, "{old}")),
    ),
    row(
        "statement-of-another-source",
        "ddl.source",
        "It calls `db` of a statement's source otherwise.",
        renamed(SCHEMA_CHANGE, "source.db", "database"),
    ),
    *(
        row(
            f"statement-without-source-{name.replace('_', '-')}",
            "ddl.source",
            f"It leaves `{name}` out of a statement's source.",
            without(SCHEMA_CHANGE, f"source.{name}"),
        )
        for name in SOURCE
    ),
    row(
        "statement-of-row-0",
        "ddl.row-left",
        "It writes row 0 into the source of a statement.",
        valued(SCHEMA_CHANGE, "source.row", lambda _: 0),
    ),
    row(
        "statement-of-a-row-left-out",
        "ddl.row-left",
        "It counts rows of tables that it leaves out for the row of a statement's source.",
        patch(f"{CONNECTOR}._row", _counted(skipped=False)),
    ),
    row(
        "statement-of-a-row-skipped",
        "ddl.row-left",
        "It counts rows that it skips for the row of a statement's source.",
        patch(f"{CONNECTOR}._row", _counted(skipped=True)),
    ),
    row(
        "statements-of-tables-alone",
        "ddl.no-table",
        "It sends no statement that changes no table.",
        each(_without_tables),
    ),
    row(
        "unique-indexes-alter",
        "ddl.no-table",
        "It describes the table of each unique index that is made.",
        instead(f"{_PARSED}:_may_make_a_key", _any_unique),
    ),
    row(
        "unique-indexes-of-tables-left-out",
        "ddl.no-table",
        "It describes a table that is left out for a unique index of it.",
        constant("harness.codecs.debezium_mysql.connector:_UNIQUE_INDEX", re.compile(r"(?!)")),
    ),
    row(
        "unique-indexes-change-nothing",
        "ddl.no-table",
        "It describes no table for a unique index.",
        of_statements("CREATE UNIQUE INDEX", lambda value: value.update(tableChanges=[])),
    ),
    row(
        "unique-index-without-its-key",
        "ddl.no-table",
        "It describes the table of a unique index without the key that the index makes.",
        of_statements("CREATE UNIQUE INDEX BY_W", _keyless),
    ),
    row(
        "unique-index-of-nulls-makes-a-key",
        "ddl.no-table",
        "It describes the table of a unique index that makes no key with the column for its key.",
        of_statements("CREATE UNIQUE INDEX BY_V", _keyed),
    ),
    row(
        "unique-index-that-makes-no-key",
        "ddl.no-table",
        "It describes no table for a unique index that makes no key.",
        of_statements("CREATE UNIQUE INDEX BY_V", lambda value: value.update(tableChanges=[])),
    ),
    row(
        "database-for-a-table",
        "ddl.no-table",
        "It lists the database among the tables of a statement that changes no table.",
        values(SCHEMA_CHANGE, _database_listed),
    ),
    row(
        "first-table-of-a-statement",
        "ddl.tables-listed",
        "It lists the first table alone of a statement's source.",
        valued(SCHEMA_CHANGE, "source.table", lambda listed: listed and listed.partition(",")[0]),
    ),
    row(
        "tables-by-their-old-names",
        "ddl.tables-listed",
        "It lists renamed tables by the names that they had.",
        patch(f"{_PARSED}:_renamed", _old_names),
    ),
    row(
        "tables-with-blanks-between",
        "ddl.tables-listed",
        "It lists the tables of a statement's source with blanks between.",
        valued(SCHEMA_CHANGE, "source.table", lambda listed: listed and listed.replace(",", " ")),
    ),
    row(
        "tables-of-all-databases",
        "ddl.tables-listed",
        "It lists the tables of all databases of a DROP TABLE.",
        instead(RUNS, lambda tables: ((table, tuple(tables)) for table in tables)),
    ),
    row(
        "tables-of-a-database-behind-another",
        "ddl.tables-listed",
        "It lists the tables of a database also where those of another come between.",
        instead(RUNS, _of_one_database),
    ),
    row(
        "drops-of-two",
        "ddl.drop-each",
        "It writes a second table into the statement that drops one.",
        of_statements("DROP TABLE", _all_dropped),
    ),
    row(
        "first-pair-of-a-rename",
        "ddl.rename-each",
        "It sends the first pair alone of a RENAME TABLE.",
        stream(partial(_first_of, "RENAME TABLE")),
        also="ddl.text",
    ),
    row(
        "renames-of-two",
        "ddl.rename-each",
        "It writes a second pair into the statement that renames one.",
        of_statements("RENAME TABLE", lambda value: value.update(ddl=f"{value['ddl']}, a TO b")),
    ),
    row(
        "first-table-of-a-drop",
        "ddl.drop-each",
        "It sends a record for the first table alone of a DROP TABLE.",
        stream(partial(_first_of, "DROP TABLE")),
        also="ddl.text",
    ),
    row(
        "statements-by-their-keys",
        "ddl.partition",
        "It sends a statement to partition 1.",
        one(SCHEMA_CHANGE, lambda record: replace(record, partition=1)),
    ),
    row(
        "statement-of-truncate",
        "ddl.no-truncate",
        "It sends TRUNCATE to the topic of statements as well.",
        log(_truncates),
        also="ddl.topic",
    ),
    row(
        "listed-columns-as-said",
        "value.optional-listed",
        "It says of each column in the parentheses of ADD COLUMN what its own text says.",
        instead(_LISTED, _as_said),
    ),
    row(
        "last-listed-column-as-said",
        "value.optional-listed",
        "It says of the last column in the parentheses of ADD COLUMN what its own text says.",
        patch(_LISTED, _last_as_said),
    ),
    row(
        "columns-of-the-first-version",
        "ddl.next-row",
        "It names the columns of rows as the table's first version did.",
        patch(f"{CONNECTOR}._shape", _first_columns),
    ),
)
