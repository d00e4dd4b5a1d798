"""Names and limits of a changefeed that all of TiCDC's codecs know.

Source: tiflow c7b2588 pkg/sink/codec/common/config.go `Apply`, message.go:31 `MaxRecordOverhead`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import tzinfo
from typing import Final

from harness.contracts import Setting
from harness.errors import UsageError
from harness.model.settings import Settings
from harness.model.zones import named_zone

# What Kafka adds to a message, in bytes, as TiCDC counts it.
RECORD_OVERHEAD: Final = 36
MAX_MESSAGE_BYTES: Final = 10 * 1024 * 1024
EXTENSION: Final = "enable-tidb-extension"
DECIMAL: Final = "avro-decimal-handling-mode"
BIGINT: Final = "avro-bigint-unsigned-handling-mode"
WATERMARK: Final = "avro-enable-watermark"
INTEGRITY: Final = "integrity.integrity-check-level"
MAX_BATCH_SIZE: Final = "max-batch-size"
MESSAGE_BYTES: Final = "max-message-bytes"
ONLY_UPDATED: Final = "only-output-updated-columns"
TIME_ZONE: Final = "tz"
LARGE: Final = "sink.kafka-config.large-message-handle."
LARGE_OPTIONS: Final = ("none", "claim-check", "handle-key-only")
_CODEC: Final = "sink.kafka-config.codec-config."
# Parameter of the sink URI -> the same in the changefeed file; the URI wins, but for a zero, a
# false and an empty text (config.go `mergeConfig`: mergo.WithOverride).
FILE_KEYS: Final[Mapping[str, str]] = {
    **{name: _CODEC + name for name in (MAX_BATCH_SIZE, EXTENSION, WATERMARK, DECIMAL, BIGINT)},
    MESSAGE_BYTES: f"sink.kafka-config.{MESSAGE_BYTES}",
    ONLY_UPDATED: f"sink.{ONLY_UPDATED}",
}
# What decides rows and topics before any encoder sees them; `harness.sources` reads these.
SOURCE_KEYS: Final = (
    "bdr-mode",
    "case-sensitive",
    "ddl-rules",
    "force-replicate",
    "sink.dispatchers",
    "sink.kafka-config.output-raw-change-event",
    TIME_ZONE,
)
_SOURCE_SECTIONS: Final = ("filter.", "integrity.")
# What Go's strconv.ParseBool takes.
GO_BOOLEANS: Final[Mapping[str, bool]] = {
    **dict.fromkeys(("1", "t", "T", "true", "TRUE", "True"), True),
    **dict.fromkeys(("0", "f", "F", "false", "FALSE", "False"), False),
}


def is_source_setting(name: str) -> bool:
    """Return whether the source reads a setting, and no codec does."""
    return name in SOURCE_KEYS or name.startswith(_SOURCE_SECTIONS)


def server_zone(values: Settings) -> tzinfo | None:
    """Return the zone in which a server writes TIMESTAMPs, None for UTC; UsageError for no zone."""
    try:
        return named_zone(str(values.get(TIME_ZONE, "UTC")))
    except ValueError as error:
        raise UsageError(f"{TIME_ZONE}: {error}", expected="UTC, or a zone by its name") from error


def with_file_keys(rows: Sequence[Setting]) -> Iterator[Setting]:
    """Yield rows of settings, behind each parameter of the sink URI its key of the file."""
    for row in rows:
        yield row
        if row.name in FILE_KEYS:
            meaning = f"Changefeed file: `{row.name}`; the sink URI wins."
            yield replace(row, name=FILE_KEYS[row.name], meaning=meaning)
