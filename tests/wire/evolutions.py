"""Schemas, one after another under one subject: what a registry says to the second.

The same list is put to the registry in memory and to a real one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

Field = Mapping[str, Any]


def record(*fields: Field, name: str = "t", namespace: str = "default.test") -> str:
    """Return a record's schema text."""
    return json.dumps(
        {"type": "record", "name": name, "namespace": namespace, "fields": fields},
        separators=(",", ":"),
    )


def column(name: str, kind: Any, **more: Any) -> Field:
    """Return a field; its type is text for a plain one."""
    return {"name": name, "type": kind, **more}


def tidb(kind: str, tidb_type: str, **more: str) -> Field:
    """Return a type with TiCDC's parameters."""
    return {"type": kind, "connect.parameters": {"tidb_type": tidb_type, **more}}


ID = column("id", tidb("int", "INT"))
NULL_V = column("v", ["null", tidb("int", "INT")], default=None)
DECIMAL = {"type": "bytes", "logicalType": "decimal", "precision": 10, "scale": 2}
OLD = record(ID, NULL_V)
# What happens -> the schema before, the schema after. `BACKWARD` is what decides.
ACCEPTED: Mapping[str, tuple[str, str]] = {
    "the same text": (OLD, OLD),
    "a nullable column is added": (
        OLD,
        record(ID, NULL_V, column("w", ["null", "int"], default=None)),
    ),
    "a NOT NULL column with a default is added": (
        OLD,
        record(ID, NULL_V, column("w", "int", default=7)),
    ),
    "a nullable column with a default is added": (
        OLD,
        record(ID, NULL_V, column("w", ["string", "null"], default="x")),
    ),
    "a column is dropped": (OLD, record(ID)),
    "columns change places": (OLD, record(NULL_V, ID)),
    "INT grows to BIGINT": (record(ID), record(column("id", tidb("long", "BIGINT")))),
    "a long becomes a double": (record(column("id", "long")), record(column("id", "double"))),
    "FLOAT becomes DOUBLE": (record(column("f", "float")), record(column("f", "double"))),
    "NOT NULL is taken away": (record(column("v", "int")), record(column("v", ["null", "int"]))),
    "the branches of a union change places": (
        record(column("v", ["null", "int"], default=None)),
        record(column("v", ["int", "null"], default=5)),
    ),
    "text becomes bytes": (record(column("v", "string")), record(column("v", "bytes"))),
    "bytes become text": (record(column("v", "bytes")), record(column("v", "string"))),
    "only parameters change": (
        record(column("e", tidb("string", "ENUM", allowed="a"))),
        record(column("e", tidb("string", "ENUM", allowed="a,b"))),
    ),
    "only a default changes": (
        record(column("v", "int", default=1)),
        record(column("v", "int", default=2)),
    ),
    "another namespace": (record(ID), record(ID, namespace="default.other")),
    "a union's member grows": (
        record(column("v", ["null", "int"], default=None)),
        record(column("v", ["null", "long"], default=None)),
    ),
}
REFUSED: Mapping[str, tuple[str, str]] = {
    "a NOT NULL column without a default is added": (OLD, record(ID, NULL_V, column("w", "int"))),
    "a nullable column becomes NOT NULL": (OLD, record(ID, column("v", tidb("int", "INT")))),
    "BIGINT shrinks to INT": (record(column("id", "long")), record(column("id", "int"))),
    "double shrinks to float": (record(column("f", "double")), record(column("f", "float"))),
    "a number becomes text": (record(column("v", "int")), record(column("v", "string"))),
    "text becomes a number": (record(column("v", "string")), record(column("v", "long"))),
    "a table is renamed": (OLD, record(ID, NULL_V, name="t2")),
    "a column is renamed": (record(ID, column("v", "int")), record(ID, column("w", "int"))),
    "a precise decimal becomes a double": (
        record(column("d", DECIMAL)),
        record(column("d", "double")),
    ),
    "a union's member shrinks": (
        record(column("v", ["null", "long"], default=None)),
        record(column("v", ["null", "int"], default=None)),
    ),
}
# No Avro schemas at all.
UNREADABLE: Mapping[str, str] = {
    "not JSON": "{",
    "no such type": record(column("id", "integer")),
    "two fields of one name": record(ID, ID),
    "a name with a dash": record(ID, name="t-1"),
}
