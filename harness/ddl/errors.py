"""What can be wrong with a DDL text: its author's mistake, with its position.

Nothing that a user can write makes this package raise anything but `DdlError`. Lines and columns
count from 1 inside the SQL text; whoever knows where that text stands in a file adds the two.

`Refused` is a statement that can be read and that a database would refuse, in MySQL's words; it
knows the offset of the offending word, and `Catalogue.apply` turns it into a `DdlError`.
Source: MySQL 8.0 error message reference.
"""

from __future__ import annotations

from difflib import get_close_matches

from harness.errors import UsageError

FEW = 20
TAKEN = "a statement that fits the tables as the statements before it leave them"


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


class Refused(Exception):  # noqa: N818 - a signal inside the package, never seen outside
    """A well-formed statement that makes no sense for the tables as they are."""

    def __init__(self, at: int, what: str, *, expected: str = TAKEN, hint: str = "") -> None:
        """Take the offset in the SQL text and the parts of the message."""
        self.at = at
        self.what = what
        self.expected = expected
        self.hint = hint
        super().__init__(what)


def nearest(name: str, known: tuple[str, ...]) -> str:
    """Return the hint that names what was probably meant, empty when nothing is near."""
    close = get_close_matches(name.lower(), [other.lower() for other in known], n=1)
    found = next((other for other in known if close and other.lower() == close[0]), "")
    return f"did you mean {found!r}?" if found else ""


def unknown_table(at: int, schema: str, name: str, known: tuple[str, ...] = ()) -> Refused:
    """Say: no such table (MySQL 1146)."""
    what = f"Table '{schema}.{name}' doesn't exist"
    return Refused(at, what, expected=_one_of("table", known), hint=nearest(name, known))


def table_exists(at: int, name: str, hint: str = "") -> Refused:
    """Say: the name is taken (MySQL 1050)."""
    what = f"Table '{name}' already exists"
    return Refused(at, what, expected="a name that no table has", hint=hint)


def unknown_database(at: int, name: str, known: tuple[str, ...] = ()) -> Refused:
    """Say: no such database (MySQL 1049)."""
    expected = _one_of("database", known)
    return Refused(at, f"Unknown database '{name}'", expected=expected, hint=nearest(name, known))


def unknown_column(at: int, column: str, where: str, known: tuple[str, ...]) -> Refused:
    """Say: no such column in that table or clause (MySQL 1054)."""
    what = f"Unknown column '{column}' in '{where}'"
    return Refused(at, what, expected=_one_of("column", known), hint=nearest(column, known))


def duplicate_column(at: int, column: str) -> Refused:
    """Say: two columns of one name (MySQL 1060)."""
    what = f"Duplicate column name '{column}'"
    return Refused(at, what, expected="a name that no other column of the table has")


def duplicate_key(at: int, name: str) -> Refused:
    """Say: two indexes of one name (MySQL 1061)."""
    what = f"Duplicate key name '{name}'"
    return Refused(at, what, expected="a name that no other index of the table has")


def cannot_drop(at: int, name: str, known: tuple[str, ...] = ()) -> Refused:
    """Say: nothing of that name to drop (MySQL 1091)."""
    what = f"Can't DROP '{name}'; check that column/key exists"
    expected = _one_of("column or index", known)
    return Refused(at, what, expected=expected, hint=nearest(name, known))


def _one_of(noun: str, known: tuple[str, ...]) -> str:
    """Return what was expected of a name, with those that there are while they are few."""
    if not known or len(known) > FEW:
        return f"a {noun} that the statements before have made"
    return f"a {noun} that there is: {', '.join(known)}"
