"""DDL: records of statements on their topic, and the columns of the rows behind them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any, Final

from harness.codecs.connect.schema import ConnectRecord
from harness.model.binlog import LogDdl, LogEvent, LogRow, LogTable, LogTruncate
from harness.model.table import TableId
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.mysql.edits import (
    CONNECTOR,
    each,
    ignoring,
    log,
    moved,
    one,
    renamed,
    row,
    stream,
    valued,
    values,
    without,
)
from harness.mutants.producers.patch import Patch, instead, patch
from harness.mutants.producers.records import SCHEMA_CHANGE, Records, Values, kind

FIELDS: Final = ("source", "ts_ms", "databaseName", "schemaName", "ddl", "tableChanges")
_TABLES: Final = re.compile(r"(DROP TABLE (?:IF EXISTS )?)(.*)")
_NOTHING: Final[Values] = {
    "defaultCharsetName": None,
    "primaryKeyColumnNames": [],
    "columns": [],
    "comment": None,
}
RUNS: Final = "harness.sources.mysql.statements:_runs"


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


def _changes(change: Callable[[Values], Values | None]) -> Patch:
    """Return the patch that changes each table change of a statement; None leaves it out."""

    def changed(given: list[Values]) -> list[Values]:
        made = (change({**one}) for one in given)
        return [one for one in made if one is not None]

    return valued(SCHEMA_CHANGE, "tableChanges", changed)


def _tables(change: Callable[[Values], object]) -> Patch:
    """Return the patch that changes, in place, each table that a statement describes."""

    def changed(one: Values) -> Values:
        if one["table"] is not None:
            one["table"] = {**one["table"]}
            change(one["table"])
        return one

    return _changes(changed)


def _columns(change: Callable[[Values], object]) -> Patch:
    """Return the patch that changes, in place, each column that a statement describes."""

    def changed(table: Values) -> None:
        table["columns"] = [{**column} for column in table["columns"]]
        for column in table["columns"]:
            change(column)

    return _tables(changed)


def _of_statements(begin: str, change: Callable[[Values], object]) -> Patch:
    """Return the patch that changes, in place, the value of statements that begin so."""
    return values(
        SCHEMA_CHANGE,
        lambda value: change(value) if value["ddl"].upper().startswith(begin) else None,
    )


def _both_names(value: Values) -> None:
    value["tableChanges"] = [
        {**one, "id": f"{one['id']},{one['id']}"} for one in value["tableChanges"]
    ]


def _all_dropped(value: Values) -> None:
    value["ddl"] = _TABLES.sub(r"\1\2, \2", value["ddl"])


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


def _tables_at_first(given: Records) -> Iterator[ConnectRecord]:
    """Describe a table in each statement as the first one that named it did."""
    known: dict[str, Any] = {}
    for record in given:
        if kind(record) != SCHEMA_CHANGE:
            yield record
            continue
        changes = [
            {**one, "table": one["table"] and known.setdefault(one["id"], one["table"])}
            for one in record.value["tableChanges"]
        ]
        yield replace(record, value={**record.value, "tableChanges": changes})


def _without_tables(record: ConnectRecord) -> Records:
    empty = kind(record) == SCHEMA_CHANGE and not record.value["tableChanges"]
    return () if empty else (record,)


def _database_listed(value: Values) -> None:
    if not value["tableChanges"]:
        own = f'"{value["databaseName"]}"'
        value["tableChanges"] = [{"type": "ALTER", "id": own, "table": None}]


def _empty_default(column: Values) -> None:
    if column["defaultValueExpression"] is None:
        column["defaultValueExpression"] = ""


def _truncates(events: Iterable[LogEvent]) -> Iterator[LogEvent]:
    """Yield a statement of DDL before each TRUNCATE."""
    for event in events:
        if isinstance(event, LogTruncate):
            name = event.table.table.id
            sql = f"TRUNCATE TABLE {name}"
            yield LogDdl(event.gtid, sql, name.schema, (name,), (), event.origin)
        yield event


def _all_counted(original: Callable[[Any, LogEvent], None]) -> Callable[[Any, LogEvent], None]:
    """Let the connector remember the row of each event, whether it is sent or not."""

    def handle(self: Any, event: LogEvent) -> None:  # noqa: ANN401 - the connector's own
        original(self, event)
        if isinstance(event, LogRow):
            self._state.row = event.row

    return handle


def _first_columns(original: Callable[..., Any]) -> Callable[..., Any]:
    """Let a table keep the columns that it had first, if they are as many."""
    known: dict[str, LogTable] = {}

    def shape(self: object, table: LogTable) -> Any:  # noqa: ANN401 a shape or None
        name = str(table.table.id)
        first = known.setdefault(name, table)
        many = len(first.table.columns) == len(table.table.columns)
        return original(self, first if many else table)

    return shape


def _nameless(schema_id: str) -> str:
    return schema_id.replace('"', "")


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
    row(
        "statements-always",
        "ddl.off",
        "It pays no heed to include.schema.changes.",
        ignoring("include.schema.changes"),
    ),
    row(
        "statement-without-a-key",
        "ddl.key",
        "It sends statements without a key.",
        one(SCHEMA_CHANGE, lambda record: replace(record, key=None, key_schema=None)),
    ),
    row(
        "statement-keyed-by-its-table",
        "ddl.key",
        "It writes the statement's table for the database into its key.",
        one(SCHEMA_CHANGE, lambda record: replace(record, key={"databaseName": "t"})),
    ),
    row(
        "statement-in-capitals",
        "ddl.text",
        "It writes statements in capitals.",
        valued(SCHEMA_CHANGE, "ddl", str.upper),
    ),
    row(
        "statement-with-semicolon",
        "ddl.text",
        "It writes a semicolon behind a statement.",
        valued(SCHEMA_CHANGE, "ddl", lambda text: f"{text};"),
    ),
    row(
        "no-table-changes",
        "ddl.table-changes",
        "It leaves the list of table changes empty.",
        _changes(lambda _: None),
    ),
    row(
        "one-column-less",
        "ddl.table-changes",
        "It leaves the last column of a table out.",
        _tables(lambda table: table.update(columns=table["columns"][:-1])),
    ),
    row(
        "table-before-the-alter",
        "ddl.table-changes",
        "It describes a table as it was when it was first made.",
        stream(_tables_at_first),
    ),
    row(
        "types-of-changes-in-lower-case",
        "ddl.type",
        "It writes the type of a table change in lower case.",
        _changes(lambda one: {**one, "type": one["type"].lower()}),
    ),
    row(
        "ids-without-quotes",
        "ddl.id",
        "It writes the id of a table without quotes.",
        _changes(lambda one: {**one, "id": _nameless(one["id"])}),
    ),
    row(
        "ids-joined-by-slashes",
        "ddl.id",
        "It joins database and table of an id by a slash.",
        _changes(lambda one: {**one, "id": one["id"].replace('"."', '"/"')}),
    ),
    row(
        "ids-of-tables-alone",
        "ddl.id",
        "It leaves the database out of the id of a table.",
        _changes(lambda one: {**one, "id": one["id"].rpartition(".")[2]}),
    ),
    row(
        "dropped-tables-altered",
        "ddl.dropped",
        "It calls the change of a table that is dropped ALTER.",
        _changes(lambda one: {**one, "type": one["type"].replace("DROP", "ALTER")}),
    ),
    row(
        "dropped-tables-described",
        "ddl.dropped",
        "It describes a table that is dropped, without columns.",
        _changes(lambda one: {**one, "table": one["table"] or dict(_NOTHING)}),
    ),
    row(
        "no-change-of-dropped-tables",
        "ddl.dropped",
        "It leaves a table that is dropped out of the table changes.",
        _changes(lambda one: None if one["type"] == "DROP" else one),
    ),
    row(
        "renamed-by-both-names",
        "ddl.rename-id",
        "It writes two names as the id of a table that is renamed.",
        _of_statements("RENAME TABLE", _both_names),
    ),
    row(
        "primary-key-turned",
        "ddl.primary-key",
        "It lists the columns of a key from the last to the first.",
        _tables(
            lambda table: table.update(
                primaryKeyColumnNames=table["primaryKeyColumnNames"][::-1] or ["id"]
            )
        ),
    ),
    row(
        "positions-from-0",
        "ddl.columns",
        "It counts the positions of columns from 0.",
        _columns(lambda column: column.update(position=column["position"] - 1)),
    ),
    row(
        "columns-all-optional",
        "ddl.columns",
        "It says of each column that it may be NULL.",
        _columns(lambda column: column.update(optional=True)),
    ),
    row(
        "columns-of-a-statement-turned",
        "ddl.columns",
        "It lists columns from the last to the first.",
        _tables(lambda table: table.update(columns=table["columns"][::-1])),
    ),
    row(
        "columns-without-names",
        "ddl.columns",
        "It leaves the names of columns empty.",
        _columns(lambda column: column.update(name="")),
    ),
    row(
        "columns-without-types",
        "ddl.columns",
        "It leaves the names of columns' types empty.",
        _columns(lambda column: column.update(typeName="")),
    ),
    row(
        "columns-of-another-jdbc-type",
        "ddl.columns",
        "It writes each column's JDBC type as that of any other type, 1111.",
        _columns(lambda column: column.update(jdbcType=1111)),
    ),
    row(
        "no-defaults-in-statements",
        "ddl.default",
        "It leaves the defaults of columns out.",
        _columns(lambda column: column.update(defaultValueExpression=None)),
    ),
    row(
        "empty-defaults-in-statements",
        "ddl.default",
        "It writes an empty text for the default of a column that has none.",
        _columns(_empty_default),
    ),
    row(
        "statement-of-another-source",
        "ddl.source",
        "It calls `db` of a statement's source otherwise.",
        renamed(SCHEMA_CHANGE, "source.db", "database"),
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
        "It counts rows that it leaves out for the row of a statement's source.",
        patch(f"{CONNECTOR}._handle", _all_counted),
    ),
    row(
        "statements-of-tables-alone",
        "ddl.no-table",
        "It sends no statement that changes no table.",
        each(_without_tables),
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
        "It writes more than one table into the statement that drops one.",
        _of_statements("DROP TABLE", _all_dropped),
    ),
    row(
        "first-pair-of-a-rename",
        "ddl.rename-each",
        "It sends the first pair alone of a RENAME TABLE.",
        stream(partial(_first_of, "RENAME TABLE")),
    ),
    row(
        "renames-of-two",
        "ddl.rename-each",
        "It writes a second pair into the statement that renames one.",
        _of_statements("RENAME TABLE", lambda value: value.update(ddl=f"{value['ddl']}, a TO b")),
    ),
    row(
        "first-table-of-a-drop",
        "ddl.drop-each",
        "It sends a record for the first table alone of a DROP TABLE.",
        stream(partial(_first_of, "DROP TABLE")),
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
    ),
    row(
        "columns-of-the-first-version",
        "ddl.next-row",
        "It names the columns of rows as the table's first version did.",
        patch(f"{CONNECTOR}._shape", _first_columns),
    ),
)
