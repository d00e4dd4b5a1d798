"""What the connector reads out of a DDL statement: the table's name, by a pattern.

Source: V:connection/DdlMetadataExtractor.java; vitess NOTES §10; vectors ddl.*.
"""

from __future__ import annotations

import re
from typing import Final

from harness.codecs.connect.errors import OUT_OF_BOUNDS, JavaError
from harness.codecs.connect.java import split

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
