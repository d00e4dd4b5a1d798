r"""JSON text as Go's encoding/json prints it, and Go's strconv.Quote.

No spaces, no trailing newline. `<`, `>` and `&` are escaped, as are U+2028 and U+2029; other
non-ASCII characters and 0x7f are raw; bytes that are not UTF-8 become `\ufffd`.

Source: TiCDC codec notes, tiflow c7b2588 (vectors `open_types`); Go encoding/json `appendString`
(`\b` and `\f` since Go 1.22), `floatEncoder`; strconv `Quote`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from decimal import Decimal
from math import isfinite
from struct import Struct

_ESCAPES = {
    '"': '\\"',
    "\\": "\\\\",
    "\b": "\\b",
    "\f": "\\f",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "<": "\\u003c",
    ">": "\\u003e",
    "&": "\\u0026",
    "\u2028": "\\u2028",
    "\u2029": "\\u2029",
}
_TABLE = str.maketrans(
    {
        **{chr(code): f"\\u{code:04x}" for code in range(0x20)},
        # What Python's `surrogateescape` makes of a byte that is not UTF-8.
        **{chr(code): "\\ufffd" for code in range(0xD800, 0xE000)},
        **_ESCAPES,
    }
)
_NEEDS_ESCAPE = re.compile('[\x00-\x1f"\\\\<>&\u2028\u2029\ud800-\udfff]')
_FLOAT32 = Struct("<f")
_NORMAL32 = 2.0**-126
_FLOAT32_MAX = 3.4028235677973366e38
# Go compares a 32-bit float with the bounds of fixed notation as 32-bit numbers.
_FIXED_FROM: Mapping[int, float] = {
    32: _FLOAT32.unpack(_FLOAT32.pack(1e-6))[0],
    64: 1e-6,
}
# Below a power of two floats lie half as far apart as above it; for three of the 277 powers that
# 32 bits have, the shortest text that reads back is therefore not the nearest one of its length.
_UNEVEN: Mapping[float, str] = {
    2.0**-96: "1.2621775e-29",
    2.0**87: "1.5474251e+26",
    2.0**90: "1.2379401e+27",
}

_QUOTE_ESCAPES = {
    "\a": "\\a",
    "\b": "\\b",
    "\f": "\\f",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "\v": "\\v",
    "\\": "\\\\",
    '"': '\\"',
}
_UNQUOTE = {escape[1]: char for char, escape in _QUOTE_ESCAPES.items()}
_UNQUOTE_PATTERN = re.compile(r'\\(x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8}|[abfnrtv\\"])', re.ASCII)


def go_string(text: str) -> str:
    """Return `text` as a quoted JSON string."""
    if _NEEDS_ESCAPE.search(text) is None:
        return f'"{text}"'
    return f'"{text.translate(_TABLE)}"'


def go_float(value: float, bits: int = 64) -> str:
    """Return a float's JSON number: shortest digits that read back, fixed notation in [1e-6, 1e21).

    `bits` is 32 or 64: a 32-bit float is printed with the digits that 32 bits need. Zero has no
    sign, since TiDB stores none. ValueError for what is not finite: JSON has no such number.
    """
    if not isfinite(value):
        raise ValueError(f"{value} is not a JSON number")
    if value == 0:
        return "0"
    digits = shortest(value, bits)
    magnitude = abs(value)
    if _FIXED_FROM[bits] <= magnitude < 1e21:
        return f"{digits:f}"
    sign, figures, _ = digits.as_tuple()
    head = "".join(map(str, figures))
    mantissa = head[0] + ("." + head[1:] if len(head) > 1 else "")
    exponent = digits.adjusted()
    return f"{'-' if sign else ''}{mantissa}e{'-' if exponent < 0 else '+'}{abs(exponent)}"


def shortest(value: float, bits: int = 64) -> Decimal:
    """Return the number with the fewest digits that reads back as this float of `bits` bits."""
    return Decimal(repr(value) if bits == 64 else _shortest32(value)).normalize()


def _shortest32(value: float) -> str:
    uneven = _UNEVEN.get(abs(value))
    if uneven is not None:
        return uneven if value > 0 else f"-{uneven}"
    packed = _FLOAT32.pack(value)
    # A normal 32-bit float keeps any six digits, so rounding to six gives a shorter text as well.
    for precision in range(6 if abs(value) >= _NORMAL32 else 1, 9):
        text = f"{value:.{precision}g}"
        # Rounding the greatest floats up leaves the 32-bit range.
        if abs(float(text)) <= _FLOAT32_MAX and _FLOAT32.pack(float(text)) == packed:
            return text
    # Nine digits separate every 32-bit float from its neighbours.
    return f"{value:.9g}"


def go_quote(raw: bytes) -> str:
    r"""Return strconv.Quote of the bytes, without its outer quotes: `\x89PNG\r\n`."""
    parts: list[str] = []
    for char in raw.decode("utf-8", "surrogateescape"):
        code = ord(char)
        if 0xDC80 <= code <= 0xDCFF:
            parts.append(f"\\x{code - 0xDC00:02x}")
        elif char in _QUOTE_ESCAPES:
            parts.append(_QUOTE_ESCAPES[char])
        elif char == " " or unicodedata.category(char)[0] in "LMNPS":
            parts.append(char)
        elif code < 0x80:
            parts.append(f"\\x{code:02x}")
        else:
            parts.append(f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}")
    return "".join(parts)


def go_unquote(text: str) -> bytes:
    """Return the bytes that `go_quote` quoted; ValueError on an escape that Go does not know."""
    parts: list[bytes] = []
    position = 0
    while position < len(text):
        slash = text.find("\\", position)
        if slash < 0:
            parts.append(text[position:].encode())
            break
        parts.append(text[position:slash].encode())
        match = _UNQUOTE_PATTERN.match(text, slash)
        if match is None:
            raise ValueError(f"unknown escape {text[slash : slash + 2]!r} at {slash}")
        parts.append(_unescaped(match[1]))
        position = match.end()
    return b"".join(parts)


def _unescaped(escape: str) -> bytes:
    if escape[0] == "x":
        return bytes([int(escape[1:], 16)])
    if escape[0] in "uU":
        return chr(int(escape[1:], 16)).encode()
    return _UNQUOTE[escape].encode()
