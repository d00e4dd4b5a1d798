"""Partitions inside ALTER TABLE: names and physical ids before and after.

Source: TiDB pkg/ddl/executor.go and pkg/ddl/partition.go.
"""

from __future__ import annotations

from dataclasses import replace

from harness.ddl.action import ActionType
from harness.ddl.alterations import (
    AddPartitions,
    Alteration,
    CoalescePartitions,
    DropPartitions,
    ExchangePartition,
    PartitionBy,
    PartitionPlacement,
    RemovePartitioning,
    ReorganizePartitions,
    TruncatePartitions,
)
from harness.ddl.schema.alter import Effect
from harness.ddl.schema.dealing import with_marks
from harness.ddl.schema.partitions import expanded, refuse_repeated, with_partitions
from harness.ddl.schema.refusals import Refused, not_partitioned, unknown_partition
from harness.ddl.schema.state import Moment
from harness.ddl.syntax import PartitionDef
from harness.model.table import Table

_DEALT = ("HASH", "KEY")


def alter_partitions(  # noqa: PLR0911 - one arm a class
    moment: Moment, table: Table, spec: Alteration
) -> tuple[Moment, Effect | None]:
    """Apply one specification about partitions; ids are given where TiDB gives new ones."""
    if isinstance(spec, PartitionBy):
        return _partition_by(moment, table, spec)
    if not table.partition_kind:
        raise not_partitioned(getattr(spec, "at", 0))
    match spec:
        case AddPartitions():
            return _add(moment, table, spec)
        case CoalescePartitions():
            return _coalesce(moment, table, spec)
        case DropPartitions():
            return _drop(moment, table, spec)
        case TruncatePartitions():
            return _truncate(moment, table, spec)
        case ReorganizePartitions():
            return _reorganize(moment, table, spec)
        case RemovePartitioning():
            return _remove(moment, table)
        case PartitionPlacement():
            return moment, Effect(table, ActionType.ALTER_TABLE_PARTITION_PLACEMENT)
        case _:
            what = "EXCHANGE PARTITION must stand alone in its ALTER TABLE"
            raise Refused(getattr(spec, "at", 0), what)


def _ordinals(table: Table, names: tuple[str, ...], at: int) -> tuple[int, ...]:
    known = [name.lower() for name in table.partitions]
    for name in names:
        if name.lower() not in known:
            raise unknown_partition(at, name, table.id.name, table.partitions)
    return tuple(known.index(name.lower()) for name in names)


def _with(table: Table, partitions: tuple[str, ...], ids: tuple[int, ...]) -> Table:
    return replace(table, partitions=partitions, partition_ids=ids)


def _add(moment: Moment, table: Table, spec: AddPartitions) -> tuple[Moment, Effect | None]:
    if table.partition_kind in _DEALT:
        return _redealt(moment, table, spec)
    definitions = spec.definitions or ()
    if not definitions:
        what = f"For {table.partition_kind} partitions each partition must be defined"
        raise Refused(spec.at, what)
    names = tuple(definition.name for definition in definitions)
    known = {name.lower() for name in table.partitions}
    if spec.if_not_exists and any(name.lower() in known for name in names):
        return moment, None
    refuse_repeated((*table.partitions, *names), definitions[0].at)
    moment, ids = moment.take_ids(len(names))
    table = _with(table, (*table.partitions, *names), (*table.partition_ids, *ids))
    table = _marked(table, definitions, slice(len(table.partitions) - len(names), None))
    return moment, Effect(table, ActionType.ADD_TABLE_PARTITION)


def _marked(table: Table, definitions: tuple[PartitionDef, ...], place: slice) -> Table:
    """Return the table with the definitions' values in place of those that stood there."""
    if table.dealing is None:
        return table
    marks = table.dealing.marks
    before, after = marks[: place.start], marks[place.stop :] if place.stop is not None else ()
    dealt = with_marks(table.dealing, definitions, before)
    return replace(table, dealing=replace(dealt, marks=(*dealt.marks, *after)))


def _redealt(moment: Moment, table: Table, spec: AddPartitions) -> tuple[Moment, Effect | None]:
    """More hash or key partitions deal all rows anew: every partition gets a new id."""
    names = tuple(definition.name for definition in spec.definitions or ())
    if not names:
        first = len(table.partitions)
        names = tuple(f"p{number}" for number in range(first, first + (spec.count or 1)))
    refuse_repeated((*table.partitions, *names), spec.at)
    return _dealt(moment, table, (*table.partitions, *names))


def _dealt(moment: Moment, table: Table, names: tuple[str, ...]) -> tuple[Moment, Effect]:
    moment, ids = moment.take_ids(len(names))
    return moment, Effect(_with(table, names, ids), ActionType.REORGANIZE_PARTITION)


def _coalesce(moment: Moment, table: Table, spec: CoalescePartitions) -> tuple[Moment, Effect]:
    if table.partition_kind not in _DEALT:
        raise Refused(spec.at, "COALESCE PARTITION can only be used on HASH/KEY partitions")
    left = len(table.partitions) - spec.count
    if spec.count < 1 or left < 1:
        what = "Cannot remove all partitions, use DROP TABLE instead"
        raise Refused(spec.at, what if spec.count else "At least one partition must be coalesced")
    return _dealt(moment, table, table.partitions[:left])


def _drop(moment: Moment, table: Table, spec: DropPartitions) -> tuple[Moment, Effect | None]:
    if table.partition_kind in _DEALT:
        raise Refused(spec.at, "DROP PARTITION can only be used on RANGE/LIST partitions")
    names = spec.names
    if spec.if_exists:
        known = {name.lower() for name in table.partitions}
        names = tuple(name for name in names if name.lower() in known)
        if not names:
            return moment, None
    gone = set(_ordinals(table, names, spec.at))
    if len(gone) == len(table.partitions):
        raise Refused(spec.at, "Cannot remove all partitions, use DROP TABLE instead")
    kept = [ordinal for ordinal in range(len(table.partitions)) if ordinal not in gone]
    table = _with(
        table,
        tuple(table.partitions[ordinal] for ordinal in kept),
        tuple(table.partition_ids[ordinal] for ordinal in kept),
    )
    if table.dealing is not None and table.dealing.marks:
        marks = tuple(table.dealing.marks[ordinal] for ordinal in kept)
        table = replace(table, dealing=replace(table.dealing, marks=marks))
    return moment, Effect(table, ActionType.DROP_TABLE_PARTITION)


def _truncate(moment: Moment, table: Table, spec: TruncatePartitions) -> tuple[Moment, Effect]:
    names = spec.names or table.partitions
    ordinals = _ordinals(table, names, spec.at)
    moment, new_ids = moment.take_ids(len(ordinals))
    ids = list(table.partition_ids)
    for ordinal, new_id in zip(ordinals, new_ids, strict=True):
        ids[ordinal] = new_id
    table = replace(table, partition_ids=tuple(ids))
    return moment, Effect(table, ActionType.TRUNCATE_TABLE_PARTITION)


def _reorganize(moment: Moment, table: Table, spec: ReorganizePartitions) -> tuple[Moment, Effect]:
    if not spec.names or table.partition_kind in _DEALT:
        what = "REORGANIZE PARTITION needs the names of RANGE or LIST partitions"
        raise Refused(spec.at, what)
    ordinals = sorted(_ordinals(table, spec.names, spec.at))
    if ordinals != list(range(ordinals[0], ordinals[-1] + 1)):
        raise Refused(
            spec.at, "When reorganizing a set of partitions they must be in consecutive order"
        )
    names = tuple(definition.name for definition in spec.definitions)
    first, last = ordinals[0], ordinals[-1] + 1
    partitions = (*table.partitions[:first], *names, *table.partitions[last:])
    refuse_repeated(partitions, spec.at)
    moment, ids = moment.take_ids(len(names))
    all_ids = (*table.partition_ids[:first], *ids, *table.partition_ids[last:])
    table = _marked(_with(table, partitions, all_ids), spec.definitions, slice(first, last))
    return moment, Effect(table, ActionType.REORGANIZE_PARTITION)


def _partition_by(moment: Moment, table: Table, spec: PartitionBy) -> tuple[Moment, Effect]:
    """PARTITION BY makes a new physical table."""
    table = with_partitions(table, expanded(spec.partitioning))
    moment, ids = moment.take_ids(1 + len(table.partitions))
    table = replace(table, physical_id=ids[0], partition_ids=ids[1:])
    return moment, Effect(table, ActionType.ALTER_TABLE_PARTITIONING)


def _remove(moment: Moment, table: Table) -> tuple[Moment, Effect]:
    """REMOVE PARTITIONING makes a new physical table too."""
    moment, ids = moment.take_ids(1)
    table = replace(
        table,
        partitions=(),
        partition_ids=(),
        partition_kind="",
        dealing=None,
        physical_id=ids[0],
    )
    return moment, Effect(table, ActionType.REMOVE_PARTITIONING)


def exchange(table: Table, other: Table, spec: ExchangePartition) -> tuple[Table, Table]:
    """Return both tables after EXCHANGE PARTITION: the partition's and the table's ids swapped."""
    if not table.partition_kind:
        raise not_partitioned(spec.at)
    if other.partition_kind:
        what = f"Table to exchange with partition is partitioned: '{other.id.name}'"
        raise Refused(spec.table.at, what)
    if _shape(table) != _shape(other):
        raise Refused(spec.table.at, "Tables have different definitions")
    (ordinal,) = _ordinals(table, (spec.name,), spec.at)
    ids = list(table.partition_ids)
    old_id, ids[ordinal] = ids[ordinal], other.physical_id
    return (
        replace(table, partition_ids=tuple(ids), version=table.version + 1),
        replace(other, physical_id=old_id, version=other.version + 1),
    )


def _shape(table: Table) -> tuple[tuple[object, ...], ...]:
    return tuple(
        (c.name.lower(), c.kind, c.length, c.scale, c.unsigned, c.nullable, c.charset)
        for c in table.columns
    )
