"""The text of a statement as the connector's lexer takes it: without what is a comment to it.

Each `/* … */` is one, those too that a server executes; `-- ` and `#` begin one up to the line's
end.

Source: debezium-ddl-parser 3.3.0.Final, MariaDBLexer.g4, `COMMENT_INPUT`, `SPEC_MYSQL_COMMENT`;
debezium-core, AntlrDdlParser.java, `getText`.
"""

from __future__ import annotations

import re
from typing import Final

_PIECES: Final = re.compile(
    r"(?P<comment>/\*.*?\*/|(?:--(?=\s|\Z)|#)[^\n]*)"
    r"|'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|(?P<name>`[^`]*`)",
    re.DOTALL,
)


def _blank(found: re.Match[str]) -> str:
    return " " * len(found[0])


def trimmed(sql: str) -> str:
    """Return a statement from its first word to its last, those in comments apart."""
    seen = _PIECES.sub(lambda one: _blank(one) if one["comment"] else one[0], sql)
    end = len(seen.rstrip("; \t\r\n"))
    return sql[len(seen) - len(seen.lstrip()) : end]


def code(sql: str) -> str:
    """Return a statement with blanks in the place of its comments and of its texts."""
    return _PIECES.sub(lambda one: one[0] if one["name"] else _blank(one), sql)


def logged(sql: str) -> str:
    """Return a statement as the server logs it: without blanks and semicolons at its end."""
    return sql.strip().rstrip("; \t\r\n")
