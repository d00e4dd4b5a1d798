"""The one way in which a DDL text can be wrong: its author's mistake, with the place of it.

Law: nothing that a user can write makes this package raise anything but `DdlError`; there is no
opaque command and no foreign traceback. Lines and columns count from 1 inside the SQL text; whoever
knows where that text stands in a file adds the two.
"""

from __future__ import annotations

from harness.errors import UsageError


class DdlError(UsageError):
    """SQL that cannot be parsed, or that the catalogue's database would refuse."""

    def __init__(
        self,
        what: str,
        *,
        expected: str = "",
        hint: str = "",
        line: int = 1,
        column: int = 1,
    ) -> None:
        """Keep the place beside the parts of the message."""
        self.line = line
        self.column = column
        super().__init__(what, expected=expected, hint=hint)

    @classmethod
    def at(
        cls, sql: str, offset: int, what: str, *, expected: str = "", hint: str = ""
    ) -> DdlError:
        """Build the error for the character at `offset` (from 0) of `sql`."""
        line, column = position(sql, offset)
        where = f"line {line}, column {column}: {what}"
        return cls(where, expected=expected, hint=hint, line=line, column=column)


def position(sql: str, offset: int) -> tuple[int, int]:
    """Return line and column (from 1) of the character at `offset` (from 0) of `sql`."""
    before = sql[:offset]
    return before.count("\n") + 1, offset - (before.rfind("\n") + 1) + 1
