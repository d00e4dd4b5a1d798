"""`ReplaceFieldValue`: put one text into fields of the value.

A path whose structs are absent or null changes nothing; a last name that is no field, or holds no
texts, stops the task, as does a tombstone.

Source: V:transforms/ReplaceFieldValue.java; vectors `smt.*`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, cast

from harness.codecs.connect.errors import DATA_EXCEPTION, stopped
from harness.codecs.connect.schema import ConnectRecord, Kind, Schema
from harness.codecs.debezium_vitess.transforms.transform import (
    Options,
    Transform,
    checked_text,
    field_names,
    null_pointer,
    with_value,
)

_STRUCT: Final = "org.apache.kafka.connect.data.Struct"
_VALUE: Final = "field_value"


def replace_field_value(options: Options) -> Transform:
    """Return the transform; `field_value` is the text, empty when it is not given."""
    paths = tuple(dict.fromkeys(field_names(options)))
    text = options.get(_VALUE, "")

    def apply(record: ConnectRecord) -> ConnectRecord:
        schema, value = record.value_schema, record.value
        for path in paths:
            if schema is None or value is None:
                call = "schema()" if "." in path else "put(String, Object)"
                raise null_pointer(f"{_STRUCT}.{call}", '"struct"')
            value = _replaced(schema, value, path, text)
        return with_value(record, schema, value)

    return apply


def _replaced(schema: Schema, struct: Mapping[str, Any], path: str, text: str) -> Mapping[str, Any]:
    if not path:
        raise stopped("java.lang.RuntimeException", "Cannot replace empty field name")
    name, dot, rest = path.partition(".")
    field = next((field for field in schema.fields if field.name == name), None)
    if not dot:
        if field is None:
            raise stopped(DATA_EXCEPTION, f"{name} is not a valid field name")
        return {**struct, name: checked_text(name, field.schema, text)}
    inner = struct.get(name)
    if field is None or field.schema.kind is not Kind.STRUCT or inner is None:
        return struct
    nested = cast("Mapping[str, Any]", inner)
    return {**struct, name: _replaced(field.schema, nested, rest, text)}
