"""`UseLocalVgtid`: keep, of a record's VGTID, the one shard that the record is of.

Only `source.vgtid` changes; the transaction's id does not. Records without `source`, tombstones
among them, pass as they are.

Source: V:transforms/UseLocalVgtid.java, V:Vgtid.java getLocalVgtid; vectors `smt.*`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

from harness.codecs.connect.errors import (
    DATA_EXCEPTION,
    ILLEGAL_STATE_EXCEPTION,
    NULL_POINTER_EXCEPTION,
    stopped,
)
from harness.codecs.connect.schema import ConnectRecord, Kind, Schema
from harness.codecs.debezium_vitess.connector.vgtid import jackson
from harness.codecs.debezium_vitess.transforms.transform import (
    Options,
    Transform,
    got,
    null_pointer,
    with_value,
)

_SOURCE, _SHARD, _VGTID = "source", "shard", "vgtid"
_ENTRY = ("keyspace", "shard", "gtid", "table_p_ks")


def use_local_vgtid(options: Options) -> Transform:
    """Return the transform; it has no options."""
    del options
    return _apply


def _apply(record: ConnectRecord) -> ConnectRecord:
    schema = record.value_schema
    if schema is None or schema.kind is not Kind.STRUCT or record.value is None:
        return record
    if all(field.name != _SOURCE for field in schema.fields):
        return record
    source = record.value.get(_SOURCE)
    if source is None:
        raise null_pointer(
            "org.apache.kafka.connect.data.Struct.getString(String)", '"sourceStruct"'
        )
    for name in (_SHARD, _VGTID):
        if name not in source:  # another transform removed it
            raise stopped(DATA_EXCEPTION, f"{name} is not a valid field name")
    local = local_vgtid(source[_VGTID], source[_SHARD])
    return with_value(record, schema, _rebuilt(schema, record.value, "", local))


def local_vgtid(vgtid: str, shard: str) -> str:
    """Return the VGTID of one shard of a VGTID; of two entries for a shard, the later."""
    try:
        entries = cast("list[dict[str, Any]]", json.loads(vgtid))
    except ValueError as error:
        raise stopped(ILLEGAL_STATE_EXCEPTION, f"not a VGTID: {vgtid!r}") from error
    found = next((entry for entry in reversed(entries) if entry["shard"] == shard), None)
    if found is None:
        raise stopped(
            NULL_POINTER_EXCEPTION,
            "null",
            hint=f"shard {shard!r} is not among those of the record's VGTID {vgtid}",
        )
    whole: dict[str, Any] = {"table_p_ks": [], **found}
    return jackson([{name: whole[name] for name in _ENTRY}])


def _rebuilt(schema: Schema, struct: Mapping[str, Any], path: str, local: str) -> Mapping[str, Any]:
    rebuilt: dict[str, Any] = {}
    for field in schema.fields:
        name = f"{path}.{field.name}" if path else field.name
        value = got(field.schema, struct.get(field.name))
        if field.schema.kind is Kind.STRUCT and value is not None:
            value = _rebuilt(field.schema, cast("Mapping[str, Any]", value), name, local)
        elif name == f"{_SOURCE}.{_VGTID}":
            value = local
        rebuilt[field.name] = value
    return rebuilt
