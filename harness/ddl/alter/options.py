"""Table options inside ALTER TABLE, CONVERT TO CHARACTER SET, REMOVE TTL, and RENAME [TO].

Source: TiDB pkg/parser/parser.y, `AlterTableSpec`; pkg/ddl/executor.go, `AlterTable` under
`AlterTableOption`; `checkAlterTableCharset`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType

from harness.ddl.alter.specification import (
    Effect,
    Effects,
    Forms,
    PlainSpecification,
    Specification,
    charset_of,
)
from harness.ddl.change import Change
from harness.ddl.charsets import BINARY, DEFAULT_CHARSET, Charset
from harness.ddl.definitions.options import (
    TableOption,
    last_text,
    only_placement,
    parse_table_option,
    parse_table_options,
    sent_options,
    table_charset,
)
from harness.ddl.definitions.types import (
    parse_charset_name,
    parse_collation,
    take_charset_keyword,
)
from harness.ddl.errors import table_exists
from harness.ddl.jobs import ActionType
from harness.ddl.sql.cursor import Cursor
from harness.ddl.sql.tree import TableRef, special
from harness.model.columns import CHARACTERS, Column, ColumnKind
from harness.model.table import Table

_TTL = frozenset({"TTL", "TTL_ENABLE", "TTL_JOB_INTERVAL"})
_CHARSET = frozenset({"CHARSET", "COLLATE"})
_ACTIONS = {
    **dict.fromkeys(_TTL, ActionType.ALTER_TTL_INFO),
    "AUTO_INCREMENT": ActionType.REBASE_AUTO_ID,
    "AUTO_RANDOM_BASE": ActionType.REBASE_AUTO_RANDOM_BASE,
    "AUTO_ID_CACHE": ActionType.MODIFY_TABLE_AUTO_ID_CACHE,
    "SHARD_ROW_ID_BITS": ActionType.SHARD_ROW_ID,
    "PLACEMENT POLICY": ActionType.ALTER_TABLE_PLACEMENT,
}
_CONVERTIBLE = CHARACTERS | {ColumnKind.ENUM, ColumnKind.SET}


@dataclass(frozen=True, slots=True)
class AlterTableOptions:
    """Table options in one specification, CONVERT TO CHARACTER SET among them."""

    options: tuple[TableOption, ...]

    def restore(self) -> str | None:
        """Return what is sent of the options, None for placement and TTL_ENABLE alone."""
        options = () if only_placement(self.options) else sent_options(self.options)
        if not options:
            return None
        first = options[0]
        convert = "CONVERT TO " if first.convert else ""
        value = "DEFAULT" if first.default else first.text.upper()
        if [option.kind for option in options] == ["CHARSET", "COLLATE"]:
            return f"{convert}CHARACTER SET {value} COLLATE {options[1].text.upper()}"
        if first.kind == "CHARSET" and first.default:
            return f"{convert}CHARACTER SET DEFAULT"
        return " ".join(option.restore() for option in options)

    def apply(self, table: Table, _change: Change) -> Effects:
        """Change one thing for each option that TiDB runs a job for (ENGINE and the like: none).

        The options of a character set are one thing, and so are those of TTL.
        """
        effects: list[Effect] = []
        seen: set[frozenset[str]] = set()
        for option in self.options:
            group = next((each for each in (_TTL, _CHARSET) if option.kind in each), None)
            if group in seen:
                continue
            seen |= {group} if group else set()
            effect = self._effect(table, option)
            if effect is not None:
                effects.append(effect)
                table = effect.table
        return tuple(effects)

    def _effect(self, table: Table, option: TableOption) -> Effect | None:
        if option.kind in _CHARSET:
            return _alter_charset(table, self.options)
        if option.kind == "COMMENT":
            return Effect(replace(table, comment=option.text), ActionType.MODIFY_TABLE_COMMENT)
        if option.kind not in _ACTIONS:
            return None
        together = [o for o in self.options if o.kind in _TTL] if option.kind in _TTL else [option]
        values = {each.kind: each.text or str(each.number) for each in together}
        options = MappingProxyType({**table.options, **values})
        return Effect(replace(table, options=options), _ACTIONS[option.kind])


def _alter_charset(table: Table, options: tuple[TableOption, ...]) -> Effect | None:
    charset = table_charset(options, charset_of(table))
    columns = table.columns
    if any(option.convert for option in options):
        if not last_text(options, "CHARSET"):
            collation = last_text(options, "COLLATE")
            charset = replace(DEFAULT_CHARSET, collation=collation or DEFAULT_CHARSET.collation)
        columns = tuple(_converted(column, charset) for column in table.columns)
    if charset == charset_of(table) and _already(table, charset):
        return None
    changed = replace(table, charset=charset.name, collation=charset.collation, columns=columns)
    return Effect(changed, ActionType.MODIFY_TABLE_CHARSET_AND_COLLATE)


def _already(table: Table, charset: Charset) -> bool:
    """Return whether every column with a character set has this one already: TiDB's no-op."""
    return all(
        column.charset in (None, BINARY)
        or (column.charset, column.collation) == (charset.name, charset.collation)
        for column in table.columns
    )


def _converted(column: Column, charset: Charset) -> Column:
    if column.kind not in _CONVERTIBLE or column.charset == BINARY:
        return column
    return replace(column, charset=charset.name, collation=charset.collation)


def parse_options(cursor: Cursor) -> Specification | None:
    """Return the options that start here, None when none does."""
    first = parse_table_option(cursor)
    if first is None:
        return None
    return AlterTableOptions((first, *parse_table_options(cursor, commas=False)))


def _force(cursor: Cursor) -> Specification:
    """Read FORCE, alone or before AUTO_INCREMENT = n."""
    options = parse_options(cursor)
    if options is not None:
        return options
    cursor.next()
    return PlainSpecification("FORCE /* AlterTableForce is not supported */ ")


def _convert(cursor: Cursor) -> AlterTableOptions:
    cursor.expect("CONVERT", "TO")
    if not take_charset_keyword(cursor):
        raise cursor.fail("CHARACTER SET")
    if cursor.take("DEFAULT"):
        charset = TableOption("CHARSET", default=True, convert=True)
    else:
        charset = TableOption("CHARSET", text=parse_charset_name(cursor), convert=True)
    if not cursor.take("COLLATE"):
        return AlterTableOptions((charset,))
    return AlterTableOptions((charset, TableOption("COLLATE", text=parse_collation(cursor))))


@dataclass(frozen=True, slots=True)
class RemoveTtl:
    """REMOVE TTL."""

    def restore(self) -> str:
        """Return the specification as TiDB writes it."""
        return special("ttl", "REMOVE TTL")

    def apply(self, table: Table, _change: Change) -> Effects:
        """Remove the TTL, if there is one."""
        if "TTL" not in table.options:
            return ()
        options = {kind: value for kind, value in table.options.items() if kind not in _TTL}
        table = replace(table, options=MappingProxyType(options))
        return (Effect(table, ActionType.ALTER_TTL_REMOVE),)


def _remove_ttl(cursor: Cursor) -> RemoveTtl:
    cursor.expect("REMOVE", "TTL")
    return RemoveTtl()


@dataclass(frozen=True, slots=True)
class RenameTable:
    """RENAME [TO | AS] inside ALTER TABLE."""

    table: TableRef

    def restore(self) -> str:
        """Return the specification as TiDB writes it."""
        return f"RENAME AS {self.table.restore()}"

    def apply(self, table: Table, change: Change) -> Effects:
        """Rename the table; its own name is no change."""
        new_id = change.resolve(self.table, table.id.schema)
        if new_id == table.id:
            return ()
        taken = change.find(new_id)
        if taken is not None and taken.id != table.id:
            raise table_exists(self.table.at, self.table.name)
        return (Effect(replace(table, id=new_id), ActionType.RENAME_TABLE),)


def _rename(cursor: Cursor) -> RenameTable:
    cursor.next()
    cursor.take_any("TO", "AS", "=")
    return RenameTable(cursor.table())


FORMS: Forms = {
    ("FORCE",): _force,
    ("CONVERT",): _convert,
    ("REMOVE", "TTL"): _remove_ttl,
    ("RENAME",): _rename,
}
