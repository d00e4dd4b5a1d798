"""`RemoveField`: leave out leaves of the value, in schema and in data.

Naming a struct removes nothing; every struct is built anew, so it loses its documentation and its
parameters, and unset fields come out as their defaults. A tombstone stops the task.

Source: V:transforms/RemoveField.java; vitess NOTES §11; vectors `smt.*`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, cast

from harness.codecs.connect.identity import ByIdentity
from harness.codecs.connect.schema import ConnectRecord, Field, Kind, Schema
from harness.codecs.debezium_vitess.transforms.transform import (
    Options,
    Transform,
    field_names,
    got,
    null_pointer,
    with_value,
)

_DATA: Final = "org.apache.kafka.connect.data"


def remove_field(options: Options) -> Transform:
    """Return the transform; `field_names` are full paths, separated by commas."""
    removed = frozenset(field_names(options))
    schemas = ByIdentity(lambda schema: _less(schema, removed, ""))

    def apply(record: ConnectRecord) -> ConnectRecord:
        if record.value_schema is None:
            raise null_pointer(f"{_DATA}.Schema.version()", '"schema"')
        schema = schemas.of(record.value_schema)
        if record.value is None:
            raise null_pointer(f"{_DATA}.Struct.get(String)", '"struct"')
        return with_value(record, schema, _kept(schema, record.value))

    return apply


def _less(schema: Schema, removed: frozenset[str], path: str) -> Schema:
    fields: list[Field] = []
    for field in schema.fields:
        name = f"{path}.{field.name}" if path else field.name
        if field.schema.kind is Kind.STRUCT:
            fields.append(Field(field.name, _less(field.schema, removed, name)))
        elif name not in removed:
            fields.append(field)
    return Schema(Kind.STRUCT, schema.optional, schema.name, schema.version, fields=tuple(fields))


def _kept(schema: Schema, struct: Mapping[str, Any]) -> Mapping[str, Any]:
    kept: dict[str, Any] = {}
    for field in schema.fields:
        value = got(field.schema, struct.get(field.name))
        if field.schema.kind is Kind.STRUCT and value is not None:
            value = _kept(field.schema, cast("Mapping[str, Any]", value))
        kept[field.name] = value
    return kept
