"""A table as a vector's row describes it: names, type codes, flags, and no more.

This stands in where the vector holds no statement that made the table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from harness.ddl import ColumnFlag
from harness.model.columns import INTEGERS, Column, ColumnKind
from harness.model.source_events import SourceTable
from harness.model.table import Index, IndexPart, Table, TableId
from harness.truth.result import Vector

# Type code -> kind, or the kinds without and with the Binary flag.
_KINDS: Mapping[int, ColumnKind | tuple[ColumnKind, ColumnKind]] = {
    1: ColumnKind.TINYINT,
    2: ColumnKind.SMALLINT,
    3: ColumnKind.INT,
    4: ColumnKind.FLOAT,
    5: ColumnKind.DOUBLE,
    7: ColumnKind.TIMESTAMP,
    8: ColumnKind.BIGINT,
    9: ColumnKind.MEDIUMINT,
    10: ColumnKind.DATE,
    11: ColumnKind.TIME,
    12: ColumnKind.DATETIME,
    13: ColumnKind.YEAR,
    15: (ColumnKind.VARCHAR, ColumnKind.VARBINARY),
    16: ColumnKind.BIT,
    225: ColumnKind.VECTOR,
    245: ColumnKind.JSON,
    246: ColumnKind.DECIMAL,
    247: ColumnKind.ENUM,
    248: ColumnKind.SET,
    249: (ColumnKind.TINYTEXT, ColumnKind.TINYBLOB),
    250: (ColumnKind.MEDIUMTEXT, ColumnKind.MEDIUMBLOB),
    251: (ColumnKind.LONGTEXT, ColumnKind.LONGBLOB),
    252: (ColumnKind.TEXT, ColumnKind.BLOB),
    254: (ColumnKind.CHAR, ColumnKind.BINARY),
}


def described_table(row: Vector) -> SourceTable:
    """Return the table that a row's columns describe; unique columns count as one index each."""
    described: Sequence[Vector] = row["columns"] or row["pre_columns"]
    columns = tuple(_column(number, column) for number, column in enumerate(described, 1))
    flags = tuple(int(column["flag"]) for column in described)
    unique = ColumnFlag.PRIMARY_KEY | ColumnFlag.UNIQUE_KEY
    keyed = [c.name for c, flag in zip(columns, flags, strict=True) if flag & unique]
    table = Table(
        TableId(row["schema"], row["table"]),
        columns,
        tuple(Index(n, name, (IndexPart(name),), unique=True) for n, name in enumerate(keyed, 1)),
    )
    return SourceTable(
        table=table,
        codes=tuple(column["type"] for column in described),
        flags=flags,
        emitted=tuple(range(len(columns))),
        handle=tuple(n for n, flag in enumerate(flags) if flag & ColumnFlag.HANDLE_KEY),
    )


def _column(number: int, described: Vector) -> Column:
    flag: int = described["flag"]
    known = _KINDS[described["type"]]
    kind = known[flag & ColumnFlag.BINARY] if isinstance(known, tuple) else known
    return Column(
        number,
        described["name"],
        kind,
        nullable=bool(flag & ColumnFlag.NULLABLE),
        unsigned=kind in INTEGERS and bool(flag & ColumnFlag.UNSIGNED),
    )
