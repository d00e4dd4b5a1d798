"""Which partition a row is in, as far as the statements of the stream say it.

One column decides: an integer, a date, or the YEAR or TO_DAYS of a date. What else TiDB deals rows
by (other expressions, several columns, texts with their collations) is not worked out here:
`unclear` says what it is, and a statement on such partitions has an effect that is not known.

Source: TiDB pkg/table/tables/partition.go, `locatePartitionCommon`, `LocateKeyPartition`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from zlib import crc32

from cdc_spark.apply.schema import Column
from cdc_spark.apply.values import Value

Row = Mapping[str, Value]
Bound = int | str | None
_INTEGERS = frozenset({"tinyint", "smallint", "mediumint", "int", "bigint"})
_DAYS = frozenset({"date", "datetime"})
_DAY = re.compile(r"\d{4}-\d\d-\d\d( \d\d:\d\d:\d\d(\.\d+)?)?$", re.ASCII)
_YEAR_0 = 365  # days before year 1: MySQL counts them, Python does not


@dataclass(frozen=True, slots=True)
class Definition:
    """One partition: its name and what it takes.

    By RANGE that is the bound that all its values are below (`greatest` for MAXVALUE), by LIST the
    values.
    """

    name: str
    values: tuple[Bound, ...] = ()
    greatest: bool = False


@dataclass(frozen=True, slots=True)
class Partitions:
    """How a table's rows are dealt to its partitions, in their order."""

    kind: str
    column: str = ""
    function: str = ""
    definitions: tuple[Definition, ...] = ()
    unclear: str = ""

    def ordinals(self, names: Iterable[str]) -> list[int]:
        """Return the places of partitions by name; KeyError for one that is not there."""
        known = {one.name.lower(): place for place, one in enumerate(self.definitions)}
        return [known[name.lower()] for name in names]

    def replaced(self, first: int, last: int, new: Iterable[Definition]) -> Partitions:
        """Return the same with other partitions in the place of a run of them."""
        kept = self.definitions
        return replace(self, definitions=(*kept[:first], *new, *kept[last:]))

    def counted(self, count: int) -> Partitions:
        """Return the same with so many partitions by HASH or KEY, named as TiDB does."""
        kept = self.definitions[:count]
        new = (Definition(f"p{number}") for number in range(len(kept), count))
        return replace(self, definitions=(*kept, *new))


@dataclass(frozen=True, slots=True)
class Within:
    """Whether a row is in one of some partitions; `unclear` is to be looked at first."""

    partitions: Partitions
    places: frozenset[int]

    def __call__(self, row: Row) -> bool:
        """Return whether the row is there; a row that no partition takes is in none."""
        return _place(self.partitions, row) in self.places


def unclear(partitions: Partitions, columns: Mapping[str, Column]) -> str:
    """Return why the partition of a row cannot be worked out; empty when it can."""
    if partitions.unclear:
        return partitions.unclear
    column = columns.get(partitions.column.lower())
    if column is None:
        return f"{partitions.column} is not defined"
    if column.virtual:
        return f"{partitions.column} is never sent"
    bounds = [value for one in partitions.definitions for value in one.values if value is not None]
    if partitions.function:
        fits = column.kind in _DAYS and all(isinstance(value, int) for value in bounds)
    elif column.kind in _DAYS:
        whole = (isinstance(value, str) and _DAY.match(value) for value in bounds)
        fits = partitions.kind in ("RANGE", "LIST") and all(whole)
    else:
        fits = column.kind in _INTEGERS and all(isinstance(value, int) for value in bounds)
    return "" if fits else f"{partitions.function} {column.name} {column.kind}".lstrip()


def function_of(name: str, day: str) -> int | None:
    """Return YEAR or TO_DAYS of a date; None of what is none."""
    try:
        found = date.fromisoformat(day[:10])
    except ValueError:
        return None
    return found.year if name == "YEAR" else found.toordinal() + _YEAR_0


def _deciding(partitions: Partitions, row: Row) -> Bound:
    wanted = partitions.column.lower()
    value: Value = next((value for name, value in row.items() if name.lower() == wanted), None)
    if value is None:
        return None
    if partitions.function:
        return function_of(partitions.function, str(value))
    text = str(value)
    return text if "-" in text[1:] else int(text)


def _place(partitions: Partitions, row: Row) -> int | None:
    return _BY_KIND[partitions.kind](partitions, _deciding(partitions, row))


def _by_range(partitions: Partitions, value: Bound) -> int | None:
    if value is None:
        return 0
    definitions = partitions.definitions
    bounds = [_order(one.values[0]) for one in definitions if not one.greatest]
    found = bisect_right(bounds, _order(value))
    return found if found < len(definitions) else None


def _order(value: Bound) -> tuple[int, str]:
    """Return what bounds of one kind are ordered by: numbers by size, days by their text."""
    return (value, "") if isinstance(value, int) else (0, str(value))


def _by_list(partitions: Partitions, value: Bound) -> int | None:
    for place, one in enumerate(partitions.definitions):
        if value in one.values:
            return place
    default = [place for place, one in enumerate(partitions.definitions) if one.greatest]
    return default[0] if default else None


def _by_hash(partitions: Partitions, value: Bound) -> int:
    number = int(value or 0)
    # Go reads an unsigned number as the int64 of its bits, and keeps the sign of what it divides.
    return abs(number - (1 << 64) if number >= 1 << 63 else number) % len(partitions.definitions)


def _by_key(partitions: Partitions, value: Bound) -> int:
    hashed = b"\0" if value is None else str(value).encode()
    return crc32(hashed) % len(partitions.definitions)


_BY_KIND: Mapping[str, Callable[[Partitions, Bound], int | None]] = {
    "RANGE": _by_range,
    "LIST": _by_list,
    "HASH": _by_hash,
    "KEY": _by_key,
}
