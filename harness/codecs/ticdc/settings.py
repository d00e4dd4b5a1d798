"""Names and limits of a changefeed that all of TiCDC's codecs know.

Source: tiflow c7b2588 pkg/sink/codec/common/config.go `Apply`, message.go:31 `MaxRecordOverhead`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

# What Kafka adds to a message, in bytes, as TiCDC counts it.
RECORD_OVERHEAD: Final = 36
MAX_MESSAGE_BYTES: Final = 10 * 1024 * 1024
EXTENSION: Final = "enable-tidb-extension"
DECIMAL: Final = "avro-decimal-handling-mode"
BIGINT: Final = "avro-bigint-unsigned-handling-mode"
WATERMARK: Final = "avro-enable-watermark"
INTEGRITY: Final = "integrity.integrity-check-level"
# What decides rows and topics before any encoder sees them; `harness.sources` reads these.
SOURCE_KEYS: Final = (
    "bdr-mode",
    "case-sensitive",
    "ddl-rules",
    "force-replicate",
    "sink.dispatchers",
    "sink.kafka-config.output-raw-change-event",
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
