"""What a transform is, and what all of them read and raise."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

from harness.codecs.connect.errors import (
    CONFIG_EXCEPTION,
    DATA_EXCEPTION,
    NULL_POINTER_EXCEPTION,
    stopped,
)
from harness.codecs.connect.schema import (
    ConnectRecord,
    Kind,
    Schema,
    Unset,
)
from harness.errors import SourceStopped

# None drops the record; SourceStopped is the exception that would stop the task.
Transform = Callable[[ConnectRecord], ConnectRecord | None]
Options = Mapping[str, str]
FIELD_NAMES: Final = "field_names"

_EMPTY: Final = "Field names cannot be empty or null, must specify field names to drop"
_DOTTED: Final = "Field names cannot start or end with '.', must specify correct field name"


def field_names(options: Options) -> tuple[str, ...]:
    """Return the paths of `field_names`, blanks kept; ConfigException where Debezium refuses them.

    Source: V:transforms/RemoveField.java validateRemoveFieldNames; vectors 04_smt.
    """
    text = options.get(FIELD_NAMES)
    if not text:
        raise invalid("null" if text is None else text, _EMPTY)
    paths = text.split(",")
    # As Java splits: without what is empty at the end.
    while paths and not paths[-1]:
        paths.pop()
    if any(path.startswith(".") or path.endswith(".") for path in paths):
        raise invalid(text, _DOTTED)
    return tuple(paths)


def invalid(value: str, reason: str) -> SourceStopped:
    """Return the refusal of `field_names`."""
    return stopped(
        CONFIG_EXCEPTION,
        f"Invalid value {value} for configuration {FIELD_NAMES}: "
        f"The '{FIELD_NAMES}' value is invalid: {reason}",
    )


def null_pointer(call: str, reason: str) -> SourceStopped:
    """Return a NullPointerException in the words of JDK 17."""
    return stopped(NULL_POINTER_EXCEPTION, f'Cannot invoke "{call}" because {reason} is null')


def got(schema: Schema, value: object) -> object:
    """Return a field's value as `Struct.get` does: unset reads as the default."""
    if value is None and not isinstance(schema.default, Unset):
        return schema.default
    return value


def checked_text(name: str, schema: Schema, text: str) -> str:
    """Return a text that may stand in a field; DataException where the field holds no texts.

    Source: Kafka 4.1 connect-api `ConnectSchema.validateValue`.
    """
    if schema.kind is not Kind.STRING:
        called = f' "{schema.name}"' if schema.name is not None else ""
        raise stopped(
            DATA_EXCEPTION,
            f"Invalid Java object for schema{called} with type {schema.kind.name}: "
            f'class java.lang.String for field: "{name}"',
        )
    return text


def with_value(record: ConnectRecord, schema: Schema | None, value: Any) -> ConnectRecord:  # noqa: ANN401
    """Return a record with another value; all else, headers too, stays."""
    return replace(record, value_schema=schema, value=value)
