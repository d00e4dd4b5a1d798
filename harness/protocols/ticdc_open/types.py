"""The type table: how each column kind's value is written as JSON, and read back.

| kind | `v` |
| --- | --- |
| integers, YEAR, BIT, ENUM, SET | JSON integer (unsigned up to 2^64-1; index; bit mask) |
| FLOAT, DOUBLE | JSON number as Go prints 32-bit and 64-bit floats |
| DECIMAL, temporals, JSON, VECTOR | string |
| CHAR, VARCHAR | string; base64 in the 4.0.4 dialect |
| BINARY, VARBINARY | string of strconv.Quote's escapes; base64 in the 4.0.4 dialect |
| TEXT and BLOB families | base64 with padding |

Source: TiCDC codec notes §2.4 (vectors `open_types`); TiCDC Open Protocol, 2020, §Type codes and
log 5.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping

from harness.errors import DecodingError
from harness.model.columns import BINARIES, CHARACTERS, ColumnKind
from harness.model.values import Value
from harness.wire.go_json import go_float, go_quote, go_string, go_unquote

Writer = Callable[[Value], str]


def _integer(value: Value) -> str:
    return str(value)


def _float32(value: Value) -> str:
    assert isinstance(value, float)
    return go_float(value, 32)


def _float64(value: Value) -> str:
    assert isinstance(value, float)
    return go_float(value)


def _string(value: Value) -> str:
    assert isinstance(value, str)
    return go_string(value)


def _quoted(value: Value) -> str:
    assert isinstance(value, bytes)
    return go_string(go_quote(value))


def _base64(value: Value) -> str:
    assert isinstance(value, str | bytes)
    raw = value.encode() if isinstance(value, str) else value
    return f'"{b64encode(raw).decode()}"'


_SHORT = frozenset({ColumnKind.CHAR, ColumnKind.VARCHAR})
_SHORT_BINARY = frozenset({ColumnKind.BINARY, ColumnKind.VARBINARY})
_LONG = (CHARACTERS - _SHORT) | (BINARIES - _SHORT_BINARY)
_FLOATS: Mapping[ColumnKind, Writer] = {
    ColumnKind.FLOAT: _float32,
    ColumnKind.DOUBLE: _float64,
}
_STRINGS = frozenset(
    {
        ColumnKind.DECIMAL,
        ColumnKind.DATE,
        ColumnKind.TIME,
        ColumnKind.DATETIME,
        ColumnKind.TIMESTAMP,
        ColumnKind.JSON,
        ColumnKind.VECTOR,
    }
)
WRITERS: Mapping[ColumnKind, Writer] = {
    **dict.fromkeys(ColumnKind, _integer),
    **_FLOATS,
    **dict.fromkeys(_STRINGS | _SHORT, _string),
    **dict.fromkeys(_SHORT_BINARY, _quoted),
    **dict.fromkeys(_LONG, _base64),
}
WRITERS_4_0_4: Mapping[ColumnKind, Writer] = {
    **WRITERS,
    **dict.fromkeys(_SHORT | _SHORT_BINARY, _base64),
}

BINARY_FLAG = 1
_INTEGER_CODES = frozenset({1, 2, 3, 8, 9, 13, 16, 247, 248})
_FLOAT_CODES = frozenset({4, 5})
_TEXT_CODES = frozenset({7, 10, 11, 12, 14, 225, 245, 246})
_SHORT_CODES = frozenset({15, 253, 254})
_LONG_CODES = frozenset({249, 250, 251, 252})


def read_value(code: int, flag: int | None, raw: object, *, text_base64: bool) -> Value:
    """Return the value that the wire carries for a type code; DecodingError when it does not fit.

    `flag` is None in dialects without flags. Nothing then tells text from bytes: what is UTF-8 is
    given as text, and `harness.model.decoded.settled` puts it right for whoever knows the column.
    """
    if raw is None:
        return None
    if code in _INTEGER_CODES and isinstance(raw, int) and not isinstance(raw, bool):
        return raw
    if code in _FLOAT_CODES and isinstance(raw, int | float) and not isinstance(raw, bool):
        return float(raw)
    if isinstance(raw, str):
        try:
            return _read_text(code, flag, raw, text_base64=text_base64)
        except ValueError as error:
            raise DecodingError(f"type code {code} with the text {raw[:60]!r}: {error}") from error
    raise DecodingError(f"type code {code} with the value {str(raw)[:60]!r}")


def _read_text(code: int, flag: int | None, raw: str, *, text_base64: bool) -> Value:
    binary = flag is not None and flag & BINARY_FLAG
    if code in _TEXT_CODES:
        return raw
    if code in _LONG_CODES or (code in _SHORT_CODES and text_base64):
        content = b64decode(raw, validate=True)
        if flag is None:
            return _text_if_any(content)
        return content if binary else content.decode()
    if code in _SHORT_CODES:
        return go_unquote(raw) if binary else raw
    raise DecodingError(f"type code {code} does not carry text")


def _text_if_any(content: bytes) -> str | bytes:
    try:
        return content.decode()
    except UnicodeDecodeError:
        return content
