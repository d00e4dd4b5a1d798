"""A column's default as the connector keeps it: what the statement has, not what it means.

Source: debezium-connector-mariadb 3.3.0.Final, antlr/listener/DefaultValueParserListener.java;
debezium-ddl-parser, MariaDBParser.g4, `defaultValue`.
"""

from __future__ import annotations

import re
from typing import Final

from harness.model.columns import Column, ColumnKind

CLOCK: Final = "1970-01-01 00:00:00"  # the default of a column that defaults to the clock
_CLOCK: Final = re.compile(r"(?:CURRENT_TIMESTAMP|NOW)\b", re.IGNORECASE)
# Its own words are the text that it keeps of these.
_OTHER_CLOCK: Final = re.compile(
    r"(?:LOCALTIME|LOCALTIMESTAMP)(?:\s*\(\s*\d*\s*\))?|CURDATE\s*\(\s*\)", re.IGNORECASE
)
_NUMBER: Final = re.compile(r"([-+]?)\s*(\d[\w.+-]*|\.\d[\w+-]*)")
_BASED: Final = re.compile(r"0[xb]|x'", re.IGNORECASE)  # literals of which it keeps nothing
_BITS: Final = re.compile(r"b'([01]*)'", re.IGNORECASE)
_INTRODUCED: Final = re.compile(r"(?:_\w+|n)\s*'.*'", re.IGNORECASE | re.DOTALL)
_TRUTHS: Final = frozenset({"TRUE", "FALSE"})


def default_text(column: Column) -> str | None:
    """Return what the connector keeps of a column's default, None for nothing."""
    default = column.default
    if default is None or default.text is None:
        return None
    return _kept(default.written) if default.written else _spelled(column)


def _kept(written: str) -> str | None:
    """Return what it keeps of a clause: of an expression, and of hexadecimal digits, nothing."""
    if written[0] in "'\"":
        return written[1:-1]
    if _CLOCK.match(written):
        return CLOCK
    if bits := _BITS.fullmatch(written):
        return bits[1]
    if _OTHER_CLOCK.fullmatch(written):
        return "".join(written.split())
    number = None if _BASED.match(written) else _NUMBER.fullmatch(written)
    if number:
        return number[1] + number[2]
    return written if written.upper() in _TRUTHS or _INTRODUCED.fullmatch(written) else None


def _spelled(column: Column) -> str:
    """Return the text of a default that no statement wrote."""
    default = column.default
    assert default is not None
    assert default.text is not None
    if default.is_binary and column.kind is ColumnKind.BIT:
        return f"{int(default.text or '0', 16):b}"
    return default.text if default.is_binary else quoted(default.text)


def written(text: str) -> str:
    """Return a text as a statement has it: the connector takes no escape away."""
    return text.replace("\\", "\\\\")


def quoted(text: str) -> str:
    """Return a text as it stands between a statement's quotes."""
    return written(text).replace("'", "''")
