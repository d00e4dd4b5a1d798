"""The generator's clock: TiDB timestamps for every event, the same in every partition.

Time is cut into slices of a second. In each slice every partition emits its share of its events and
ends with a mark; statements stand at the beginning of a slice. Timestamps rise within a partition,
no two transactions of any partitions share one, and all of a slice lie above the marks that end the
slice before it and below its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from harness.load.shapes import added, shape_of, table_id
from harness.load.spec import Spec
from harness.sources.clock import LOGICAL_BITS

FIRST_MS = 1_735_689_600_000  # 2025-01-01T00:00:00Z
SLICE_MS = 1000
_FIRST_ROW_MS, _ROWS_MS = 1, 998


@dataclass(frozen=True, slots=True)
class Statement:
    """A DDL statement on a table (by number), in a slice, with its commit ts."""

    slice: int
    table: int
    sql: str
    commit_ts: int


def shares(total: int, parts: int, skew: float) -> tuple[int, ...]:
    """Return whole shares that add up to the total, by the weights 1/n^skew."""
    weights = [(number + 1) ** -skew for number in range(parts)]
    whole = sum(weights)
    upto = 0.0
    found: list[int] = []
    for weight in weights:
        upto += weight
        found.append(round(total * upto / whole) - sum(found))
    return tuple(found)


def events_of(spec: Spec, partition: int) -> int:
    """Return how many events a partition emits."""
    return shares(spec.events, spec.partitions, spec.skew_partitions)[partition]


def slices(spec: Spec) -> int:
    """Return how many slices there are: the fullest partition has `mark` events in each."""
    return -(-max(shares(spec.events, spec.partitions, spec.skew_partitions)) // spec.mark)


def statements(spec: Spec) -> Iterator[Statement]:
    """Yield the tables' creation, then the statements on the way, evenly spread, in turn."""
    last = slices(spec)
    columns = [0] * spec.tables
    for table in range(spec.tables):
        sql = shape_of(table).created(table_id(table))
        yield Statement(0, table, sql, _ts(0, 0, 1 + table))
    for number in range(spec.ddl):
        at, table = last * (number + 1) // (spec.ddl + 1), number % spec.tables
        sql = added(table, columns[table])
        columns[table] += 1
        yield Statement(at, table, sql, _ts(at, 0, 1 + spec.tables + number))


def row_ts(spec: Spec, slice_: int, partition: int, place: tuple[int, int, int]) -> int:
    """Return a transaction's commit ts.

    `place` is its ordinal in the slice, how many rows of the slice went before it, and how many
    there are.
    """
    ordinal, done, rows = place
    return _ts(
        slice_, _FIRST_ROW_MS + done * _ROWS_MS // rows, ordinal * spec.partitions + partition
    )


def mark_ts(slice_: int) -> int:
    """Return the ts of the marks that end a slice."""
    return _ts(slice_ + 1, 0, 0)


def place_of(commit_ts: int) -> tuple[int, int, bool]:
    """Return the slice of a commit ts, its ordinal, and whether it is a statement's.

    Rows of a slice have ordinals of their own below `mark` times `partitions`, statements from 1.
    """
    slice_, millisecond = divmod((commit_ts >> LOGICAL_BITS) - FIRST_MS, SLICE_MS)
    return slice_, commit_ts & ((1 << LOGICAL_BITS) - 1), millisecond < _FIRST_ROW_MS


def _ts(slice_: int, millisecond: int, logical: int) -> int:
    return (FIRST_MS + slice_ * SLICE_MS + millisecond << LOGICAL_BITS) | logical
