"""The schemas that do not depend on a table.

Source: C:schema/SchemaFactory.java, V:VitessSourceInfoStructMaker.java, V:VitessSchemaFactory.java;
vitess NOTES §4, §8, §10.
"""

from __future__ import annotations

from typing import Final

from harness.codecs.connect.schema import Field, Kind, Schema
from harness.codecs.debezium_vitess.connector.adjust import Adjuster
from harness.codecs.debezium_vitess.connector.values import DECIMAL

STRING: Final = Schema(Kind.STRING)
OPTIONAL_STRING: Final = Schema(Kind.STRING, optional=True)
INT32: Final = Schema(Kind.INT32)
OPTIONAL_INT32: Final = Schema(Kind.INT32, optional=True)
INT64: Final = Schema(Kind.INT64)
OPTIONAL_INT64: Final = Schema(Kind.INT64, optional=True)
OPTIONAL_BOOLEAN: Final = Schema(Kind.BOOLEAN, optional=True)
STRINGS: Final = Schema(Kind.ARRAY, items=STRING, optional=True)


def fields(*pairs: tuple[str, Schema]) -> tuple[Field, ...]:
    """Return a struct's fields from names and schemas."""
    return tuple(Field(name, schema) for name, schema in pairs)


SNAPSHOT: Final = Schema(
    Kind.STRING,
    optional=True,
    name="io.debezium.data.Enum",
    version=1,
    parameters=(
        (
            "allowed",
            "true,first,first_in_data_collection,last_in_data_collection,last,false,incremental",
        ),
    ),
    default="false",
)
SOURCE: Final = Schema(
    Kind.STRUCT,
    name="io.debezium.connector.vitess.Source",
    version=1,
    fields=fields(
        ("version", STRING),
        ("connector", STRING),
        ("name", STRING),
        ("ts_ms", INT64),
        ("snapshot", SNAPSHOT),
        ("db", STRING),
        ("sequence", OPTIONAL_STRING),
        ("ts_us", OPTIONAL_INT64),
        ("ts_ns", OPTIONAL_INT64),
        ("keyspace", STRING),
        ("table", STRING),
        ("shard", STRING),
        ("vgtid", STRING),
    ),
)
_BLOCK = (
    ("id", STRING),
    ("total_order", INT64),
    ("data_collection_order", INT64),
)
BLOCK: Final = Schema(
    Kind.STRUCT, optional=True, name="event.block", version=1, fields=fields(*_BLOCK)
)
ORDERED_BLOCK: Final = Schema(
    Kind.STRUCT,
    optional=True,
    name="event.block",
    version=1,
    fields=fields(*_BLOCK, ("transaction_epoch", INT64), ("transaction_rank", DECIMAL)),
)
COLLECTION: Final = Schema(
    Kind.STRUCT,
    optional=True,
    name="event.collection",
    version=1,
    fields=fields(("data_collection", STRING), ("event_count", INT64)),
)


def _named(adjust: Adjuster, name: str, *pairs: tuple[str, Schema]) -> Schema:
    return Schema(Kind.STRUCT, name=adjust(name), version=1, fields=fields(*pairs))


def transaction_key(adjust: Adjuster) -> Schema:
    """Return the schema of a transaction topic's keys."""
    return _named(adjust, "io.debezium.connector.common.TransactionMetadataKey", ("id", STRING))


def transaction_value(adjust: Adjuster) -> Schema:
    """Return the schema of a transaction topic's values."""
    return _named(
        adjust,
        "io.debezium.connector.common.TransactionMetadataValue",
        ("status", STRING),
        ("id", STRING),
        ("event_count", OPTIONAL_INT64),
        ("data_collections", Schema(Kind.ARRAY, items=COLLECTION, optional=True)),
        ("ts_ms", INT64),
    )


def heartbeat_key(adjust: Adjuster) -> Schema:
    """Return the schema of a heartbeat's key."""
    return _named(adjust, "io.debezium.connector.common.ServerNameKey", ("serverName", STRING))


def heartbeat_value(adjust: Adjuster) -> Schema:
    """Return the schema of a heartbeat's value."""
    return _named(
        adjust, "io.debezium.connector.vitess.Heartbeat", ("vgtid", STRING), ("ts_ms", INT64)
    )


def _table_change(adjust: Adjuster) -> Schema:
    column = _named(
        adjust,
        "io.debezium.connector.schema.Column",
        ("name", STRING),
        ("jdbcType", INT32),
        ("nativeType", OPTIONAL_INT32),
        ("typeName", STRING),
        ("typeExpression", OPTIONAL_STRING),
        ("charsetName", OPTIONAL_STRING),
        ("length", OPTIONAL_INT32),
        ("scale", OPTIONAL_INT32),
        ("position", INT32),
        ("optional", OPTIONAL_BOOLEAN),
        ("autoIncremented", OPTIONAL_BOOLEAN),
        ("generated", OPTIONAL_BOOLEAN),
        ("comment", OPTIONAL_STRING),
        ("defaultValueExpression", OPTIONAL_STRING),
        ("enumValues", STRINGS),
    )
    table = Schema(
        Kind.STRUCT,
        optional=True,
        name=adjust("io.debezium.connector.schema.Table"),
        version=1,
        fields=fields(
            ("defaultCharsetName", OPTIONAL_STRING),
            ("primaryKeyColumnNames", STRINGS),
            ("columns", Schema(Kind.ARRAY, items=column)),
            ("comment", OPTIONAL_STRING),
        ),
    )
    return _named(
        adjust,
        "io.debezium.connector.schema.Change",
        ("type", STRING),
        ("id", STRING),
        ("table", table),
    )


def schema_change_key(adjust: Adjuster) -> Schema:
    """Return the schema of a schema change's key."""
    return _named(adjust, "io.debezium.connector.vitess.SchemaChangeKey", ("databaseName", STRING))


def schema_change_value(adjust: Adjuster, source: Schema) -> Schema:
    """Return the schema of a schema change's value."""
    return _named(
        adjust,
        "io.debezium.connector.vitess.SchemaChangeValue",
        ("source", source),
        ("ts_ms", INT64),
        ("databaseName", OPTIONAL_STRING),
        ("schemaName", OPTIONAL_STRING),
        ("ddl", OPTIONAL_STRING),
        ("tableChanges", Schema(Kind.ARRAY, items=_table_change(adjust))),
    )


def notification_key(adjust: Adjuster) -> Schema:
    """Return the schema of a notification's key."""
    return _named(adjust, "io.debezium.connector.common.NotificationKey", ("id", STRING))


def notification_value(adjust: Adjuster) -> Schema:
    """Return the schema of a notification's value."""
    return _named(
        adjust,
        "io.debezium.connector.common.Notification",
        ("id", STRING),
        ("type", STRING),
        ("aggregate_type", STRING),
        ("additional_data", Schema(Kind.MAP, items=STRING, optional=True)),
        ("timestamp", INT64),
    )
