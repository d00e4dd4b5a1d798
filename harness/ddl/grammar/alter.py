"""ALTER TABLE, one rule for each specification.

Source: TiDB pkg/parser/parser.y, `AlterTableStmt`, `AlterTableSpec`, `AlterTablePartitionOpt`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

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
    ModifyColumn,
    PlainSpec,
    Position,
    RemoveTtl,
    RenameColumn,
    RenameIndex,
    RenameTable,
)
from harness.ddl.expressions import quote_name, quote_string
from harness.ddl.grammar import alter_partitions
from harness.ddl.grammar.columns import parse_collation, parse_column, parse_default
from harness.ddl.grammar.cursor import Cursor
from harness.ddl.grammar.expressions import parse_expression
from harness.ddl.grammar.keys import parse_column_name, parse_constraint, sees_constraint
from harness.ddl.grammar.options import parse_table_option, parse_table_options
from harness.ddl.grammar.tables import parse_elements
from harness.ddl.grammar.types import parse_charset_name, take_charset_keyword
from harness.ddl.lexer import TokenKind
from harness.ddl.syntax import TableOption


def parse_alter_table(cursor: Cursor) -> AlterTable:
    """Return the ALTER TABLE statement of which ALTER TABLE is read."""
    table = cursor.table()
    specs: list[Alteration] = []
    while cursor.token.kind is not TokenKind.END and not cursor.sees(";"):
        if specs and not cursor.take(",") and not _may_follow_without_comma(cursor):
            break
        specs.append(_spec(cursor))
    return AlterTable(table, tuple(specs))


def _may_follow_without_comma(cursor: Cursor) -> bool:
    """Tell whether a specification stands here that TiDB writes without a comma before it."""
    if cursor.sees_any("IMPORT", "DISCARD"):
        return cursor.peek().upper == "TABLESPACE"
    return cursor.sees("PARTITION") or cursor.sees("REMOVE", "PARTITIONING")


def _spec(cursor: Cursor) -> Alteration:
    rule = _RULES.get(cursor.token.upper)
    if rule is not None:
        return rule(cursor)
    first = parse_table_option(cursor)
    if first is None:
        raise cursor.fail(
            "what to alter",
            hint="such as ADD, DROP, MODIFY, CHANGE, RENAME, ALTER, COMMENT or PARTITION BY",
        )
    return AlterTableOptions((first, *parse_table_options(cursor, commas=False)))


# ---- ADD --------------------------------------------------------------------------------------


def _add(cursor: Cursor) -> Alteration:
    cursor.expect("ADD")
    if cursor.sees("PARTITION"):
        return alter_partitions.add_partition(cursor)
    if cursor.take("STATS_EXTENDED"):
        return _add_stats(cursor)
    if sees_constraint(cursor):
        return AddConstraint(parse_constraint(cursor))
    cursor.take("COLUMN")
    guarded = cursor.if_not_exists()
    if cursor.sees("("):
        columns, constraints = parse_elements(cursor)
        return AddColumns(columns, constraints, listed=True, if_not_exists=guarded)
    column = parse_column(cursor)
    return AddColumns((column,), position=_position(cursor), if_not_exists=guarded)


def _position(cursor: Cursor) -> Position:
    if cursor.take("FIRST"):
        return Position(first=True)
    if cursor.take("AFTER"):
        return Position(after=parse_column_name(cursor))
    return Position()


def _add_stats(cursor: Cursor) -> Alteration:
    guarded = "IF NOT EXISTS " if cursor.if_not_exists() else ""
    name = quote_name(cursor.name("statistics"))
    kind = cursor.expect_any("CARDINALITY", "DEPENDENCY", "CORRELATION")
    columns = cursor.parenthesised(lambda: quote_name(parse_column_name(cursor)))
    return PlainSpec(f"ADD STATS_EXTENDED {guarded}{name} {kind}({', '.join(columns)})")


# ---- DROP -------------------------------------------------------------------------------------


def _drop(cursor: Cursor) -> Alteration:
    cursor.expect("DROP")
    at = cursor.offset
    if cursor.take("PRIMARY", "KEY"):
        return DropPrimaryKey(at)
    if cursor.sees("PARTITION"):
        return alter_partitions.drop_partition(cursor)
    if cursor.take("FOREIGN", "KEY"):
        guarded = cursor.if_exists()
        return DropForeignKey(cursor.name("a foreign key"), guarded, at)
    if cursor.take_any("INDEX", "KEY"):
        guarded = cursor.if_exists()
        return DropIndex(cursor.part_after_dot("an index"), guarded, at)
    if cursor.take_any("CHECK", "CONSTRAINT"):
        return DropCheck(cursor.name("a constraint"), at)
    return _drop_column(cursor, at)


def _drop_column(cursor: Cursor, at: int) -> Alteration:
    if cursor.take("STATS_EXTENDED"):
        guard = "IF EXISTS " if cursor.if_exists() else ""
        return PlainSpec(f"DROP STATS_EXTENDED {guard}{quote_name(cursor.name('statistics'))}")
    cursor.take("COLUMN")
    guarded = cursor.if_exists()
    name = parse_column_name(cursor)
    cursor.take_any("RESTRICT", "CASCADE")
    return DropColumn(name, guarded, at)


# ---- columns, names, indexes ------------------------------------------------------------------


def _modify(cursor: Cursor) -> Alteration:
    cursor.expect("MODIFY")
    cursor.take("COLUMN")
    guarded = cursor.if_exists()
    column = parse_column(cursor)
    return ModifyColumn(column, position=_position(cursor), if_exists=guarded)


def _change(cursor: Cursor) -> Alteration:
    cursor.expect("CHANGE")
    cursor.take("COLUMN")
    guarded = cursor.if_exists()
    old = parse_column_name(cursor)
    column = parse_column(cursor)
    return ModifyColumn(column, old, _position(cursor), guarded)


def _alter(cursor: Cursor) -> Alteration:
    cursor.expect("ALTER")
    at = cursor.offset
    if cursor.take_any("INDEX", "KEY"):
        name = cursor.name("an index")
        return AlterIndexVisibility(
            name, cursor.expect_any("VISIBLE", "INVISIBLE") == "VISIBLE", at
        )
    if cursor.take_any("CHECK", "CONSTRAINT"):
        name = cursor.name("a constraint")
        enforced = not cursor.take("NOT")
        cursor.expect("ENFORCED")
        return AlterCheck(name, enforced, at)
    cursor.take("COLUMN")
    name = parse_column_name(cursor)
    if cursor.take("DROP", "DEFAULT"):
        return AlterDefault(name, None, at)
    cursor.expect("SET", "DEFAULT")
    if not cursor.take("("):
        return AlterDefault(name, parse_default(cursor), at)
    expr = parse_expression(cursor)
    cursor.expect(")")
    return AlterDefault(name, expr, at)


def _rename(cursor: Cursor) -> Alteration:
    cursor.expect("RENAME")
    at = cursor.offset
    if cursor.take("COLUMN"):
        old = cursor.name("a column")
        cursor.expect("TO")
        return RenameColumn(old, cursor.name("a column"), at)
    if cursor.take_any("INDEX", "KEY"):
        old = cursor.part_after_dot("an index")
        cursor.expect("TO")
        return RenameIndex(old, cursor.name("an index"), at)
    cursor.take_any("TO", "AS", "=")
    return RenameTable(cursor.table())


def _convert(cursor: Cursor) -> Alteration:
    cursor.expect("CONVERT", "TO")
    if not take_charset_keyword(cursor):
        raise cursor.fail("CHARACTER SET")
    if cursor.take("DEFAULT"):
        charset = TableOption("CHARSET", default=True, convert=True)
    else:
        charset = TableOption("CHARSET", text=parse_charset_name(cursor), convert=True)
    if cursor.take("COLLATE"):
        return AlterTableOptions((charset, TableOption("COLLATE", text=parse_collation(cursor))))
    return AlterTableOptions((charset,))


# ---- specifications that change no table ------------------------------------------------------


def _lock(cursor: Cursor) -> Alteration:
    cursor.next()
    cursor.take("=")
    value = cursor.expect_any("DEFAULT", "NONE", "SHARED", "EXCLUSIVE")
    return PlainSpec(f"LOCK = {value}", ignored=True)


def _algorithm(cursor: Cursor) -> Alteration:
    cursor.next()
    cursor.take("=")
    value = cursor.expect_any("DEFAULT", "COPY", "INPLACE", "INSTANT", "NOCOPY")
    return PlainSpec(f"ALGORITHM = {value}", ignored=True)


def _force(cursor: Cursor) -> Alteration:
    if cursor.peek().upper in ("AUTO_INCREMENT", "AUTO_RANDOM_BASE"):
        option = parse_table_option(cursor)
        rest = parse_table_options(cursor, commas=False)
        return AlterTableOptions((option, *rest) if option else rest)
    cursor.next()
    return PlainSpec("FORCE /* AlterTableForce is not supported */ ")


def _words(*words: str, action: ActionType | None = None) -> Callable[[Cursor], Alteration]:
    def rule(cursor: Cursor) -> Alteration:
        cursor.expect(*words)
        return PlainSpec(" ".join(words), action)

    return rule


def _validation(cursor: Cursor) -> Alteration:
    word = cursor.next().upper
    cursor.expect("VALIDATION")
    return PlainSpec(f"{word} VALIDATION")


def _read(cursor: Cursor) -> Alteration:
    cursor.next()
    return PlainSpec(f"READ {cursor.expect_any('WRITE', 'ONLY')}")


def _order_by(cursor: Cursor) -> Alteration:
    cursor.expect("ORDER", "BY")

    def item() -> str:
        name = quote_name(parse_column_name(cursor))
        return f"{name} DESC" if cursor.take_any("ASC", "DESC") == "DESC" else name

    return PlainSpec(f"ORDER BY {','.join(cursor.list(item))}")


def _set(cursor: Cursor) -> Alteration:
    cursor.expect("SET", "TIFLASH", "REPLICA")
    text = f"SET TIFLASH REPLICA {cursor.number('a number of replicas')}"
    if cursor.take("LOCATION", "LABELS"):
        labels = cursor.list(lambda: quote_string(cursor.string("a label")))
        text += f" LOCATION LABELS {', '.join(labels)}"
    return PlainSpec(text, ActionType.SET_TIFLASH_REPLICA)


def _attributes(cursor: Cursor) -> Alteration:
    _value_of(cursor, "ATTRIBUTES")
    return PlainSpec("", ActionType.ALTER_TABLE_ATTRIBUTES)


def _value_of(cursor: Cursor, word: str) -> str:
    cursor.expect(word)
    cursor.take("=")
    return "DEFAULT" if cursor.take("DEFAULT") else quote_string(cursor.string("its value"))


def _stats_options(cursor: Cursor) -> Alteration:
    text = f"STATS_OPTIONS={_value_of(cursor, 'STATS_OPTIONS')}"
    return PlainSpec(text, ActionType.ALTER_TABLE_STATS_OPTIONS)


def _remove(cursor: Cursor) -> Alteration:
    if cursor.take("REMOVE", "TTL"):
        return RemoveTtl()
    return alter_partitions.remove_partitioning(cursor)


def _tablespace(cursor: Cursor) -> Alteration:
    if cursor.peek().upper == "PARTITION":
        return alter_partitions.administer(cursor)
    word = cursor.next().upper
    cursor.expect("TABLESPACE")
    return PlainSpec(f"{word} TABLESPACE")


def _partition(cursor: Cursor) -> Alteration:
    if cursor.peek().upper == "BY":
        return alter_partitions.partition_by(cursor)
    cursor.expect("PARTITION")
    name = cursor.name("a partition")
    if cursor.sees("ATTRIBUTES"):
        _value_of(cursor, "ATTRIBUTES")
        return PlainSpec("", ActionType.ALTER_TABLE_PARTITION_ATTRIBUTES)
    return alter_partitions.placement(cursor, name)


_RULES: Mapping[str, Callable[[Cursor], Alteration]] = {
    "ADD": _add,
    "DROP": _drop,
    "MODIFY": _modify,
    "CHANGE": _change,
    "ALTER": _alter,
    "RENAME": _rename,
    "CONVERT": _convert,
    "LOCK": _lock,
    "ALGORITHM": _algorithm,
    "FORCE": _force,
    "CACHE": _words("CACHE", action=ActionType.ALTER_CACHE_TABLE),
    "NOCACHE": _words("NOCACHE", action=ActionType.ALTER_NO_CACHE_TABLE),
    "ENABLE": _words("ENABLE", "KEYS"),
    "DISABLE": _words("DISABLE", "KEYS"),
    "SECONDARY_LOAD": _words("SECONDARY_LOAD"),
    "SECONDARY_UNLOAD": _words("SECONDARY_UNLOAD"),
    "WITH": _validation,
    "WITHOUT": _validation,
    "READ": _read,
    "ORDER": _order_by,
    "SET": _set,
    "ATTRIBUTES": _attributes,
    "STATS_OPTIONS": _stats_options,
    "REMOVE": _remove,
    "IMPORT": _tablespace,
    "DISCARD": _tablespace,
    "PARTITION": _partition,
    "COALESCE": alter_partitions.coalesce,
    "EXCHANGE": alter_partitions.exchange,
    "TRUNCATE": alter_partitions.truncate,
    "REORGANIZE": alter_partitions.reorganize,
    "CHECK": alter_partitions.administer,
    "OPTIMIZE": alter_partitions.administer,
    "REPAIR": alter_partitions.administer,
    "REBUILD": alter_partitions.administer,
    "FIRST": alter_partitions.interval_edge,
    "LAST": alter_partitions.interval_edge,
    "SPLIT": alter_partitions.interval_edge,
    "MERGE": alter_partitions.interval_edge,
}
