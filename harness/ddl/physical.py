"""Which partition of its table a row is in: the physical id that TiKV keeps it under.

Source: TiDB pkg/table/tables/partition.go, `locatePartitionCommon`, `LocateKeyPartition`; TiCDC
codec notes §2.2 (`ptn`).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from zlib import crc32

from harness.ddl.definitions.stored_partitions import date_function
from harness.errors import StepError
from harness.model.canonical import canonical
from harness.model.columns import BINARIES, CHARACTERS, INTEGERS, Column, ColumnKind
from harness.model.partitioning import Dealing, Edge, Mark
from harness.model.table import Table
from harness.model.values import Row, Value

# A row, and the line that speaks of it.
Physical = Callable[[Row, int], int]
Deciding = Callable[[Row], tuple[Value, ...]]
DAYS = frozenset({ColumnKind.DATE, ColumnKind.DATETIME})
_DAY = "2024-02-29"
# What is compared of its texts are the texts themselves, without the spaces at their ends.
BINARY_COLLATION = "utf8mb4_bin"


class HomelessError(StepError):
    """No partition takes a row."""


class _UnclearError(Exception):
    """What decides about a partition here cannot be worked out."""


def physical_of(table: Table) -> Physical | None:
    """Return a function from a row to its physical partition id; None without partitions.

    It raises StepError for a row that no partition takes, and where the harness cannot decide.
    """
    dealt = table.dealing
    if dealt is None:
        return None
    ids = table.partition_ids
    if dealt.unclear:
        return partial(_refused, table, dealt.unclear)
    try:
        locate = _LOCATORS[table.partition_kind](table, dealt)
    except _UnclearError as error:
        return partial(_refused, table, str(error))
    return lambda row, line: ids[locate(row, line)]


def _refused(table: Table, what: str, _row: Row, line: int) -> int:
    raise StepError(
        f"the partition of a row of {table.id} cannot be worked out: {what}",
        line=line,
        expected="HASH, RANGE or LIST over an integer, YEAR() or TO_DAYS(); COLUMNS or KEY over"
        " integers, dates, binary texts and those in utf8mb4_bin",
        hint="a table that is partitioned otherwise can only be made, not filled",
    )


def _deciding(table: Table, dealt: Dealing) -> Deciding:
    """Return a function from a row to its partitioning key, comparable with partition bounds."""
    columns = [table.column(name) for name in dealt.columns]
    ordinals = [table.position(name) for name in dealt.columns]
    if dealt.function:
        (ordinal,), (column,) = ordinals, columns
        if column.kind not in DAYS:
            raise _UnclearError(f"{dealt.function} of a {column.kind.value}")
        return lambda row: (_date_function(dealt.function, row[ordinal]),)
    for column in columns:
        _refuse_strange(column)
    return lambda row: tuple(_comparable(row[ordinal]) for ordinal in ordinals)


def _refuse_strange(column: Column) -> None:
    plain = column.kind in INTEGERS | BINARIES | DAYS
    if not plain and not (column.kind in CHARACTERS and column.collation == BINARY_COLLATION):
        raise _UnclearError(f"a {column.kind.value} decides, {column.name}")


def _date_function(function: str, day: Value) -> int | None:
    return None if day is None else date_function(function, str(day))


def _comparable(value: Value) -> Value:
    return value.rstrip(" ").encode() if isinstance(value, str) else value


def _mark(table: Table, dealt: Dealing, ordinal: int, mark: Mark) -> Value | Edge:
    """Return a mark as the deciding values are written."""
    if isinstance(mark, Edge) or dealt.function or mark is None:
        return mark
    column = table.column(dealt.columns[ordinal])
    raw: object = mark
    if isinstance(mark, str) and column.kind in BINARIES:
        raw = mark.encode()
    elif isinstance(mark, str) and column.kind is ColumnKind.DATETIME and len(mark) == len(_DAY):
        raw = f"{mark} 00:00:00"
    try:
        return _comparable(canonical(column, raw))
    except ValueError as error:
        raise _UnclearError(str(error)) from None


def _marks(table: Table, dealt: Dealing) -> list[list[tuple[Value | Edge, ...]]]:
    return [
        [tuple(_mark(table, dealt, n, mark) for n, mark in enumerate(row)) for row in rows]
        for rows in dealt.marks
    ]


class _Greatest:
    """MAXVALUE: above whatever it is compared with."""

    def __lt__(self, other: object) -> bool:
        return False

    def __gt__(self, other: object) -> bool:
        return True


_GREATEST = _Greatest()


def _by_range(table: Table, dealt: Dealing) -> Physical:
    deciding = _deciding(table, dealt)
    bounds: list[tuple[object, ...]] = [
        tuple(_GREATEST if mark is Edge.MAXVALUE else mark for mark in rows[0])
        for rows in _marks(table, dealt)
    ]

    def locate(row: Row, line: int) -> int:
        values = deciding(row)
        if None in values:
            if len(values) > 1:
                return _refused(table, "one of several columns is NULL", row, line)
            return 0
        found = bisect_right(bounds, values)
        if found >= len(bounds):
            raise _homeless(table, values, line)
        return found

    return locate


def _by_list(table: Table, dealt: Dealing) -> Physical:
    deciding = _deciding(table, dealt)
    homes: dict[tuple[object, ...], int] = {}
    default: int | None = None
    for number, rows in enumerate(_marks(table, dealt)):
        for row in rows:
            if Edge.DEFAULT in row:
                default = number
            homes[row] = number

    def locate(row: Row, line: int) -> int:
        values = deciding(row)
        found = homes.get(values, default)
        if found is None:
            raise _homeless(table, values, line)
        return found

    return locate


def _homeless(table: Table, values: Sequence[object], line: int) -> HomelessError:
    return HomelessError(
        f"{table.id} has no partition for {', '.join(map(repr, values))}",
        line=line,
        expected="a row that one of its partitions takes",
    )


def _by_hash(table: Table, dealt: Dealing) -> Physical:
    deciding, count = _deciding(table, dealt), len(table.partitions)
    if not dealt.function and table.column(dealt.columns[0]).kind not in INTEGERS:
        raise _UnclearError(f"HASH over {dealt.columns[0]}, which is not an integer")

    def locate(row: Row, _line: int) -> int:
        (value,) = deciding(row)
        number = int(value or 0)
        # As Go does it: an unsigned number is read as the int64 of the same bits, and the rest of
        # a division has the sign of what is divided.
        return abs(number - (1 << 64) if number >= 1 << 63 else number) % count

    return locate


def _by_key(table: Table, dealt: Dealing) -> Physical:
    deciding, count = _deciding(table, dealt), len(table.partitions)

    def locate(row: Row, _line: int) -> int:
        return crc32(b"".join(map(_hashed, deciding(row)))) % count

    return locate


def _hashed(value: Value) -> bytes:
    if value is None:
        return b"\0"
    return value if isinstance(value, bytes) else str(value).encode()


_LOCATORS: Mapping[str, Callable[[Table, Dealing], Physical]] = {
    "RANGE": _by_range,
    "LIST": _by_list,
    "HASH": _by_hash,
    "KEY": _by_key,
}
