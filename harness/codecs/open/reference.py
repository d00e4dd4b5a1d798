"""What the Open Protocol codec takes and writes, in words: the reference page is made of it.

`harness.codecs.open.settings` reads values by these very rows, so a key that is not here
is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from harness.codecs.ticdc.settings import (
    BIGINT,
    DECIMAL,
    EXTENSION,
    LARGE,
    LARGE_OPTIONS,
    MAX_BATCH_SIZE,
    MAX_MESSAGE_BYTES,
    MESSAGE_BYTES,
    ONLY_UPDATED,
    TIME_ZONE,
    WATERMARK,
    with_file_keys,
)
from harness.contracts import Setting, TypeForm
from harness.model.columns import ColumnKind
from harness.wire.compression import COMPRESSIONS

FLAG, COUNT, TEXT = "true | false", "1..", "text"
BATCH_SIZE = 16
_AVRO_ALONE = "it is of Avro, and the Open Protocol's encoder does not look at it"


def _or(words: tuple[str, ...]) -> str:
    return " | ".join(words)


_ROWS: tuple[Setting, ...] = (
    Setting(
        MAX_BATCH_SIZE,
        str(BATCH_SIZE),
        COUNT,
        "Sink URI: the most row events in one message.",
        ("open.frame.batch",),
    ),
    Setting(
        MESSAGE_BYTES,
        str(MAX_MESSAGE_BYTES),
        COUNT,
        "Sink URI: the largest message, with what Kafka adds to it. A single row beyond it stops "
        "the changefeed with ErrMessageTooLarge, unless large messages are handled.",
        ("open.frame.batch",),
    ),
    Setting(
        "sink.open.output-old-value",
        "true; false in dialect 4.0.4",
        FLAG,
        "Changefeed file: an update carries the old row as `p`.",
        ("open.row.update.old-value",),
    ),
    Setting(
        ONLY_UPDATED,
        "false",
        FLAG,
        "Sink URI: `p` holds the columns that changed only.",
        ("open.row.update.changed-columns-setting",),
    ),
    Setting(
        "sink.delete-only-output-handle-key-columns",
        "false; true in dialect 4.0.4",
        FLAG,
        "Changefeed file: a delete carries the handle columns only. Not with `force-replicate`.",
        ("open.row.delete.handle-only-setting",),
    ),
    Setting(
        LARGE + "large-message-handle-option",
        "none",
        _or(LARGE_OPTIONS),
        "Changefeed file: what becomes of a row beyond `max-message-bytes`. `handle-key-only` "
        'sends its handle columns (`"ohk":true`), `claim-check` those and the place of a file that '
        "holds the whole message (`ccl`). Not with `force-replicate`.",
    ),
    Setting(
        LARGE + "large-message-handle-compression",
        "none",
        _or(COMPRESSIONS),
        "Changefeed file: each event's value, rows and DDL alike, is compressed on its own; keys "
        "never are.",
    ),
    Setting(
        LARGE + "claim-check-storage-uri",
        "",
        TEXT,
        "Changefeed file: where claim checks are kept; `claim-check` needs it.",
    ),
    Setting(
        LARGE + "claim-check-raw-value",
        "false",
        FLAG,
        "Changefeed file: refused with `claim-check`, as the Open Protocol has no raw values.",
        without_effect="only claim checks could be raw",
    ),
    Setting(
        TIME_ZONE,
        "UTC",
        "a zone",
        "`cdc server --tz`: the zone in which TIMESTAMPs are written. TiCDC's own default "
        "is its machine's.",
        ("open.value.timestamp-zone",),
    ),
    Setting(EXTENSION, "false", FLAG, "", without_effect=_AVRO_ALONE),
    Setting(DECIMAL, "precise", "precise | string", "", without_effect=_AVRO_ALONE),
    Setting(BIGINT, "long", "long | string", "", without_effect=_AVRO_ALONE),
    Setting(WATERMARK, "false", FLAG, "", without_effect=_AVRO_ALONE),
)
SETTINGS = tuple(with_file_keys(_ROWS))
_INTEGER = TypeForm("JSON integer")
_FLOAT = TypeForm(
    "JSON number, the shortest digits that read back",
    "Fixed notation from 1e-6 up to below 1e21, else an exponent.",
)
_STRING = TypeForm("JSON string")
_SHORT = TypeForm("JSON string", "Base64 in dialect 4.0.4.", ("open.type.varchar.base64",))
_SHORT_BINARY = TypeForm(
    "JSON string of Go's `strconv.Quote` escapes",
    "Base64 in dialect 4.0.4.",
    ("open.type.varchar.base64",),
)
_LONG = TypeForm("Base64 with padding", "In text columns as in binary ones; `f` tells them apart.")
TYPES: Mapping[ColumnKind, TypeForm] = MappingProxyType(
    {
        ColumnKind.TINYINT: _INTEGER,
        ColumnKind.SMALLINT: _INTEGER,
        ColumnKind.MEDIUMINT: _INTEGER,
        ColumnKind.INT: _INTEGER,
        ColumnKind.BIGINT: TypeForm("JSON integer", "Unsigned up to 18446744073709551615."),
        ColumnKind.FLOAT: _FLOAT,
        ColumnKind.DOUBLE: _FLOAT,
        ColumnKind.DECIMAL: TypeForm("JSON string", "Padded to the declared scale."),
        ColumnKind.BIT: TypeForm("JSON integer", "The bits as an unsigned number."),
        ColumnKind.YEAR: _INTEGER,
        ColumnKind.DATE: _STRING,
        ColumnKind.TIME: TypeForm("JSON string", "Just the declared digits of a second."),
        ColumnKind.DATETIME: TypeForm("JSON string", "Just the declared digits of a second."),
        ColumnKind.TIMESTAMP: TypeForm("JSON string", "In the time zone of the TiCDC server."),
        ColumnKind.CHAR: _SHORT,
        ColumnKind.VARCHAR: _SHORT,
        ColumnKind.BINARY: _SHORT_BINARY,
        ColumnKind.VARBINARY: _SHORT_BINARY,
        ColumnKind.TINYTEXT: _LONG,
        ColumnKind.TEXT: _LONG,
        ColumnKind.MEDIUMTEXT: _LONG,
        ColumnKind.LONGTEXT: _LONG,
        ColumnKind.TINYBLOB: _LONG,
        ColumnKind.BLOB: _LONG,
        ColumnKind.MEDIUMBLOB: _LONG,
        ColumnKind.LONGBLOB: _LONG,
        ColumnKind.ENUM: TypeForm("JSON integer", "The member's number from 1; 0 is the wrong ''."),
        ColumnKind.SET: TypeForm("JSON integer", "A bit for each member."),
        ColumnKind.JSON: TypeForm("JSON string", "TiDB's text of the document."),
        ColumnKind.VECTOR: TypeForm("JSON string", "As `[1,2.5,-3]`."),
    }
)
