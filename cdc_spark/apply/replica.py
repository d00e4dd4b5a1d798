"""The tables of a changefeed in memory, as its events leave them: rows, columns, and DDL.

It is what a sink of one's own needs to follow TiDB's DDL, and knows neither Spark nor a format of
tables. Events come in the order in which they take effect, each once; nothing is ordered here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import orjson

from cdc_spark.apply.ddl import Tables
from cdc_spark.apply.fold import column_of, settled
from cdc_spark.apply.schema import Column
from cdc_spark.apply.tables import Row, RowChange
from cdc_spark.errors import DecodingError, PoisonError, UsageError

_ROWS = frozenset({"upsert", "delete"})
_UNTYPED = -1  # events of a decoder have no TiDB action code: the statement says it all


class Replica:
    """The tables of a changefeed in memory; `described` are those at the start, as in job.json."""

    def __init__(self, described: Iterable[Mapping[str, Any]] = ()) -> None:
        """Start with the tables that there are."""
        self._tables = Tables()
        for one in described:
            table = self._tables.get(one["schema"], one["name"])
            columns = [column_of(column) for column in one["columns"]]
            table.columns = {column.name.lower(): column for column in columns}
            for row in one.get("rows", ()):
                table.insert(dict(row))

    def apply(self, event: Mapping[str, Any]) -> None:
        """Apply an event, by the columns of `EVENT_SCHEMA`; others than rows and DDL do nothing.

        A row of `change_data` does as well: it has `_op` and no `identity`, so a row of a table
        without a key is found by its image there, not by TiDB's id of it.

        Raises DecodingError for DDL whose effect on rows is unknown, and PoisonError for a message
        that was set aside. What failed has changed nothing, so a statement may be given in its
        place, or the event be left out.
        """
        op = event.get("op", event.get("_op"))
        if op is None:
            raise UsageError(
                "an event has no `op`", expected="a row of a decoder or of change_data"
            )
        if op == "poison":
            raise PoisonError(f"{event['reason']} (topic {event['topic']}, {_place(event)})")
        if op == "ddl":
            named = {"q": event["query"], "t": _UNTYPED}
            self._tables.execute(event["schema"], event["table"], named)
        elif op in _ROWS:
            table = self._tables.get(event["schema"], event["table"])
            before, after = (
                None if event[side] is None else settled(table, orjson.loads(event[side]))
                for side in ("before", "after")
            )
            change = RowChange(
                tuple(event["key"]), before, after, _row_id(event.get("identity", ""))
            )
            table.apply(change)

    def rows(self) -> dict[tuple[str, str], list[Row]]:
        """Return the rows of each table by schema and name, in the contract's values."""
        return {(one.schema, one.name): list(one) for one in self._tables}

    def columns(self, schema: str, table: str) -> tuple[Column, ...]:
        """Return a table's columns in their order, as far as DDL has said; none is known else.

        Raises DecodingError for a table that is not there.
        """
        at = (schema.lower(), table.lower())
        for one in self._tables:
            if (one.schema.lower(), one.name.lower()) == at:
                return tuple(one.columns.values())
        raise DecodingError(f"there is no table {schema}.{table}")


def _row_id(identity: str) -> int | None:
    """Return TiDB's id of a row without a key, which stands in the place of its key."""
    *_, last = orjson.loads(identity) if identity else (None,)
    return last.get("rid") if isinstance(last, dict) else None  # pyright: ignore[reportUnknownMemberType,reportUnknownVariableType]


def _place(event: Mapping[str, Any]) -> str:
    return f"partition {event['partition']}, offset {event['offset']}"
