"""`FilterTransactionTopicRecords`: drop what has the transaction topic's key and value schemas.

A record without a key schema stops the task, as it stops the real one: tables without a key need a
predicate.

Source: V:transforms/FilterTransactionTopicRecords.java; vitess NOTES §11; vectors `smt.*`.
"""

from __future__ import annotations

from typing import Final

from harness.codecs.connect.schema import ConnectRecord
from harness.codecs.debezium_vitess.connector.adjust import SCHEMA_NAMES
from harness.codecs.debezium_vitess.connector.schemas import transaction_key, transaction_value
from harness.codecs.debezium_vitess.transforms.transform import (
    Options,
    Transform,
    null_pointer,
)

_MODE: Final = "schema.name.adjustment.mode"
_CONFIG: Final = "io.debezium.config.CommonConnectorConfig$SchemaNameAdjustmentMode"
_RECORD: Final = "org.apache.kafka.connect.connector.ConnectRecord"
_EQUALS: Final = "org.apache.kafka.connect.data.Schema.equals(Object)"


def filter_transactions(options: Options) -> Transform:
    """Return the transform; its option is its own `schema.name.adjustment.mode`."""
    mode = options.get(_MODE, "none").strip().lower()
    if mode not in SCHEMA_NAMES:
        raise null_pointer(
            f"{_CONFIG}.createAdjuster()", f'the return value of "{_CONFIG}.parse(String)"'
        )
    key, value = transaction_key(SCHEMA_NAMES[mode]), transaction_value(SCHEMA_NAMES[mode])

    def apply(record: ConnectRecord) -> ConnectRecord | None:
        if record.key_schema is None:
            raise null_pointer(_EQUALS, f'the return value of "{_RECORD}.keySchema()"')
        if record.key_schema != key:
            return record
        if record.value_schema is None:
            raise null_pointer(_EQUALS, f'the return value of "{_RECORD}.valueSchema()"')
        return None if record.value_schema == value else record

    return apply
