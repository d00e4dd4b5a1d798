"""CREATE, ALTER and DROP DATABASE.

Source: TiDB pkg/parser/parser.y, `CreateDatabaseStmt`, `AlterDatabaseStmt`, `DatabaseOption`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from harness.ddl.change import Change, StatementForms
from harness.ddl.charsets import DEFAULT_CHARSET, Charset, resolve_charset
from harness.ddl.definitions.options import (
    PLACEMENT,
    parse_charset_or_collation,
    parse_table_option,
    sees_charset,
)
from harness.ddl.errors import Refused, unknown_database
from harness.ddl.jobs import ActionType
from harness.ddl.sql.cursor import Cursor
from harness.ddl.sql.tree import quote_name, quote_string
from harness.model.table import TableId


@dataclass(frozen=True, slots=True)
class DatabaseOption:
    """One option of CREATE or ALTER DATABASE."""

    kind: str
    text: str

    def restore(self) -> str:
        """Return the option as TiDB writes it; placement comes out empty."""
        if self.kind == PLACEMENT:
            return ""
        quoted = self.kind in ("ENCRYPTION", "COMMENT")
        return f"{self.kind} = {quote_string(self.text) if quoted else self.text}"


def _restore_options(options: tuple[DatabaseOption, ...]) -> str:
    return "".join(f" {option.restore()}" for option in options)


def _charset(options: tuple[DatabaseOption, ...], inherited: Charset) -> Charset:
    texts = {option.kind: option.text for option in options}
    return resolve_charset(texts.get("CHARACTER SET", ""), texts.get("COLLATE", ""), inherited)


def _options(cursor: Cursor) -> tuple[DatabaseOption, ...]:
    options: list[DatabaseOption] = []
    while True:
        if cursor.sees("PLACEMENT", "POLICY") or cursor.sees("DEFAULT", "PLACEMENT"):
            cursor.take("DEFAULT")
            found = parse_table_option(cursor)
            options.append(DatabaseOption(PLACEMENT, found.text if found else ""))
        elif cursor.sees("ENCRYPTION") or cursor.sees("DEFAULT", "ENCRYPTION"):
            cursor.take("DEFAULT")
            options.append(DatabaseOption("ENCRYPTION", cursor.assigned().string("'Y' or 'N'")))
        elif cursor.sees_any("DEFAULT", "COLLATE") or sees_charset(cursor):
            option = parse_charset_or_collation(cursor)
            kind = "CHARACTER SET" if option.kind == "CHARSET" else "COLLATE"
            options.append(DatabaseOption(kind, option.text))
        elif cursor.sees("COMMENT"):
            options.append(DatabaseOption("COMMENT", cursor.assigned().string("a comment")))
        else:
            return tuple(options)


@dataclass(frozen=True, slots=True)
class CreateDatabase:
    """CREATE DATABASE."""

    name: str
    options: tuple[DatabaseOption, ...] = ()
    if_not_exists: bool = False
    at: int = field(default=0, compare=False)

    def restore(self) -> str:
        """Return the statement as TiDB writes it."""
        guard = "IF NOT EXISTS " if self.if_not_exists else ""
        return f"CREATE DATABASE {guard}{quote_name(self.name)}{_restore_options(self.options)}"

    def apply(self, change: Change) -> None:
        """Add the database; Refused when there is one of its name."""
        if change.database(self.name) is None:
            change.take_ids(2)
            change.databases[self.name] = _charset(self.options, DEFAULT_CHARSET)
            change.add_job(ActionType.CREATE_SCHEMA, TableId(self.name, ""), self.restore())
        elif not self.if_not_exists:
            raise Refused(self.at, f"Can't create database '{self.name}'; database exists")


def _create(cursor: Cursor) -> CreateDatabase:
    cursor.next()
    guarded = cursor.if_not_exists()
    at = cursor.offset
    name = cursor.name("a database")
    return CreateDatabase(name, _options(cursor), guarded, at)


@dataclass(frozen=True, slots=True)
class AlterDatabase:
    """ALTER DATABASE; `name` is empty when the current database is meant."""

    name: str
    options: tuple[DatabaseOption, ...]
    at: int = field(default=0, compare=False)

    def restore(self) -> str:
        """Return the statement as TiDB writes it, empty when it is about placement alone."""
        if all(option.kind == PLACEMENT for option in self.options):
            return ""
        name = f" {quote_name(self.name)}" if self.name else ""
        return f"ALTER DATABASE{name}{_restore_options(self.options)}"

    def apply(self, change: Change) -> None:
        """Change the character set (alone, it takes its default collation along) or placement."""
        wanted = self.name or change.schema
        name = change.database(wanted)
        if name is None:
            raise unknown_database(self.at, wanted, tuple(change.databases))
        if any(option.kind == PLACEMENT for option in self.options):
            action = ActionType.MODIFY_SCHEMA_DEFAULT_PLACEMENT
            change.add_job(action, TableId(name, ""), self.restore())
            return
        charset = _charset(self.options, change.databases[name])
        if charset != change.databases[name]:
            change.take_ids(1)
            change.databases[name] = charset
            action = ActionType.MODIFY_SCHEMA_CHARSET_AND_COLLATE
            change.add_job(action, TableId(name, ""), self.restore())


def _alter(cursor: Cursor) -> AlterDatabase:
    cursor.next()
    options = _options(cursor)
    name = ""
    at = cursor.offset
    if not options:
        name = cursor.name("a database")
        options = _options(cursor)
    if not options:
        raise cursor.fail("CHARACTER SET or COLLATE")
    return AlterDatabase(name, options, at)


@dataclass(frozen=True, slots=True)
class DropDatabase:
    """DROP DATABASE."""

    name: str
    if_exists: bool = False
    at: int = field(default=0, compare=False)

    def restore(self) -> str:
        """Return the statement as TiDB writes it."""
        return f"DROP DATABASE {'IF EXISTS ' if self.if_exists else ''}{quote_name(self.name)}"

    def apply(self, change: Change) -> None:
        """Remove the database with its tables; Refused when there is none."""
        name = change.database(self.name)
        if name is not None:
            change.take_ids(1)
            del change.databases[name]
            for key in [key for key in change.by_name if key[0] == name.lower()]:
                del change.by_name[key]
            change.add_job(ActionType.DROP_SCHEMA, TableId(name, ""), self.restore())
        elif not self.if_exists:
            raise Refused(self.at, f"Can't drop database '{self.name}'; database doesn't exist")


def _drop(cursor: Cursor) -> DropDatabase:
    cursor.next()
    guarded = cursor.if_exists()
    at = cursor.offset
    return DropDatabase(cursor.name("a database"), guarded, at)


FORMS: StatementForms = {
    ("CREATE", "DATABASE"): _create,
    ("CREATE", "SCHEMA"): _create,
    ("ALTER", "DATABASE"): _alter,
    ("ALTER", "SCHEMA"): _alter,
    ("DROP", "DATABASE"): _drop,
    ("DROP", "SCHEMA"): _drop,
}
