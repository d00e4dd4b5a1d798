"""VStream responses and connectors for tests, in few words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any

from harness.codecs.connect.schema import ConnectRecord
from harness.codecs.debezium_vitess.dialect import DIALECTS
from harness.codecs.debezium_vitess.encode import Connector, ConnectorEnvironment
from harness.codecs.debezium_vitess.settings import read
from harness.model.vstream import (
    Begin,
    Cells,
    Commit,
    FieldEvent,
    FieldInfo,
    RowChange,
    ShardGtid,
    Vgtid,
    VRowEvent,
    VStreamResponse,
)

BASE = {
    "topic.prefix": "srv",
    "vitess.keyspace": "ks",
    "vitess.shard": "0",
    "snapshot.mode": "never",
}
HOST = "MySQL56/aaaaaaaa-0000-11ec-8e20-0242ac110004:1-"
NOW = 1_800_000_000_123_456_789
ID = FieldInfo("id", "INT64", "bigint", 3)
TEXT = FieldInfo("v", "VARCHAR", "varchar(64)", 0)


def begin(shard: str = "0") -> Begin:
    """Return a BEGIN."""
    return Begin(1559033904, "ks", shard)


def commit(shard: str = "0") -> Commit:
    """Return a COMMIT."""
    return Commit(1559033904, "ks", shard)


def vgtid(number: int, shard: str = "0") -> Vgtid:
    """Return the position behind the numbered transaction."""
    return Vgtid((ShardGtid("ks", shard, f"{HOST}{number}"),))


def field(*fields: FieldInfo, table: str = "ks.kv", shard: str = "0") -> FieldEvent:
    """Return a FIELD event; without fields the table has a key and a text."""
    return FieldEvent(table, fields or (ID, TEXT), 1559033904, "ks", shard)


def row(
    before: Sequence[bytes | None] | None,
    after: Sequence[bytes | None] | None,
    table: str = "ks.kv",
    shard: str = "0",
) -> VRowEvent:
    """Return a ROW event of one change."""
    return VRowEvent(table, (RowChange(cells(before), cells(after)),), 1559033904, "ks", shard)


def cells(image: Sequence[bytes | None] | None) -> Cells | None:
    """Return an image as the model has it."""
    return None if image is None else tuple(image)


def transaction(number: int, *events: Any) -> VStreamResponse:
    """Return a whole transaction in one response."""
    return VStreamResponse((begin(), *events, vgtid(number), commit()))


def connector(
    properties: Mapping[str, Any] | None = None,
    around: ConnectorEnvironment | None = None,
    dialect: str = "current",
) -> Connector:
    """Return a connector whose clock stands still."""
    settings = read({**BASE, **(properties or {})})
    return Connector(settings, lambda: NOW, around, DIALECTS[dialect])


def ticking(properties: Mapping[str, Any], step: int) -> Connector:
    """Return a connector whose clock moves by so many nanoseconds a look."""
    clock = count(NOW, step)
    return Connector(read({**BASE, **properties}), lambda: next(clock))


def emitted(
    responses: Sequence[VStreamResponse],
    properties: Mapping[str, Any] | None = None,
    dialect: str = "current",
) -> list[ConnectRecord]:
    """Return the records of a run."""
    return list(connector(properties, dialect=dialect).run(responses))


def new_columns(record: ConnectRecord) -> list[str]:
    """Return the columns that a data record's schema has in its new image."""
    (image,) = (part for part in record.value_schema.fields if part.name == "after")
    return [column.name for column in image.schema.fields]


def after(record: ConnectRecord) -> Mapping[str, Any]:
    """Return the new image of a data record."""
    return record.value["after"]
