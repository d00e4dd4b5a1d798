"""What expressions may be made of: the operators and functions that we evaluate, by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from harness.ddl import ColumnRef, Compound, Expr, Literal, LiteralKind
from harness.errors import plural

LITERALS = frozenset(
    {
        LiteralKind.NULL,
        LiteralKind.BOOLEAN,
        LiteralKind.INTEGER,
        LiteralKind.DECIMAL,
        LiteralKind.FLOAT,
        LiteralKind.STRING,
    }
)
LOGICAL = ("OR", "XOR", "AND")
COMPARISONS = ("=", "<=>", "!=", "<", "<=", ">", ">=")
ARITHMETIC = ("+", "-", "*", "%", "DIV")
UNARY = ("-", "+", "!")
# Function -> the least and the most arguments.
FUNCTIONS: Mapping[str, tuple[int, int]] = {
    "IF": (3, 3),
    "IFNULL": (2, 2),
    "NULLIF": (2, 2),
    "COALESCE": (1, 100),
}
# The grammar's names of constructs that need no further look at their operator.
CONSTRUCTS = frozenset({"paren", "not", "is", "in", "between", "like", "case"})

SUPPORTED = (
    *("NULL", "TRUE", "FALSE", "numbers", "'texts'", "columns", "( )"),
    *LOGICAL,
    "NOT",
    *UNARY,
    *COMPARISONS,
    "<>",
    *ARITHMETIC,
    *("IS [NOT] NULL|TRUE|FALSE", "[NOT] IN (list)", "[NOT] BETWEEN", "[NOT] LIKE", "CASE"),
    *FUNCTIONS,
)


def unsupported(expr: Expr) -> Iterator[str]:
    """Yield the name of each part that we do not evaluate."""
    match expr:
        case ColumnRef():
            return
        case Literal():
            if expr.kind not in LITERALS:
                yield f"a {expr.kind.value} literal"
        case Compound():
            name = _unsupported_form(expr)
            if name:
                yield name
            for part in expr.parts:
                if not isinstance(part, str):
                    yield from unsupported(part)


def _unsupported_form(expr: Compound) -> str:
    """Return the name of the construct itself when we do not evaluate it."""
    texts = [part.strip() for part in expr.parts if isinstance(part, str)]
    form, _, operator = expr.form.partition(" ")
    if form == "call":
        return _unsupported_call(operator, len(expr.parts) - len(texts))
    if form == "unary":
        return "" if operator in UNARY else operator
    if form == "binary":
        return "" if texts[0] in (*LOGICAL, *ARITHMETIC) else texts[0]
    if form == "comparison":
        return "" if texts[0] in COMPARISONS else texts[0]
    if form == "in" and not texts[-1].endswith(")"):
        return "IN (SELECT)"
    return "" if expr.form in CONSTRUCTS else expr.form.upper()


def _unsupported_call(name: str, arguments: int) -> str:
    if name not in FUNCTIONS:
        return f"{name}()"
    least, most = FUNCTIONS[name]
    return "" if least <= arguments <= most else f"{name}() of {plural(arguments, 'argument')}"
