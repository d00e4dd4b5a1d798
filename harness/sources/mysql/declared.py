"""What the connector's parser takes from a statement's text of the columns and the key of a table.

Source: Debezium connector-mariadb 3.3.0.Final, antlr listeners; its records of the scenarios.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final

from harness.ddl import Statement, parse
from harness.ddl.alter.columns import AddColumns, RenameColumn
from harness.ddl.alter.keys import AddConstraint
from harness.ddl.alter.modify_column import ModifyColumn
from harness.ddl.alter.options import AlterTableOptions
from harness.ddl.alter.table import AlterTable
from harness.ddl.create_table import CreateTable
from harness.ddl.definitions.columns import ColumnDef, ColumnOption, OptionKind
from harness.ddl.definitions.keys import Constraint, ConstraintKind
from harness.ddl.definitions.options import TableOption
from harness.ddl.index import CreateIndex, DropIndexStatement
from harness.errors import StepError, UsageError
from harness.model.binlog import LogTable
from harness.model.columns import Column
from harness.model.table import Table, TableId
from harness.model.values import Row
from harness.sources.mysql.texts import code

_SIGNS: Final = ("SIGNED", "UNSIGNED", "ZEROFILL")
_CLOCK: Final = re.compile(
    r"(?:CURRENT_TIMESTAMP|NOW|LOCALTIME|LOCALTIMESTAMP|CURDATE|CURTIME)\b", re.IGNORECASE
)
_TEXT: Final = r"(?:(?:TINY|MEDIUM|LONG)?TEXT|(?:VAR)?CHAR|CHARACTER)(?:\s+VARYING)?"
_FAILS: Final = "its parser fails"
# What the connector reads otherwise than the server, wherever it stands: how, and what it reads.
_UNREAD: Final = (
    (r"\A\s*RENAME\s+TABLES\b", "RENAME TABLES", _FAILS, "RENAME TABLE"),
    (r"\sVARCHARACTER\s*\(", "VARCHARACTER", _FAILS, "VARCHAR"),
    (
        rf"\b{_TEXT}\s*(?:\(\s*\d+\s*\))?(?:\s+BINARY)?\s+(?:ASCII|UNICODE|BYTE)\b",
        "ASCII, UNICODE or BYTE behind a type",
        _FAILS,
        "CHARACTER SET with a name",
    ),
    (
        r"\b(?:ENUM|SET)\s*\((?:[^)]*,)?\s*(?:0[xb]|[xb]\s)",
        "digits as a member of ENUM or SET",
        _FAILS,
        "texts",
    ),
    (
        r"\b(?:ENUM|SET)\s*\([^)]*\)\s*BINARY\b",
        "ENUM or SET with BINARY",
        "it knows no members of one",
        "a collation that ends with _bin",
    ),
    (
        r"\b(?:CHAR(?:ACTER)?\s+SET|CHARSET|COLLATE)\s*=?\s*BINARY\b",
        "CHARACTER SET binary",
        "it takes the texts for texts, and fails at rows with ENUM or SET",
        "BINARY, VARBINARY and BLOB, or another character set",
    ),
)


def unique_columns(
    sql: str, after: Table, may_be_null: Callable[[Column], bool]
) -> Iterator[tuple[str, ...]]:
    """Yield the columns of each UNIQUE that a statement adds and that may be a key, as it stands.

    One at its column may be, whatever the column; one of its own where its columns stand before it,
    and none may be NULL to the connector, which goes by the statement's text. Without a text, as of
    a copy's SHOW CREATE TABLE, they are those of the table's indexes.
    """
    if not sql:
        for index in after.indexes:
            if index.unique:
                yield from _never_null(index.columns, after, may_be_null)
        return
    elements = sorted(_elements(parse(sql)), key=lambda one: one.at)
    later = {one.name.lower() for one in elements if isinstance(one, ColumnDef)}
    for one in elements:
        if isinstance(one, Constraint):
            names = tuple(part.column for part in one.parts)
            if later.isdisjoint(name.lower() for name in names):
                yield from _never_null(names, after, may_be_null)
            continue
        later.discard(one.name.lower())
        if _is(one, OptionKind.UNIQUE_KEY):
            yield (after.column(one.name).name,)


def keeps_keys(sql: str) -> bool:
    """Return whether the connector's parser takes nothing from a statement but its text."""
    return isinstance(parse(sql), DropIndexStatement)


def original_of(sql: str, schema: str) -> TableId | None:
    """Return the table that CREATE TABLE names behind LIKE, None for any other statement.

    The connector copies what it knows of that one (CreateTableParserListener.java:68).
    """
    statement = parse(sql)
    if not isinstance(statement, CreateTable) or statement.like is None:
        return None
    return TableId(statement.like.schema or schema, statement.like.name)


def defined_columns(sql: str) -> frozenset[str]:
    """Return the columns that a statement defines, in lower case."""
    return frozenset(one.name.lower() for one in column_definitions(parse(sql)))


def column_definitions(statement: Statement) -> Iterator[ColumnDef]:
    """Yield the columns that a statement defines."""
    return (one for one in _elements(statement) if isinstance(one, ColumnDef))


def declared_null(sql: str) -> Mapping[str, bool | None]:
    """Return whether the columns that a statement defines may be NULL by its text alone.

    Names are in lower case; None says that CHANGE COLUMN has no word on it, and then the connector
    keeps what the column was, as the server does not.
    """
    statement = parse(sql)
    found: dict[str, bool | None] = {}
    for one in statement.specs if isinstance(statement, AlterTable) else (statement,):
        if isinstance(one, AddColumns) and one.listed:
            found |= _in_parentheses(one.columns)
            found |= _not_null(one.constraints)
        elif isinstance(one, CreateTable | AddColumns):
            found |= {column.name.lower(): _said(column) is not False for column in one.columns}
            found |= _not_null(one.constraints)
        elif isinstance(one, ModifyColumn):
            said = _said(one.column)
            found[one.column.name.lower()] = said if one.old_name else said is not False
        elif isinstance(one, AddConstraint):
            found |= _not_null((one.constraint,))
    return found


def declared_comments(sql: str) -> Mapping[str, str | None]:
    """Return the comments of the columns that a statement defines, as they stand in their quotes.

    Names are in lower case; None is for a column of which it says none.
    """
    return {
        one.name.lower(): next(
            (option.written for option in one.options if option.kind is OptionKind.COMMENT), None
        )
        for one in column_definitions(parse(sql))
    }


def changed_columns(sql: str) -> frozenset[str]:
    """Return the columns that CHANGE COLUMN defines anew, in lower case, by their new names.

    Of those the connector, and not the server, keeps a comment that the statement does not name.
    """
    statement = parse(sql)
    specs = statement.specs if isinstance(statement, AlterTable) else ()
    changed = (one for one in specs if isinstance(one, ModifyColumn) and one.old_name)
    return frozenset(one.column.name.lower() for one in changed)


def declared_signs(sql: str) -> Mapping[str, str]:
    """Return SIGNED, UNSIGNED and ZEROFILL behind the types of columns, in the connector's order.

    Of texts it is BINARY. Names are in lower case; "" is for a column that has none.
    """
    return {
        one.name.lower(): "BINARY" if one.type.binary else " ".join(_signs(one))
        for one in column_definitions(parse(sql))
    }


def _signs(column: ColumnDef) -> Iterator[str]:
    return (word for word in _SIGNS if word in column.type.signs)


def filled_columns(sql: str) -> frozenset[str]:
    """Return the columns to which, by a statement, the server gives values, in lower case.

    ON UPDATE behind DEFAULT NOW() is a part of that to the parser, and counts for nothing.
    """
    return frozenset(
        one.name.lower()
        for one in column_definitions(parse(sql))
        for before, option in pairwise((None, *one.options))
        if option is not None and _fills(option, before)
    )


def _fills(option: ColumnOption, before: ColumnOption | None) -> bool:
    if option.kind is not OptionKind.ON_UPDATE:
        return option.kind is OptionKind.AUTO_INCREMENT
    default = before is not None and before.kind is OptionKind.DEFAULT
    return not (default and before is not None and _CLOCK.match(before.written))


def table_comment(sql: str) -> str | None:
    """Return the comment that a statement gives a table, as it stands in its quotes."""
    statement = parse(sql)
    options: list[TableOption] = []
    for one in statement.specs if isinstance(statement, AlterTable) else (statement,):
        if isinstance(one, CreateTable | AlterTableOptions):
            options += one.options
    return next((one.written for one in reversed(options) if one.kind == "COMMENT"), None)


def refuse_misread(sql: str, before: Table | None, *, keyed: bool) -> None:
    """Refuse what the connector takes otherwise than the server; `keyed`: its table has a key.

    A row behind it has cells of other columns than the connector knows, and stops it at best.
    """
    text = code(sql)
    for unread, words, why, other in _UNREAD:
        if re.search(unread, text, re.IGNORECASE):
            raise UsageError(f"the connector misreads {words}: {why}", expected=other)
    what, instead = _misread(sql, before, keyed=keyed)
    if what:
        raise UsageError(f"the connector misreads {what}", expected=instead)


def refuse_row(table: LogTable, row: Row, line: int) -> None:
    """Refuse a row that the connector reads otherwise, by what it took from statements.

    That is NULL in a column that is NOT NULL to it still, and a zero byte in a BINARY to which a
    statement gave no length: the log has no zeros at the end, and nothing is filled up.
    """
    for name, may in table.optional:
        if not may and row[table.table.position(name)] is None:
            raise StepError(
                f"{table.table.id}.{name} is NULL, and to the connector it is NOT NULL: CHANGE "
                "COLUMN, or parentheses of ADD COLUMN, did not say NULL",
                line=line,
                expected="NULL or NOT NULL where the column is defined, or no NULL in its rows",
            )
    for name, spelled in table.spelled:
        value = row[table.table.position(name)]
        if spelled == "BINARY()" and isinstance(value, bytes) and value.endswith(b"\0"):
            raise StepError(
                f"{table.table.id}.{name} is declared BINARY without a length: the connector sends "
                "a zero byte in it as no byte at all",
                line=line,
                expected="BINARY(1)",
            )


def _misread(sql: str, before: Table | None, *, keyed: bool) -> tuple[str, str]:  # noqa: PLR0911 - a form a line
    statement = parse(sql)
    if isinstance(statement, CreateTable) and statement.or_replace and before is not None:
        return "CREATE OR REPLACE TABLE of a table that is there", "DROP TABLE, then CREATE TABLE"
    for one in statement.specs if isinstance(statement, AlterTable) and before else ():
        assert before is not None
        match one:
            case AddColumns(if_not_exists=True) if _any_of(one.columns, before):
                return "ADD COLUMN IF NOT EXISTS of a column that is there", "MODIFY COLUMN"
            case AddColumns(listed=True) if not keyed and _turned(one.columns):
                return "a key in the parentheses of ADD COLUMN", "ADD COLUMN for each column"
            case ModifyColumn(if_exists=True) if not before.find_column(
                one.old_name or one.column.name
            ):
                return "IF EXISTS of a column that is not there", "columns that are"
            case RenameColumn() if one.old != one.new and one.old.lower() == one.new.lower():
                return "RENAME COLUMN that changes capitals alone", "CHANGE COLUMN"
            case ModifyColumn(old_name="") if _recased(one.column.name, before):
                return "MODIFY COLUMN that changes capitals", "CHANGE COLUMN"
            case ModifyColumn() if _doubled(one, _added(statement), before):
                return "AFTER the last column for a name with capitals", "the column last by itself"
            case _:
                pass
    return "", ""


def _recased(name: str, before: Table) -> bool:
    column = before.find_column(name)
    return column is not None and column.name != name


def _doubled(one: ModifyColumn, added: frozenset[str], before: Table) -> bool:
    """Return whether the connector has a column twice: it moves it by its name, not in lower case.

    That is done where it comes behind the last one (TableEditorImpl.java:189).
    """
    last = {before.columns[-1].name.lower(), *added}
    name = one.column.name
    return name != name.lower() and one.position.after.lower() in last


def _added(statement: Statement) -> frozenset[str]:
    specs = statement.specs if isinstance(statement, AlterTable) else ()
    adding = (spec for spec in specs if isinstance(spec, AddColumns))
    return frozenset(column.name.lower() for spec in adding for column in spec.columns)


def _any_of(columns: Iterable[ColumnDef], table: Table) -> bool:
    return any(table.find_column(column.name) for column in columns)


def _turned(columns: Sequence[ColumnDef]) -> bool:
    """Return whether the connector mixes up the order of columns in parentheses, or their key."""
    return any(_is(one, OptionKind.UNIQUE_KEY) for one in columns[:-1]) or any(
        _is(one, OptionKind.PRIMARY_KEY) for one in columns[1:]
    )


def _is(column: ColumnDef, kind: OptionKind) -> bool:
    return any(option.kind is kind for option in column.options)


def _said(column: ColumnDef) -> bool | None:
    """Return whether a definition says that its column may be NULL, None where it says nothing."""
    said: bool | None = None
    for option in column.options:
        if option.kind in {OptionKind.NOT_NULL, OptionKind.PRIMARY_KEY}:
            said = False
        elif option.kind is OptionKind.NULL:
            said = True
    return said


def _in_parentheses(columns: Sequence[ColumnDef]) -> Mapping[str, bool]:
    """Return whether columns of one ADD COLUMN (…) may be NULL to the connector.

    What one says counts for the next as well, where that says nothing; of the last one counts what
    stands before its DEFAULT alone (AlterTableParserListener.java `exitColumnDefinition`, which
    runs before ColumnDefinitionParserListener.java's).
    """
    found: dict[str, bool] = {}
    carried: bool | None = None
    for column in columns:
        said = own = _said(column)
        if column is columns[-1]:
            kinds = [option.kind for option in column.options]
            until = kinds.index(OptionKind.DEFAULT) if OptionKind.DEFAULT in kinds else 0
            own = _said(ColumnDef(column.name, column.type, column.options[:until]))
        found[column.name.lower()] = next((one for one in (own, carried) if one is not None), True)
        carried = said
    return found


def _not_null(constraints: Iterable[Constraint]) -> Mapping[str, bool]:
    return {
        part.column.lower(): False
        for key in constraints
        if key.kind is ConstraintKind.PRIMARY
        for part in key.parts
    }


def _never_null(
    names: Sequence[str], table: Table, may_be_null: Callable[[Column], bool]
) -> Iterator[tuple[str, ...]]:
    """Yield the columns of a key that holds no NULL and no expression."""
    columns = [column for name in names if (column := table.find_column(name))]
    if len(columns) == len(names) and not any(map(may_be_null, columns)):
        yield tuple(column.name for column in columns)


def _elements(statement: Statement) -> Iterator[ColumnDef | Constraint]:
    """Yield columns that a statement adds or defines anew, and unique keys that it adds."""
    specs = statement.specs if isinstance(statement, AlterTable) else (statement,)
    for one in specs:
        if isinstance(one, CreateTable | AddColumns):
            yield from one.columns
            yield from (key for key in one.constraints if key.kind is ConstraintKind.UNIQUE)
        elif isinstance(one, AddConstraint | CreateIndex):
            if one.constraint.kind is ConstraintKind.UNIQUE:
                yield one.constraint
        elif isinstance(one, ModifyColumn):
            yield one.column
