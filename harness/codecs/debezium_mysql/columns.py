"""A column as the connector's DDL parser knows it: its words, its JDBC type, its length.

Source: records of Debezium connector-mariadb 3.3.0.Final (schema-change topic, `tableChanges`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Final

from harness.codecs.debezium.columns import UNSET, ColumnType, Jdbc
from harness.codecs.debezium_mysql.defaults import default_text, quoted
from harness.model.binlog import LogTable
from harness.model.columns import BINARIES, CHARACTERS, INTEGERS, Column, ColumnKind

_JDBC: Final[Mapping[ColumnKind, Jdbc]] = MappingProxyType(
    {
        ColumnKind.TINYINT: Jdbc.SMALLINT,
        ColumnKind.SMALLINT: Jdbc.SMALLINT,
        ColumnKind.MEDIUMINT: Jdbc.INTEGER,
        ColumnKind.INT: Jdbc.INTEGER,
        ColumnKind.BIGINT: Jdbc.BIGINT,
        ColumnKind.FLOAT: Jdbc.FLOAT,
        ColumnKind.DOUBLE: Jdbc.DOUBLE,
        ColumnKind.DECIMAL: Jdbc.DECIMAL,
        ColumnKind.BIT: Jdbc.BIT,
        ColumnKind.YEAR: Jdbc.INTEGER,
        ColumnKind.DATE: Jdbc.DATE,
        ColumnKind.TIME: Jdbc.TIME,
        ColumnKind.DATETIME: Jdbc.TIMESTAMP,
        ColumnKind.TIMESTAMP: Jdbc.TIMESTAMP_WITH_TIMEZONE,
        ColumnKind.CHAR: Jdbc.CHAR,
        ColumnKind.ENUM: Jdbc.CHAR,
        ColumnKind.SET: Jdbc.CHAR,
        ColumnKind.BINARY: Jdbc.BINARY,
        ColumnKind.VARBINARY: Jdbc.VARBINARY,
        ColumnKind.JSON: Jdbc.OTHER,
        ColumnKind.VECTOR: Jdbc.OTHER,
        **dict.fromkeys(BINARIES - {ColumnKind.BINARY, ColumnKind.VARBINARY}, Jdbc.BLOB),
        **dict.fromkeys(CHARACTERS - {ColumnKind.CHAR}, Jdbc.VARCHAR),
    }
)
_SPELLED_JDBC: Final[Mapping[str, Jdbc]] = MappingProxyType(
    {
        "BOOL": Jdbc.BOOLEAN,
        "BOOLEAN": Jdbc.BOOLEAN,
        "FLOAT": Jdbc.FLOAT,
        "FLOAT4": Jdbc.FLOAT,
        "REAL": Jdbc.REAL,
        "NUMERIC": Jdbc.NUMERIC,
        **dict.fromkeys(("NCHAR", "NATIONAL CHAR", "NATIONAL CHARACTER"), Jdbc.NCHAR),
        **dict.fromkeys(
            (
                *("NVARCHAR", "NCHAR VARCHAR", "NCHAR VARYING", "NATIONAL VARCHAR"),
                *("NATIONAL CHAR VARYING", "NATIONAL CHARACTER VARYING"),
            ),
            Jdbc.NVARCHAR,
        ),
    }
)
_FRACTIONS: Final = frozenset({ColumnKind.TIME, ColumnKind.DATETIME, ColumnKind.TIMESTAMP})
_MEMBERS: Final = frozenset({ColumnKind.ENUM, ColumnKind.SET})
_BOOLEANS: Final = frozenset({"BOOL", "BOOLEAN"})
_LENGTHS: Final = frozenset(
    {
        ColumnKind.CHAR,
        ColumnKind.VARCHAR,
        ColumnKind.BINARY,
        ColumnKind.VARBINARY,
        ColumnKind.FLOAT,
        ColumnKind.DOUBLE,
    }
)


_NATIONAL: Final = frozenset({Jdbc.NCHAR, Jdbc.NVARCHAR})


def column_types(table: LogTable) -> tuple[ColumnType, ...]:
    """Return a table's columns as the connector's."""
    spelled, signs, comments = dict(table.spelled), dict(table.signs), dict(table.comments)
    keyed, optional = frozenset(table.key), dict(table.optional)
    found = (
        _one(column, spelled.get(column.name), keyed, signs.get(column.name))
        for column in table.table.columns
    )
    return tuple(
        replace(
            one,
            optional=optional.get(one.name, one.optional),
            comment=comments.get(one.name),
        )
        for one in found
    )


def _one(
    column: Column, spelled: str | None, keyed: frozenset[str], signs: str | None
) -> ColumnType:
    primary = column.name in keyed
    word, sized, digits = (spelled or "").removesuffix(")").partition("(")
    words = _words(column, word, signs)
    length = (int(digits) if digits else None) if sized else _length(column, words)
    return ColumnType(
        name=column.name,
        type=words,
        jdbc=_SPELLED_JDBC.get(word, _JDBC[column.kind]),
        optional=column.nullable,
        members=tuple(map(_option, _written(column))),
        length=UNSET if length is None else length,
        primary=primary,
        upstream=column,
    )


def _words(column: Column, spelled: str, signs: str | None) -> str:
    word = spelled or column.kind.value.upper()
    if signs is not None:
        return f"{word} {signs}"
    if column.unsigned and column.kind is not ColumnKind.YEAR:
        word += " UNSIGNED"
    return f"{word} ZEROFILL" if column.zerofill else word


def described(table: LogTable, *, comments: bool = True) -> dict[str, Any]:
    """Return a table as the schema-change topic describes it, with comments or without."""
    return {
        "defaultCharsetName": table.table.charset,
        "primaryKeyColumnNames": list(table.key),
        "columns": list(_described(table, comments=comments)),
        "comment": table.comment if comments else None,
    }


def _described(table: LogTable, *, comments: bool) -> Iterator[dict[str, Any]]:
    members = dict(table.members)
    for position, one in enumerate(column_types(table), 1):
        column = one.upstream
        assert column is not None
        filled = one.name in table.filled
        own = _written(column) if column.kind in _MEMBERS else members.get(one.name)
        text = column.kind in CHARACTERS or column.kind in _MEMBERS
        yield {
            "name": one.name,
            "jdbcType": int(one.jdbc),
            "nativeType": None,
            "typeName": one.type,
            "typeExpression": one.type,
            "charsetName": _charset(one, column, table) if text else None,
            "length": None if one.length == UNSET else one.length,
            "scale": _scale(column),
            "position": position,
            "optional": one.optional,
            # The parser sets both for what the server fills in, and neither for an expression.
            "autoIncremented": filled,
            "generated": filled,
            "comment": one.comment if comments else None,
            "defaultValueExpression": default_text(column),
            "enumValues": None if own is None else list(own),
        }


def _charset(one: ColumnType, column: Column, table: LogTable) -> str:
    return "utf8" if one.jdbc in _NATIONAL else column.charset or table.table.charset


def _scale(column: Column) -> int | None:
    if column.kind is ColumnKind.DECIMAL:
        return column.scale or 0
    return column.scale if column.kind in {ColumnKind.FLOAT, ColumnKind.DOUBLE} else None


def _length(column: Column, words: str) -> int | None:  # noqa: PLR0911 - a family a line
    kind = column.kind
    if kind is ColumnKind.ENUM:
        return 1
    if kind is ColumnKind.SET:
        return max(0, 2 * len(column.members) - 1)
    if kind in _FRACTIONS:
        return column.fsp or None
    if kind is ColumnKind.DECIMAL:
        return column.length or 10
    if kind is ColumnKind.BIT:
        return column.length or 1
    if kind in INTEGERS:
        return None if words in _BOOLEANS else column.length
    return column.length if kind in _LENGTHS else None


def _written(column: Column) -> tuple[str, ...]:
    """Return the members of a column as its statement has them, or would have them."""
    return column.written or tuple(f"'{quoted(member)}'" for member in column.members)


def _option(member: str) -> str:
    """Return a member as it is in schemas and in values: commas escaped, quotes alone not."""
    return member[1:-1].replace(",", "\\,").replace("\\'", "'").replace("''", "'")
