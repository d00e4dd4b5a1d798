"""Which shard a row change happens on: the one that a scenario pins it to, else its vindex's."""

from __future__ import annotations

from collections.abc import Mapping

from harness.errors import StepError
from harness.model.canonical import canonical
from harness.model.change import Pin, RowChanged
from harness.model.table import Table
from harness.model.values import Row, Value
from harness.sources.vitess.topology import Topology


def shard_of(topology: Topology, table: Table, change: RowChanged, pin: Pin) -> str:
    """Return the shard of a change; StepError where there is none, or where it would move."""
    pinned = next(
        (row.shard for row in pin.rows if row.shard and _has(table, change, row.key)), pin.shard
    )
    if pinned is not None:
        if pinned not in topology.shards:
            raise StepError(
                f"a row is pinned to the shard {pinned!r}, which the keyspace does not have now",
                line=change.line,
                expected="one of " + ", ".join(topology.shards),
            )
        return pinned
    if not topology.sharded:
        return topology.shards[0]
    return _by_vindex(topology, table, change)


def _by_vindex(topology: Topology, table: Table, change: RowChanged) -> str:
    vindex = topology.vindexes.get(table.id)
    if vindex is None:
        raise StepError(
            f"{table.id} has no vindex, and its keyspace has {len(topology.shards)} shards",
            line=change.line,
            expected="a vindex, or a pin of the row, for every table of a sharded keyspace",
        )
    if all(column.name != vindex.column for column in table.columns):
        raise StepError(
            f"the vindex of {table.id} reads the column {vindex.column!r}, which is not there",
            line=change.line,
            expected="one of " + ", ".join(table.column_names),
        )
    column, ordinal = table.column(vindex.column), table.position(vindex.column)
    shards = [
        topology.shard_of(table.id, column, image[ordinal])
        for image in (change.before, change.after)
        if image is not None
    ]
    if len(set(shards)) > 1:
        raise StepError(
            f"the update of {table.id} would move a row from shard {shards[0]} to {shards[1]}",
            line=change.line,
            expected="an unchanged vindex column: Vitess refuses such an update",
            hint="write it as DELETE and INSERT",
        )
    return shards[0]


def _has(table: Table, change: RowChanged, wanted: Mapping[str, Value]) -> bool:
    """Return whether the changed row, old or new, has these values."""
    return any(
        _agrees(table, image, wanted)
        for image in (change.before, change.after)
        if image is not None
    )


def _agrees(table: Table, image: Row, wanted: Mapping[str, Value]) -> bool:
    try:
        return all(
            image[table.position(name)] == canonical(table.column(name), value)
            for name, value in wanted.items()
        )
    except (KeyError, ValueError):
        return False
