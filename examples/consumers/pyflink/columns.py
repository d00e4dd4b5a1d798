"""The columns of a topic's table, as its records or the registry tell them.

A person reads the upstream's DDL and writes CREATE TABLE; this module reads schemas instead.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from adapter import Json, table_of
from topics import records, schemas


@dataclass(frozen=True)
class Column:
    """A column: its type on the wire, what the schema calls it, and the first value that is there.

    `scale` and `precision` are those of a decimal in bytes, else 0.
    """

    name: str
    wire: str
    logical: str = ""
    precision: int = 0
    scale: int = 0
    sample: object = None


@dataclass
class Shape:
    """The tables that a topic tells: columns by name, the key's names; the last table counts."""

    tables: list[tuple[str, str]] = field(default_factory=list)
    columns: dict[str, Column] = field(default_factory=dict)
    key: tuple[str, ...] = ()
    has_schema: bool = True


def of_json(order: Json, topic: Json) -> Shape:
    """Return what the records of a Debezium topic in JSON tell."""
    named = table_of(topic)
    shape = Shape(tables=[named] if named else [])
    for key, value in records(order, topic):
        document = _parsed(value)
        key_document = _parsed(key) if key else {}
        shape.has_schema = "schema" in document and "payload" in document
        row = (document["payload"] if shape.has_schema else document) or {}
        after = row.get("after") or row.get("before") or {}
        fields = _struct(document["schema"]) if shape.has_schema else _guessed(after)
        names = key_document.get("payload", key_document) if shape.has_schema else key_document
        shape.key = tuple(names or ())
        for one in fields:
            old = shape.columns.get(one.name)
            sample = old.sample if old and old.sample is not None else after.get(one.name)
            shape.columns[one.name] = Column(
                one.name, one.wire, one.logical, one.precision, one.scale, sample
            )
    return shape


def of_registry(order: Json, topic: Json) -> Shape:
    """Return what the subjects of a topic in Avro tell: the last schema, the tables of all."""
    shape = Shape()
    for schema in schemas(order, topic, "value"):
        table = schema.get("namespace", "").rpartition(".")[2], schema["name"]
        if schema["name"] == "Envelope":  # Debezium's: the table is the namespace's last part
            parts = schema["namespace"].split(".")
            table = parts[-2], parts[-1]
            before = next(f for f in schema["fields"] if f["name"] == "before")
            schema = next(one for one in before["type"] if isinstance(one, dict))  # noqa: PLW2901
        shape.tables = [one for one in shape.tables if one != table] + [table]
        columns = map(_avro, schema["fields"])
        shape.columns = {c.name: c for c in columns if not c.name.startswith("_tidb_")}
    for schema in schemas(order, topic, "key"):
        shape.key = tuple(one["name"] for one in schema["fields"])
    return shape


def _parsed(text: bytes) -> Json:
    found = json.loads(text)
    return found if isinstance(found, dict) else {}


def _struct(schema: Json) -> list[Column]:
    """Return the columns of an envelope's schema as Kafka Connect writes it in JSON."""
    found: list[Column] = []
    for side in schema.get("fields", []):
        if side["field"] == "after":
            for one in side["fields"]:
                scale = int(one.get("parameters", {}).get("scale", 0))
                found.append(Column(one["field"], one["type"], one.get("name", ""), 0, scale))
    return found


def _guessed(row: Json) -> list[Column]:
    kinds = {bool: "boolean", int: "int64", float: "double"}
    return [Column(name, kinds.get(type(value), "string")) for name, value in row.items()]


def _avro(one: Json) -> Column:
    options = one["type"] if isinstance(one["type"], list) else [one["type"]]
    kind = next(option for option in options if option != "null")
    if isinstance(kind, str):
        return Column(one["name"], kind)
    logical = kind.get("connect.parameters", {}).get("tidb_type") or kind.get("connect.name", "")
    if kind.get("logicalType") == "decimal":
        logical = "decimal"
    return Column(
        one["name"], kind["type"], logical, kind.get("precision", 0), kind.get("scale", 0)
    )
