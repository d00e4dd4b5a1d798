"""Column definitions: name, type and options.

Source: TiDB pkg/parser/parser.y, `ColumnDef`, `ColumnOption`, `DefaultValueExpr`; MySQL 8.0
reference manual §13.1.20.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from harness.ddl.charsets import charset_of_collation
from harness.ddl.errors import DdlError
from harness.ddl.expressions import Compound, Expr, restore_expression
from harness.ddl.grammar.cursor import Cursor
from harness.ddl.grammar.expressions import parse_expression
from harness.ddl.grammar.keys import (
    parse_check,
    parse_column_name,
    parse_reference,
    take_locality,
)
from harness.ddl.grammar.literals import parse_literal, parse_signed_literal
from harness.ddl.grammar.types import parse_type
from harness.ddl.lexer import TokenKind
from harness.ddl.syntax import (
    Clustering,
    ColumnDef,
    ColumnOption,
    OptionKind,
    table_text,
)

NOW = "call CURRENT_TIMESTAMP"
_NOW_WORDS = ("CURRENT_TIMESTAMP", "LOCALTIME", "LOCALTIMESTAMP", "NOW")
_TODAY_WORDS = ("CURRENT_DATE", "CURDATE")
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
    is_global = take_locality(cursor)
    return (ColumnOption(OptionKind.PRIMARY_KEY, clustering=clustering, flag=is_global),)


def _unique(cursor: Cursor) -> tuple[ColumnOption, ...]:
    cursor.expect("UNIQUE")
    cursor.take("KEY")
    return (ColumnOption(OptionKind.UNIQUE_KEY, flag=take_locality(cursor)),)


def _default(cursor: Cursor) -> tuple[ColumnOption, ...]:
    cursor.expect("DEFAULT")
    return (ColumnOption(OptionKind.DEFAULT, expr=parse_default(cursor)),)


def parse_default(cursor: Cursor) -> Expr:
    """Return a default value: a constant, now, a function call, or an expression in parentheses."""
    if cursor.sees_any(*_NOW_WORDS, *_TODAY_WORDS):
        return _today(cursor) if cursor.sees_any(*_TODAY_WORDS) else parse_now(cursor)
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
    starts = (*_NOW_WORDS, *_TODAY_WORDS, "(")
    is_default = cursor.sees_any(*starts) or cursor.sees("NEXT", "VALUE")
    expr = parse_default(cursor) if is_default else parse_expression(cursor)
    cursor.expect(")")
    if isinstance(expr, Compound) and not expr.form.startswith(("call", "unary", "paren")):
        return Compound("paren", ("(", expr, ")"))
    return expr


def _next_value(cursor: Cursor) -> Expr:
    sequence = cursor.table("a sequence")
    return Compound("call NEXTVAL", (f"NEXTVAL({table_text(sequence)})",))


def _today(cursor: Cursor) -> Expr:
    """Read CURRENT_DATE or CURDATE(), which TiDB writes alike (parser.y, `CurdateSym`)."""
    word = cursor.expect_any(*_TODAY_WORDS)
    if word == "CURDATE" or cursor.sees("("):
        cursor.expect("(", ")")
    return Compound("call CURRENT_DATE", ("CURRENT_DATE()",))


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


def _engine_attribute(cursor: Cursor) -> tuple[ColumnOption, ...]:
    cursor.next()
    cursor.take("=")
    return (ColumnOption(OptionKind.ENGINE_ATTRIBUTE, text=cursor.string("an attribute")),)


def _comment(cursor: Cursor) -> tuple[ColumnOption, ...]:
    cursor.next()
    return (ColumnOption(OptionKind.COMMENT, text=cursor.string("a comment")),)


def _check(cursor: Cursor) -> tuple[ColumnOption, ...]:
    name = ""
    if cursor.take("CONSTRAINT") and not cursor.sees("CHECK"):
        name = cursor.name("a constraint")
    cursor.expect("CHECK")
    expr, enforced = parse_check(cursor)
    return (ColumnOption(OptionKind.CHECK, expr=expr, text=name, flag=enforced),)


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
    "SECONDARY_ENGINE_ATTRIBUTE": _engine_attribute,
    "SERIAL": _serial_default,
    "INVISIBLE": _word_option(OptionKind.INVISIBLE),
}
