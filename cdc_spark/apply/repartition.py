"""ALTER TABLE on partitions: rows go or move with them, and the table's partitioning follows.

Rows that no event names are found by the definition that former statements gave. Where they gave
none that can be worked out here, the effect is unknown, unless there are no rows to lose.
"""

from __future__ import annotations

from cdc_spark.apply.partitions import Partitions, Within, unclear
from cdc_spark.apply.statements import (
    AddPartitions,
    CoalescePartitions,
    DropPartitions,
    ExchangePartition,
    PartitionAction,
    ReorganizePartitions,
    Repartition,
    TruncatePartitions,
)
from cdc_spark.apply.tables import Table
from cdc_spark.errors import DecodingError


class UnknownEffect(DecodingError):  # noqa: N818 - not an error, a limit of the stream
    """A statement whose effect on rows the stream does not carry; no consumer can follow it."""


def repartition(table: Table, action: PartitionAction, other: Table | None) -> None:
    """Alter a table's partitions; `other` is the table that one is exchanged with.

    Raises UnknownEffect where rows may go that nothing tells.
    """
    match action:
        case TruncatePartitions(names) | DropPartitions(names):
            goes = _within(table, names)
            if goes is not None:
                table.drop(goes)
        case ExchangePartition(name):
            assert other is not None
            goes = _within(table, (name,), other)
            if goes is not None:
                table.exchange(other, goes)
        case _:
            pass
    table.partitions = _after(table.partitions, action)


def _within(table: Table, names: tuple[str, ...], other: Table | None = None) -> Within | None:
    """Return which rows are meant, None where there are none at all."""
    if not table.may_have_rows and (other is None or not other.may_have_rows):
        return None
    what = f"the rows of a partition of {table.schema}.{table.name}"
    if table.partitions is None:
        raise UnknownEffect(f"{what}: no statement has defined it")
    why = unclear(table.partitions, table.columns)
    if why:
        raise UnknownEffect(f"{what}: {why}")
    try:
        places = table.partitions.ordinals(names)
    except KeyError as error:
        raise UnknownEffect(f"{what}: no statement has defined {error}") from None
    every = range(len(table.partitions.definitions))
    return Within(table.partitions, frozenset(places if names else every))


def _after(partitions: Partitions | None, action: PartitionAction) -> Partitions | None:
    """Return the partitioning after a statement, None where nothing is known of it."""
    if isinstance(action, Repartition):
        return action.partitions
    if partitions is None:
        return None
    try:
        return _changed(partitions, action)
    except KeyError:
        return None


def _changed(partitions: Partitions, action: PartitionAction) -> Partitions:
    last = len(partitions.definitions)
    match action:
        case AddPartitions(definitions, count):
            if count:
                return partitions.counted(last + count)
            return partitions.replaced(last, last, definitions)
        case CoalescePartitions(count):
            return partitions.counted(last - count)
        case ReorganizePartitions(names, definitions):
            places = partitions.ordinals(names)
            return partitions.replaced(min(places), max(places) + 1, definitions)
        case DropPartitions(names):
            for place in sorted(partitions.ordinals(names), reverse=True):
                partitions = partitions.replaced(place, place + 1, ())
        case _:
            pass
    return partitions
