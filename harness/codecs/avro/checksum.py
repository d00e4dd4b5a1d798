"""TiDB's row checksum: CRC-32 over the values of all sent columns, in the order of their ids.

| kind | bytes |
| --- | --- |
| NULL | none |
| integers, YEAR, BIT, ENUM, SET | uint64, little-endian |
| FLOAT, DOUBLE | float64, little-endian |
| characters, binaries, DECIMAL, JSON, temporals | uint32 length, then the text; TIMESTAMP in UTC |
| VECTOR | uint32 dimensions, then float32 each |

Source: TiCDC codec notes §3.8 (vectors `avro_checksum`); tiflow c7b2588
pkg/sink/codec/common/verify_checksum.go `buildChecksumBytes`.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from zlib import crc32

from harness.model.columns import Column, ColumnKind
from harness.model.source_events import SourceTable
from harness.model.values import Row, Value
from harness.model.zones import Moved

# A sink-split update's insert half says "0", which consumers read as "not enabled".
NOT_ENABLED = 0
VERSION = 2
_WRAP = 2**64


def row_checksum(table: SourceTable, image: Row, to_utc: Moved) -> int:
    """Return the checksum of a row; `to_utc` makes UTC of the TIMESTAMPs in it."""
    columns = sorted(
        ((table.table.columns[n], image[n]) for n in table.emitted), key=lambda pair: pair[0].id
    )
    return checksum_of(
        (column.kind, _checksummed(column, value, to_utc)) for column, value in columns
    )


def _checksummed(column: Column, value: Value, to_utc: Moved) -> Value:
    if column.kind is ColumnKind.TIMESTAMP and isinstance(value, str):
        return to_utc(value)
    return value


def checksum_of(values: Iterable[tuple[ColumnKind, Value]]) -> int:
    """Return the checksum of values that come in the order of their columns' ids."""
    checksum = 0
    for kind, value in values:
        if value is not None:
            checksum = crc32(checksum_bytes(kind, value), checksum)
    return checksum


def checksum_bytes(kind: ColumnKind, value: Value) -> bytes:
    """Return what one value adds to the checksum."""
    if kind is ColumnKind.VECTOR:
        assert isinstance(value, str)
        numbers = [float(text) for text in value.strip("[]").split(",") if text]
        return struct.pack(f"<I{len(numbers)}f", len(numbers), *numbers)
    match value:
        case int():
            return struct.pack("<Q", value % _WRAP)
        case float():
            return struct.pack("<d", value)
        case str():
            return _sized(value.encode())
        case bytes():
            return _sized(value)
        case None:
            return b""


def _sized(raw: bytes) -> bytes:
    return struct.pack("<I", len(raw)) + raw
