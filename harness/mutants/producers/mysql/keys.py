"""Keys: which columns, in which struct, and the names of schemas."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Final

from harness.codecs.connect.schema import ConnectRecord, Schema, SchemaType
from harness.ddl.definitions.keys import Constraint
from harness.model.table import Table
from harness.mutants.producers.field_names import BY_CONVERTER
from harness.mutants.producers.mysql.edits import (
    by_default,
    each,
    ignoring,
    key_schema,
    row,
    unprefixed,
)
from harness.mutants.producers.patch import Patch, entry, patch, result
from harness.mutants.producers.records import Records, of_row
from harness.sources.mysql.declared import unique_columns

TABLES: Final = "harness.codecs.debezium.tables"
SERVER: Final = "harness.sources.mysql.simulator:Server"
DECLARED: Final = "harness.sources.mysql.declared"
Key = tuple[str, ...]


def _first_of_key(record: ConnectRecord) -> Records:
    """Leave of a key of several columns the first."""
    schema = record.key_schema
    if not of_row(record) or schema is None:
        return (record,)
    (first, *_) = schema.fields
    return (replace(record, key_schema=replace(schema, fields=(first,))),)


def _in_column_order(record: ConnectRecord) -> Records:
    """Put the columns of a key in the order of their names, which in tests differs from theirs."""
    schema = record.key_schema
    if not of_row(record) or schema is None:
        return (record,)
    fields = tuple(sorted(schema.fields, key=lambda field: field.name))
    return (replace(record, key_schema=replace(schema, fields=fields)),)


def _empty_key(record: ConnectRecord) -> Records:
    if record.key is not None or record.key_schema is not None:
        return (record,)
    return (replace(record, key=dict[str, Any](), key_schema=Schema(SchemaType.STRUCT)),)


def _null_of_a_schema(record: ConnectRecord) -> Records:
    if record.key is not None or record.key_schema is not None:
        return (record,)
    return (replace(record, key_schema=Schema(SchemaType.STRUCT, optional=True, name="no.Key")),)


def _digit_lost(original: Callable[[str], str]) -> Callable[[str], str]:
    return lambda name: f"_{name[1:]}" if name[:1].isdecimal() else original(name)


def _first_bad_alone(original: Callable[[str], str]) -> Callable[[str], str]:
    """Adjust a name as far as its first character that no name in Avro has."""

    def adjusted(name: str) -> str:
        found = re.search(r"[^A-Za-z0-9_]", name)
        end = len(name) if found is None else found.end()
        return original(name[:end]) + name[end:]

    return adjusted


def _keys(change: Callable[[Key, str, Table], Key]) -> Patch:
    """Return the patch that changes what the connector takes for a table's key."""

    def changed(original: Callable[..., Key]) -> Callable[..., Key]:
        def key(self: object, sql: str, before: Table | None, after: Table) -> Key:
            return change(original(self, sql, before, after), sql, after)

        return key

    return patch(f"{SERVER}._key", changed)


def _primary_alone(key: Key, sql: str, table: Table) -> Key:
    del sql
    return key if table.primary_key is not None else ()


def _nullable_too(key: Key, sql: str, table: Table) -> Key:
    """Return a key, where there is none the first unique index, whatever its columns."""
    del sql
    return key or next((index.columns for index in table.indexes if index.unique), ())


def _last_unique(key: Key, sql: str, table: Table) -> Key:
    """Return a primary key, or else the last unique index over columns that are never null."""
    del sql
    if table.primary_key is not None:
        return key
    fit = [
        index.columns
        for index in table.indexes
        if index.unique and not any(table.column(name).nullable for name in index.columns)
    ]
    return fit[-1] if fit else key


def _own_or_none(original: Callable[..., Any]) -> Callable[..., Any]:
    return lambda self, key, columns, primary: (
        original(self, key, columns, primary) if primary else []
    )


def _never_null(key: Key, sql: str, table: Table) -> Key:
    """Return a key, none where a column of it may be null."""
    del sql
    return () if any(table.column(name).nullable for name in key) else key


def _wider(schema: Schema) -> Schema:
    fields = (
        replace(field, schema=replace(field.schema, kind=SchemaType.INT64))
        if field.schema.kind is SchemaType.INT32
        else field
        for field in schema.fields
    )
    return replace(schema, fields=tuple(fields))


def _renamed(schema: Schema) -> Schema:
    return replace(schema, name=f"{(schema.name or '').removesuffix('.Key')}.Id")


def _by_server(sql: str, table: Table) -> Key:
    return next(unique_columns(sql, table, lambda column: column.nullable), ())


def _never_null_to_the_server(key: Key, sql: str, table: Table) -> Key:
    return key or _by_server(sql, table)


def _of_what_is_there(key: Key, sql: str, table: Table) -> Key:
    """Return the key of a table as who reads its indexes anew when one is dropped takes it."""
    if table.primary_key is not None or "DROP INDEX" not in sql.upper():
        return key
    return _by_server("", table)


def _of_other_statements(*begins: str) -> Callable[[Key, str, Table], Key]:
    """Return what takes the first unique index that is there behind statements that begin so."""

    def key(own: Key, sql: str, table: Table) -> Key:
        fits = table.primary_key is None and sql.upper().startswith(begins)
        return (_by_server("", table) or own) if fits else own

    return key


def _lost_when_renamed(key: Key, sql: str, table: Table) -> Key:
    return () if table.primary_key is None and "RENAME COLUMN" in sql.upper() else key


def _next_in_place(dropped: str) -> Callable[[Key, str, Table], Key]:
    """Return what takes the first unique index that is there where the key is dropped so."""

    def key(own: Key, sql: str, table: Table) -> Key:
        return own or _by_server("", table) if dropped in sql.upper() else own

    return key


def _constraints_last(original: Callable[..., Iterator[Any]]) -> Callable[..., Iterator[Any]]:
    """Take each unique key of its own as if it stood behind all columns."""

    def elements(statement: object) -> Iterator[Any]:
        for one in original(statement):
            yield replace(one, at=sys.maxsize) if isinstance(one, Constraint) else one

    return elements


def _from_the_last(found: Iterator[Key]) -> Iterator[Key]:
    return reversed([*found])


ROWS: Final = (
    row(
        "first-column-of-a-key",
        "key.primary-key",
        "It takes the first column of a primary key for all of it.",
        each(_first_of_key),
    ),
    row(
        "key-by-names",
        "key.primary-key",
        "It puts the columns of a primary key in the order of their names.",
        each(_in_column_order),
    ),
    row(
        "no-key-but-the-primary",
        "key.unique",
        "It takes no unique index for a key.",
        _keys(_primary_alone),
    ),
    row(
        "any-unique-index-is-the-key",
        "key.unique",
        "It takes a unique index for the key whose columns may be NULL.",
        _keys(_nullable_too),
    ),
    row(
        "key-as-the-server-has-it",
        "key.unique",
        "It takes a unique index for the key whose columns the server made NOT NULL, not the text.",
        _keys(_never_null_to_the_server),
    ),
    row(
        "last-unique-index-is-the-key",
        "key.unique",
        "It takes the last unique index for the key.",
        _keys(_last_unique),
    ),
    row(
        "unique-index-ahead-of-its-columns",
        "key.unique",
        "It takes a unique index for the key whose columns stand behind it.",
        patch(f"{DECLARED}:_elements", _constraints_last),
    ),
    row(
        "key-of-what-is-there",
        "key.unique-stays",
        "It takes for the key what is unique by the table's indexes where one of them is dropped.",
        _keys(_of_what_is_there),
    ),
    row(
        "next-unique-in-place",
        "key.unique-stays",
        "It takes another unique index for the key where the column of the first is dropped.",
        _keys(_next_in_place("DROP COLUMN")),
    ),
    row(
        "next-unique-in-place-of-a-primary-key",
        "key.unique-stays",
        "It takes a unique index that is there for the key where a primary key is dropped.",
        _keys(_next_in_place("DROP PRIMARY KEY")),
    ),
    row(
        "key-of-what-is-there-when-renamed",
        "key.unique-stays",
        "It takes for the key what is unique by the indexes behind RENAME and TRUNCATE TABLE.",
        _keys(_of_other_statements("RENAME", "TRUNCATE")),
    ),
    row(
        "key-lost-with-its-name",
        "key.unique-stays",
        "It loses the key of a UNIQUE whose column is renamed.",
        _keys(_lost_when_renamed),
    ),
    row(
        "first-index-for-a-new-one",
        "key.unique",
        "It takes a table's first unique index for the key where CREATE INDEX makes another.",
        _keys(_of_other_statements("CREATE UNIQUE")),
    ),
    row(
        "no-key-that-may-be-null",
        "key.unique-at-column",
        "It takes no nullable column for a key that says UNIQUE itself.",
        _keys(_never_null),
    ),
    row(
        "last-unique-of-a-text",
        "key.unique-at-column",
        "It takes the last UNIQUE of a statement's text for the key.",
        result(f"{DECLARED}:unique_columns", _from_the_last),
    ),
    row(
        "key-optional",
        "key.struct",
        "It says of a key that it may be null.",
        key_schema(lambda schema: replace(schema, optional=True)),
    ),
    row(
        "key-by-another-name",
        "key.struct",
        "It ends the name of a key otherwise.",
        key_schema(_renamed),
    ),
    row(
        "key-named-without-the-prefix",
        "key.struct",
        "It names a key's schema after the database and the table, without the prefix.",
        key_schema(unprefixed),
    ),
    row(
        "keys-of-wider-numbers",
        "key.struct",
        "It calls int32 int64 in keys.",
        key_schema(_wider),
    ),
    row(
        "empty-key-for-none",
        "key.keyless",
        "It gives a row without a key an empty one.",
        each(_empty_key),
    ),
    row(
        "null-key-of-a-schema",
        "key.keyless",
        "It gives the null key of a row without a key an optional schema.",
        each(_null_of_a_schema),
    ),
    row(
        "own-key-always",
        "key.message-columns",
        "It pays no heed to message.key.columns.",
        ignoring("message.key.columns"),
    ),
    row(
        "own-key-or-none",
        "key.message-columns",
        "It pays no heed to message.key.columns for a table without a key.",
        patch(f"{TABLES}:TableShaper._key_columns", _own_or_none),
    ),
    row(
        "names-adjusted",
        "name.untouched",
        "It adjusts the names of schemas to Avro without being asked to.",
        by_default("schema.name.adjustment.mode", "avro"),
    ),
    row(
        "fields-adjusted",
        "name.untouched",
        "It adjusts the names of fields to Avro without being asked to.",
        by_default("field.name.adjustment.mode", "avro"),
    ),
    *(row(name, "name.field-by-converter", what, edit) for name, what, edit in BY_CONVERTER),
    row(
        "field-digit-lost",
        "name.fields-adjusted",
        "It writes `_` in the place of the digit that a field begins with.",
        entry("harness.codecs.debezium.adjustment:FIELD_NAMES", "avro", _digit_lost),
    ),
    row(
        "first-bad-character-of-a-field",
        "name.fields-adjusted",
        "It replaces the first character alone of a field's name that no name in Avro has.",
        entry("harness.codecs.debezium.adjustment:FIELD_NAMES", "avro", _first_bad_alone),
    ),
    row(
        "names-never-adjusted",
        "name.adjusted",
        "It pays no heed to schema.name.adjustment.mode.",
        ignoring("schema.name.adjustment.mode"),
    ),
    row(
        "name-digit-lost",
        "name.adjusted",
        "It writes `_` in the place of the digit that a schema's name begins with.",
        entry("harness.codecs.debezium.adjustment:SCHEMA_NAMES", "avro", _digit_lost),
    ),
)
