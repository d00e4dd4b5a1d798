"""The connector's `message.key.columns`: which columns find a row, where not its table's own key.

`table:column,column;table:column`; tables are regular expressions. A row whose other columns change
keeps its identity, so a change is one update, or a deletion and a creation, by these columns.

Source: debezium-core relational/Key.java `CustomKeyMapper`; vectors `key.message_key_columns*`.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from harness.errors import UsageError
from harness.model.table import Table
from harness.sources.vitess.fields import key_ordinals, sent

Keys = Callable[[Table], tuple[int, ...]]


def message_keys(listed: str) -> Keys:
    """Return what finds a table's key columns; its own key where the list names none of it."""
    try:
        names = [
            re.compile(f"{table.strip()}\\.{column.strip()}", re.IGNORECASE | re.ASCII)
            for part in listed.split(";")
            if ":" in part
            for table, _, columns in [part.partition(":")]
            for column in columns.split(",")
        ]
    except re.error as error:
        raise UsageError(f"message.key.columns cannot be {listed!r}: {error}") from error

    def keys(table: Table) -> tuple[int, ...]:
        found = [
            ordinal
            for name in names
            for ordinal in sent(table)
            if name.fullmatch(f"{table.id.schema}.{table.id.name}.{table.columns[ordinal].name}")
        ]
        return tuple(dict.fromkeys(found)) or key_ordinals(table)

    return keys
