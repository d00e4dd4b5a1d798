"""EXCHANGE PARTITION, the one specification that changes two tables.

Source: TiDB pkg/parser/parser.y, `AlterTableSpec`; pkg/ddl/partition.go,
`onExchangeTablePartition`; tiflow c7b2588 cdc/model/sink.go:1092, which rebuilds the query.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from harness.ddl.alter.partitions import ordinals, refuse_unpartitioned
from harness.ddl.alter.specification import Effects, Forms
from harness.ddl.change import Change, full_name
from harness.ddl.errors import Refused
from harness.ddl.jobs import ActionType
from harness.ddl.sql.cursor import Cursor
from harness.ddl.sql.tree import TableRef, quote_name
from harness.model.table import Table


@dataclass(frozen=True, slots=True)
class ExchangePartition:
    """EXCHANGE PARTITION ... WITH TABLE."""

    name: str
    table: TableRef
    validation: bool = True
    at: int = field(default=0, compare=False)

    def restore(self) -> str:
        """Return the specification as TiDB writes it."""
        return self._text(self.table.restore())

    def _text(self, table: str) -> str:
        tail = "" if self.validation else " WITHOUT VALIDATION"
        return f"EXCHANGE PARTITION {quote_name(self.name)} WITH TABLE {table}{tail}"

    def apply(self, table: Table, _change: Change) -> Effects:
        """Refuse to stand beside other specifications."""
        refuse_unpartitioned(table, self.at)
        raise Refused(self.at, "EXCHANGE PARTITION must stand alone in its ALTER TABLE")

    def exchange(self, before: Table, change: Change) -> None:
        """Swap the physical ids of partition and table; the query is made of full names."""
        other = change.existing(self.table)
        after, exchanged = self._swapped(before, other)
        query = f"ALTER TABLE {full_name(before.id)} {self._text(full_name(other.id))}"
        change.take_ids(1)
        change.put(after)
        change.put(exchanged)
        action = ActionType.EXCHANGE_TABLE_PARTITION
        job = change.add_table_job(action, query, before, after)
        change.jobs[-1] = replace(job, exchanged=(other, exchanged))

    def _swapped(self, table: Table, other: Table) -> tuple[Table, Table]:
        refuse_unpartitioned(table, self.at)
        if other.partition_kind:
            what = f"Table to exchange with partition is partitioned: '{other.id.name}'"
            raise Refused(self.table.at, what)
        if _shape(table) != _shape(other) or _keys(table) != _keys(other):
            raise Refused(self.table.at, "Tables have different definitions")
        (ordinal,) = ordinals(table, (self.name,), self.at)
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


def _keys(table: Table) -> tuple[bool, frozenset[tuple[object, ...]]]:
    """Return the keys as TiDB compares them (pkg/ddl/partition.go `checkTableDefCompatible`)."""
    keys = (
        (index.name.lower(), index.unique, index.primary, index.parts) for index in table.indexes
    )
    return table.clustered, frozenset(keys)


def _exchange(cursor: Cursor) -> ExchangePartition:
    at = cursor.offset
    name = cursor.expect("EXCHANGE", "PARTITION").name("a partition")
    table = cursor.expect("WITH", "TABLE").table()
    validation = not cursor.take("WITHOUT", "VALIDATION")
    if validation:
        cursor.take("WITH", "VALIDATION")
    return ExchangePartition(name, table, validation, at)


FORMS: Forms = {("EXCHANGE",): _exchange}
