"""What a specification of ALTER TABLE is, and what it does.

Source: TiDB pkg/parser/ast/ddl.go, `AlterTableSpec`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from harness.ddl.change import Change
from harness.ddl.charsets import CHARSETS, Charset
from harness.ddl.jobs import ActionType
from harness.ddl.sql.cursor import Cursor
from harness.ddl.sql.tree import special
from harness.model.columns import Column
from harness.model.table import Table

IF_EXISTS = special("", "IF EXISTS ")
IF_NOT_EXISTS = special("", "IF NOT EXISTS ")


@dataclass(frozen=True, slots=True)
class Effect:
    """What one specification does: the table after it and the job for it, when it stands alone."""

    table: Table
    action: ActionType


Effects = tuple[Effect, ...]


class Specification(Protocol):
    """One specification of ALTER TABLE."""

    def restore(self) -> str | None:
        """Return the text that TiCDC sends, None when it sends none."""
        ...

    def apply(self, table: Table, change: Change, /) -> Effects:
        """Return what happens to the table as it stands after the specifications before this one.

        Nothing: IF NOT EXISTS hit, same name, or TiDB runs no job for it. Raises Refused.
        """
        ...


# The first words of a specification -> the rule that reads it; the cursor stands at its first word.
Forms = Mapping[tuple[str, ...], Callable[[Cursor], Specification]]


def charset_of(table: Table) -> Charset:
    """Return the character set that new columns inherit from the table."""
    return replace(CHARSETS[table.charset], collation=table.collation)


def with_column(table: Table, old: Column, new: Column) -> Table:
    """Return the table with one column in place of another."""
    columns = tuple(new if column is old else column for column in table.columns)
    return replace(table, columns=columns)


@dataclass(frozen=True, slots=True)
class PlainSpecification:
    """A specification without effect on columns, keys or partitions.

    `ignored` marks those that TiDB skips when it counts specifications (LOCK, ALGORITHM). An empty
    `text` is not written back at all (ATTRIBUTES, which TiDB drops along with placement).
    """

    text: str
    action: ActionType | None = None
    ignored: bool = False

    def restore(self) -> str | None:
        """Return the text that TiCDC sends, None when it sends none."""
        return self.text or None

    def apply(self, table: Table, _change: Change) -> Effects:
        """Return the job that TiDB runs, if any."""
        return (Effect(table, self.action),) if self.action is not None else ()
