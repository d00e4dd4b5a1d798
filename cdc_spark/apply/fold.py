"""Folds one changefeed's applied changes into tables, events and executed DDL.

Changes come in the order of their `seq`, each once; the fold adds no order of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

import orjson

from cdc_spark.apply.ddl import Tables
from cdc_spark.apply.repartition import UnknownEffect
from cdc_spark.apply.schema import Column
from cdc_spark.apply.shape import Shapes
from cdc_spark.apply.tables import Row, RowChange, Table
from cdc_spark.apply.values import WireValue, settle
from cdc_spark.errors import DecodingError
from cdc_spark.events import Kind


@dataclass(frozen=True, slots=True)
class Change:
    """One applied event with where it stood; `payload` as in `events.Event`."""

    kind: Kind
    ts: int
    schema: str
    table: str
    payload: str
    topic: str
    partition: int
    offset: int

    @property
    def place(self) -> str:
        """Return the event's place in words."""
        return f"topic {self.topic}, partition {self.partition}, offset {self.offset}"


@dataclass(slots=True)
class Fold:
    """The state of one changefeed: its tables, and what is wrong with it (empty: nothing).

    `needs` says what the stream would have to carry for us to go on; that is not an error.
    `shapes` follows what rows say of their tables, None where DDL does. `lenient`: poison was set
    aside, and is no reason to stop. `keys` are the handle keys that tables' rows have had.
    """

    tables: Tables = field(default_factory=Tables)
    error: str = ""
    needs: str = ""
    shapes: Shapes | None = None
    lenient: bool = False
    keys: dict[tuple[str, str], set[tuple[str, ...]]] = field(
        default_factory=dict[tuple[str, str], set[tuple[str, ...]]]
    )

    def start(self, tables: Iterable[Mapping[str, Any]]) -> None:
        """Take the tables that exist at the start offsets, as `job.json` describes them."""
        for described in tables:
            table = self.tables.get(described["schema"], described["name"])
            columns = [column_of(column) for column in described["columns"]]
            table.columns = {column.name.lower(): column for column in columns}
            for row in described["rows"]:
                table.insert(dict(row))

    def apply(self, change: Change) -> dict[str, Any] | None:
        """Apply a change; return its line of `events.jsonl`, `ddl.jsonl` or `dead_letters.jsonl`.

        Empty when it met nothing, None when it failed. After a failure nothing more is applied:
        what follows might rest on it.
        """
        if self.error:
            return None
        if change.kind is Kind.ERROR and self.lenient:
            return {
                "topic": change.topic,
                "partition": change.partition,
                "offset": change.offset,
                "reason": change.payload,
            }
        if change.kind is Kind.ERROR:
            self.error = f"{change.payload} ({change.place})"
            return None
        try:
            return self._ddl(change) if change.kind is Kind.DDL else self._row(change)
        except UnknownEffect as error:
            self.needs = f"rows of DDL of unknown effect: {error.what}"
            self.error = f"{error.what} ({change.place})"
        except DecodingError as error:
            self.error = f"{error.what} ({change.place})"
        except Exception as error:  # noqa: BLE001 - our defect here must not harm the neighbours
            self.error = f"a defect of the consumer: {error!r} ({change.place})"
        return None

    def _ddl(self, change: Change) -> dict[str, Any]:
        event = orjson.loads(change.payload)
        self.tables.execute(change.schema, change.table, event)
        return {
            "query": event["q"],
            "type": event["t"],
            "schema": change.schema,
            "table": change.table,
            "commit_ts": str(change.ts),
        }

    def _row(self, change: Change) -> dict[str, Any]:
        event = orjson.loads(change.payload)
        table = self.tables.get(change.schema, change.table)
        before = settled(table, event["before"])
        after = settled(table, event["after"])
        if self.shapes is not None and "shape" in event:
            since = event.get("since", change.ts)
            before, after = self.shapes.follow(table, event["shape"], since, (before, after))
        key = tuple(event["key"])
        self.keys.setdefault((change.schema.lower(), change.table.lower()), set()).add(key)
        met = table.apply(RowChange(key, before, after, event["rid"]))
        if not met and event.get("tombstone"):
            return {}
        is_update = before is not None or met
        return {
            "op": "delete" if after is None else "update" if is_update else "insert",
            "schema": change.schema,
            "table": change.table,
            "before": before,
            "after": after,
            "commit_ts": None if not change.ts or event.get("undated") else str(change.ts),
            "topic": change.topic,
            "partition": change.partition,
            "offset": change.offset,
        }


def settled(table: Table, image: Mapping[str, WireValue] | None) -> Row | None:
    """Return an image in the contract's values; what the wire leaves open, the columns say."""
    if image is None:
        return None
    # Only one old dialect has lists; to look for them costs a tenth of settling each value.
    if list not in set(map(type, image.values())):
        return cast("Row", image)
    columns = table.columns
    return {name: settle(columns.get(name.lower()), value) for name, value in image.items()}


def column_of(described: Mapping[str, Any]) -> Column:
    """Return a column as `job.json` describes it."""
    return Column(
        name=described["name"],
        kind=described["type"],
        length=described.get("length"),
        scale=described.get("scale"),
        members=tuple(described.get("members", ())),
        nullable=described.get("nullable", True),
        unsigned=bool(described.get("unsigned")),
    )
