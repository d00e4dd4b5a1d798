"""Columns of the Open Protocol in the contract's JSON: the type's code and the flags tell how."""

from __future__ import annotations

import base64
import re
from typing import Any

from tables import Row

BINARY, HANDLE_KEY = 1, 2  # the flags that matter here
INTEGERS = {1, 2, 3, 8, 9, 13, 16, 247, 248}  # with years, bits, and ENUM and SET by number
FLOATS = {4, 5}
TEXTS = {7, 10, 11, 12, 14, 225, 245, 246}  # temporal types, vectors, JSON, decimals
STRINGS = {15, 253, 254}  # CHAR and VARCHAR, BINARY and VARBINARY
LOBS = {249, 250, 251, 252}  # the TEXT and the BLOB types
# Go's quotation of bytes in a string.
PIECE = re.compile(
    r'[^\\]+|\\(?:[abfnrtv\\"]|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})', re.DOTALL
)
ONE_BYTE = dict(zip('abfnrtv\\"', b'\a\b\f\n\r\t\v\\"', strict=True))


def image(columns: dict[str, Any]) -> tuple[Row, Row]:
    """Return a row, and its handle key; both by column."""
    row = {name: value_of(name, column) for name, column in columns.items()}
    if not row:
        raise ValueError("a row without columns")
    key = {n: row[n] for n, c in columns.items() if c.get("h") or c["f"] & HANDLE_KEY}
    return row, key


def value_of(name: str, column: dict[str, Any]) -> Any:
    """Return a column's value; raises ValueError for one that is not of its type."""
    code, flag, value = column.get("t", 0), column["f"], column["v"]
    kind = type(value)
    if value is None or (code in INTEGERS and kind is int):
        return value
    if (code in FLOATS and kind in (int, float)) or (code in TEXTS and kind is str):
        return value
    if code in LOBS and kind is str:
        raw = base64.b64decode(value, validate=True)
        return raw.hex() if flag & BINARY else raw.decode()
    if code in STRINGS and kind is str:
        return unquoted(value).hex() if flag & BINARY else value
    raise ValueError(f"column {name!r} of type code {code} is {value!r}")


def unquoted(text: str) -> bytes:
    """Return the bytes that Go has quoted."""
    pieces = PIECE.findall(text)
    if sum(map(len, pieces)) != len(text):
        raise ValueError(f"{text!r:.60} is no string of bytes")
    return b"".join(map(bytes_of, pieces))


def bytes_of(piece: str) -> bytes:
    """Return what one escape, or a text without any, stands for."""
    if piece[0] != "\\":
        return piece.encode()
    if piece[1] == "x":
        return bytes.fromhex(piece[2:])
    if piece[1] in "uU":
        return chr(int.from_bytes(bytes.fromhex(piece[2:].zfill(8)), "big")).encode()
    return bytes([ONE_BYTE[piece[1]]])
