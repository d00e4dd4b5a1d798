"""The version of a table's definition: the commit ts of its last DDL that has taken effect.

DDL comes to all buckets, so each knows the version of all tables; what is kept is a number for each
table that had DDL. A statement that renames a table is the new name's, as the stream says.
"""

from __future__ import annotations

from collections.abc import Sequence

from cdc_spark.events import Kind
from cdc_spark.ordering.columns import Array, Block, codes, pairs, size
from cdc_spark.untyped import np

Name = tuple[str, str]  # schema and table in lower case: of one table they differ in case alone


class TableVersions:
    """The versions of a changefeed's tables, as far as it has taken effect."""

    def __init__(self) -> None:
        """Start without DDL."""
        self._of: dict[Name, int] = {}

    def of(self, released: Block) -> Array:
        """Return the version of each event's table behind it, 0 before any DDL; keep the last.

        Events are all that take effect, in their order.
        """
        found = np.zeros(size(released), np.uint64)
        statements = np.flatnonzero(released["kind"] == Kind.DDL)
        if not (len(statements) or self._of):
            return found
        numbers = pairs(codes(released["schema"]), codes(released["table"]))
        _, firsts, spelled = np.unique(numbers, return_index=True, return_inverse=True)
        names = [_name(released["schema"][at], released["table"][at]) for at in firsts]
        places = {name: at for at, name in enumerate(dict.fromkeys(names))}
        table = np.array([places[name] for name in names], np.int64)[spelled]
        found = np.array([self._of.get(name, 0) for name in places], np.uint64)[table]
        for at in statements:
            found[at:][table[at:] == table[at]] = released["ts"][at]
            self._of[names[spelled[at]]] = int(released["ts"][at])
        return found

    def dump(self) -> list[list[str]]:
        """Return the versions as JSON has them; `load` is the way back."""
        return [[*name, str(ts)] for name, ts in self._of.items()]

    def load(self, saved: Sequence[Sequence[str]]) -> None:
        """Take up the versions that `dump` gave."""
        self._of = {(schema, table): int(ts) for schema, table, ts in saved}


def _name(schema: str, table: str) -> Name:
    return schema.lower(), table.lower()
