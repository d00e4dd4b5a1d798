"""Reads tables out of a database as a consumer's answer, exactly.

What is read is the sink's value, not its look. The sink's own type says how a column is asked
for, the upstream's what its bytes mean; where the two do not go together the verdict says so, not
this module.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal

from harness.engine.sink.session import Session, TextRow, quoted
from harness.engine.sink.statements import literal
from harness.model.columns import BINARIES, Column
from harness.model.observed import RawRow, RawValue

# How a column of the sink is asked for where its plain text is not its whole value.
EXPRESSIONS: Mapping[str, str] = {
    "float": "{} + 0e0",  # a FLOAT's own text has six digits only
    "bit": "CAST({} AS UNSIGNED)",
}
INTEGERS = ("tinyint", "smallint", "mediumint", "int", "bigint", "bit", "year")
FRACTIONS = ("decimal", "float", "double")
BYTES = ("binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob")
COLUMNS = (
    "SELECT table_name, column_name, data_type FROM information_schema.columns"
    " WHERE table_schema = {} ORDER BY table_name, ordinal_position"
)
READ_MAX = 256 << 20

Types = Mapping[str, str]


class TooMuch(Exception):  # noqa: N818 - it is a finding in the end
    """The tables hold more than an answer may have."""


def tables(session: Session, database: str) -> Mapping[str, Types]:
    """Return the types of the columns of each table of a database, by name, as it spells them."""
    found: dict[str, dict[str, str]] = {}
    for row in session.rows(COLUMNS.format(literal(database))):
        table, column, kind = ((value or b"").decode() for value in row)
        found.setdefault(table, {})[column] = kind.lower()
    return found


def missing(types: Types, columns: Sequence[Column]) -> tuple[str, ...]:
    """Return the columns that the table does not have, in any spelling."""
    there = {name.lower() for name in types}
    return tuple(column.name for column in columns if column.name.lower() not in there)


def rows(
    session: Session, place: tuple[str, str], types: Types, columns: Sequence[Column]
) -> tuple[RawRow, ...]:
    """Return the rows of a table in these columns, which it has; raises TooMuch.

    `place` is database and table. Columns beside these are passed over.
    """
    own = _spelled(types, columns)
    asked = ", ".join(EXPRESSIONS.get(types[name], "{}").format(quoted(name)) for name in own)
    source = ".".join(map(quoted, place))
    readers = [_reader(types[name], column) for name, column in zip(own, columns, strict=True)]
    return tuple(
        {
            column.name: None if value is None else read(value)
            for column, read, value in zip(columns, readers, row, strict=True)
        }
        for row in _bounded(session.rows(f"SELECT {asked} FROM {source}"))  # noqa: S608 - quoted
    )


def _bounded(found: Iterator[TextRow]) -> Iterator[TextRow]:
    total = 0
    for row in found:
        total += sum(len(value) for value in row if value is not None)
        if total > READ_MAX:
            raise TooMuch(f"a table holds more than {READ_MAX} bytes")
        yield row


def _spelled(types: Types, columns: Sequence[Column]) -> list[str]:
    """Return the sink's own spelling of each column: names of columns have no case in SQL."""
    lower = {name.lower(): name for name in types}
    return [lower[column.name.lower()] for column in columns]


def _reader(kind: str, column: Column) -> Callable[[bytes], RawValue]:
    if kind in INTEGERS:
        return int
    if kind in FRACTIONS:
        return lambda value: Decimal(value.decode())
    if column.kind in BINARIES:
        return bytes.hex
    return _bytes_as_text if kind in BYTES else bytes.decode


def _bytes_as_text(value: bytes) -> RawValue:
    """Return text that was stored as bytes; what is no text stands as a hexadecimal literal."""
    try:
        return value.decode()
    except UnicodeDecodeError:
        return f"0x{value.hex()}"
