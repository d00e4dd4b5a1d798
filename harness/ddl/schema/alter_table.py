"""ALTER TABLE as a whole: its specifications in order, and the jobs that they add up to.

One specification is one job of its own action (a specification of several options one for each);
several are one multi-schema change. No effect, no job.
Source: TiDB pkg/ddl/executor.go, `AlterTable`, `ResolveAlterTableSpec`;
pkg/ddl/multi_schema_change.go.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from harness.ddl.action import ActionType
from harness.ddl.alterations import (
    AddColumns,
    AddConstraint,
    Alteration,
    AlterCheck,
    AlterDefault,
    AlterIndexVisibility,
    AlterTable,
    AlterTableOptions,
    DropCheck,
    DropColumn,
    DropForeignKey,
    DropIndex,
    DropPrimaryKey,
    ExchangePartition,
    ModifyColumn,
    PlainSpec,
    RemoveTtl,
    RenameColumn,
    RenameIndex,
    RenameTable,
)
from harness.ddl.expressions import quote_name
from harness.ddl.schema import alter, alter_options, alter_partitions
from harness.ddl.schema.alter import Effect
from harness.ddl.schema.dependencies import refuse_broken
from harness.ddl.schema.jobs import DdlJob
from harness.ddl.schema.refusals import Refused, table_exists
from harness.ddl.schema.state import Moment, Ran
from harness.model.table import Table


@dataclass(frozen=True, slots=True)
class _Scene:
    """Where a specification runs: the moment, and the current database."""

    moment: Moment
    schema: str


def alter_table(moment: Moment, statement: AlterTable, texts: tuple[str, str], schema: str) -> Ran:
    """Apply ALTER TABLE (or CREATE and DROP INDEX in its clothes); `texts` is (source, query)."""
    before = moment.existing(statement.table, schema)
    if before.is_view or before.is_sequence:
        raise Refused(statement.table.at, f"'{before.id}' is not BASE TABLE")
    specs = tuple(
        part
        for spec in statement.specs
        if not (isinstance(spec, PlainSpec) and spec.ignored)
        for part in _columns_apart(spec)
    )
    if len(specs) == 1 and isinstance(specs[0], ExchangePartition):
        return _exchange(moment, specs[0], before, (texts[0], schema))
    scene = _Scene(moment, schema)
    effects: list[Effect] = []
    table = before
    for spec in specs:
        scene, found = _effects(scene, table, spec)
        effects += found
        table = found[-1].table if found else table
    refuse_broken(before, table, _places(specs))
    return _applied(scene.moment, before, tuple(effects), texts, several=len(specs) > 1)


def _places(specs: tuple[Alteration, ...]) -> Mapping[str, int]:
    places: dict[str, int] = {}
    for spec in specs:
        match spec:
            case AddColumns(columns=columns):
                places |= {column.name.lower(): column.at for column in columns}
            case AddConstraint(constraint=key):
                places[key.name.lower()] = key.at
            case ModifyColumn(column=column):
                places |= {n.lower(): column.at for n in (column.name, spec.old_name) if n}
            case DropColumn() | RenameColumn():
                old = spec.name if isinstance(spec, DropColumn) else spec.old
                places[old.lower()] = spec.at
            case _:
                pass
    return places


def _columns_apart(spec: Alteration) -> tuple[Alteration, ...]:
    """ADD COLUMN (a ..., b ..., KEY ...) counts as one specification for each element."""
    if not isinstance(spec, AddColumns) or len(spec.columns) + len(spec.constraints) == 1:
        return (spec,)
    columns = (AddColumns((column,), if_not_exists=spec.if_not_exists) for column in spec.columns)
    return (*columns, *(AddConstraint(constraint) for constraint in spec.constraints))


def _applied(
    moment: Moment,
    before: Table,
    effects: tuple[Effect, ...],
    texts: tuple[str, str],
    *,
    several: bool,
) -> Ran:
    if not effects:
        return moment, ()
    source, query = texts
    # A foreign key with its index is two sub-jobs of one multi-schema change.
    if several or any(effect.action is ActionType.ADD_FOREIGN_KEY for effect in effects[1:]):
        effects = (Effect(effects[-1].table, ActionType.MULTI_SCHEMA_CHANGE),)
    jobs: list[DdlJob] = []
    previous = before
    for effect in effects:
        after = replace(effect.table, version=previous.version + 1)
        jobs.append(
            DdlJob(
                effect.action,
                after.id.schema,
                after.id.name,
                query,
                source,
                previous,
                after,
                before.id.schema,
                before.id.name,
            )
        )
        previous = after
    moment, _ = moment.take_ids(len(effects))
    return moment.without_table(before.id).with_table(previous), tuple(jobs)


def _effects(  # noqa: PLR0911 - one arm a class
    scene: _Scene, table: Table, spec: Alteration
) -> tuple[_Scene, tuple[Effect, ...]]:
    """Return the effects of one specification, and the scene after it (ids may have been given)."""
    match spec:
        case AddColumns(columns=columns, if_not_exists=guarded):
            effect = (
                alter.add_column(table, columns[0], spec.position, guarded=guarded)
                if columns
                else None
            )
            return scene, _one(effect)
        case AddConstraint():
            return scene, alter.add_constraint(table, spec)
        case AlterTableOptions():
            return scene, alter_options.alter_options(table, spec)
        case RenameTable():
            return scene, _one(_rename(scene, table, spec))
        case PlainSpec(action=action):
            return scene, (Effect(table, action),) if action is not None else ()
        case DropCheck() | AlterCheck():
            return scene, ()
        case RemoveTtl():
            return scene, _one(alter_options.remove_ttl(table))
        case _:
            return _column_or_partition(scene, table, spec)


def _column_or_partition(  # noqa: PLR0911 - one arm a class
    scene: _Scene, table: Table, spec: Alteration
) -> tuple[_Scene, tuple[Effect, ...]]:
    match spec:
        case DropColumn():
            return scene, _one(alter.drop_column(table, spec))
        case ModifyColumn():
            return scene, _one(alter.modify_column(table, spec))
        case RenameColumn():
            return scene, _one(alter.rename_column(table, spec))
        case AlterDefault():
            return scene, _one(alter.alter_default(table, spec))
        case DropPrimaryKey(at=at):
            return scene, _one(alter.drop_primary_key(table, at))
        case DropIndex():
            return scene, _one(alter.drop_index(table, spec))
        case DropForeignKey():
            return scene, _one(alter.drop_foreign_key(table, spec))
        case RenameIndex():
            return scene, _one(alter.rename_index(table, spec))
        case AlterIndexVisibility():
            return scene, _one(alter.alter_visibility(table, spec))
        case _:
            moment, effect = alter_partitions.alter_partitions(scene.moment, table, spec)
            return replace(scene, moment=moment), _one(effect)


def _one(effect: Effect | None) -> tuple[Effect, ...]:
    return (effect,) if effect is not None else ()


def _rename(scene: _Scene, table: Table, spec: RenameTable) -> Effect | None:
    new_id = scene.moment.resolve(spec.table, scene.schema or table.id.schema)
    if new_id == table.id:
        return None
    taken = scene.moment.find(new_id.schema, new_id.name)
    if taken is not None and taken.id != table.id:
        raise table_exists(spec.table.at, spec.table.name)
    return Effect(replace(table, id=new_id), ActionType.RENAME_TABLE)


def _exchange(
    moment: Moment, spec: ExchangePartition, before: Table, context: tuple[str, str]
) -> Ran:
    """EXCHANGE PARTITION swaps two physical ids; TiCDC writes its query anew from full names."""
    source, schema = context
    other = moment.existing(spec.table, schema)
    after, exchanged = alter_partitions.exchange(before, other, spec)
    tail = "" if spec.validation else " WITHOUT VALIDATION"
    query = (
        f"ALTER TABLE {_full(before)} EXCHANGE PARTITION {quote_name(spec.name)}"
        f" WITH TABLE {_full(other)}{tail}"
    )
    job = DdlJob(
        ActionType.EXCHANGE_TABLE_PARTITION,
        before.id.schema,
        before.id.name,
        query,
        source,
        before,
        after,
        before.id.schema,
        before.id.name,
        (other, exchanged),
    )
    moment, _ = moment.take_ids(1)
    return moment.with_table(after).with_table(exchanged), (job,)


def _full(table: Table) -> str:
    return f"{quote_name(table.id.schema)}.{quote_name(table.id.name)}"
