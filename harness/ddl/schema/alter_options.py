"""Table options inside ALTER TABLE.

Source: TiDB pkg/ddl/executor.go, `AlterTable` under `AlterTableOption`; `checkAlterTableCharset`.
"""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

from harness.ddl.action import ActionType
from harness.ddl.alterations import AlterTableOptions
from harness.ddl.charsets import BINARY
from harness.ddl.schema.alter import Effect, charset_of, without_options
from harness.ddl.schema.columns import Charset
from harness.ddl.schema.create import last_text, table_charset
from harness.ddl.syntax import TableOption
from harness.model.columns import CHARACTERS, Column, ColumnKind
from harness.model.table import Table

_TTL = frozenset({"TTL", "TTL_ENABLE", "TTL_JOB_INTERVAL"})
_CHARSET = frozenset({"CHARSET", "COLLATE"})
_ACTIONS = {
    "AUTO_INCREMENT": ActionType.REBASE_AUTO_ID,
    "AUTO_RANDOM_BASE": ActionType.REBASE_AUTO_RANDOM_BASE,
    "AUTO_ID_CACHE": ActionType.MODIFY_TABLE_AUTO_ID_CACHE,
    "SHARD_ROW_ID_BITS": ActionType.SHARD_ROW_ID,
    "PLACEMENT POLICY": ActionType.ALTER_TABLE_PLACEMENT,
}
_CONVERTIBLE = CHARACTERS | {ColumnKind.ENUM, ColumnKind.SET}


def alter_options(table: Table, spec: AlterTableOptions) -> tuple[Effect, ...]:
    """Return one effect for each option that TiDB runs a job for (ENGINE and the like: none)."""
    effects: list[Effect] = []
    seen: set[frozenset[str]] = set()
    for option in spec.options:
        group = next((g for g in (_TTL, _CHARSET) if option.kind in g), frozenset({option.kind}))
        if group in (_TTL, _CHARSET) and group in seen:
            continue
        seen.add(group)
        effect = _effect(table, option, spec.options)
        if effect is not None:
            effects.append(effect)
            table = effect.table
    return tuple(effects)


def _effect(table: Table, option: TableOption, options: tuple[TableOption, ...]) -> Effect | None:
    if option.kind in _CHARSET:
        return _charset(table, options)
    if option.kind in _TTL:
        values = {o.kind: _value(o) for o in options if o.kind in _TTL}
        return Effect(_with_values(table, values), ActionType.ALTER_TTL_INFO)
    if option.kind == "COMMENT":
        return Effect(replace(table, comment=option.text), ActionType.MODIFY_TABLE_COMMENT)
    if option.kind not in _ACTIONS:
        return None
    values = {option.kind: _value(option)}
    return Effect(_with_values(table, values), _ACTIONS[option.kind])


def _value(option: TableOption) -> str:
    return option.text or str(option.number)


def _with_values(table: Table, values: dict[str, str]) -> Table:
    return replace(table, options=MappingProxyType({**table.options, **values}))


def _charset(table: Table, options: tuple[TableOption, ...]) -> Effect | None:
    convert = any(option.convert for option in options)
    charset = table_charset(options, charset_of(table))
    columns = table.columns
    if convert:
        if not last_text(options, "CHARSET"):
            charset = Charset("utf8mb4", last_text(options, "COLLATE") or "utf8mb4_bin")
        columns = tuple(_converted(column, charset) for column in table.columns)
    if charset == charset_of(table) and _already(table, charset):
        return None
    changed = replace(table, charset=charset.name, collation=charset.collation, columns=columns)
    return Effect(changed, ActionType.MODIFY_TABLE_CHARSET_AND_COLLATE)


def _already(table: Table, charset: Charset) -> bool:
    """Tell whether every column with a character set has this one already: TiDB's no-op."""
    return all(
        column.charset in (None, BINARY)
        or (column.charset, column.collation) == (charset.name, charset.collation)
        for column in table.columns
    )


def _converted(column: Column, charset: Charset) -> Column:
    if column.kind not in _CONVERTIBLE or column.charset == BINARY:
        return column
    return replace(column, charset=charset.name, collation=charset.collation)


def remove_ttl(table: Table) -> Effect | None:
    """REMOVE TTL; nothing happens to a table without."""
    if "TTL" not in table.options:
        return None
    return Effect(
        replace(table, options=without_options(table, *_TTL)), ActionType.ALTER_TTL_REMOVE
    )
