"""Which partition a row goes to.

| rule | partition of N |
| --- | --- |
| default, table | crc32(schema + table) % N |
| ts | commit ts % N |
| index-value, rowid | crc32(schema + table) XOR crc32(name + value) for each handle column, % N |
| columns | the same over the listed columns |

Updates use the new columns, deletes the old ones.
Source: tiflow c7b2588 cdc/sink/dmlsink/mq/dispatcher/partition; value text: model/sink.go:1021.
"""

from __future__ import annotations

from collections.abc import Iterable
from zlib import crc32

from harness.errors import UsageError
from harness.model.columns import ColumnKind
from harness.model.mounted import MountedTable
from harness.model.values import Row, Value
from harness.upstream.changefeed import Dispatcher
from harness.wire.go_json import shortest


def value_text(kind: ColumnKind, value: Value) -> bytes:
    """Return the text of a column's value that takes part in the hash."""
    if value is None:
        return b"null"
    if isinstance(value, bytes):
        return value
    if isinstance(value, float):
        return f"{shortest(value, 32 if kind is ColumnKind.FLOAT else 64):f}".encode()
    return str(value).encode()


def partition_of(
    rule: Dispatcher | None, table: MountedTable, row: Row, commit_ts: int, count: int
) -> int:
    """Return the partition (from 0) of a row image among `count` partitions."""
    kind = "default" if rule is None else rule.partition
    if kind == "ts":
        return commit_ts % count
    name = table.table.id
    digest = crc32((name.schema + name.name).encode())
    if kind in ("index-value", "rowid"):
        digest ^= _columns_hash(table, row, table.handle)
    elif rule is not None and kind == "columns":
        digest ^= _columns_hash(table, row, [_ordinal(table, column) for column in rule.columns])
    return digest % count


def _ordinal(table: MountedTable, column: str) -> int:
    try:
        return table.table.position(column)
    except KeyError as error:
        raise UsageError(
            f"the dispatcher names column {column!r}, which {table.table.id} does not have",
            expected="one of " + ", ".join(c.name for c in table.table.columns),
        ) from error


def _columns_hash(table: MountedTable, row: Row, ordinals: Iterable[int]) -> int:
    digest = 0
    for ordinal in ordinals:
        column = table.table.columns[ordinal]
        digest ^= crc32(column.name.encode() + value_text(column.kind, row[ordinal]))
    return digest
