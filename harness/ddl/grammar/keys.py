"""Keys, foreign keys and checks, whether of a table or of ALTER TABLE.

Source: TiDB pkg/parser/parser.y, `ConstraintElem`, `IndexOption`, `ReferDef`; MySQL 8.0 reference
manual §13.1.20.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from harness.ddl.expressions import Expr, restore_expression
from harness.ddl.grammar.cursor import Cursor
from harness.ddl.grammar.expressions import parse_expression
from harness.ddl.syntax import (
    Clustering,
    Constraint,
    ConstraintKind,
    IndexOption,
    KeyPart,
    Reference,
)

_CONSTRAINT_STARTS = frozenset(
    {"CONSTRAINT", "PRIMARY", "KEY", "INDEX", "UNIQUE", "FULLTEXT", "SPATIAL", "FOREIGN", "CHECK"}
)


def sees_constraint(cursor: Cursor) -> bool:
    """Tell whether a constraint, and not a column, is defined here."""
    if cursor.sees_any("VECTOR", "COLUMNAR"):
        return cursor.peek().upper in ("INDEX", "KEY")
    return cursor.sees_any(*_CONSTRAINT_STARTS)


def parse_constraint(cursor: Cursor) -> Constraint:
    """Return the constraint that must stand here."""
    at = cursor.offset
    symbol = ""
    if cursor.take("CONSTRAINT") and cursor.sees_name() and not cursor.sees_any("VECTOR"):
        symbol = cursor.name("a constraint")
    word = cursor.expect_any(*_CONSTRAINT_RULES)
    constraint = _CONSTRAINT_RULES[word](cursor)
    return replace(constraint, name=symbol or constraint.name, at=at)


def _primary_key(cursor: Cursor) -> Constraint:
    cursor.expect("KEY")
    return _key(cursor, ConstraintKind.PRIMARY)


def _index(cursor: Cursor) -> Constraint:
    guarded = cursor.if_not_exists()
    return replace(_key(cursor, ConstraintKind.INDEX), if_not_exists=guarded)


def _unique_key(cursor: Cursor) -> Constraint:
    cursor.take_any("KEY", "INDEX")
    guarded = cursor.if_not_exists()
    return replace(_key(cursor, ConstraintKind.UNIQUE), if_not_exists=guarded)


def _special_key(kind: ConstraintKind) -> Callable[[Cursor], Constraint]:
    def rule(cursor: Cursor) -> Constraint:
        cursor.take_any("KEY", "INDEX")
        guarded = cursor.if_not_exists()
        return replace(_key(cursor, kind), if_not_exists=guarded)

    return rule


def _key(cursor: Cursor, kind: ConstraintKind) -> Constraint:
    name = "" if cursor.sees_any("(", "USING") else cursor.name("an index")
    using = _using(cursor)
    parts = parse_key_parts(cursor)
    option = parse_index_options(cursor)
    return Constraint(kind, name, parts, replace(option, using=using or option.using))


def _using(cursor: Cursor) -> str:
    if cursor.take_any("USING", "TYPE"):
        return cursor.expect_any("BTREE", "HASH", "RTREE", "HNSW", "HYPO", "INVERTED")
    return ""


def parse_key_parts(cursor: Cursor) -> tuple[KeyPart, ...]:
    """Return the parts of a key, in parentheses, that must stand here."""
    return cursor.parenthesised(lambda: _key_part(cursor))


def _key_part(cursor: Cursor) -> KeyPart:
    at = cursor.offset
    if cursor.take("("):
        expr = parse_expression(cursor)
        cursor.expect(")")
        return KeyPart("", expr=expr, descending=_descending(cursor), at=at)
    name = parse_column_name(cursor)
    length = None
    if cursor.take("("):
        length = cursor.number("a prefix length")
        cursor.expect(")")
    return KeyPart(name, length, descending=_descending(cursor), at=at)


def _descending(cursor: Cursor) -> bool:
    return cursor.take_any("ASC", "DESC") == "DESC"


def parse_index_options(cursor: Cursor) -> IndexOption:
    """Return the options after a key's parts (all default when there are none)."""
    option = IndexOption()
    while True:
        word = cursor.token.upper
        if word in ("CLUSTERED", "NONCLUSTERED"):
            option = replace(option, clustering=Clustering(cursor.next().upper))
        elif word in ("VISIBLE", "INVISIBLE"):
            option = replace(option, visible=cursor.next().upper == "VISIBLE")
        elif word in ("GLOBAL", "LOCAL"):
            option = replace(option, is_global=take_locality(cursor))
        elif word in ("USING", "TYPE"):
            option = replace(option, using=_using(cursor))
        elif word in _VALUED_OPTIONS:
            cursor.next()
            option = _VALUED_OPTIONS[word](cursor, option)
        elif word == "ADD_COLUMNAR_REPLICA_ON_DEMAND":
            cursor.next()
            option = replace(option, columnar=True)
        elif word == "WITH" and cursor.peek().upper == "PARSER":
            cursor.expect("WITH", "PARSER")
            option = replace(option, parser=cursor.name("a parser"))
        else:
            return option


def _key_block_size(cursor: Cursor, option: IndexOption) -> IndexOption:
    cursor.take("=")
    return replace(option, key_block_size=cursor.number("a block size"))


def _index_comment(cursor: Cursor, option: IndexOption) -> IndexOption:
    return replace(option, comment=cursor.string("a comment"))


def _engine_attribute(cursor: Cursor, option: IndexOption) -> IndexOption:
    cursor.take("=")
    return replace(option, engine_attribute=cursor.string("an attribute"))


def _where(cursor: Cursor, option: IndexOption) -> IndexOption:
    return replace(option, where=parse_expression(cursor))


def _pre_split(cursor: Cursor, option: IndexOption) -> IndexOption:
    cursor.take("=")
    if not cursor.take("("):
        return replace(option, pre_split=str(cursor.number("a number of regions")))
    if cursor.take("BETWEEN"):
        low = _split_values(cursor)
        cursor.expect("AND")
        high = _split_values(cursor)
        cursor.expect("REGIONS")
        text = f"(BETWEEN {low} AND {high} REGIONS {cursor.number('a number of regions')})"
    else:
        cursor.expect("BY")
        text = f"(BY {','.join(cursor.list(lambda: _split_values(cursor)))})"
    cursor.expect(")")
    return replace(option, pre_split=text)


def _split_values(cursor: Cursor) -> str:
    values = cursor.parenthesised(lambda: restore_expression(parse_expression(cursor)))
    return f"({','.join(values)})"


_VALUED_OPTIONS: Mapping[str, Callable[[Cursor, IndexOption], IndexOption]] = {
    "KEY_BLOCK_SIZE": _key_block_size,
    "COMMENT": _index_comment,
    "PRE_SPLIT_REGIONS": _pre_split,
    "SECONDARY_ENGINE_ATTRIBUTE": _engine_attribute,
    "WHERE": _where,
}


def _foreign_key(cursor: Cursor) -> Constraint:
    cursor.expect("KEY")
    guarded = cursor.if_not_exists()
    name = "" if cursor.sees("(") else cursor.name("a foreign key")
    parts = parse_key_parts(cursor)
    reference = parse_reference(cursor)
    return Constraint(
        ConstraintKind.FOREIGN, name, parts, reference=reference, if_not_exists=guarded
    )


def parse_reference(cursor: Cursor) -> Reference:
    """Return the REFERENCES clause that must stand here."""
    cursor.expect("REFERENCES")
    table = cursor.table()
    parts = parse_key_parts(cursor) if cursor.sees("(") else None
    reference = Reference(table, parts)
    if cursor.take("MATCH"):
        reference = replace(reference, match=cursor.expect_any("FULL", "PARTIAL", "SIMPLE"))
    while cursor.sees("ON") and cursor.peek().upper in ("DELETE", "UPDATE"):
        cursor.next()
        if cursor.next().upper == "DELETE":
            reference = replace(reference, on_delete=_refer_action(cursor))
        else:
            reference = replace(reference, on_update=_refer_action(cursor))
    return reference


def _refer_action(cursor: Cursor) -> str:
    for words in (
        ("SET", "NULL"),
        ("SET", "DEFAULT"),
        ("NO", "ACTION"),
        ("RESTRICT",),
        ("CASCADE",),
    ):
        if cursor.take(*words):
            return " ".join(words)
    raise cursor.fail("RESTRICT, CASCADE, SET NULL, NO ACTION or SET DEFAULT")


def _table_check(cursor: Cursor) -> Constraint:
    expr, enforced = parse_check(cursor)
    return Constraint(ConstraintKind.CHECK, expr=expr, enforced=enforced)


_CONSTRAINT_RULES: Mapping[str, Callable[[Cursor], Constraint]] = {
    "PRIMARY": _primary_key,
    "KEY": _index,
    "INDEX": _index,
    "UNIQUE": _unique_key,
    "FULLTEXT": _special_key(ConstraintKind.FULLTEXT),
    "SPATIAL": _special_key(ConstraintKind.SPATIAL),
    "VECTOR": _special_key(ConstraintKind.VECTOR),
    "COLUMNAR": _special_key(ConstraintKind.COLUMNAR),
    "FOREIGN": _foreign_key,
    "CHECK": _table_check,
}


def parse_column_name(cursor: Cursor) -> str:
    """Return a column's name; the table before it is allowed and dropped."""
    name = cursor.name("a column")
    while cursor.take("."):
        name = cursor.part_after_dot("a column")
    return name


def parse_check(cursor: Cursor) -> tuple[Expr, bool]:
    """Return the expression of a CHECK, whose word is read, and whether it is enforced."""
    cursor.expect("(")
    expr = parse_expression(cursor)
    cursor.expect(")")
    enforced = not cursor.take("NOT", "ENFORCED")
    if enforced:
        cursor.take("ENFORCED")
    return expr, enforced


def take_locality(cursor: Cursor) -> bool:
    """Step over GLOBAL or LOCAL; tell whether it was GLOBAL."""
    return cursor.take_any("GLOBAL", "LOCAL") == "GLOBAL"
