"""The type table: what each column kind is in Avro, and its `connect.parameters`.

| kind | Avro type | tidb_type |
| --- | --- | --- |
| TINYINT, SMALLINT, MEDIUMINT | int | INT, INT UNSIGNED |
| INT | int; unsigned long | INT, INT UNSIGNED |
| BIGINT | long; unsigned long (wrapped) or string | BIGINT, BIGINT UNSIGNED |
| FLOAT | float; double in dialect 6 | FLOAT |
| DOUBLE | double | DOUBLE |
| DECIMAL | bytes with logicalType decimal, or string | DECIMAL |
| BIT | bytes | BIT |
| YEAR | int | YEAR |
| temporals, JSON, VECTOR | string | their own names |
| characters, binaries | string, bytes | TEXT, BLOB |
| ENUM, SET | string | ENUM, SET |

Source: TiCDC codec notes §3.3 (vectors `avro_types`); tiflow c7b2588 pkg/sink/codec/avro/avro.go
`columnToAvroSchema`; TiCDC Avro Protocol, §Column data format.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from harness.codecs.avro.names import allowed
from harness.codecs.avro.settings import AvroSettings
from harness.errors import SourceStopped
from harness.model.columns import CHARACTERS, Column, ColumnKind
from harness.wire.go_json import go_string


@dataclass(frozen=True, slots=True)
class AvroType:
    """The type of one field; `parameters` beyond tidb_type, `decimal` is precision and scale."""

    name: str
    tidb_type: str
    parameters: tuple[tuple[str, str], ...] = ()
    decimal: tuple[int, int] | None = None

    def text(self) -> str:
        """Return the JSON of the type as TiCDC writes it."""
        pairs = sorted((*self.parameters, ("tidb_type", self.tidb_type)))
        inner = ",".join(f"{go_string(key)}:{go_string(value)}" for key, value in pairs)
        logical = ""
        if self.decimal is not None:
            precision, scale = self.decimal
            logical = f',"logicalType":"decimal","precision":{precision},"scale":{scale}'
        return f'{{"type":"{self.name}","connect.parameters":{{{inner}}}{logical}}}'


def avro_type(column: Column, settings: AvroSettings) -> AvroType:
    """Return a column's Avro type; SourceStopped for a kind that the dialect does not know."""
    kind = column.kind
    match kind:
        case (
            ColumnKind.TINYINT
            | ColumnKind.SMALLINT
            | ColumnKind.MEDIUMINT
            | ColumnKind.INT
            | ColumnKind.BIGINT
        ):
            return _integer(column, settings)
        case ColumnKind.FLOAT | ColumnKind.DOUBLE | ColumnKind.YEAR:
            as_double = kind is ColumnKind.FLOAT and settings.dialect.float_as_double
            return AvroType("double" if as_double else _NUMBERS[kind], kind.name)
        case ColumnKind.DECIMAL | ColumnKind.BIT | ColumnKind.ENUM | ColumnKind.SET:
            return _parametrised(column, settings)
        case (
            ColumnKind.DATE
            | ColumnKind.TIME
            | ColumnKind.DATETIME
            | ColumnKind.TIMESTAMP
            | ColumnKind.JSON
            | ColumnKind.VECTOR
            | ColumnKind.CHAR
            | ColumnKind.VARCHAR
            | ColumnKind.TINYTEXT
            | ColumnKind.TEXT
            | ColumnKind.MEDIUMTEXT
            | ColumnKind.LONGTEXT
        ):
            return _string(kind, settings)
        case (
            ColumnKind.BINARY
            | ColumnKind.VARBINARY
            | ColumnKind.TINYBLOB
            | ColumnKind.BLOB
            | ColumnKind.MEDIUMBLOB
            | ColumnKind.LONGBLOB
        ):
            return AvroType("bytes", "BLOB")
        case _:
            assert_never(kind)


_NUMBERS = {ColumnKind.FLOAT: "float", ColumnKind.DOUBLE: "double", ColumnKind.YEAR: "int"}


def _integer(column: Column, settings: AvroSettings) -> AvroType:
    big = column.kind is ColumnKind.BIGINT
    tidb_type = ("BIGINT" if big else "INT") + (" UNSIGNED" if column.unsigned else "")
    if big and column.unsigned and settings.bigint_string:
        return AvroType("string", tidb_type)
    wide = big or (column.kind is ColumnKind.INT and column.unsigned)
    return AvroType("long" if wide else "int", tidb_type)


def _parametrised(column: Column, settings: AvroSettings) -> AvroType:
    kind = column.kind
    if kind is ColumnKind.BIT:
        return AvroType("bytes", "BIT", (("length", str(column.length or 1)),))
    if kind is not ColumnKind.DECIMAL:
        return AvroType("string", kind.name, (("allowed", allowed(column.members)),))
    if settings.decimal_string:
        return AvroType("string", "DECIMAL")
    # DECIMAL alone is DECIMAL(10,0) (tiflow avro.go, GetDefaultFieldLengthAndDecimal).
    precision = 10 if column.length is None else column.length
    return AvroType("bytes", "DECIMAL", decimal=(precision, column.scale or 0))


def _string(kind: ColumnKind, settings: AvroSettings) -> AvroType:
    if kind in CHARACTERS:
        return AvroType("string", "TEXT")
    if kind is not ColumnKind.VECTOR:
        return AvroType("string", kind.name)
    if not settings.dialect.vectors:
        raise SourceStopped("ErrAvroEncodeFailed", "unknown mysql type")
    return AvroType("string", "TiDBVECTORFloat32")
