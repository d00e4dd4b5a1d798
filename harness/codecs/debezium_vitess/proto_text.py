"""A row as protobuf's text format prints it, which one of the connector's errors quotes.

Source: protobuf-java 4 TextFormat; vector err.column_count.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from harness.model.vstream import Cells

_ESCAPES: Mapping[int, str] = MappingProxyType(
    {
        0x07: "\\a",
        0x08: "\\b",
        0x09: "\\t",
        0x0A: "\\n",
        0x0B: "\\v",
        0x0C: "\\f",
        0x0D: "\\r",
        0x22: '\\"',
        0x27: "\\'",
        0x5C: "\\\\",
    }
)


def _byte(value: int) -> str:
    if value in _ESCAPES:
        return _ESCAPES[value]
    return chr(value) if 0x20 <= value < 0x7F else f"\\{value:03o}"


def row_text(cells: Cells) -> str:
    """Return the lengths of a row's cells, a line each, and all of their bytes together."""
    lines = [f"lengths: {-1 if cell is None else len(cell)}\n" for cell in cells]
    content = b"".join(cell for cell in cells if cell is not None)
    if content:
        lines.append('values: "' + "".join(_byte(value) for value in content) + '"\n')
    return "".join(lines)
