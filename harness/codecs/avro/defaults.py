"""A field's default: the stored text read by the column's type, with all of TiCDC's quirks.

Bytes stand as base64 text, a FLOAT as the 64-bit number that its 32-bit one widens to, an unsigned
BIGINT wraps in `long` mode, a string-mode DECIMAL keeps the user's text.

Source: TiCDC codec notes §3.4, 3.5 (vectors `avro_defaults`); tiflow c7b2588
pkg/sink/codec/avro/avro.go `columnToAvroData` on a string, `columns2AvroSchema`.
"""

from __future__ import annotations

import re
import struct
from base64 import b64encode

from harness.codecs.avro.stored_default import ESCAPES, stored_default
from harness.codecs.avro.types import AvroType
from harness.errors import SourceStopped
from harness.model.columns import Column, ColumnKind
from harness.wire.go_json import go_float, go_string

FAILED = "ErrAvroEncodeFailed"
_INTEGER = re.compile(r"[+-]?\d+\Z", re.ASCII)
_DECIMAL = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,4})?\Z", re.ASCII)
_WRAP = 2**64

Native = int | float | str | bytes | None


def native_default(column: Column, kind: AvroType) -> Native:
    """Return the default as the field's type has it, None without one.

    Raises SourceStopped where TiCDC cannot read the text: the changefeed fails at the first row.
    """
    text = stored_default(column)
    if text is None:
        return None
    if column.kind is ColumnKind.VECTOR:
        raise SourceStopped(FAILED, "encode to avro native data")
    match kind.name:
        case "int" | "long":
            return _integer(column, text)
        case "float" | "double":
            return _float(text, narrow=kind.name == "float")
        case "bytes" if kind.decimal is None:
            # What is not UTF-8 was lost when TiDB wrote the schema as JSON; BIT alone is kept
            # apart, as bytes.
            raw = text.encode("utf-8", ESCAPES)
            return raw if column.kind is ColumnKind.BIT else _replaced(text).encode()
        case "bytes":
            if not _DECIMAL.match(text):
                raise SourceStopped(FAILED, "fail to encode Decimal value")
            return text
        case _:
            return _replaced(text)


def default_text(value: Native) -> str:
    """Return a default as JSON."""
    match value:
        case None:
            return "null"
        case bytes():
            return f'"{b64encode(value).decode()}"'
        case str():
            return go_string(value)
        case float():
            return go_float(value)
        case int():
            return str(value)


def _replaced(text: str) -> str:
    """Return the text with U+FFFD for every byte that is not UTF-8, as Go's JSON has it."""
    return re.sub("[\udc80-\udcff]", "\ufffd", text)


def _integer(column: Column, text: str) -> int:
    if not _INTEGER.match(text):
        raise SourceStopped(FAILED, f'strconv.ParseInt: parsing "{text}": invalid syntax')
    value = int(text)
    if column.kind is ColumnKind.BIGINT and column.unsigned and value >= _WRAP // 2:
        return value - _WRAP
    return value


def _float(text: str, *, narrow: bool) -> float:
    if not _DECIMAL.match(text):
        raise SourceStopped(FAILED, f'strconv.ParseFloat: parsing "{text}": invalid syntax')
    value = float(text)
    if not narrow:
        return value
    try:
        narrowed: float = struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError as error:
        raise SourceStopped(
            FAILED, f'strconv.ParseFloat: parsing "{text}": value out of range'
        ) from error
    return narrowed
