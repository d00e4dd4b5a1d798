"""ALTER TABLE as a whole: its specifications in order, and the jobs that they add up to.

One specification is one job of its own action (a specification of several options one for each);
several are one multi-schema change. No effect, no job.
Source: TiDB pkg/parser/parser.y, `AlterTableStmt`; pkg/ddl/executor.go, `AlterTable`,
`ResolveAlterTableSpec`; pkg/ddl/multi_schema_change.go.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from harness.ddl.alter import (
    columns,
    exchange_partition,
    keys,
    modify_column,
    options,
    partitions,
    plain,
)
from harness.ddl.alter.columns import AddColumns, DropColumn, RenameColumn
from harness.ddl.alter.exchange_partition import ExchangePartition
from harness.ddl.alter.keys import AddConstraint
from harness.ddl.alter.modify_column import ModifyColumn
from harness.ddl.alter.partitions import PartitionPlacement
from harness.ddl.alter.specification import (
    Effect,
    Effects,
    Forms,
    PlainSpecification,
    Specification,
)
from harness.ddl.change import Change, StatementForms
from harness.ddl.definitions.dependencies import refuse_broken
from harness.ddl.errors import Refused
from harness.ddl.jobs import ActionType
from harness.ddl.sql.cursor import Cursor
from harness.ddl.sql.lexer import TokenKind
from harness.ddl.sql.tree import TableRef

_FORMS: Forms = {
    **columns.FORMS,
    **modify_column.FORMS,
    **keys.FORMS,
    **options.FORMS,
    **partitions.FORMS,
    **exchange_partition.FORMS,
    **plain.FORMS,
}
_LONGEST = max(len(words) for words in _FORMS)
# TiDB writes no comma before these, and reads them without.
_WITHOUT_COMMA = (
    *("PARTITION BY ", "REMOVE PARTITIONING"),
    *("IMPORT TABLESPACE", "DISCARD TABLESPACE"),
)


@dataclass(frozen=True, slots=True)
class AlterTable:
    """ALTER TABLE."""

    table: TableRef
    specs: tuple[Specification, ...]

    def restore(self) -> str:
        """Return the statement as TiDB writes it, empty when it is about placement alone."""
        texts = [spec.restore() for spec in self.specs]
        placed = (isinstance(spec, PartitionPlacement) for spec in self.specs)
        if all(placed) and not any(texts):
            return ""
        text = f"ALTER TABLE {self.table.restore()}"
        sent = [each for each in texts if each is not None]
        for number, each in enumerate(sent):
            text += f", {each}" if number and not each.startswith(_WITHOUT_COMMA) else f" {each}"
        return text

    def apply(self, change: Change) -> None:
        """Apply the specifications to the table, one behind the other."""
        apply_specifications(change, self.table, self.specs, self.restore())


def apply_specifications(
    change: Change, ref: TableRef, written: tuple[Specification, ...], query: str
) -> None:
    """Apply specifications of ALTER TABLE (or of CREATE and DROP INDEX, which are alike)."""
    before = change.existing(ref)
    if before.is_view or before.is_sequence:
        raise Refused(ref.at, f"'{before.id}' is not BASE TABLE")
    specs = tuple(part for spec in written for part in _counted(spec))
    if len(specs) == 1 and isinstance(specs[0], ExchangePartition):
        specs[0].exchange(before, change)
        return
    table = before
    effects: Effects = ()
    for spec in specs:
        found = spec.apply(table, change)
        effects += found
        table = found[-1].table if found else table
    _refuse_together(effects, specs, ref.at)
    refuse_broken(before, table, _places(specs))
    # A foreign key with its index is two sub-jobs of one multi-schema change.
    is_key = any(effect.action is ActionType.ADD_FOREIGN_KEY for effect in effects[1:])
    if effects and (len(specs) > 1 or is_key):
        effects = (Effect(table, ActionType.MULTI_SCHEMA_CHANGE),)
    change.take_ids(len(effects))
    previous = before
    for effect in effects:
        after = replace(effect.table, version=previous.version + 1)
        change.add_table_job(effect.action, query, previous, after)
        previous = after
    if effects:
        change.remove(before.id)
        change.put(previous)


def _refuse_together(effects: Effects, specs: tuple[Specification, ...], at: int) -> None:
    """Refuse partitions that go beside other changes (TiDB pkg/ddl/multi_schema_change.go)."""
    for effect in effects if len(specs) > 1 else ():
        if effect.action in _ALONE:
            name = effect.action.display_name
            raise Refused(at, f"Unsupported multi schema change for {name}")


_ALONE = frozenset({ActionType.DROP_TABLE_PARTITION, ActionType.TRUNCATE_TABLE_PARTITION})


def _counted(spec: Specification) -> tuple[Specification, ...]:
    """Return the specifications as TiDB counts them: without LOCK and ALGORITHM.

    ADD COLUMN (a ..., b ..., KEY ...) counts as one for each element.
    """
    if isinstance(spec, PlainSpecification) and spec.ignored:
        return ()
    if not isinstance(spec, AddColumns) or len(spec.columns) + len(spec.constraints) == 1:
        return (spec,)
    guarded = spec.if_not_exists
    return (
        *(AddColumns((column,), if_not_exists=guarded) for column in spec.columns),
        *(AddConstraint(constraint) for constraint in spec.constraints),
    )


def _places(specs: tuple[Specification, ...]) -> Mapping[str, int]:
    """Return where the statement speaks of a column or key, by its lower-cased name."""
    places: dict[str, int] = {}
    for spec in specs:
        match spec:
            case AddColumns(columns=added):
                places |= {column.name.lower(): column.at for column in added}
            case AddConstraint(constraint=key):
                places[key.name.lower()] = key.at
            case ModifyColumn(column=column, old_name=old):
                places |= {name.lower(): column.at for name in (column.name, old) if name}
            case DropColumn(name=old, at=at) | RenameColumn(old=old, at=at):
                places[old.lower()] = at
            case _:
                pass
    return places


def _alter_table(cursor: Cursor) -> AlterTable:
    cursor.next()
    table = cursor.table()
    specs: list[Specification] = []
    while cursor.token.kind is not TokenKind.END and not cursor.sees(";"):
        if specs and not cursor.take(",") and not _sees_one_without_comma(cursor):
            break
        specs.append(_specification(cursor))
    return AlterTable(table, tuple(specs))


def _sees_one_without_comma(cursor: Cursor) -> bool:
    if cursor.sees_any("IMPORT", "DISCARD"):
        return cursor.peek().upper == "TABLESPACE"
    return cursor.sees("PARTITION") or cursor.sees("REMOVE", "PARTITIONING")


def _specification(cursor: Cursor) -> Specification:
    here = tuple(cursor.peek(ahead).upper for ahead in range(_LONGEST))
    for count in range(_LONGEST, 0, -1):
        if rule := _FORMS.get(here[:count]):
            return rule(cursor)
    found = options.parse_options(cursor)
    if found is None:
        raise cursor.fail(
            "what to alter",
            hint="such as ADD, DROP, MODIFY, CHANGE, RENAME, ALTER, COMMENT or PARTITION BY",
        )
    return found


FORMS: StatementForms = {("ALTER", "TABLE"): _alter_table}
