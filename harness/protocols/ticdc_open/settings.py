"""The encoder's settings, under TiCDC's own names and with its defaults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from harness.errors import UsageError
from harness.protocols.ticdc_open.dialect import DIALECTS, Dialect

# tiflow c7b2588 pkg/sink/codec/common/config.go: the sink URI's defaults.
MAX_BATCH_SIZE = 16
MAX_MESSAGE_BYTES = 10 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Settings:
    """What decides the bytes of a changefeed's messages; sizes are in bytes, batches in events."""

    dialect: Dialect
    max_batch_size: int = MAX_BATCH_SIZE
    max_message_bytes: int = MAX_MESSAGE_BYTES
    output_old_value: bool = True
    delete_only_handle: bool = False
    only_updated_columns: bool = False


def settings(values: Mapping[str, Any], dialect: str) -> Settings:
    """Read a scenario's `settings.open`; UsageError for a dialect or a number that cannot be."""
    if dialect not in DIALECTS:
        raise UsageError(
            f"unknown Open Protocol dialect {dialect!r}", expected="one of " + ", ".join(DIALECTS)
        )
    version = DIALECTS[dialect]
    batch = int(values.get("max-batch-size", MAX_BATCH_SIZE))
    limit = int(values.get("max-message-bytes", MAX_MESSAGE_BYTES))
    if batch < 1 or limit < 1:
        raise UsageError("max-batch-size and max-message-bytes must be at least 1")
    old_value = bool(values.get("sink.open.output-old-value", version.old_value))
    handle_only = values.get(
        "sink.delete-only-output-handle-key-columns", version.delete_handle_only
    )
    return Settings(
        dialect=version,
        max_batch_size=batch,
        max_message_bytes=limit,
        output_old_value=old_value,
        delete_only_handle=bool(handle_only),
        only_updated_columns=bool(values.get("only-output-updated-columns", False)),
    )
