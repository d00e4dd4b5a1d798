"""How a partitioned table deals its rows to partitions."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Edge(Enum):
    """What stands in a partition's definition in place of a value."""

    MAXVALUE = "MAXVALUE"
    DEFAULT = "DEFAULT"


Mark = int | str | None | Edge


@dataclass(frozen=True, slots=True)
class Dealing:
    """What decides about a row's partition.

    `columns` are the columns whose values decide, or the one that `function` is called on (YEAR,
    TO_DAYS; empty for the value itself). `marks` has, for each partition by RANGE, the upper bounds
    of the columns, and for each by LIST its rows of values; it is empty by HASH and KEY, which
    count the partitions. `unclear` says in SQL what of it the harness cannot work out, "" if all is
    clear.
    """

    columns: tuple[str, ...]
    function: str = ""
    marks: tuple[tuple[tuple[Mark, ...], ...], ...] = ()
    unclear: str = ""
