"""Column definitions, key definitions, foreign keys and checks.

Source: TiDB pkg/parser/parser.y, `ColumnDef`, `ColumnOption`, `ConstraintElem`, `IndexOption`,
`ReferDef`; MySQL 8.0 reference manual §13.1.20.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from harness.ddl.charsets import charset_of_collation
from harness.ddl.errors import DdlError
from harness.ddl.expressions import Compound, Expr, restore_expression
from harness.ddl.grammar.cursor import Cursor
from harness.ddl.grammar.expressions import parse_expression
from harness.ddl.grammar.literals import parse_literal, parse_signed_literal
from harness.ddl.grammar.types import parse_type
from harness.ddl.lexer import TokenKind
from harness.ddl.syntax import (
    Clustering,
    ColumnDef,
    ColumnOption,
    Constraint,
    ConstraintKind,
    IndexOption,
    KeyPart,
    OptionKind,
    Reference,
    table_text,
)

NOW = "call CURRENT_TIMESTAMP"
_NOW_WORDS = ("CURRENT_TIMESTAMP", "LOCALTIME", "LOCALTIMESTAMP", "NOW")
SERIAL_OPTIONS = (
    ColumnOption(OptionKind.NOT_NULL),
    ColumnOption(OptionKind.AUTO_INCREMENT),
    ColumnOption(OptionKind.UNIQUE_KEY),
)


def parse_column(cursor: Cursor) -> ColumnDef:
    """Return the column definition that must stand here."""
    at = cursor.offset
    name = parse_column_name(cursor)
    implied = SERIAL_OPTIONS if cursor.sees("SERIAL") else ()
    data_type = parse_type(cursor)
    options = (*implied, *_options(cursor))
    _refuse_on_generated(cursor, options, at)
    return ColumnDef(name, data_type, options, at)


_NOT_ON_GENERATED = (OptionKind.DEFAULT, OptionKind.AUTO_INCREMENT, OptionKind.ON_UPDATE)


def _refuse_on_generated(cursor: Cursor, options: tuple[ColumnOption, ...], at: int) -> None:
    if not any(option.kind is OptionKind.GENERATED for option in options):
        return
    for option in options:
        if option.kind in _NOT_ON_GENERATED:
            what = f"Incorrect usage of {option.kind.value} and generated column"
            raise DdlError.at(cursor.sql, at, what)


def parse_column_name(cursor: Cursor) -> str:
    """Return a column's name; the table before it is allowed and dropped."""
    name = cursor.name("a column")
    while cursor.take("."):
        name = cursor.part_after_dot("a column")
    return name


# ---- column options ---------------------------------------------------------------------------


def _options(cursor: Cursor) -> tuple[ColumnOption, ...]:
    options: list[ColumnOption] = []
    while rule := _OPTION_RULES.get(cursor.token.upper):
        found = rule(cursor)
        if not found:
            break
        options += found
    return tuple(options)


def _word_option(kind: OptionKind) -> Callable[[Cursor], tuple[ColumnOption, ...]]:
    def rule(cursor: Cursor) -> tuple[ColumnOption, ...]:
        cursor.next()
        return (ColumnOption(kind),)

    return rule


def _not_null(cursor: Cursor) -> tuple[ColumnOption, ...]:
    cursor.expect("NOT", "NULL")
    return (ColumnOption(OptionKind.NOT_NULL),)


def _auto_random(cursor: Cursor) -> tuple[ColumnOption, ...]:
    cursor.next()
    numbers: tuple[int, ...] = ()
    if cursor.sees("("):
        numbers = cursor.parenthesised(lambda: cursor.number("a number of bits"))
    return (ColumnOption(OptionKind.AUTO_RANDOM, numbers=numbers),)


def _primary(cursor: Cursor) -> tuple[ColumnOption, ...]:
    cursor.take("PRIMARY")
    cursor.expect("KEY")
    clustering = Clustering(cursor.take_any("CLUSTERED", "NONCLUSTERED"))
    is_global = _locality(cursor)
    return (ColumnOption(OptionKind.PRIMARY_KEY, clustering=clustering, flag=is_global),)


def _unique(cursor: Cursor) -> tuple[ColumnOption, ...]:
    cursor.expect("UNIQUE")
    cursor.take("KEY")
    return (ColumnOption(OptionKind.UNIQUE_KEY, flag=_locality(cursor)),)


def _locality(cursor: Cursor) -> bool:
    return cursor.take_any("GLOBAL", "LOCAL") == "GLOBAL"


def _default(cursor: Cursor) -> tuple[ColumnOption, ...]:
    cursor.expect("DEFAULT")
    return (ColumnOption(OptionKind.DEFAULT, expr=parse_default(cursor)),)


def parse_default(cursor: Cursor) -> Expr:
    """Return a default value: a constant, now, a function call, or an expression in parentheses."""
    if cursor.sees_any(*_NOW_WORDS):
        return parse_now(cursor)
    if cursor.take("NEXT", "VALUE", "FOR"):
        return _next_value(cursor)
    if cursor.sees("NEXTVAL", "("):
        cursor.next()
        cursor.expect("(")
        call = _next_value(cursor)
        cursor.expect(")")
        return call
    if cursor.sees("("):
        return _parenthesised_default(cursor)
    if cursor.token.kind is TokenKind.WORD and cursor.peek().upper == "(":
        return parse_expression(cursor)
    return parse_signed_literal(cursor)


def _parenthesised_default(cursor: Cursor) -> Expr:
    """Take the parentheses off what TiDB writes without or with its own ones."""
    cursor.expect("(")
    expr = parse_default(cursor) if cursor.sees_any(*_NOW_WORDS, "(") else parse_expression(cursor)
    cursor.expect(")")
    if isinstance(expr, Compound) and not expr.form.startswith(("call", "unary", "paren")):
        return Compound("paren", ("(", expr, ")"))
    return expr


def _next_value(cursor: Cursor) -> Expr:
    sequence = cursor.table("a sequence")
    return Compound("call NEXTVAL", (f"NEXTVAL({table_text(sequence)})",))


def parse_now(cursor: Cursor) -> Expr:
    """Return CURRENT_TIMESTAMP in any spelling, which must stand here."""
    word = cursor.expect_any(*_NOW_WORDS)
    fsp = ""
    if word == "NOW" and not cursor.sees("("):
        raise cursor.fail("( after NOW")
    if cursor.take("("):
        if not cursor.sees(")"):
            fsp = restore_expression(parse_literal(cursor))
        cursor.expect(")")
    return Compound(NOW, (f"CURRENT_TIMESTAMP({fsp})",))


def _on_update(cursor: Cursor) -> tuple[ColumnOption, ...]:
    cursor.expect("ON", "UPDATE")
    return (ColumnOption(OptionKind.ON_UPDATE, expr=parse_now(cursor)),)


def _comment(cursor: Cursor) -> tuple[ColumnOption, ...]:
    cursor.next()
    return (ColumnOption(OptionKind.COMMENT, text=cursor.string("a comment")),)


def _check(cursor: Cursor) -> tuple[ColumnOption, ...]:
    name = ""
    if cursor.take("CONSTRAINT") and not cursor.sees("CHECK"):
        name = cursor.name("a constraint")
    cursor.expect("CHECK")
    expr, enforced = _check_body(cursor)
    return (ColumnOption(OptionKind.CHECK, expr=expr, text=name, flag=enforced),)


def _check_body(cursor: Cursor) -> tuple[Expr, bool]:
    cursor.expect("(")
    expr = parse_expression(cursor)
    cursor.expect(")")
    enforced = not cursor.take("NOT", "ENFORCED")
    if enforced:
        cursor.take("ENFORCED")
    return expr, enforced


def _generated(cursor: Cursor) -> tuple[ColumnOption, ...]:
    if cursor.take("GENERATED"):
        cursor.expect("ALWAYS")
    cursor.expect("AS", "(")
    expr = parse_expression(cursor)
    cursor.expect(")")
    # PERSISTENT is MariaDB's older word for STORED.
    stored = cursor.take_any("STORED", "PERSISTENT", "VIRTUAL") in ("STORED", "PERSISTENT")
    return (ColumnOption(OptionKind.GENERATED, expr=expr, flag=stored),)


def _references(cursor: Cursor) -> tuple[ColumnOption, ...]:
    return (ColumnOption(OptionKind.REFERENCE, reference=parse_reference(cursor)),)


def _collate(cursor: Cursor) -> tuple[ColumnOption, ...]:
    cursor.next()
    return (ColumnOption(OptionKind.COLLATE, text=parse_collation(cursor)),)


def parse_collation(cursor: Cursor) -> str:
    """Return the name of the collation that must stand here, in lower case."""
    at = cursor.offset
    name = cursor.string_or_name("the name of a collation").lower()
    if charset_of_collation(name) is None:
        raise DdlError.at(
            cursor.sql,
            at,
            f"unknown collation {name!r}",
            expected="a collation such as utf8mb4_bin or utf8mb4_general_ci",
        )
    return name


def _storage(cursor: Cursor) -> tuple[ColumnOption, ...]:
    word = cursor.next().upper
    values = ("DEFAULT", "FIXED", "DYNAMIC") if word == "COLUMN_FORMAT" else _MEDIA
    return (ColumnOption(OptionKind(word), text=cursor.expect_any(*values)),)


_MEDIA = ("DEFAULT", "DISK", "MEMORY")


def _serial_default(cursor: Cursor) -> tuple[ColumnOption, ...]:
    cursor.expect("SERIAL", "DEFAULT", "VALUE")
    return SERIAL_OPTIONS


_OPTION_RULES: Mapping[str, Callable[[Cursor], tuple[ColumnOption, ...]]] = {
    "NOT": _not_null,
    "NULL": _word_option(OptionKind.NULL),
    "AUTO_INCREMENT": _word_option(OptionKind.AUTO_INCREMENT),
    "AUTO_RANDOM": _auto_random,
    "PRIMARY": _primary,
    "KEY": _primary,
    "UNIQUE": _unique,
    "DEFAULT": _default,
    "ON": _on_update,
    "COMMENT": _comment,
    "CONSTRAINT": _check,
    "CHECK": _check,
    "GENERATED": _generated,
    "AS": _generated,
    "REFERENCES": _references,
    "COLLATE": _collate,
    "COLUMN_FORMAT": _storage,
    "STORAGE": _storage,
    "SERIAL": _serial_default,
    "INVISIBLE": _word_option(OptionKind.INVISIBLE),
}


# ---- keys and other constraints ---------------------------------------------------------------

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
            option = replace(option, is_global=_locality(cursor))
        elif word in ("USING", "TYPE"):
            option = replace(option, using=_using(cursor))
        elif word in _VALUED_OPTIONS:
            cursor.next()
            option = _VALUED_OPTIONS[word](cursor, option)
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
    expr, enforced = _check_body(cursor)
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
