"""Names and expressions inside DDL, kept the way TiDB writes them back.

An expression is a literal, a column, or a compound whose parts are expressions and the plain text
between them; the grammar chooses that text, so `restore` joins the parts. The name `restore` is
TiDB's: in this package it returns what TiCDC sends, keywords in upper case and names quoted.

Source: TiDB pkg/parser/ast/expressions.go, functions.go and pkg/types/parser_driver/value_expr.go,
`Restore`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum


def quote_name(name: str) -> str:
    """Return a name in back quotes."""
    return "`" + name.replace("`", "``") + "`"


def quote_names(names: tuple[str, ...], separator: str = ",") -> str:
    """Return names in back quotes with the separator between them."""
    return separator.join(quote_name(name) for name in names)


def quote_string(text: str) -> str:
    """Return text in single quotes; backslashes stay as they are, as in TiDB's `WriteString`."""
    return "'" + text.replace("'", "''") + "'"


def special(feature: str, text: str) -> str:
    """Return text in a comment that only TiDB executes; `feature` may be empty."""
    return f"/*T![{feature}] {text} */" if feature else f"/*T! {text} */"


@dataclass(frozen=True, slots=True)
class TableRef:
    """A table's name as written; `schema` is empty when it was left out, `at` an SQL offset."""

    schema: str
    name: str
    at: int = field(default=0, compare=False)

    def restore(self) -> str:
        """Return the name in back quotes, with its schema when that was written."""
        name = quote_name(self.name)
        return f"{quote_name(self.schema)}.{name}" if self.schema else name


class LiteralKind(StrEnum):
    """What a literal was written as."""

    NULL = "null"
    BOOLEAN = "boolean"
    INTEGER = "integer"
    DECIMAL = "decimal"
    FLOAT = "float"
    STRING = "string"
    HEX = "hex"
    BITS = "bits"


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant; `text` is decoded: TRUE, FALSE, characters, or digits of its base.

    `charset` is the one that the written-back string names; empty writes none.
    """

    kind: LiteralKind
    text: str
    charset: str = ""

    def restore(self) -> str:
        """Return the constant as TiDB writes it."""
        match self.kind:
            case LiteralKind.STRING:
                introducer = f"_{self.charset.upper()}" if self.charset else ""
                return introducer + quote_string(self.text.replace("\\", "\\\\"))
            case LiteralKind.HEX:
                return f"x'{self.text}'"
            case LiteralKind.BITS:
                return f"b'{self.text.lstrip('0') or '0'}'"
            case _:
                return self.text


@dataclass(frozen=True, slots=True)
class ColumnRef:
    """A column, perhaps qualified: `path` is ([[schema,] table,] column)."""

    path: tuple[str, ...]

    def restore(self) -> str:
        """Return the column as TiDB writes it."""
        return quote_names(self.path, ".")


DEEPEST = 200  # Python follows 1000 calls, and some walks take three a level


@dataclass(frozen=True, slots=True)
class Compound:
    """Anything made of smaller expressions; `form` names the construct (`binary`, `call UUID`).

    Raises RecursionError where it nests deeper than whoever walks the tree can follow: a long sum
    nests to the left, which reading it does not show.
    """

    form: str
    parts: tuple[Expr | str, ...]
    depth: int = field(default=0, init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        """Know how deeply it nests."""
        depth = 1 + max(
            (part.depth for part in self.parts if isinstance(part, Compound)), default=0
        )
        if depth > DEEPEST:
            raise RecursionError
        object.__setattr__(self, "depth", depth)

    def restore(self) -> str:
        """Return the expression as TiDB writes it."""
        return "".join(part if isinstance(part, str) else part.restore() for part in self.parts)


Expr = Literal | ColumnRef | Compound
Parts = tuple[Expr | str, ...]

MAXVALUE = Compound("maxvalue", ("MAXVALUE",))
DEFAULT = Compound("default", ("DEFAULT",))
NULL = Literal(LiteralKind.NULL, "NULL")


def restore_all(exprs: tuple[Expr, ...], separator: str = ", ") -> str:
    """Return expressions as TiDB writes them, with the separator between them."""
    return separator.join(expr.restore() for expr in exprs)


def joined(items: tuple[Expr, ...], separator: str) -> Parts:
    """Return the items with the separator between them, as parts of a compound."""
    return tuple(part for item in items for part in (separator, item))[1:]


def call(name: str, *parts: Expr | str) -> Compound:
    """Return the call of a function with these arguments and the text between them."""
    return Compound(f"call {name}", (f"{name}(", *parts, ")"))
