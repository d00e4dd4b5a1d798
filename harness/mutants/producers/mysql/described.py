"""Tables as records of statements describe them: ids, kinds of change, columns, keys."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any, Final

from harness.codecs.connect.schema import ConnectRecord
from harness.codecs.debezium_mysql.defaults import default_text
from harness.model.binlog import LogTable
from harness.model.columns import Column
from harness.model.table import TableId
from harness.mutants.producers.mysql.edits import row, stream, valued, values
from harness.mutants.producers.patch import Patch, instead, patch
from harness.mutants.producers.records import CHANGE, SCHEMA_CHANGE, Records, Values, kind

_IN_QUOTES: Final = "harness.codecs.debezium_mysql.connector:_in_quotes"
CLOCK: Final = "1970-01-01 00:00:00"
Text = Callable[[Column], str | None]
_NOTHING: Final[Values] = {
    "defaultCharsetName": None,
    "primaryKeyColumnNames": [],
    "columns": [],
    "comment": None,
}


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


def _empty_default(column: Values) -> None:
    if column["defaultValueExpression"] is None:
        column["defaultValueExpression"] = ""


def _clockless(column: Values) -> None:
    if column["defaultValueExpression"] == CLOCK:
        column["defaultValueExpression"] = None


def _nationless(column: Values) -> None:
    text = column["defaultValueExpression"] or ""
    if text.startswith("N'"):
        column["defaultValueExpression"] = text[2:-1]


def _unless_quoted(at: int, name: str) -> str:
    """Put a name in quotes, but for one that has a quote at its begin (0) or at its end (-1)."""
    doubled = name.replace('"', '""')
    return name if name[at] == '"' else f'"{doubled}"'


def _unquoted(table: TableId) -> str:
    return f'"{table.schema}"."{table.name}"'


def _by_value(original: Text) -> Text:
    """Keep what the literal of a default means, and not how it is written."""

    def text(column: Column) -> str | None:
        kept, default = original(column), column.default
        return kept if kept in {None, CLOCK} or default is None else default.text

    return text


def _defaults(change: Callable[[Text], Text]) -> Patch:
    """Return the patch that changes the defaults of columns that a statement describes."""
    text = change(default_text)

    def changed(original: Callable[..., Iterator[Values]]) -> Callable[..., Iterator[Values]]:
        def described(table: LogTable, **options: bool) -> Iterator[Values]:
            columns = zip(original(table, **options), table.table.columns, strict=True)
            yield from ({**one, "defaultValueExpression": text(column)} for one, column in columns)

        return described

    return patch("harness.codecs.debezium_mysql.columns:_described", changed)


def _digits_kept(original: Text) -> Text:
    """Keep the digits of a default that is hexadecimal."""

    def text(column: Column) -> str | None:
        default = column.default
        return default.text if default is not None and default.is_binary else original(column)

    return text


def _sums_kept(original: Text) -> Text:
    """Keep the constant of a default that stands in parentheses."""

    def text(column: Column) -> str | None:
        default = column.default
        enclosed = default is not None and default.written.startswith("(")
        return default.text if enclosed and default is not None else original(column)

    return text


def _in_its_quotes(original: Text) -> Text:
    """Keep the quotes of a default that is a text."""

    def text(column: Column) -> str | None:
        default = column.default
        written = "" if default is None else default.written
        return written if written[:1] in {"'", '"'} else original(column)

    return text


def _bits_in_quotes(original: Text) -> Text:
    """Keep the letter and the quotes of a default that is a bit literal."""

    def text(column: Column) -> str | None:
        default = column.default
        written = "" if default is None else default.written
        return written if written[:2].lower() == "b'" else original(column)

    return text


def _null_kept(original: Text) -> Text:
    """Keep the word of a default that is NULL."""

    def text(column: Column) -> str | None:
        default = column.default
        written = "" if default is None else default.written
        return written if written.upper() == "NULL" else original(column)

    return text


def _optional_as_the_server(original: Callable[..., Values]) -> Callable[..., Values]:
    """Describe by what the server knows whether columns of a table may be NULL."""
    return lambda known, **options: original(replace(known, optional=()), **options)


def _as_the_server(original: Callable[..., Values]) -> Callable[..., Values]:
    """Describe a table by what the server knows of it, but for its comments and its key."""

    def table(known: LogTable, **options: bool) -> Values:
        return original(replace(known, spelled=(), optional=(), signs=()), **options)

    return table


def _never(flag: str) -> Patch:
    """Return the patch by which CHANGE COLUMN takes a flag away from all columns."""

    def change(value: Values) -> None:
        if "CHANGE COLUMN" in value["ddl"]:
            for one in value["tableChanges"]:
                table = one["table"]
                one["table"] = {**table, "columns": [{**c, flag: False} for c in table["columns"]]}

    return values(SCHEMA_CHANGE, change)


def _keys_of_rows(given: Records) -> Iterator[ConnectRecord]:
    """List, as each table's key, the columns that the keys of its rows have."""
    records = list(given)
    keys = {
        record.topic: [field.name for field in record.key_schema.fields]
        for record in records
        if kind(record) == CHANGE and record.key_schema is not None
    }
    for record in records:
        source = record.value["source"] if kind(record) == SCHEMA_CHANGE else {}
        key = keys.get(f"{record.topic}.{source.get('db')}.{source.get('table')}")
        if key is None:
            yield record
            continue
        (one,) = record.value["tableChanges"]
        own = {**one, "table": one["table"] and {**one["table"], "primaryKeyColumnNames": key}}
        yield replace(record, value={**record.value, "tableChanges": [own]})


def _nameless(schema_id: str) -> str:
    return schema_id.replace('"', "")


ROWS: Final = (
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
        also="ddl.columns",
    ),
    row(
        "table-before-the-alter",
        "ddl.table-changes",
        "It describes a table as it was when it was first made.",
        stream(_tables_at_first),
    ),
    row(
        "table-as-the-server-has-it",
        "ddl.table-changes",
        "It describes the types of a table's columns as the server has them, not the statements.",
        patch("harness.codecs.debezium_mysql.columns:described", _as_the_server),
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
        "primary-key-turned",
        "ddl.primary-key",
        "It lists the columns of a key from the last to the first.",
        _tables(
            lambda table: table.update(primaryKeyColumnNames=table["primaryKeyColumnNames"][::-1])
        ),
    ),
    row(
        "keys-of-rows-listed",
        "ddl.primary-key",
        "It lists the columns of the key that rows have, whoever chose them.",
        stream(_keys_of_rows),
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
        "columns-optional-as-the-server-has-it",
        "ddl.columns",
        "It says of a column that it may be NULL where the server says so.",
        patch("harness.codecs.debezium_mysql.columns:described", _optional_as_the_server),
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
    *(
        row(f"defaults-{name}", "ddl.default", f"It {says}.", _defaults(change))
        for name, says, change in (
            ("by-value", "writes what a default means, not its text", _by_value),
            ("of-hexadecimal-digits", "writes a default's hexadecimal digits", _digits_kept),
            ("of-parentheses", "writes a default that stands in parentheses", _sums_kept),
            ("in-quotes", "writes a text's default with its quotes", _in_its_quotes),
            ("of-null-by-its-word", "writes the word NULL for the default NULL", _null_kept),
            ("of-bits-in-quotes", "writes b'1' with its letter and its quotes", _bits_in_quotes),
        )
    ),
    row(
        "quotes-in-ids-single",
        "ddl.id",
        "It does not double a quote within the id of a table.",
        instead("harness.codecs.debezium_mysql.connector:quoted_id", _unquoted),
    ),
    row(
        "quotes-at-an-end-in-quotes",
        "ddl.id",
        "It puts a name of a table's id in quotes that ends with one.",
        instead(_IN_QUOTES, partial(_unless_quoted, 0)),
    ),
    row(
        "quotes-at-the-begin-in-quotes",
        "ddl.id",
        "It puts a name of a table's id in quotes that begins with one.",
        instead(_IN_QUOTES, partial(_unless_quoted, -1)),
    ),
    row(
        "defaults-of-national-texts-bare",
        "ddl.default",
        "It writes the default N'x' without its letter and its quotes.",
        _columns(_nationless),
    ),
    row(
        "no-default-of-the-clock",
        "ddl.default",
        "It leaves the default out that is the clock.",
        _columns(_clockless),
    ),
    row(
        "tables-without-comments-of-columns",
        "value.comment",
        "It leaves the comments of columns out of tables.",
        _columns(lambda column: column.update(comment=None)),
    ),
    *(
        row(
            f"changed-columns-not-{word}",
            "ddl.left-by-change",
            f"It says behind CHANGE COLUMN of no column that it is `{flag}`.",
            _never(flag),
        )
        for word, flag in (("counted", "autoIncremented"), ("generated", "generated"))
    ),
)
