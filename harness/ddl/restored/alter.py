"""ALTER TABLE as TiDB writes it back.

Source: TiDB pkg/parser/ast/ddl.go, `AlterTableStmt.Restore`, `AlterTableSpec.Restore`.
"""

from __future__ import annotations

from dataclasses import replace

from harness.ddl.alterations import (
    AddColumns,
    AddConstraint,
    AddPartitions,
    Alteration,
    AlterCheck,
    AlterDefault,
    AlterIndexVisibility,
    AlterTable,
    AlterTableOptions,
    CoalescePartitions,
    DropCheck,
    DropColumn,
    DropForeignKey,
    DropIndex,
    DropPartitions,
    DropPrimaryKey,
    ExchangePartition,
    ModifyColumn,
    PartitionBy,
    PartitionPlacement,
    PlainSpec,
    Position,
    RemovePartitioning,
    RemoveTtl,
    RenameColumn,
    RenameIndex,
    RenameTable,
    ReorganizePartitions,
    TruncatePartitions,
)
from harness.ddl.expressions import Literal, quote_name, restore_expression
from harness.ddl.restored.columns import column, constraint, special
from harness.ddl.restored.options import only_placement, sent_options, table_option
from harness.ddl.restored.partitions import partition, partitioning
from harness.ddl.syntax import PartitionDef, TableOption, table_text

IF_EXISTS = special("", "IF EXISTS ")
IF_NOT_EXISTS = special("", "IF NOT EXISTS ")


def alter_table(statement: AlterTable) -> str:
    """Return an ALTER TABLE statement; empty when nothing but partition placement is altered."""
    specs = statement.specs
    if all(isinstance(spec, PartitionPlacement) and only_placement(spec.options) for spec in specs):
        return ""
    text = f"ALTER TABLE {table_text(statement.table)}"
    first = True
    for spec in specs:
        sent = _sent(spec)
        if sent is None:
            continue
        text += " " if first or _needs_no_comma(sent) else ", "
        text += alteration(sent)
        first = False
    return text


def _sent(spec: Alteration) -> Alteration | None:
    """Return the specification as sent, None when it is not."""
    if isinstance(spec, AlterTableOptions):
        options = () if only_placement(spec.options) else sent_options(spec.options)
        return replace(spec, options=options) if options else None
    if isinstance(spec, PlainSpec) and not spec.text:
        return None
    if isinstance(spec, PartitionPlacement) and only_placement(spec.options):
        return None
    return spec


def _needs_no_comma(spec: Alteration) -> bool:
    if isinstance(spec, PlainSpec):
        return spec.text in ("IMPORT TABLESPACE", "DISCARD TABLESPACE")
    return isinstance(spec, PartitionBy | RemovePartitioning)


def alteration(spec: Alteration) -> str:  # noqa: C901, PLR0911, PLR0912 - one arm a class
    """Return one specification."""
    match spec:
        case PlainSpec(text=text):
            return text
        case AddColumns():
            return _add_columns(spec)
        case AddConstraint(constraint=added):
            return f"ADD {constraint(added)}"
        case DropColumn(name=name, if_exists=guarded):
            return f"DROP COLUMN {IF_EXISTS if guarded else ''}{quote_name(name)}"
        case DropPrimaryKey():
            return "DROP PRIMARY KEY"
        case DropIndex(name=name, if_exists=guarded):
            return f"DROP INDEX {IF_EXISTS if guarded else ''}{quote_name(name)}"
        case DropForeignKey(name=name, if_exists=guarded):
            return f"DROP FOREIGN KEY {IF_EXISTS if guarded else ''}{quote_name(name)}"
        case ModifyColumn():
            return _modify_column(spec)
        case RenameColumn(old=old, new=new):
            return f"RENAME COLUMN {quote_name(old)} TO {quote_name(new)}"
        case AlterDefault():
            return _alter_default(spec)
        case RenameTable(table=table):
            return f"RENAME AS {table_text(table)}"
        case RenameIndex(old=old, new=new):
            return f"RENAME INDEX {quote_name(old)} TO {quote_name(new)}"
        case AlterIndexVisibility(name=name, visible=visible):
            return f"ALTER INDEX {quote_name(name)} {'VISIBLE' if visible else 'INVISIBLE'}"
        case AlterTableOptions(options=options):
            return _options(options)
        case RemoveTtl():
            return special("ttl", "REMOVE TTL")
        case DropCheck(name=name):
            return f"DROP CHECK {quote_name(name)}"
        case AlterCheck(name=name, enforced=enforced):
            return f"ALTER CHECK {quote_name(name)}{'' if enforced else ' NOT'} ENFORCED"
        case PartitionPlacement(name=name, options=options):
            texts = " ".join(table_option(option) for option in options)
            return special("placement", f"PARTITION {quote_name(name)} {texts}")
        case _:
            return _about_partitions(spec)


def _about_partitions(spec: Alteration) -> str:  # noqa: PLR0911 - one arm a class
    match spec:
        case AddPartitions():
            return _add_partitions(spec)
        case CoalescePartitions(count=count, no_binlog=no_binlog):
            return f"COALESCE PARTITION {_no_binlog(asked=no_binlog)}{count}"
        case DropPartitions(names=names, if_exists=guarded):
            return f"DROP PARTITION {IF_EXISTS if guarded else ''}{_names(names)}"
        case TruncatePartitions(names=names):
            return f"TRUNCATE PARTITION {_names(names) or 'ALL'}"
        case ReorganizePartitions():
            return _reorganize(spec)
        case ExchangePartition(name=name, table=table, validation=validation):
            tail = "" if validation else " WITHOUT VALIDATION"
            return f"EXCHANGE PARTITION {quote_name(name)} WITH TABLE {table_text(table)}{tail}"
        case PartitionBy(partitioning=written):
            return partitioning(written)
        case _:
            return "REMOVE PARTITIONING"


def _position(position: Position) -> str:
    if position.first:
        return " FIRST"
    return f" AFTER {quote_name(position.after)}" if position.after else ""


def _add_columns(spec: AddColumns) -> str:
    guard = IF_NOT_EXISTS if spec.if_not_exists else ""
    if not spec.listed:
        return f"ADD COLUMN {guard}{column(spec.columns[0])}{_position(spec.position)}"
    elements = [column(definition) for definition in spec.columns]
    elements += [constraint(added) for added in spec.constraints]
    return f"ADD COLUMN {guard}({', '.join(elements)})"


def _modify_column(spec: ModifyColumn) -> str:
    guard = IF_EXISTS if spec.if_exists else ""
    definition = column(spec.column) + _position(spec.position)
    if spec.old_name:
        return f"CHANGE COLUMN {guard}{quote_name(spec.old_name)} {definition}"
    return f"MODIFY COLUMN {guard}{definition}"


def _alter_default(spec: AlterDefault) -> str:
    name = quote_name(spec.name)
    if spec.expr is None:
        return f"ALTER COLUMN {name} DROP DEFAULT"
    text = restore_expression(spec.expr)
    return (
        f"ALTER COLUMN {name} SET DEFAULT {text if isinstance(spec.expr, Literal) else f'({text})'}"
    )


def _options(options: tuple[TableOption, ...]) -> str:
    first = options[0]
    kinds = [option.kind for option in options]
    convert = "CONVERT TO " if first.convert else ""
    value = "DEFAULT" if first.default else first.text.upper()
    if kinds == ["CHARSET", "COLLATE"]:
        return f"{convert}CHARACTER SET {value} COLLATE {options[1].text.upper()}"
    if first.kind == "CHARSET" and first.default:
        return f"{convert}CHARACTER SET DEFAULT"
    return " ".join(table_option(option) for option in options)


def _names(names: tuple[str, ...]) -> str:
    return ",".join(quote_name(name) for name in names)


def _no_binlog(*, asked: bool) -> str:
    return "NO_WRITE_TO_BINLOG " if asked else ""


def _definitions(definitions: tuple[PartitionDef, ...]) -> str:
    return f"({', '.join(partition(definition) for definition in definitions)})"


def _add_partitions(spec: AddPartitions) -> str:
    text = "ADD PARTITION"
    text += special("", " IF NOT EXISTS") if spec.if_not_exists else ""
    text += " NO_WRITE_TO_BINLOG" if spec.no_binlog else ""
    if spec.definitions is not None:
        return f"{text} {_definitions(spec.definitions)}"
    return text + (f" PARTITIONS {spec.count}" if spec.count else "")


def _reorganize(spec: ReorganizePartitions) -> str:
    text = "REORGANIZE PARTITION" + (" NO_WRITE_TO_BINLOG" if spec.no_binlog else "")
    if not spec.names:
        return text
    return f"{text} {_names(spec.names)} INTO {_definitions(spec.definitions)}"
