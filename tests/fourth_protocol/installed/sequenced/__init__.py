"""A protocol from outside of the harness: each row is one JSON object with a sequence number."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from importlib.resources import files
from typing import Any

import orjson

from harness.contracts import Codec, SchemaRegistry, TypeForm
from harness.errors import DecodingError, EncodingError
from harness.model.columns import ColumnKind
from harness.model.decoded import DecodedEvent, EventKind
from harness.model.record import Record
from harness.model.source_events import RowEvent, SourceEvent, SourceTable
from harness.model.values import Row
from harness.protocols.description import read_description
from harness.protocols.protocol import ProtocolSpec
from harness.sources.tidb.source import tidb_source


class BoundSequenced:
    """The codec; no setting changes a byte."""

    complete: str | None = None
    row_ids = False

    def encode(self, events: Iterable[SourceEvent]) -> Iterator[Record]:
        """Yield a record for each row event; DDL and resolved events are not sent."""
        rows = (event for event in events if isinstance(event, RowEvent))
        for number, event in enumerate(rows, start=1):
            before, after = (_named(event.table, row) for row in (event.before, event.after))
            image = after or before or {}
            names = [event.table.table.columns[at].name for at in event.table.handle]
            value = {
                "seq": number,
                "op": event.op.value,
                "ts": event.commit_ts,
                "table": [event.table.table.id.schema, event.table.table.id.name],
                "before": before,
                "after": after,
            }
            key = {name: image[name] for name in names}
            yield Record(
                event.topic,
                event.partition,
                orjson.dumps([*value["table"], key]),
                orjson.dumps(value),
                (event.origin,),
            )

    def decode(self, key: bytes | None, value: bytes | None) -> tuple[DecodedEvent, ...]:
        """Return the event of a message; DecodingError for what is no such JSON."""
        try:
            said, (_, _, columns) = orjson.loads(value or b""), orjson.loads(key or b"")
            return (
                DecodedEvent(
                    EventKind(said["op"]),
                    said["ts"],
                    *said["table"],
                    before=said["before"],
                    after=said["after"],
                    handle=tuple(columns),
                    key=columns,
                    key_text=(key or b"").decode(),
                    value_text=(value or b"").decode(),
                ),
            )
        except (ValueError, TypeError, KeyError) as error:
            raise DecodingError(f"this is no sequenced row: {error}") from error


def _named(table: SourceTable, row: Row | None) -> dict[str, Any] | None:
    if row is None:
        return None
    found: dict[str, Any] = {}
    for at in table.emitted:
        column = table.table.columns[at]
        if not isinstance(row[at], int | str | None):
            raise EncodingError(f"a {column.kind.value} column has no form in this protocol")
        found[column.name] = row[at]
    return found


def bind(
    values: Mapping[str, Any], dialect: str, registry: SchemaRegistry | None = None
) -> BoundSequenced:
    """Return the codec."""
    del values, dialect, registry
    return BoundSequenced()


_HERE = files("sequenced")
SEQUENCED = ProtocolSpec(
    name="sequenced",
    description=read_description(_HERE / "sequenced.toml"),
    codec=Codec(("current",), bind),
    source=tidb_source("sequenced"),
    types=dict.fromkeys(ColumnKind, TypeForm("a JSON number or text, null for NULL")),
    type_clauses=dict.fromkeys(ColumnKind, "sequenced.type"),
    clauses=(_HERE / "clauses",),
    settings_schema={
        "title": "settings of the stream",
        "description": "There are none.",
        "type": "object",
        "additionalProperties": False,
        "properties": {},
    },
    dated=True,
)
