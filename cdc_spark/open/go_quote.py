r"""Go's `strconv.Quote`, undone: text in which bytes are escaped -> the bytes.

TiCDC sends CHAR and VARCHAR columns of the binary character set in this form, without the outer
quotes (tiflow c7b2588 pkg/sink/codec/open): printable runes stand for their UTF-8 bytes; `\a \b
\f \n \r \t \v \\ \"` for one byte each; `\xNN` for a byte; `\uNNNN` and `\UNNNNNNNN` for a rune's
UTF-8 bytes. Source of the grammar: The Go Programming Language Specification, §String literals.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from cdc_spark.errors import DecodingError

_ONE_BYTE: Mapping[str, bytes] = {
    "a": b"\a",
    "b": b"\b",
    "f": b"\f",
    "n": b"\n",
    "r": b"\r",
    "t": b"\t",
    "v": b"\v",
    "\\": b"\\",
    '"': b'"',
}
_PIECE = re.compile(
    r'[^\\]+|\\(?:[abfnrtv\\"]|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})', re.DOTALL
)


def unquote(text: str) -> bytes:
    """Return the bytes that were quoted; raises DecodingError on an escape unknown to Go."""
    if "\\" not in text:
        return text.encode()
    result = bytearray()
    position = 0
    while position < len(text):
        piece = _PIECE.match(text, position)
        if piece is None:
            raise DecodingError(
                f"{text[position : position + 10]!r} is not an escape of a binary string",
                expected=r"\a \b \f \n \r \t \v \\ \" \xNN \uNNNN or \UNNNNNNNN",
            )
        result += _bytes_of(piece.group())
        position = piece.end()
    return bytes(result)


def _bytes_of(piece: str) -> bytes:
    if piece[0] != "\\":
        return piece.encode()
    kind = piece[1]
    if kind == "x":
        return bytes.fromhex(piece[2:])
    if kind in "uU":
        try:
            return chr(int.from_bytes(bytes.fromhex(piece[2:].zfill(8)), "big")).encode()
        except (ValueError, OverflowError) as error:
            raise DecodingError(f"{piece} is not a Unicode character") from error
    return _ONE_BYTE[kind]
