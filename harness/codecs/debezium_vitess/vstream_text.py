"""The table that a DDL statement names, and a row as the connector's errors quote it.

Source: V:connection/DdlMetadataExtractor.java; vitess NOTES §10; vectors ddl.*; protobuf-java 4
TextFormat; vector err.column_count.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from harness.codecs.connect.errors import OUT_OF_BOUNDS, JavaError
from harness.codecs.connect.java import split
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


UNKNOWN: Final = "<UNKNOWN>"
_TABLE: Final = re.compile(
    r"(?:CREATE|ALTER|TRUNCATE|DROP|RENAME)\s+TABLE\s+([\w`.]+)", re.IGNORECASE | re.ASCII
)
_COMMENT: Final = re.compile(r"/\*.*?\*/", re.DOTALL)
_LINE_COMMENT: Final = re.compile(r"(?:--|#).*?(?:\r?\n|$)")
_SPACE: Final = re.compile(r"\s+", re.ASCII)


def table_name(statement: str) -> str:
    """Return the name of the table that a statement is about, as far as the pattern finds it."""
    bare = _LINE_COMMENT.sub("", _COMMENT.sub("", statement))
    match = _TABLE.search(_SPACE.sub(" ", bare).strip())
    if match is None:
        return UNKNOWN
    name = match[1]
    if "." in name:
        parts = split(name, ".")
        if len(parts) < 2:
            raise JavaError(OUT_OF_BOUNDS, f"Index 1 out of bounds for length {len(parts)}")
        name = parts[1]
    return name.replace("`", "")
