"""The tables of a workload: three shapes, taken in turn.

A row follows from the number of its key, its version and how many columns were added since, so
that nothing has to be remembered to write it again. Each shape has another kind of primary key.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from harness.model.table import TableId
from harness.model.values import Row, Value

DATABASE = "load"
# Odd multipliers spread numbers that follow one another over 32 bits (Knuth, TAOCP 3, §6.4).
_SPREAD, _STEP, _MASK = 2_654_435_761, 40_503, 0xFFFF_FFFF
# Texts that rows share are made once; formatting is most of a row's price.
_DAYS = [f"2024-{month:02}-{day:02}" for month in range(1, 13) for day in range(1, 29)]
_TIMES = [f" {hour:02}:{minute:02}:07" for hour in range(24) for minute in range(60)]
_BUYERS = [f"Ada Lovelace {number}" for number in range(1000)]
_TAGS = [f"étiquette {number}" for number in range(512)]
_HUNDREDTHS = [f".{number:02}" for number in range(100)]
_MICROS = [f".{number * 997:06}" for number in range(1000)]


@dataclass(frozen=True, slots=True)
class Shape:
    """One shape: its name, its columns and key in SQL, and what makes the values of a row.

    `row` takes the key's number (from 1) and the version (from 0) and gives canonical values.
    """

    name: str
    columns: str
    row: Callable[[int, int], Row]

    def created(self, table: TableId) -> str:
        """Return the statement that creates a table of this shape."""
        return f"CREATE TABLE `{table.schema}`.`{table.name}` ({self.columns})"


def _order(number: int, version: int) -> Row:
    drawn = (number * _SPREAD + version * _STEP) & _MASK
    day = _DAYS[drawn % 336]
    return (
        number,
        drawn % 5000,
        drawn % 4,
        _BUYERS[drawn % 1000],
        f"ada.lovelace.{number}@example.org",
        str(drawn % 1_000_000) + _HUNDREDTHS[drawn % 100],
        drawn / 8,
        day + _TIMES[drawn % 1440] + _MICROS[drawn % 1000],
        day,
        "leave it with the neighbour, please" if drawn % 3 else None,
    )


def _item(number: int, version: int) -> Row:
    drawn = (number * _SPREAD + version * _STEP) & _MASK
    return (
        number % 40,
        f"item-{number:010}",
        drawn % 100_000 - 50_000,
        f"{drawn % 10_000}.{drawn % 10_000:04}",
        _TAGS[drawn % 512] if drawn % 5 else None,
        _DAYS[drawn % 336] + _TIMES[drawn % 1440],
    )


def _account(number: int, version: int) -> Row:
    drawn = (number * _SPREAD + version * _STEP) & _MASK
    amount = drawn * 31 + 100
    return (
        f"konto:{number:012}",
        str(-amount if drawn % 2 else amount) + _HUNDREDTHS[drawn % 100],
        drawn,
        drawn / 1000,
        _DAYS[drawn % 336],
        f'{version} "quoted" \\ <b>&amp;</b> 😀' if drawn % 4 else None,
    )


SHAPES: tuple[Shape, ...] = (
    Shape(
        "orders",
        "id BIGINT PRIMARY KEY, user_id BIGINT UNSIGNED NOT NULL, status TINYINT, "
        "buyer VARCHAR(40), email VARCHAR(80), price DECIMAL(12, 2), score DOUBLE, "
        "made DATETIME(6), day DATE, note TEXT",
        _order,
    ),
    Shape(
        "items",
        "region INT NOT NULL, code VARCHAR(24) NOT NULL, quantity INT NOT NULL, "
        "price DECIMAL(10, 4), tag VARCHAR(40), seen DATETIME, PRIMARY KEY (region, code)",
        _item,
    ),
    Shape(
        "accounts",
        "name VARCHAR(24) PRIMARY KEY, balance DECIMAL(20, 2), flags INT UNSIGNED NOT NULL, "
        "ratio DOUBLE, since DATE, memo TEXT",
        _account,
    ),
)


def shape_of(table: int) -> Shape:
    """Return the shape of a table by its number."""
    return SHAPES[table % len(SHAPES)]


def table_id(table: int) -> TableId:
    """Return the name of a table by its number."""
    return TableId(DATABASE, f"{shape_of(table).name}_{table}")


def added(table: int, column: int) -> str:
    """Return the statement that adds a table's n-th further column (from 0)."""
    name = table_id(table)
    return f"ALTER TABLE `{name.schema}`.`{name.name}` ADD COLUMN added_{column} INT"


def further(number: int, version: int, columns: int) -> tuple[Value, ...]:
    """Return the values of the columns that were added; some are NULL."""
    if (number + version) % 5 == 0:
        return (None,) * columns
    first = number % 1000 + version
    return tuple(range(first, first + columns))
