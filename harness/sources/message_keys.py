"""The connector's `message.key.columns`: which columns find a row, where not its table's own key.

`table:column,column;table:column`; tables and columns are Java's regular expressions, which match a
column's whole name together: `database.table.column`, or that behind the shard. A row whose other
columns change keeps its identity, so a change is one update, or a deletion and a creation, by these
columns.

Source: debezium-core relational/Key.java `CustomKeyMapper`; vectors `key.message_key_columns*`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from harness.errors import UsageError
from harness.model.table import Table
from harness.wire.java_regex import compiled

Keys = Callable[[Table], tuple[int, ...]]


def every(table: Table) -> tuple[int, ...]:
    """Return the ordinals of all columns."""
    return tuple(range(len(table.columns)))


def message_keys(listed: str, own: Keys, shards: Sequence[str] = (), sent: Keys = every) -> Keys:
    """Return what finds a table's key columns; its `own` key where the list names none of it.

    `sent` are the columns that the connector is told of.

    Raises UsageError for what is no expression, and later for one that means some shards alone.
    """
    try:
        names = [
            compiled(f"{table.strip()}.{column.strip()}", re.IGNORECASE | re.ASCII)
            for part in listed.split(";")
            if ":" in part
            for table, _, columns in [part.partition(":")]
            for column in columns.split(",")
        ]
    except re.error as error:
        raise UsageError(
            f"message.key.columns cannot be {listed!r}: {error}",
            expected="table:column,…;…, each a regular expression",
        ) from error

    def keys(table: Table) -> tuple[int, ...]:
        found = [
            ordinal
            for name in names
            for ordinal in sent(table)
            if _names(name, table, ordinal, shards)
        ]
        return tuple(dict.fromkeys(found)) or own(table)

    return keys


def _names(name: re.Pattern[str], table: Table, ordinal: int, shards: Sequence[str]) -> bool:
    whole = f"{table.id.schema}.{table.id.name}.{table.columns[ordinal].name}"
    if name.fullmatch(whole):
        return True
    found = [shard for shard in shards if name.fullmatch(f"{shard}.{whole}")]
    if found and len(found) < len(shards):
        raise UsageError(
            f"message.key.columns names {whole} on {', '.join(found)} alone",
            hint="leave the shard out: here a table has one key on all of them",
        )
    return bool(found)
