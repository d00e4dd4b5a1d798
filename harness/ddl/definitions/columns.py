"""Column definitions: name, type and options.

Source: TiDB pkg/parser/parser.y, `ColumnDef`, `ColumnOption`, `DefaultValueExpr`;
pkg/parser/ast/ddl.go, `ColumnDef`, `ColumnOption`; MySQL 8.0 reference manual §13.1.20.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from harness.ddl.definitions.keys import (
    Clustering,
    Reference,
    parse_check,
    parse_reference,
    restore_check,
    take_locality,
)
from harness.ddl.definitions.types import DataType, parse_collation, parse_type
from harness.ddl.errors import DdlError
from harness.ddl.sql.cursor import Cursor
from harness.ddl.sql.expressions import parse_expression
from harness.ddl.sql.lexer import TokenKind
from harness.ddl.sql.literals import parse_literal, parse_signed_literal
from harness.ddl.sql.tree import NULL, Compound, Expr, call, quote_name, quote_string, special

NOW = "call CURRENT_TIMESTAMP"
_NOW_WORDS = ("CURRENT_TIMESTAMP", "LOCALTIME", "LOCALTIMESTAMP", "NOW")
_TODAY_WORDS = ("CURRENT_DATE", "CURDATE")


class OptionKind(StrEnum):
    """The options of a column definition."""

    NOT_NULL = "NOT NULL"
    NULL = "NULL"
    AUTO_INCREMENT = "AUTO_INCREMENT"
    AUTO_RANDOM = "AUTO_RANDOM"
    PRIMARY_KEY = "PRIMARY KEY"
    UNIQUE_KEY = "UNIQUE KEY"
    DEFAULT = "DEFAULT"
    ON_UPDATE = "ON UPDATE"
    COMMENT = "COMMENT"
    GENERATED = "GENERATED ALWAYS AS"
    REFERENCE = "REFERENCES"
    COLLATE = "COLLATE"
    CHECK = "CHECK"
    COLUMN_FORMAT = "COLUMN_FORMAT"
    STORAGE = "STORAGE"
    ENGINE_ATTRIBUTE = "SECONDARY_ENGINE_ATTRIBUTE"
    INVISIBLE = "INVISIBLE"


@dataclass(frozen=True, slots=True)
class ColumnOption:
    """One option of a column definition; which fields count depends on `kind`.

    `expr`: default, ON UPDATE, generation or check. `text`: comment, collation, format, check name.
    `flag`: stored (generated), enforced (check), global (keys). `numbers`: AUTO_RANDOM's bits.
    `written`: a default's SQL text, or what stands between a comment's quotes, escapes and all.
    """

    kind: OptionKind
    expr: Expr = NULL
    text: str = ""
    flag: bool = False
    clustering: Clustering = Clustering.UNSAID
    numbers: tuple[int, ...] = ()
    reference: Reference | None = None
    written: str = field(default="", compare=False)

    def restore(self) -> str:
        """Return the option as TiDB writes it."""
        rule = _RESTORED.get(self.kind)
        return rule(self) if rule else self.kind.value


@dataclass(frozen=True, slots=True)
class ColumnDef:
    """A column definition."""

    name: str
    type: DataType
    options: tuple[ColumnOption, ...] = ()
    at: int = field(default=0, compare=False)

    def restore(self) -> str:
        """Return the definition as TiDB writes it."""
        options = "".join(f" {option.restore()}" for option in self.options)
        return f"{quote_name(self.name)} {self.type.restore()}{options}"


_SERIAL_OPTIONS = (
    ColumnOption(OptionKind.NOT_NULL),
    ColumnOption(OptionKind.AUTO_INCREMENT),
    ColumnOption(OptionKind.UNIQUE_KEY),
)
_NOT_ON_GENERATED = (OptionKind.DEFAULT, OptionKind.AUTO_INCREMENT, OptionKind.ON_UPDATE)


def parse_column(cursor: Cursor) -> ColumnDef:
    """Return the column definition that must stand here."""
    at = cursor.offset
    name = cursor.column()
    options = list(_SERIAL_OPTIONS if cursor.sees("SERIAL") else ())
    data_type = parse_type(cursor)
    while True:
        if rule := _OPTIONS.get(cursor.token.upper):
            options.append(rule(cursor))
        elif cursor.sees("SERIAL"):
            cursor.expect("SERIAL", "DEFAULT", "VALUE")
            options += _SERIAL_OPTIONS
        else:
            break
    if any(option.kind is OptionKind.GENERATED for option in options):
        for option in options:
            if option.kind in _NOT_ON_GENERATED:
                what = f"Incorrect usage of {option.kind.value} and generated column"
                raise DdlError.at(cursor.sql, at, what)
    return ColumnDef(name, data_type, tuple(options), at)


# ---- defaults ------------------------------------------------------------------------------------


def parse_default(cursor: Cursor) -> Expr:
    """Return a default value: a constant, now, a function call, or an expression in parentheses."""
    if cursor.sees_any(*_NOW_WORDS, *_TODAY_WORDS):
        return _today(cursor) if cursor.sees_any(*_TODAY_WORDS) else _now(cursor)
    if cursor.take("NEXT", "VALUE", "FOR"):
        return _next_value(cursor)
    if cursor.take("NEXTVAL", "("):
        next_value = _next_value(cursor)
        cursor.expect(")")
        return next_value
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
    return call("NEXTVAL", cursor.table("a sequence").restore())


def _today(cursor: Cursor) -> Expr:
    """Read CURRENT_DATE or CURDATE(), which TiDB writes alike (parser.y, `CurdateSym`)."""
    word = cursor.expect_any(*_TODAY_WORDS)
    if word == "CURDATE" or cursor.sees("("):
        cursor.expect("(", ")")
    return call("CURRENT_DATE")


def _now(cursor: Cursor) -> Expr:
    """Read CURRENT_TIMESTAMP in any spelling."""
    word = cursor.expect_any(*_NOW_WORDS)
    if word == "NOW" and not cursor.sees("("):
        raise cursor.fail("( after NOW")
    fsp = ""
    if cursor.take("("):
        fsp = "" if cursor.sees(")") else parse_literal(cursor).restore()
        cursor.expect(")")
    return call("CURRENT_TIMESTAMP", fsp)


def _restore_default(option: ColumnOption) -> str:
    """Put every function but CURRENT_TIMESTAMP into parentheses."""
    text = option.expr.restore()
    form = option.expr.form if isinstance(option.expr, Compound) else ""
    return f"DEFAULT ({text})" if form.startswith("call ") and form != NOW else f"DEFAULT {text}"


# ---- the options ---------------------------------------------------------------------------------

_Rule = Callable[[Cursor], ColumnOption]


def _plain(kind: OptionKind) -> _Rule:
    def rule(cursor: Cursor) -> ColumnOption:
        cursor.expect(*kind.value.split())
        return ColumnOption(kind)

    return rule


def _default(cursor: Cursor) -> ColumnOption:
    at = cursor.expect("DEFAULT").offset
    expr = parse_default(cursor)
    return ColumnOption(OptionKind.DEFAULT, expr, written=cursor.since(at))


def _auto_random(cursor: Cursor) -> ColumnOption:
    cursor.next()
    numbers: tuple[int, ...] = ()
    if cursor.sees("("):
        numbers = cursor.parenthesised(lambda: cursor.number("a number of bits"))
    return ColumnOption(OptionKind.AUTO_RANDOM, numbers=numbers)


def _primary(cursor: Cursor) -> ColumnOption:
    cursor.take("PRIMARY")
    clustering = Clustering(cursor.expect("KEY").take_any("CLUSTERED", "NONCLUSTERED"))
    is_global = take_locality(cursor)
    return ColumnOption(OptionKind.PRIMARY_KEY, clustering=clustering, flag=is_global)


def _unique(cursor: Cursor) -> ColumnOption:
    cursor.expect("UNIQUE").take("KEY")
    return ColumnOption(OptionKind.UNIQUE_KEY, flag=take_locality(cursor))


def _check(cursor: Cursor) -> ColumnOption:
    name = ""
    if cursor.take("CONSTRAINT") and not cursor.sees("CHECK"):
        name = cursor.name("a constraint")
    expr, enforced = parse_check(cursor.expect("CHECK"))
    return ColumnOption(OptionKind.CHECK, expr, name, enforced)


def _generated(cursor: Cursor) -> ColumnOption:
    if cursor.take("GENERATED"):
        cursor.expect("ALWAYS")
    expr = cursor.expect("AS").enclosed(parse_expression)
    # PERSISTENT is MariaDB's older word for STORED.
    stored = cursor.take_any("STORED", "PERSISTENT", "VIRTUAL") in ("STORED", "PERSISTENT")
    return ColumnOption(OptionKind.GENERATED, expr, flag=stored)


def _comment(cursor: Cursor) -> ColumnOption:
    start = cursor.expect("COMMENT").offset
    text = cursor.string("a comment")
    written = cursor.sql[start + 1 : cursor.peek(-1).end - 1]
    return ColumnOption(OptionKind.COMMENT, text=text, written=written)


def _storage(cursor: Cursor) -> ColumnOption:
    kind = OptionKind(cursor.next().upper)
    media = ("DISK", "MEMORY") if kind is OptionKind.STORAGE else ("FIXED", "DYNAMIC")
    return ColumnOption(kind, text=cursor.expect_any("DEFAULT", *media))


# Word that starts an option -> its rule; SERIAL DEFAULT VALUE, which is three options, is apart.
_OPTIONS: Mapping[str, _Rule] = {
    "NOT": _plain(OptionKind.NOT_NULL),
    "NULL": _plain(OptionKind.NULL),
    "AUTO_INCREMENT": _plain(OptionKind.AUTO_INCREMENT),
    "INVISIBLE": _plain(OptionKind.INVISIBLE),
    "AUTO_RANDOM": _auto_random,
    "PRIMARY": _primary,
    "KEY": _primary,
    "UNIQUE": _unique,
    "DEFAULT": _default,
    "ON": lambda c: ColumnOption(OptionKind.ON_UPDATE, _now(c.expect("ON", "UPDATE"))),
    "COMMENT": _comment,
    "CONSTRAINT": _check,
    "CHECK": _check,
    "GENERATED": _generated,
    "AS": _generated,
    "REFERENCES": lambda c: ColumnOption(OptionKind.REFERENCE, reference=parse_reference(c)),
    "COLLATE": lambda c: ColumnOption(
        OptionKind.COLLATE, text=parse_collation(c.expect("COLLATE"))
    ),
    "COLUMN_FORMAT": _storage,
    "STORAGE": _storage,
    "SECONDARY_ENGINE_ATTRIBUTE": lambda c: ColumnOption(
        OptionKind.ENGINE_ATTRIBUTE, text=c.assigned().string("an attribute")
    ),
}


def _restore_primary_key(option: ColumnOption) -> str:
    clustering = f" {special('clustered_index', option.clustering)}" if option.clustering else ""
    return f"PRIMARY KEY{clustering}{' GLOBAL' if option.flag else ''}"


def _restore_auto_random(option: ColumnOption) -> str:
    bits = f"({', '.join(str(number) for number in option.numbers)})" if option.numbers else ""
    return special("auto_rand", f"AUTO_RANDOM{bits}")


def _restore_comment(option: ColumnOption) -> str:
    # A column's comment is a value to TiDB, so its backslashes double; a table's is not.
    escaped = option.text.replace("\\", "\\\\")
    return f"COMMENT {quote_string(escaped)}"


# Options that are not here are written back as their `kind`.
_RESTORED: Mapping[OptionKind, Callable[[ColumnOption], str]] = {
    OptionKind.PRIMARY_KEY: _restore_primary_key,
    OptionKind.UNIQUE_KEY: lambda o: f"UNIQUE KEY{' GLOBAL' if o.flag else ''}",
    OptionKind.DEFAULT: _restore_default,
    OptionKind.AUTO_RANDOM: _restore_auto_random,
    OptionKind.ON_UPDATE: lambda o: f"ON UPDATE {o.expr.restore()}",
    OptionKind.COMMENT: _restore_comment,
    OptionKind.GENERATED: lambda o: (
        f"{o.kind.value}({o.expr.restore()}) {'STORED' if o.flag else 'VIRTUAL'}"
    ),
    OptionKind.REFERENCE: lambda o: o.reference.restore() if o.reference else "",
    OptionKind.CHECK: lambda o: restore_check(o.text, o.expr, enforced=o.flag),
    OptionKind.ENGINE_ATTRIBUTE: lambda o: f"{o.kind.value} = {quote_string(o.text)}",
    **dict.fromkeys(
        (OptionKind.COLLATE, OptionKind.COLUMN_FORMAT, OptionKind.STORAGE),
        lambda o: f"{o.kind.value} {o.text}",
    ),
}
