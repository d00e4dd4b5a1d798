"""The schemas that do not depend on a table.

Source: C:schema/SchemaFactory.java; vitess NOTES §4, §8, §10.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from harness.codecs.connect.logical import DECIMAL, SCALE
from harness.codecs.connect.schema import Field, Schema, SchemaType
from harness.codecs.debezium.adjustment import Adjuster

STRING: Final = Schema(SchemaType.STRING)
OPTIONAL_STRING: Final = Schema(SchemaType.STRING, optional=True)
INT32: Final = Schema(SchemaType.INT32)
OPTIONAL_INT32: Final = Schema(SchemaType.INT32, optional=True)
INT64: Final = Schema(SchemaType.INT64)
OPTIONAL_INT64: Final = Schema(SchemaType.INT64, optional=True)
OPTIONAL_BOOLEAN: Final = Schema(SchemaType.BOOLEAN, optional=True)
WHOLE_DECIMAL: Final = Schema(SchemaType.BYTES, name=DECIMAL, version=1, parameters=((SCALE, "0"),))
STRINGS: Final = Schema(SchemaType.ARRAY, items=STRING, optional=True)


def fields(*pairs: tuple[str, Schema]) -> tuple[Field, ...]:
    """Return a struct's fields from names and schemas."""
    return tuple(Field(name, schema) for name, schema in pairs)


def block_schema(*own: tuple[str, Schema]) -> Schema:
    """Return the schema of a transaction block, a connector's own fields at its end."""
    shared = (("id", STRING), ("total_order", INT64), ("data_collection_order", INT64))
    return Schema(
        SchemaType.STRUCT,
        optional=True,
        name="event.block",
        version=1,
        fields=fields(*shared, *own),
    )


BLOCK: Final = block_schema()
SNAPSHOT: Final = Schema(
    SchemaType.STRING,
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
# The fields that each connector's source block begins with.
SOURCE_HEAD: Final = (
    ("version", STRING),
    ("connector", STRING),
    ("name", STRING),
    ("ts_ms", INT64),
    ("snapshot", SNAPSHOT),
    ("db", STRING),
    ("sequence", OPTIONAL_STRING),
    ("ts_us", OPTIONAL_INT64),
    ("ts_ns", OPTIONAL_INT64),
)
COLLECTION: Final = Schema(
    SchemaType.STRUCT,
    optional=True,
    name="event.collection",
    version=1,
    fields=fields(("data_collection", STRING), ("event_count", INT64)),
)

_BOUNDARY: Final[Mapping[str, Schema]] = {
    "status": STRING,
    "id": STRING,
    "event_count": OPTIONAL_INT64,
    "data_collections": Schema(SchemaType.ARRAY, items=COLLECTION, optional=True),
    "ts_ms": INT64,
}
BOUNDARY: Final = tuple(_BOUNDARY)


@dataclass(frozen=True, slots=True)
class EnvelopeForm:
    """An envelope's fields in their order, and its schema's version."""

    fields: tuple[str, ...]
    version: int | None


ENVELOPE: Final = EnvelopeForm(
    ("before", "after", "source", "transaction", "op", "ts_ms", "ts_us", "ts_ns"), 2
)


def named_struct(adjust: Adjuster, name: str, *pairs: tuple[str, Schema]) -> Schema:
    """Return a struct's schema of version 1, its name adjusted."""
    return Schema(SchemaType.STRUCT, name=adjust(name), version=1, fields=fields(*pairs))


def transaction_key(adjust: Adjuster) -> Schema:
    """Return the schema of a transaction topic's keys."""
    return named_struct(
        adjust, "io.debezium.connector.common.TransactionMetadataKey", ("id", STRING)
    )


def transaction_value(adjust: Adjuster, order: Sequence[str] = BOUNDARY) -> Schema:
    """Return the schema of a transaction topic's values."""
    return named_struct(
        adjust,
        "io.debezium.connector.common.TransactionMetadataValue",
        *((name, _BOUNDARY[name]) for name in order),
    )


def heartbeat_key(adjust: Adjuster) -> Schema:
    """Return the schema of a heartbeat's key."""
    return named_struct(
        adjust, "io.debezium.connector.common.ServerNameKey", ("serverName", STRING)
    )


def _table_change(adjust: Adjuster) -> Schema:
    column = named_struct(
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
        SchemaType.STRUCT,
        optional=True,
        name=adjust("io.debezium.connector.schema.Table"),
        version=1,
        fields=fields(
            ("defaultCharsetName", OPTIONAL_STRING),
            ("primaryKeyColumnNames", STRINGS),
            ("columns", Schema(SchemaType.ARRAY, items=column)),
            ("comment", OPTIONAL_STRING),
        ),
    )
    return named_struct(
        adjust,
        "io.debezium.connector.schema.Change",
        ("type", STRING),
        ("id", STRING),
        ("table", table),
    )


def schema_change_key(adjust: Adjuster, connector: str) -> Schema:
    """Return the schema of a schema change's key; `connector` as in its classes' package."""
    return named_struct(
        adjust, f"io.debezium.connector.{connector}.SchemaChangeKey", ("databaseName", STRING)
    )


def schema_change_value(adjust: Adjuster, connector: str, source: Schema) -> Schema:
    """Return the schema of a schema change's value."""
    return named_struct(
        adjust,
        f"io.debezium.connector.{connector}.SchemaChangeValue",
        ("source", source),
        ("ts_ms", INT64),
        ("databaseName", OPTIONAL_STRING),
        ("schemaName", OPTIONAL_STRING),
        ("ddl", OPTIONAL_STRING),
        ("tableChanges", Schema(SchemaType.ARRAY, items=_table_change(adjust))),
    )


def notification_key(adjust: Adjuster) -> Schema:
    """Return the schema of a notification's key."""
    return named_struct(adjust, "io.debezium.connector.common.NotificationKey", ("id", STRING))


def notification_value(adjust: Adjuster) -> Schema:
    """Return the schema of a notification's value."""
    return named_struct(
        adjust,
        "io.debezium.connector.common.Notification",
        ("id", STRING),
        ("type", STRING),
        ("aggregate_type", STRING),
        ("additional_data", Schema(SchemaType.MAP, items=STRING, optional=True)),
        ("timestamp", INT64),
    )
