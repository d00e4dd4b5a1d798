"""How a Connect task stops: a Java exception's class and its own words."""

from __future__ import annotations

from harness.errors import SourceStopped

DATA_EXCEPTION = "org.apache.kafka.connect.errors.DataException"
SCHEMA_BUILDER_EXCEPTION = "org.apache.kafka.connect.errors.SchemaBuilderException"
CONFIG_EXCEPTION = "org.apache.kafka.common.config.ConfigException"
CONNECT_EXCEPTION = "org.apache.kafka.connect.errors.ConnectException"
SCHEMA_PARSE_EXCEPTION = "org.apache.avro.SchemaParseException"
NULL_POINTER_EXCEPTION = "java.lang.NullPointerException"
ILLEGAL_STATE_EXCEPTION = "java.lang.IllegalStateException"


def stopped(exception: str, message: str, hint: str = "") -> SourceStopped:
    """Return the stop of a task by an exception, as the worker's log names it."""
    return SourceStopped(exception, message, hint=hint)


def java_text(stop: SourceStopped) -> str:
    """Return an exception as Java prints it: its class, a colon, its message."""
    return f"{stop.code}: {stop.what}"
