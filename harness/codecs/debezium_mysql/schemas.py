"""The schemas of the connectors' own structs."""

from __future__ import annotations

from harness.codecs.connect.schema import Schema
from harness.codecs.debezium.adjustment import Adjuster
from harness.codecs.debezium.schemas import (
    INT32,
    INT64,
    OPTIONAL_INT64,
    OPTIONAL_STRING,
    SOURCE_HEAD,
    STRING,
    named_struct,
)


def source_schema(adjust: Adjuster, connector: str) -> Schema:
    """Return the schema of the source block."""
    return named_struct(
        adjust,
        f"io.debezium.connector.{connector}.Source",
        *SOURCE_HEAD,
        ("table", OPTIONAL_STRING),
        ("server_id", INT64),
        ("gtid", OPTIONAL_STRING),
        ("file", STRING),
        ("pos", INT64),
        ("row", INT32),
        ("thread", OPTIONAL_INT64),
        ("query", OPTIONAL_STRING),
    )


def heartbeat_value(adjust: Adjuster) -> Schema:
    """Return the schema of a heartbeat's value."""
    return named_struct(adjust, "io.debezium.connector.common.Heartbeat", ("ts_ms", INT64))
