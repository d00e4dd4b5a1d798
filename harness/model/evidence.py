"""What a report shows beside a finding, so that nobody has to run the case again to see it.

Everything is text ready to print; what is bounded says how much it leaves out.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class RowMark(StrEnum):
    """Whose row a line of a table is."""

    ALIKE = "="
    EXPECTED = "-"
    ACTUAL = "+"


@dataclass(frozen=True, slots=True)
class DiffRow:
    """One line of a table; `changed` are the positions of cells that differ from their pair's."""

    mark: RowMark
    cells: tuple[str, ...]
    changed: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class TableDiff:
    """A table as expected beside the answer; `hidden` rows are not shown."""

    table: str
    columns: tuple[str, ...]
    rows: tuple[DiffRow, ...]
    hidden: int = 0


@dataclass(frozen=True, slots=True)
class ShownRecord:
    """One record as it lies in its partition.

    `events` are its decoded lines, or the decoder's refusal; `key` and `value` are hex, None for
    null. `value_bytes` is the value's whole length, of which `value` may be the beginning only.
    `blamed` counts for a finding that names this record.
    """

    topic: str
    partition: int
    offset: int
    events: tuple[str, ...]
    key: str | None
    value: str | None
    value_bytes: int
    blamed: int = 0


@dataclass(frozen=True, slots=True)
class Point:
    """One record on the timeline: what it is, and when its change was committed."""

    topic: str
    partition: int
    offset: int
    kind: str
    commit_ts: int
    transaction: str = ""
    line: int = 0
    blamed: int = 0


@dataclass(frozen=True, slots=True)
class Evidence:
    """The tables, records and timeline of one case that did not pass.

    `timeline` is in the order of sending within a partition; `hidden` records are on neither.
    """

    tables: tuple[TableDiff, ...] = ()
    records: tuple[ShownRecord, ...] = ()
    timeline: tuple[Point, ...] = ()
    hidden: int = 0
