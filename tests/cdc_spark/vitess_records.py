"""Records of Debezium's Vitess connector built by hand, as JSON with schemas or without."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

Row = Mapping[str, Any]
Field = tuple[str, str, str]  # name, Connect's type, semantic name
ID: Field = ("id", "int32", "")
VALUE: Field = ("v", "string", "")


def connect(name: str, *fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return a struct's schema."""
    return {"type": "struct", "optional": True, "name": name, "fields": list(fields)}


def field(one: Field, **more: object) -> dict[str, Any]:
    """Return a field of a struct."""
    name, kind, semantic = one
    found = {"type": kind, "optional": True, "field": name, **more}
    return {**found, "name": semantic} if semantic else found


def change(op: str, before: Row | None, after: Row | None, **more: Any) -> dict[str, Any]:
    """Return a change of `ks.t`; `ts`, `shard`, `table` and `transaction` may differ."""
    source = {
        "ts_ms": more.get("ts", 1000),
        "keyspace": "ks",
        "table": more.get("table", "t"),
        "shard": more.get("shard", "0"),
        "vgtid": "[]",
    }
    block = more.get("transaction")
    return {"before": before, "after": after, "source": source, "transaction": block, "op": op}


def block(name: str, order: int, epoch: int | None = None, rank: int | None = None) -> Row:
    """Return a row's transaction block, ordered where epoch and rank are told."""
    found: dict[str, Any] = {"id": name, "total_order": order, "data_collection_order": order}
    return (
        found if epoch is None else {**found, "transaction_epoch": epoch, "transaction_rank": rank}
    )


def end(name: str, count: int) -> dict[str, Any]:
    """Return a transaction's END."""
    return {"status": "END", "id": name, "event_count": count, "data_collections": [], "ts_ms": 1}


def plain(document: Row | None) -> bytes | None:
    """Return bytes as JsonConverter writes them without schemas."""
    return None if document is None else json.dumps(document).encode()


def enveloped(document: Row | None, *fields: Mapping[str, Any]) -> bytes | None:
    """Return a change's bytes as JsonConverter writes them with schemas."""
    if document is None:
        return None
    images = [{**connect("Value", *fields), "field": side} for side in ("before", "after")]
    schema = connect("Envelope", *images)
    return json.dumps({"schema": schema, "payload": document}, separators=(",", ":")).encode()
