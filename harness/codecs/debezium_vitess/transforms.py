"""The Vitess connector's transforms: their classes, their settings, and the two of transactions.

Source: V:transforms/*.java; vitess NOTES §11; vectors `smt.*`.
"""

from __future__ import annotations

import json
from typing import Any, Final, cast

from harness.codecs.connect.errors import (
    DATA_EXCEPTION,
    ILLEGAL_STATE,
    NULL_POINTER,
    null_pointer,
    stopped,
)
from harness.codecs.connect.schema import (
    ConnectRecord,
    Schema,
    SchemaType,
    Struct,
    field_value,
    with_value,
)
from harness.codecs.connect.transforms import Options, Transform, TransformTable, transform_settings
from harness.codecs.debezium.adjustment import SCHEMA_NAMES
from harness.codecs.debezium.schemas import transaction_key, transaction_value
from harness.codecs.debezium_vitess.dialect import DIALECTS
from harness.codecs.debezium_vitess.transform_fields import remove_field, replace_field_value
from harness.codecs.debezium_vitess.vgtid import jackson
from harness.contracts import Setting

_PACKAGE: Final = "io.debezium.connector.vitess.transforms"
_MODE: Final = "schema.name.adjustment.mode"
_CONFIG: Final = "io.debezium.config.CommonConnectorConfig$SchemaNameAdjustmentMode"
_RECORD: Final = "org.apache.kafka.connect.connector.ConnectRecord"
_EQUALS: Final = "org.apache.kafka.connect.data.Schema.equals(Object)"
_SOURCE, _SHARD, _VGTID = "source", "shard", "vgtid"
_ENTRY = ("keyspace", "shard", "gtid", "table_p_ks")


def filter_transactions(options: Options) -> Transform:
    """Return the transform that drops records with the transaction topic's key and value schemas.

    A record without a key schema stops the task, as it stops the real one: tables without a key
    need a predicate. Its option is its own `schema.name.adjustment.mode`.
    """
    mode = options.get(_MODE, "none").strip().lower()
    if mode not in SCHEMA_NAMES:
        raise null_pointer(
            f"{_CONFIG}.createAdjuster()", f'the return value of "{_CONFIG}.parse(String)"'
        )
    key = transaction_key(SCHEMA_NAMES[mode])
    values = [
        transaction_value(SCHEMA_NAMES[mode], dialect.boundary) for dialect in DIALECTS.values()
    ]

    def apply(record: ConnectRecord) -> ConnectRecord | None:
        if record.key_schema is None:
            raise null_pointer(_EQUALS, f'the return value of "{_RECORD}.keySchema()"')
        if record.key_schema != key:
            return record
        if record.value_schema is None:
            raise null_pointer(_EQUALS, f'the return value of "{_RECORD}.valueSchema()"')
        return None if record.value_schema in values else record

    return apply


def use_local_vgtid(options: Options) -> Transform:
    """Return the transform that keeps, of a record's VGTID, the one shard of the record.

    Only `source.vgtid` changes; the transaction's id does not. Records without `source`, tombstones
    among them, pass as they are. It has no options.
    """
    del options
    return _with_local_vgtid


def _with_local_vgtid(record: ConnectRecord) -> ConnectRecord:
    schema = record.value_schema
    if schema is None or schema.kind is not SchemaType.STRUCT or record.value is None:
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
        raise stopped(ILLEGAL_STATE, f"not a VGTID: {vgtid!r}") from error
    found = next((entry for entry in reversed(entries) if entry["shard"] == shard), None)
    if found is None:
        raise stopped(
            NULL_POINTER,
            "null",
            hint=f"shard {shard!r} is not among those of the record's VGTID {vgtid}",
        )
    whole: dict[str, Any] = {"table_p_ks": [], **found}
    return jackson([{name: whole[name] for name in _ENTRY}])


def _rebuilt(schema: Schema, struct: Struct, path: str, local: str) -> Struct:
    rebuilt: dict[str, Any] = {}
    for field in schema.fields:
        name = f"{path}.{field.name}" if path else field.name
        value = field_value(field.schema, struct.get(field.name))
        if field.schema.kind is SchemaType.STRUCT and value is not None:
            value = _rebuilt(field.schema, cast("Struct", value), name, local)
        elif name == f"{_SOURCE}.{_VGTID}":
            value = local
        rebuilt[field.name] = value
    return rebuilt


TRANSFORMS: Final[TransformTable] = {
    f"{_PACKAGE}.FilterTransactionTopicRecords": filter_transactions,
    f"{_PACKAGE}.RemoveField": remove_field,
    f"{_PACKAGE}.ReplaceFieldValue": replace_field_value,
    f"{_PACKAGE}.UseLocalVgtid": use_local_vgtid,
}
TRANSFORM_SETTINGS: Final = transform_settings(
    TRANSFORMS,
    Setting(
        "transforms.<alias>.field_names",
        "",
        "paths",
        "RemoveField, ReplaceFieldValue: full paths of the fields, separated by commas.",
    ),
    Setting("transforms.<alias>.field_value", "", "text", "ReplaceFieldValue: what is put there."),
    Setting(
        "transforms.<alias>.schema.name.adjustment.mode",
        "none",
        "none | avro | avro_unicode",
        "FilterTransactionTopicRecords: how the connector adjusts the transaction schemas' names.",
        without_effect="no mode changes the names of these schemas",
    ),
)
