"""ALTER TABLE on stored rows: columns come, go, and change their name or type.

All alterations of one statement mean the table as it was before it, so each row is rebuilt
once from its old self. Source: TiDB documentation, §Multi-schema change.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from cdc_spark.apply.conversions import converted
from cdc_spark.apply.defaults import added
from cdc_spark.apply.schema import Column
from cdc_spark.apply.statements import (
    AddColumn,
    Alteration,
    ChangeColumn,
    DropColumn,
    RenameColumn,
)
from cdc_spark.apply.tables import Row, Table
from cdc_spark.errors import DecodingError


@dataclass(slots=True)
class Plan:
    """What becomes of each old column (by lower-case name), and which columns are new.

    `moved` gives the new name, and the new definition where it changed.
    """

    before: dict[str, Column]
    dropped: set[str] = field(default_factory=set[str])
    moved: dict[str, tuple[str, Column | None]] = field(
        default_factory=dict[str, tuple[str, Column | None]]
    )
    new: list[Column] = field(default_factory=list[Column])

    def note(self, alteration: Alteration) -> None:
        """Take one alteration into the plan; raises DecodingError when rows cannot follow it."""
        match alteration:
            case AddColumn(column):
                if column.stored:
                    raise DecodingError(f"{column.name!r} is computed by the database only")
                self.new.append(column)
            case DropColumn(name):
                self.dropped.add(name.lower())
            case ChangeColumn(old, column):
                self.moved[old.lower()] = (column.name, column)
            case RenameColumn(old, new):
                self.moved[old.lower()] = (new, None)

    def columns(self) -> list[Column]:
        """Return the definitions after the statement."""
        after: list[Column] = []
        for name, column in self.before.items():
            if name in self.moved:
                new_name, new = self.moved[name]
                after.append(new or replace(column, name=new_name))
            elif name not in self.dropped:
                after.append(column)
        known = {name for name in self.moved if name not in self.before}
        after.extend(column for name in known for column in [self.moved[name][1]] if column)
        return after + self.new

    def row(self, old: Row) -> Row:
        """Return a row after the statement; raises DecodingError when a value has no new form."""
        row: Row = {}
        for name, value in old.items():
            low = name.lower()
            if low in self.dropped:
                continue
            new_name, column = self.moved.get(low, (name, None))
            row[new_name] = converted(self.before.get(low), column, value) if column else value
        for column in self.new:
            if not column.virtual:
                row[column.name] = added(column)
        return row


def reshape(table: Table, alterations: tuple[Alteration, ...]) -> None:
    """Alter a table's columns and rows; raises DecodingError when a row cannot follow."""
    plan = Plan(dict(table.columns))
    for alteration in alterations:
        plan.note(alteration)
    table.reshape(plan.columns(), plan.row)
