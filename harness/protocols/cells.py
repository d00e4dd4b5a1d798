"""Which clause decides one value: that of its type, of a mode in force, or of NULL."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from harness.model.columns import BINARIES, CHARACTERS, INTEGERS, Column, ColumnKind
from harness.model.settings import Settings

NULL = "NULL"
# A YEAR of the MySQL family is read as a number of that many digits: 0 travels as 1900.
YEAR_DIGITS = 4
MOMENTS = frozenset({ColumnKind.DATETIME, ColumnKind.TIMESTAMP})
TEMPORAL = MOMENTS | {ColumnKind.TIME}
_NUMBER = re.compile(r"-?\d+(\.\d+)?\Z", re.ASCII)
_TIME = re.compile(r"(-?)(\d+):(\d\d:\d\d)(\.\d+)?\Z", re.ASCII)


@dataclass(frozen=True, slots=True)
class Cell:
    """A value as it should be and as it was answered, both as findings print them."""

    column: Column
    wanted: str
    got: str
    settings: Settings
    dialect: str

    @property
    def about_null(self) -> bool:
        """Return whether one of the two is NULL and the other is not."""
        return (self.wanted == NULL) != (self.got in (NULL, "None"))

    @property
    def rounded(self) -> bool:
        """Return whether a number became what a 64-bit floating-point number makes of it."""
        wanted, got = self.wanted.strip("'"), self.got.strip("'")
        if not (_NUMBER.match(wanted) and _NUMBER.match(got)) or wanted == got:
            return False
        scale = len(wanted.partition(".")[2])
        return f"{float(wanted):.{scale}f}" == got

    @property
    def shifted(self) -> bool:
        """Return whether a moment was moved by whole quarters of an hour."""
        one, other = (_moment(text) for text in (self.wanted, self.got))
        if one is None or other is None or one == other:
            return False
        if (one.tzinfo is None) != (other.tzinfo is None):  # a zone in the text is no shift
            return False
        seconds = (one - other).total_seconds()
        return seconds % 900 == 0 and abs(seconds) <= 50400

    @property
    def digits_lost(self) -> bool:
        """Return whether only the fraction of a second differs."""
        wanted, got = self.wanted.strip("'"), self.got.strip("'")
        return wanted != got and wanted.partition(".")[0] == got.partition(".")[0]

    @property
    def out_of_day(self) -> bool:
        """Return whether a TIME lost its sign or its whole days."""
        one, other = (_TIME.match(text.strip("'")) for text in (self.wanted, self.got))
        if one is None or other is None:
            return False
        same = one.group(3, 4) == other.group(3, 4)
        return same and (int(one[2]) - int(other[2])) % 24 == 0

    @property
    def letters_lost(self) -> bool:
        """Return whether a text differs in letters beyond ASCII alone."""
        one, other = (
            "".join(
                letter for letter in _ESCAPED.sub("", text) if letter.isascii() and letter != "?"
            )
            for text in (self.wanted, self.got)
        )
        return not self.wanted.isascii() and one == other


# How `repr` writes what is beyond ASCII and cannot be printed.
_ESCAPED = re.compile(r"\\x[89a-f][0-9a-f]|\\u[0-9a-f]{4}|\\U[0-9a-f]{8}")


def _moment(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text.strip("'"))
    except ValueError:
        return None


def _ticdc(cell: Cell, protocol: str) -> str | None:
    """Return what both of TiCDC's protocols say of times, None for the rule of the type."""
    kind = cell.column.kind
    if kind in MOMENTS and cell.shifted:
        return f"{protocol}.value.timestamp-zone"
    if kind in TEMPORAL and cell.digits_lost:
        return f"{protocol}.value.temporal-digits"
    if kind is ColumnKind.TIME and cell.out_of_day:
        return f"{protocol}.value.time-range"
    return None


def open_clause(cell: Cell, of_type: str) -> str:
    """Return the clause that decides a value of the Open Protocol."""
    if cell.about_null:
        return "open.type.null"
    kind = cell.column.kind
    if kind in (ColumnKind.BIGINT, ColumnKind.DECIMAL) and cell.rounded:
        return "open.value.bigint-exact"
    if kind is ColumnKind.VARCHAR and cell.dialect == "4.0.4":
        return "open.type.varchar.base64"
    return _ticdc(cell, "open") or of_type


def avro_clause(cell: Cell, of_type: str) -> str:
    """Return the clause that decides a value of TiCDC Avro."""
    column, kind = cell.column, cell.column.kind
    if cell.about_null:
        return _avro_null(column)
    if kind in INTEGERS and column.unsigned:
        return _avro_unsigned(cell, of_type)
    if kind is ColumnKind.DECIMAL:
        return _avro_decimal(cell, of_type)
    if kind is ColumnKind.FLOAT and cell.dialect == "6":
        return "avro.type.float.double"
    if kind in CHARACTERS and cell.letters_lost:
        return "avro.value.text-utf8"
    return _ticdc(cell, "avro") or of_type


def _avro_null(column: Column) -> str:
    if not column.nullable:
        return "avro.column.not-null"
    plain = column.default is None or column.default.text is None
    return "avro.column.nullable" if plain else "avro.column.nullable-default"


def _avro_decimal(cell: Cell, of_type: str) -> str:
    if str(cell.settings.get("avro-decimal-handling-mode", "precise")) == "string":
        return "avro.type.decimal.string"
    return "avro.value.decimal-bytes" if _sign_filled(cell) else of_type


def _avro_unsigned(cell: Cell, of_type: str) -> str:
    if cell.column.kind is ColumnKind.INT:
        return "avro.type.int.unsigned"
    if cell.column.kind is not ColumnKind.BIGINT:
        return of_type
    if str(cell.settings.get("avro-bigint-unsigned-handling-mode", "long")) == "string":
        return "avro.type.bigint.unsigned-string"
    # A number within 63 bits that was answered as a greater one was rounded; it did not wrap.
    wanted, got = (int(t) if _NUMBER.match(t) else 0 for t in (cell.wanted, cell.got))
    over = not 0 <= wanted < 2**63 or got < 0
    return "avro.type.bigint.unsigned-overflow" if over else "avro.type.bigint.unsigned-long"


def _sign_filled(cell: Cell) -> bool:
    """Return whether a negative number became the positive one with zeros for its sign."""
    wanted, got = cell.wanted.strip("'"), cell.got.strip("'")
    if not (wanted.startswith("-") and _NUMBER.match(got) and not got.startswith("-")):
        return False
    difference = int(got.replace(".", "")) - int(wanted.replace(".", ""))
    return difference > 0 and difference.bit_count() == 1


_UNSIGNED = {"long": "vitess.bigint-unsigned.long", "precise": "vitess.bigint-unsigned.precise"}
# Precision modes of which each has one clause for all types.
_MODES = frozenset({"adaptive", "isostring", "microseconds", "nanoseconds"})


def vitess_clause(cell: Cell, of_type: str) -> str:
    """Return the clause that decides a value of Debezium Vitess."""
    column, kind = cell.column, cell.column.kind
    if cell.about_null:
        return "vitess.value.optional"
    if kind is ColumnKind.BIGINT and column.unsigned:
        mode = str(cell.settings.get("bigint.unsigned.handling.mode", "string"))
        return _UNSIGNED.get(mode, "vitess.bigint-unsigned.string")
    if kind in BINARIES and cell.settings.get("binary.handling.mode", "bytes") != "bytes":
        return "vitess.binary.mode"
    if kind in (ColumnKind.DATE, ColumnKind.DATETIME, ColumnKind.TIME):
        return _vitess_time(cell, of_type)
    return of_type


def _vitess_time(cell: Cell, of_type: str) -> str:
    mode = str(cell.settings.get("time.precision.mode", "adaptive_time_microseconds"))
    if cell.column.kind is ColumnKind.DATETIME and cell.shifted:
        return "vitess.temporal.datetime-utc"
    if mode == "connect":
        return f"vitess.temporal.connect.{cell.column.kind.value}"
    return f"vitess.temporal.{mode}" if mode in _MODES else of_type


# Precision modes of which each has one clause for DATETIME, and for TIME as well.
_MYSQL_MODES = frozenset({"microseconds", "nanoseconds"})


def mysql_clause(cell: Cell, of_type: str) -> str:  # noqa: PLR0911 - a family a line
    """Return the clause that decides a value of Debezium's connectors for MariaDB and MySQL."""
    column, kind = cell.column, cell.column.kind
    if cell.about_null:
        plain = column.default is None or column.default.text is None
        return "debezium-mysql.value.optional" if plain else "debezium-mysql.value.default"
    if kind is ColumnKind.BIGINT and column.unsigned:
        mode = str(cell.settings.get("bigint.unsigned.handling.mode", "long"))
        return f"debezium-mysql.bigint-unsigned.{mode}"
    decimals = str(cell.settings.get("decimal.handling.mode", "precise"))
    if kind is ColumnKind.DECIMAL and decimals != "precise":
        return "debezium-mysql.decimal.string"
    if kind is ColumnKind.DOUBLE and decimals == "double" and column.scale is not None:
        return "debezium-mysql.decimal.double"
    if kind in BINARIES and cell.settings.get("binary.handling.mode", "bytes") != "bytes":
        return "debezium-mysql.binary.mode"
    if kind is ColumnKind.SMALLINT and column.zerofill and column.length == YEAR_DIGITS:
        return "debezium-mysql.type.year"
    if kind is ColumnKind.TIMESTAMP and cell.shifted:
        return "debezium-mysql.temporal.timestamp-utc"
    if kind in (ColumnKind.DATE, ColumnKind.DATETIME, ColumnKind.TIME):
        return _mysql_time(cell, of_type)
    return of_type


def _mysql_time(cell: Cell, of_type: str) -> str:
    mode = str(cell.settings.get("time.precision.mode", "adaptive_time_microseconds"))
    kind = cell.column.kind
    if kind is ColumnKind.DATETIME and cell.shifted:
        return "debezium-mysql.temporal.datetime-utc"
    if kind is ColumnKind.TIME and cell.out_of_day:
        return "debezium-mysql.temporal.time-range"
    if mode == "connect":
        return f"debezium-mysql.temporal.connect.{kind.value}"
    return f"debezium-mysql.temporal.{mode}" if mode in _MYSQL_MODES else of_type
