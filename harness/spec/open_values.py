"""Values, flags and handles of the Open Protocol where its document is silent or out of date."""

from __future__ import annotations

from collections.abc import Mapping

from harness.spec.clause import Clause, Row, clauses, must
from harness.spec.documents import TIFLOW

_MOUNTER: tuple[Row, ...] = (
    must(
        "open.value.temporal-digits",
        "A temporal value has as many fractional digits as its column declares.",
    ),
    must("open.value.zero-date", "Zero dates travel as they are, such as 0000-00-00."),
    must("open.value.time-range", "TIME reaches from -838:59:59 to 838:59:59."),
    must(
        "open.value.timestamp-zone",
        "A TIMESTAMP is told in the changefeed's time zone without naming it; a DATETIME is "
        "never converted.",
    ),
    must(
        "open.value.json-text",
        "JSON is TiDB's text of it: keys sorted, a blank behind each colon and comma.",
    ),
    must("open.value.enum-invalid", "The invalid member of an ENUM is 0."),
    must(
        "open.value.char-trimmed",
        "CHAR has no trailing blanks, BINARY is padded with zero bytes to its length.",
    ),
    must(
        "open.value.bigint-exact",
        "A consumer reads integers beyond 53 bits and decimals without rounding.",
    ),
)

_SCHEMA_STORAGE: tuple[Row, ...] = (
    must(
        "open.flag.binary.all-but-text",
        "The binary flag is set on every column that is not of characters, numbers and dates "
        "included; the document gives it a meaning for BLOB and TEXT only.",
        "current",
    ),
    must(
        "open.flag.multiple-key.single",
        "The multiple-key flag is also set on the first column of an index that is not "
        "unique; the document speaks of composite indexes.",
    ),
    must(
        "open.flag.unique-key.nullable",
        "The unique-key flag is set on columns of nullable unique indexes too.",
    ),
    must(
        "open.flag.unsigned.implied",
        "YEAR and BIT columns, and those with ZEROFILL, have the unsigned flag.",
    ),
    must("open.flag.combine", "Flags add up: a column has the sum of all bits that hold for it."),
)

_SCHEMA_STORAGE_2: tuple[Row, ...] = (
    must(
        "open.handle.choice",
        "The handle is the primary key, else the NOT NULL unique index of fewest columns, the "
        "oldest among equals.",
    ),
)

OPEN_VALUE_CLAUSES: Mapping[str, Clause] = clauses(
    "open",
    {
        TIFLOW.file("cdc/entry/mounter.go", 772): _MOUNTER,
        TIFLOW.file("cdc/model/schema_storage.go", 237): _SCHEMA_STORAGE,
        TIFLOW.file("cdc/model/schema_storage.go", 208): _SCHEMA_STORAGE_2,
    },
)
