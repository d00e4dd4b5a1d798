"""The transforms that change fields of the value: `RemoveField` and `ReplaceFieldValue`.

`RemoveField` leaves out leaves of the value, in schema and in data. Naming a struct removes
nothing; every struct is built anew, so it loses its documentation and its parameters, and unset
fields come out as their defaults. `ReplaceFieldValue` puts one text into fields of the value: a
path whose structs are absent or null changes nothing, a last name that is no field, or holds no
texts, stops the task. So does a tombstone, in both.

Source: V:transforms/RemoveField.java, V:transforms/ReplaceFieldValue.java; vitess NOTES §11;
vectors `smt.*`.
"""

from __future__ import annotations

from typing import Any, Final, cast

from harness.codecs.connect.errors import CONFIG_EXCEPTION, DATA_EXCEPTION, null_pointer, stopped
from harness.codecs.connect.java import split
from harness.codecs.connect.schema import (
    ConnectRecord,
    Field,
    Schema,
    SchemaCache,
    SchemaType,
    Struct,
    field_value,
    with_value,
)
from harness.codecs.connect.transforms import Options, Transform
from harness.errors import SourceStopped

FIELD_NAMES: Final = "field_names"
FIELD_VALUE: Final = "field_value"
_DATA: Final = "org.apache.kafka.connect.data"
_STRUCT: Final = f"{_DATA}.Struct"
_EMPTY: Final = "Field names cannot be empty or null, must specify field names to drop"
_DOTTED: Final = "Field names cannot start or end with '.', must specify correct field name"


def remove_field(options: Options) -> Transform:
    """Return the transform; `field_names` are full paths, separated by commas."""
    removed = frozenset(_field_names(options))
    schemas = SchemaCache(lambda schema: _less(schema, removed, ""))

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
        if field.schema.kind is SchemaType.STRUCT:
            fields.append(Field(field.name, _less(field.schema, removed, name)))
        elif name not in removed:
            fields.append(field)
    return Schema(
        SchemaType.STRUCT, schema.optional, schema.name, schema.version, fields=tuple(fields)
    )


def _kept(schema: Schema, struct: Struct) -> Struct:
    kept: dict[str, Any] = {}
    for field in schema.fields:
        value = field_value(field.schema, struct.get(field.name))
        if field.schema.kind is SchemaType.STRUCT and value is not None:
            value = _kept(field.schema, cast("Struct", value))
        kept[field.name] = value
    return kept


def replace_field_value(options: Options) -> Transform:
    """Return the transform; `field_value` is the text, empty when it is not given."""
    paths = tuple(dict.fromkeys(_field_names(options)))
    text = options.get(FIELD_VALUE, "")

    def apply(record: ConnectRecord) -> ConnectRecord:
        schema, value = record.value_schema, record.value
        for path in paths:
            if schema is None or value is None:
                call = "schema()" if "." in path else "put(String, Object)"
                raise null_pointer(f"{_STRUCT}.{call}", '"struct"')
            value = _replaced(schema, value, path, text)
        return with_value(record, schema, value)

    return apply


def _replaced(schema: Schema, struct: Struct, path: str, text: str) -> Struct:
    if not path:
        raise stopped("java.lang.RuntimeException", "Cannot replace empty field name")
    name, dot, rest = path.partition(".")
    field = next((field for field in schema.fields if field.name == name), None)
    if not dot:
        if field is None:
            raise stopped(DATA_EXCEPTION, f"{name} is not a valid field name")
        return {**struct, name: _checked_text(name, field.schema, text)}
    inner = struct.get(name)
    if field is None or field.schema.kind is not SchemaType.STRUCT or inner is None:
        return struct
    nested = cast("Struct", inner)
    return {**struct, name: _replaced(field.schema, nested, rest, text)}


def _field_names(options: Options) -> tuple[str, ...]:
    """Return the paths of `field_names`, blanks kept; ConfigException where Debezium refuses them.

    Source: V:transforms/RemoveField.java validateRemoveFieldNames; vectors 04_smt.
    """
    text = options.get(FIELD_NAMES)
    if not text:
        raise _invalid("null" if text is None else text, _EMPTY)
    paths = split(text, ",")
    if any(path.startswith(".") or path.endswith(".") for path in paths):
        raise _invalid(text, _DOTTED)
    return tuple(paths)


def _invalid(value: str, reason: str) -> SourceStopped:
    """Return the refusal of `field_names`."""
    return stopped(
        CONFIG_EXCEPTION,
        f"Invalid value {value} for configuration {FIELD_NAMES}: "
        f"The '{FIELD_NAMES}' value is invalid: {reason}",
    )


def _checked_text(name: str, schema: Schema, text: str) -> str:
    """Return a text that may stand in a field; DataException where the field holds no texts.

    Source: Kafka 4.1 connect-api `ConnectSchema.validateValue`.
    """
    if schema.kind is not SchemaType.STRING:
        called = f' "{schema.name}"' if schema.name is not None else ""
        raise stopped(
            DATA_EXCEPTION,
            f"Invalid Java object for schema{called} with type {schema.kind.name}: "
            f'class java.lang.String for field: "{name}"',
        )
    return text
