"""Partitions inside ALTER TABLE: ADD, DROP, TRUNCATE, COALESCE, REORGANIZE, PARTITION BY, REMOVE.

Ids are given where TiDB gives new ones.
Source: TiDB pkg/parser/parser.y, `AlterTableSpec`, `AlterTablePartitionOpt`; pkg/ddl/executor.go,
pkg/ddl/partition.go.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from harness.ddl.alter.specification import IF_EXISTS, Effect, Effects, Forms
from harness.ddl.change import Change
from harness.ddl.definitions.options import (
    TableOption,
    only_placement,
    parse_table_options,
)
from harness.ddl.definitions.partitioning import (
    PartitionDef,
    Partitioning,
    parse_definitions,
    parse_partitioning,
    restore_definitions,
)
from harness.ddl.definitions.stored_partitions import (
    expanded,
    refuse_repeated,
    with_marks,
    with_partitions,
)
from harness.ddl.errors import Refused, nearest
from harness.ddl.jobs import ActionType
from harness.ddl.sql.cursor import Cursor
from harness.ddl.sql.tree import quote_name, quote_names, special
from harness.model.table import Table

_DEALT = ("HASH", "KEY")


# ---- shared by the specifications ----------------------------------------------------------------


def refuse_unpartitioned(table: Table, at: int) -> None:
    """Raise Refused for a table without partitions."""
    if not table.partition_kind:
        raise Refused(at, "Partition management on a not partitioned table is not possible")


def ordinals(table: Table, names: tuple[str, ...], at: int) -> tuple[int, ...]:
    """Return the ordinals of partitions by name; Refused when one is not there."""
    known = [name.lower() for name in table.partitions]
    for name in names:
        if name.lower() not in known:
            what = f"Unknown partition '{name}' in table '{table.id.name}'"
            raise Refused(at, what, hint=nearest(name, table.partitions))
    return tuple(known.index(name.lower()) for name in names)


def _replaced(
    table: Table, change: Change, place: slice, definitions: tuple[PartitionDef, ...], at: int
) -> Table:
    """Return the table with new partitions, their ids and values, in place of a run of others."""
    first, last = place.start, place.stop
    names = tuple(definition.name for definition in definitions)
    partitions = (*table.partitions[:first], *names, *table.partitions[last:])
    refuse_repeated(partitions, at)
    ids = change.take_ids(len(names))
    dealing = table.dealing
    if dealing is not None:
        dealt = with_marks(dealing, definitions, dealing.marks[:first])
        dealing = replace(dealt, marks=(*dealt.marks, *dealing.marks[last:]))
    ids = (*table.partition_ids[:first], *ids, *table.partition_ids[last:])
    return replace(table, partitions=partitions, partition_ids=ids, dealing=dealing)


def _redealt(table: Table, change: Change, names: tuple[str, ...]) -> Effects:
    """Deal all rows of hash or key partitions anew: every partition gets a new id."""
    table = replace(table, partitions=names, partition_ids=change.take_ids(len(names)))
    return (Effect(table, ActionType.REORGANIZE_PARTITION),)


def _no_binlog(cursor: Cursor) -> bool:
    return bool(cursor.take_any("NO_WRITE_TO_BINLOG", "LOCAL"))


def names_or_all(cursor: Cursor) -> tuple[str, ...]:
    """Return partition names, none for ALL."""
    return () if cursor.take("ALL") else cursor.names("a partition")


@dataclass(frozen=True, slots=True)
class AddPartitions:
    """ADD PARTITION with definitions, or with a `count` of hash or key partitions."""

    definitions: tuple[PartitionDef, ...] | None
    count: int = 0
    if_not_exists: bool = False
    no_binlog: bool = False
    at: int = field(default=0, compare=False)

    def restore(self) -> str:
        """Return the specification as TiDB writes it."""
        text = "ADD PARTITION"
        text += special("", " IF NOT EXISTS") if self.if_not_exists else ""
        text += " NO_WRITE_TO_BINLOG" if self.no_binlog else ""
        if self.definitions is not None:
            return f"{text} {restore_definitions(self.definitions)}"
        return text + (f" PARTITIONS {self.count}" if self.count else "")

    def apply(self, table: Table, change: Change) -> Effects:
        """Add the partitions behind the others."""
        refuse_unpartitioned(table, self.at)
        definitions = self.definitions or ()
        names = tuple(definition.name for definition in definitions)
        count = len(table.partitions)
        if table.partition_kind in _DEALT:
            numbers = range(count, count + (self.count or 1))
            names = names or tuple(f"p{number}" for number in numbers)
            refuse_repeated((*table.partitions, *names), self.at)
            return _redealt(table, change, (*table.partitions, *names))
        if not definitions:
            what = f"For {table.partition_kind} partitions each partition must be defined"
            raise Refused(self.at, what)
        known = {name.lower() for name in table.partitions}
        if self.if_not_exists and any(name.lower() in known for name in names):
            return ()
        table = _replaced(table, change, slice(count, count), definitions, definitions[0].at)
        return (Effect(table, ActionType.ADD_TABLE_PARTITION),)


def _add(cursor: Cursor) -> AddPartitions:
    at = cursor.behind()
    cursor.next()
    guarded = cursor.if_not_exists()
    no_binlog = _no_binlog(cursor)
    if cursor.take("PARTITIONS"):
        return AddPartitions(None, cursor.number("a number of partitions"), guarded, no_binlog, at)
    definitions = parse_definitions(cursor) if cursor.sees("(") else None
    return AddPartitions(definitions, 0, guarded, no_binlog, at)


@dataclass(frozen=True, slots=True)
class CoalescePartitions:
    """COALESCE PARTITION."""

    count: int
    no_binlog: bool = False
    at: int = field(default=0, compare=False)

    def restore(self) -> str:
        """Return the specification as TiDB writes it."""
        return f"COALESCE PARTITION {'NO_WRITE_TO_BINLOG ' if self.no_binlog else ''}{self.count}"

    def apply(self, table: Table, change: Change) -> Effects:
        """Remove the last partitions, whose rows go to the others."""
        refuse_unpartitioned(table, self.at)
        if table.partition_kind not in _DEALT:
            raise Refused(self.at, "COALESCE PARTITION can only be used on HASH/KEY partitions")
        if self.count < 1:
            raise Refused(self.at, "At least one partition must be coalesced")
        if self.count >= len(table.partitions):
            raise Refused(self.at, "Cannot remove all partitions, use DROP TABLE instead")
        return _redealt(table, change, table.partitions[: -self.count])


def _coalesce(cursor: Cursor) -> CoalescePartitions:
    at = cursor.offset
    no_binlog = _no_binlog(cursor.expect("COALESCE", "PARTITION"))
    return CoalescePartitions(cursor.number("a number of partitions"), no_binlog, at)


@dataclass(frozen=True, slots=True)
class DropPartitions:
    """DROP PARTITION."""

    names: tuple[str, ...]
    if_exists: bool = False
    at: int = field(default=0, compare=False)

    def restore(self) -> str:
        """Return the specification as TiDB writes it."""
        return f"DROP PARTITION {IF_EXISTS if self.if_exists else ''}{quote_names(self.names)}"

    def apply(self, table: Table, _change: Change) -> Effects:
        """Remove the partitions with their rows."""
        refuse_unpartitioned(table, self.at)
        if table.partition_kind in _DEALT:
            raise Refused(self.at, "DROP PARTITION can only be used on RANGE/LIST partitions")
        names = self.names
        if self.if_exists:
            known = {name.lower() for name in table.partitions}
            names = tuple(name for name in names if name.lower() in known)
            if not names:
                return ()
        gone = set(ordinals(table, names, self.at))
        kept = [ordinal for ordinal in range(len(table.partitions)) if ordinal not in gone]
        if not kept:
            raise Refused(self.at, "Cannot remove all partitions, use DROP TABLE instead")
        dealing = table.dealing
        if dealing is not None and dealing.marks:
            dealing = replace(dealing, marks=tuple(dealing.marks[ordinal] for ordinal in kept))
        table = replace(
            table,
            partitions=tuple(table.partitions[ordinal] for ordinal in kept),
            partition_ids=tuple(table.partition_ids[ordinal] for ordinal in kept),
            dealing=dealing,
        )
        return (Effect(table, ActionType.DROP_TABLE_PARTITION),)


def _drop(cursor: Cursor) -> DropPartitions:
    at = cursor.behind()
    cursor.next()
    guarded = cursor.if_exists()
    return DropPartitions(cursor.names("a partition"), guarded, at)


@dataclass(frozen=True, slots=True)
class TruncatePartitions:
    """TRUNCATE PARTITION; no names means ALL."""

    names: tuple[str, ...]
    at: int = field(default=0, compare=False)

    def restore(self) -> str:
        """Return the specification as TiDB writes it."""
        return f"TRUNCATE PARTITION {quote_names(self.names) or 'ALL'}"

    def apply(self, table: Table, change: Change) -> Effects:
        """Empty the partitions, which get new ids."""
        refuse_unpartitioned(table, self.at)
        places = ordinals(table, self.names or table.partitions, self.at)
        ids = list(table.partition_ids)
        for ordinal, new_id in zip(places, change.take_ids(len(places)), strict=True):
            ids[ordinal] = new_id
        table = replace(table, partition_ids=tuple(ids))
        return (Effect(table, ActionType.TRUNCATE_TABLE_PARTITION),)


def _truncate(cursor: Cursor) -> TruncatePartitions:
    at = cursor.offset
    cursor.expect("TRUNCATE", "PARTITION")
    return TruncatePartitions(names_or_all(cursor), at)


@dataclass(frozen=True, slots=True)
class ReorganizePartitions:
    """REORGANIZE PARTITION ... INTO; no names means the bare form."""

    names: tuple[str, ...]
    definitions: tuple[PartitionDef, ...]
    no_binlog: bool = False
    at: int = field(default=0, compare=False)

    def restore(self) -> str:
        """Return the specification as TiDB writes it."""
        text = "REORGANIZE PARTITION" + (" NO_WRITE_TO_BINLOG" if self.no_binlog else "")
        if not self.names:
            return text
        return f"{text} {quote_names(self.names)} INTO {restore_definitions(self.definitions)}"

    def apply(self, table: Table, change: Change) -> Effects:
        """Put new partitions in the place of neighbours."""
        refuse_unpartitioned(table, self.at)
        if not self.names or table.partition_kind in _DEALT:
            what = "REORGANIZE PARTITION needs the names of RANGE or LIST partitions"
            raise Refused(self.at, what)
        places = sorted(ordinals(table, self.names, self.at))
        place = slice(places[0], places[-1] + 1)
        if places != list(range(place.start, place.stop)):
            what = "When reorganizing a set of partitions they must be in consecutive order"
            raise Refused(self.at, what)
        table = _replaced(table, change, place, self.definitions, self.at)
        return (Effect(table, ActionType.REORGANIZE_PARTITION),)


def _reorganize(cursor: Cursor) -> ReorganizePartitions:
    at = cursor.offset
    no_binlog = _no_binlog(cursor.expect("REORGANIZE", "PARTITION"))
    if not cursor.sees_name():
        return ReorganizePartitions((), (), no_binlog, at)
    names = cursor.names("a partition")
    cursor.expect("INTO")
    return ReorganizePartitions(names, parse_definitions(cursor), no_binlog, at)


@dataclass(frozen=True, slots=True)
class PartitionBy:
    """PARTITION BY inside ALTER TABLE."""

    partitioning: Partitioning

    def restore(self) -> str:
        """Return the specification as TiDB writes it."""
        return self.partitioning.restore()

    def apply(self, table: Table, change: Change) -> Effects:
        """Partition the table, which makes a new physical table."""
        table = with_partitions(table, expanded(self.partitioning))
        ids = change.take_ids(1 + len(table.partitions))
        table = replace(table, physical_id=ids[0], partition_ids=ids[1:])
        return (Effect(table, ActionType.ALTER_TABLE_PARTITIONING),)


@dataclass(frozen=True, slots=True)
class RemovePartitioning:
    """REMOVE PARTITIONING."""

    at: int = field(default=0, compare=False)

    def restore(self) -> str:
        """Return the specification as TiDB writes it."""
        return "REMOVE PARTITIONING"

    def apply(self, table: Table, change: Change) -> Effects:
        """Make one physical table, with a new id, of all partitions."""
        refuse_unpartitioned(table, self.at)
        table = replace(
            table,
            partitions=(),
            partition_ids=(),
            partition_kind="",
            dealing=None,
            physical_id=change.take_ids(1)[0],
        )
        return (Effect(table, ActionType.REMOVE_PARTITIONING),)


def _remove(cursor: Cursor) -> RemovePartitioning:
    at = cursor.offset
    cursor.expect("REMOVE", "PARTITIONING")
    return RemovePartitioning(at)


@dataclass(frozen=True, slots=True)
class PartitionPlacement:
    """PARTITION p PLACEMENT POLICY ...: written back as nothing."""

    name: str
    options: tuple[TableOption, ...]
    at: int = field(default=0, compare=False)

    def restore(self) -> str | None:
        """Return the specification as TiDB writes it, None for placement alone."""
        if only_placement(self.options):
            return None
        texts = " ".join(option.restore() for option in self.options)
        return special("placement", f"PARTITION {quote_name(self.name)} {texts}")

    def apply(self, table: Table, _change: Change) -> Effects:
        """Change the placement, which no stream shows."""
        refuse_unpartitioned(table, self.at)
        return (Effect(table, ActionType.ALTER_TABLE_PARTITION_PLACEMENT),)


def parse_placement(cursor: Cursor, name: str) -> PartitionPlacement:
    """Return the placement behind PARTITION `name`, which must stand here."""
    at = cursor.offset
    options = parse_table_options(cursor, commas=False)
    if not options:
        raise cursor.fail("ATTRIBUTES or PLACEMENT POLICY")
    return PartitionPlacement(name, options, at)


FORMS: Forms = {
    ("ADD", "PARTITION"): _add,
    ("COALESCE",): _coalesce,
    ("DROP", "PARTITION"): _drop,
    ("TRUNCATE",): _truncate,
    ("REORGANIZE",): _reorganize,
    ("PARTITION", "BY"): lambda cursor: PartitionBy(parse_partitioning(cursor)),
    ("REMOVE",): _remove,
}
