"""What a DDL does to the rows that are there: in which table each is afterwards, and in which form.

TiDB keeps each partition under a physical id of its own. DROP, TRUNCATE and EXCHANGE PARTITION move
ids, and the rows of an id go with it: away, or to the other table. Whatever else gives partitions
new ids (REORGANIZE, COALESCE, PARTITION BY, REMOVE PARTITIONING) copies the rows into them.

Source: TiDB pkg/ddl/partition.go, `onDropTablePartition`, `onTruncateTablePartition`,
`onExchangeTablePartition`, `onReorganizePartition`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from harness.ddl.jobs import ActionType, DdlJob
from harness.ddl.physical import HomelessError, Physical, physical_of
from harness.model.reshape import keeps_rows, reshape
from harness.model.table import Table, TableId
from harness.model.values import Row

PARTITIONS_MOVE = frozenset(
    {
        ActionType.DROP_TABLE_PARTITION,
        ActionType.TRUNCATE_TABLE_PARTITION,
        ActionType.EXCHANGE_TABLE_PARTITION,
    }
)
# A table's version before and after.
Versions = tuple[Table, Table]
# From a row to the table that it is in afterwards and its form there, None when it goes.
Moved = Callable[[Row], tuple[Table, Row] | None]


def moved(
    action: int,
    before: Table | None,
    after: Table | None,
    exchanged: Versions | None = None,
    line: int = 0,
) -> Mapping[TableId, Moved]:
    """Return what becomes of the rows of each table that a DDL concerns, by its name before.

    `exchanged` is the other table of EXCHANGE PARTITION. What is returned raises StepError, which
    names the line, where the partition of a row cannot be worked out, and ValueError for a value
    that has no exact form in the new table.
    """
    if before is None:
        return {}
    if after is None:
        return {before.id: _gone}
    if action not in PARTITIONS_MOVE:
        stays = keeps_rows(before, after)
        return {before.id: lambda row: (after, reshape(before, after, row)) if stays else None}
    pairs = [(before, after), *((exchanged,) if exchanged else ())]
    homes = {number: new for _, new in pairs for number in _ids(new)}
    return {old.id: _with_ids((old, new), homes, line) for old, new in pairs}


def moved_by(job: DdlJob, line: int = 0) -> Mapping[TableId, Moved]:
    """Return what becomes of the rows of each table that a job concerns, by its name before."""
    return moved(job.action, job.before, job.after, job.exchanged, line)


def _gone(row: Row) -> None:
    del row


def _ids(table: Table) -> tuple[int, ...]:
    return table.partition_ids if table.partition_kind else (table.physical_id,)


def _with_ids(versions: Versions, homes: Mapping[int, Table], line: int) -> Moved:
    before, after = versions
    physical: Physical | None = physical_of(before)

    def move(row: Row) -> tuple[Table, Row] | None:
        try:
            number = before.physical_id if physical is None else physical(row, line)
        except HomelessError:
            # In none of the partitions that are known, so in none that goes.
            return after, row
        home = homes.get(number)
        return None if home is None else (home, row)

    return move
