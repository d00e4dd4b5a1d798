"""The schemas of the Vitess connector's own structs.

Source: V:VitessSourceInfoStructMaker.java, V:VitessSchemaFactory.java; vitess NOTES §4, §8, §10.
"""

from __future__ import annotations

from typing import Final

from harness.codecs.connect.schema import Schema, SchemaType
from harness.codecs.debezium.adjustment import Adjuster
from harness.codecs.debezium.schemas import (
    INT64,
    SOURCE_HEAD,
    STRING,
    WHOLE_DECIMAL,
    block_schema,
    fields,
    named_struct,
)

SOURCE: Final = Schema(
    SchemaType.STRUCT,
    name="io.debezium.connector.vitess.Source",
    version=1,
    fields=fields(
        *SOURCE_HEAD,
        ("keyspace", STRING),
        ("table", STRING),
        ("shard", STRING),
        ("vgtid", STRING),
    ),
)
ORDERED_BLOCK: Final = block_schema(
    ("transaction_epoch", INT64), ("transaction_rank", WHOLE_DECIMAL)
)


def heartbeat_value(adjust: Adjuster) -> Schema:
    """Return the schema of a heartbeat's value."""
    return named_struct(
        adjust, "io.debezium.connector.vitess.Heartbeat", ("vgtid", STRING), ("ts_ms", INT64)
    )
