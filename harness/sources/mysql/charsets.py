"""Character sets that the connector takes otherwise than the server: they are refused.

Source: debezium-connector-mariadb 3.3.0.Final, antlr/listener/CreateTableParserListener.java,
ColumnDefinitionParserListener.java, CreateAndAlterDatabaseParserListener.java; its resource
charset_mappings.json.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from harness.ddl import Statement, parse
from harness.ddl.charsets import DEFAULT_CHARSET, Charset
from harness.ddl.create_table import CreateTable
from harness.ddl.database import CreateDatabase
from harness.ddl.definitions.columns import OptionKind
from harness.errors import StepError, UsageError
from harness.model.columns import CHARACTERS
from harness.model.table import Table
from harness.sources.mysql.declared import column_definitions, defined_columns

# Read in a character set of Java's that is another one.
_MISREAD: Final = frozenset(
    {"armscii8", "cp932", "dec8", "geostd8", "hp8", "keybcs2", "koi8u", "swe7"}
)


def refuse_changed(before: Table | None, after: Table, sql: str) -> None:
    """Refuse another character set of a table, which the connector takes no notice of."""
    old = {} if before is None else {column.id: column.charset for column in before.columns}
    known = defined_columns(sql)
    changed = any(
        column.name.lower() not in known and old.get(column.id, column.charset) != column.charset
        for column in after.columns
    )
    if changed or (before is not None and before.charset != after.charset):
        raise UsageError(
            f"{after.id} gets another character set, and the connector reads texts in the old one",
            expected="MODIFY COLUMN with a character set, which it follows",
        )


def refuse_database(sql: str, databases: Mapping[str, Charset]) -> None:
    """Refuse a database whose character set a statement says by COLLATE alone.

    The connector takes none then, and its tables are in the server's.
    """
    statement = parse(sql)
    if isinstance(statement, CreateDatabase):
        made = databases.get(statement.name)
        if made is not None and made.name != DEFAULT_CHARSET.name:
            _refuse_collation([option.kind for option in statement.options], "CHARACTER SET")


def refuse_collated(sql: str, after: Table, inherited: str | None) -> None:
    """Refuse character sets of a table and its columns that COLLATE alone says.

    The connector looks for one behind the type of a text, and for CHARACTER SET otherwise.
    `inherited` is the character set of the database.
    """
    statement = parse(sql)
    if isinstance(statement, CreateTable) and after.charset != inherited:
        _refuse_collation([option.kind for option in statement.options], "CHARSET")
    for name, charset in _unread(statement):
        if after.column(name).charset != (charset or after.charset):
            _refuse_collation(["COLLATE"], "")


def _unread(statement: Statement) -> Iterator[tuple[str, str]]:
    """Yield columns whose COLLATE the connector does not read, with their CHARACTER SET or ""."""
    for one in column_definitions(statement):
        kinds = [option.kind for option in one.options]
        behind = one.type.kind in CHARACTERS and kinds[:1] == [OptionKind.COLLATE]
        if OptionKind.COLLATE in kinds and not behind:
            yield one.name, one.type.charset


def _refuse_collation(kinds: list[str], charset: str) -> None:
    if "COLLATE" in kinds and charset not in kinds:
        raise UsageError(
            "the connector takes no character set from this COLLATE, and reads texts in another",
            expected="CHARACTER SET beside it",
        )


def refuse_rows(table: Table, line: int) -> None:
    """Refuse a row of a table with a text in a character set that the connector misreads."""
    for column in table.columns:
        if column.kind in CHARACTERS and column.charset in _MISREAD:
            raise StepError(
                f"{table.id}.{column.name} is in {column.charset}, which the MariaDB connector "
                "reads as another character set",
                line=line,
                expected="a character set that Java has too, such as utf8mb4 or latin1",
            )
