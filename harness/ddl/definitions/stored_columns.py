"""What a table keeps of a column definition: size, character set, nullability, default.

Source: TiDB pkg/ddl/add_column.go, `buildColumnAndConstraint`, `columnDefToCol`,
`getDefaultValue`, `generateOriginDefaultValue`; pkg/ddl/executor.go, `ResolveCharsetCollation`,
`adjustBlobTypesFlen`; pkg/table/column.go, `GetZeroValue`.
"""

from __future__ import annotations

from dataclasses import replace

from harness.ddl.charsets import BINARY, CHARSETS, Charset, resolve_charset
from harness.ddl.definitions.columns import NOW, ColumnDef, ColumnOption, OptionKind
from harness.ddl.definitions.types import BINARY_KINDS
from harness.ddl.errors import Refused
from harness.ddl.sql.tree import Compound, Expr, Literal, LiteralKind
from harness.model.columns import (
    BINARIES,
    CHARACTERS,
    INTEGERS,
    Column,
    ColumnKind,
    Default,
    Generated,
)

# Largest byte length of each BLOB size; TEXT(n) and BLOB(n) choose the first that holds n.
BLOB_SIZES = (
    (2**8 - 1, ColumnKind.TINYTEXT, ColumnKind.TINYBLOB),
    (2**16 - 1, ColumnKind.TEXT, ColumnKind.BLOB),
    (2**24 - 1, ColumnKind.MEDIUMTEXT, ColumnKind.MEDIUMBLOB),
    (2**32 - 1, ColumnKind.LONGTEXT, ColumnKind.LONGBLOB),
)
_VARCHAR_BYTES_MAX = 65535
_CHAR_LENGTH_MAX = 255
_DEFAULT_LENGTHS = {
    ColumnKind.DECIMAL: 10,
    ColumnKind.CHAR: 1,
    ColumnKind.BINARY: 1,
    ColumnKind.BIT: 1,
    ColumnKind.YEAR: 4,
}
_CHARSETTED = CHARACTERS | {ColumnKind.ENUM, ColumnKind.SET}
_NO_DEFAULTS = frozenset(
    kind for kind in CHARACTERS | BINARIES if kind.value.endswith(("text", "blob"))
)


def build_column(definition: ColumnDef, column_id: int, inherited: Charset) -> Column:
    """Return the column that a definition makes, with this id, in a table of that character set.

    Keys among the options are not looked at, except that PRIMARY KEY makes the column NOT NULL.
    Raises Refused for definitions that MySQL refuses.
    """
    written = definition.type
    collation = next((o.text for o in definition.options if o.kind is OptionKind.COLLATE), "")
    column = Column(
        id=column_id,
        name=definition.name,
        kind=written.kind,
        length=_DEFAULT_LENGTHS.get(written.kind) if written.length is None else written.length,
        scale=written.scale or 0 if written.kind is ColumnKind.DECIMAL else written.scale,
        members=written.members,
        written=written.written,
        unsigned=written.unsigned,
        zerofill=written.zerofill,
    )
    column = _with_charset(column, definition, _charset_of(definition, collation, inherited))
    for option in definition.options:
        column = _with_option(column, option)
    _check(column, definition)
    return column


def _charset_of(definition: ColumnDef, collation: str, inherited: Charset) -> Charset:
    written = definition.type
    if written.binary and not collation:
        name = written.charset or inherited.name
        return replace(CHARSETS[name], collation=f"{name}_bin")
    return resolve_charset(written.charset, collation, inherited, at=definition.at)


def _with_charset(column: Column, definition: ColumnDef, charset: Charset) -> Column:
    if column.kind in BINARIES:
        return _sized(replace(column, charset=BINARY, collation=BINARY), width=1)
    if column.kind not in _CHARSETTED:
        return column
    if charset.name == BINARY and column.kind in BINARY_KINDS:
        kind = BINARY_KINDS[column.kind]
        return _sized(replace(column, kind=kind, charset=BINARY, collation=BINARY), width=1)
    limit = _VARCHAR_BYTES_MAX // charset.width
    if column.kind is ColumnKind.VARCHAR and (column.length or 0) > limit:
        raise _too_long(definition, limit, "use TEXT or BLOB instead")
    column = replace(column, charset=charset.name, collation=charset.collation)
    return _sized(column, width=charset.width)


def _sized(column: Column, width: int) -> Column:
    """TEXT(n) and BLOB(n) become the smallest kind that holds n characters, and forget n."""
    is_text = column.kind is ColumnKind.TEXT
    if column.length is None or (not is_text and column.kind is not ColumnKind.BLOB):
        return column
    needed = column.length * width
    for size, text_kind, blob_kind in BLOB_SIZES:
        if needed <= size:
            return replace(column, kind=text_kind if is_text else blob_kind, length=None)
    return replace(column, length=None)


def _with_option(column: Column, option: ColumnOption) -> Column:  # noqa: PLR0911 - one arm a kind
    match option.kind:
        case OptionKind.NOT_NULL | OptionKind.PRIMARY_KEY:
            return replace(column, nullable=False)
        case OptionKind.AUTO_INCREMENT:
            return replace(column, auto_increment=True, nullable=False)
        case OptionKind.AUTO_RANDOM:
            return replace(column, auto_random=True)
        case OptionKind.DEFAULT:
            return replace(column, default=stored_default(option.expr, option.written))
        case OptionKind.ON_UPDATE:
            return replace(column, on_update=_function_text(option.expr))
        case OptionKind.COMMENT:
            return replace(column, comment=option.text)
        case OptionKind.GENERATED:
            return replace(column, generated=Generated(option.expr.restore(), stored=option.flag))
        case _:
            return column


def _too_long(definition: ColumnDef, limit: int, hint: str) -> Refused:
    what = f"Column length too big for column '{definition.name}' (max = {limit})"
    return Refused(definition.at, what, hint=hint)


def _check(column: Column, definition: ColumnDef) -> None:
    """Refuse what MySQL refuses about one column alone."""
    if column.kind is ColumnKind.CHAR and (column.length or 0) > _CHAR_LENGTH_MAX:
        raise _too_long(definition, _CHAR_LENGTH_MAX, "use VARCHAR or TEXT instead")
    if column.kind is ColumnKind.DECIMAL and (column.scale or 0) > (column.length or 0):
        what = f"For decimal(M,D), M must be >= D (column '{column.name}')"
        raise Refused(definition.at, what)
    if column.default is None:
        return
    if column.default.text is None and not column.nullable and not column.generated:
        raise Refused(definition.at, f"Invalid default value for '{column.name}'")
    literal = not column.default.is_expression and column.default.text
    if column.kind in _NO_DEFAULTS | {ColumnKind.JSON} and literal:
        what = f"BLOB, TEXT, GEOMETRY or JSON column '{column.name}' can't have a default value"
        raise Refused(definition.at, what, hint="an expression in parentheses may be its default")


# ---- defaults -----------------------------------------------------------------------------------

_ZEROS = {
    ColumnKind.DATE: "0000-00-00",
    ColumnKind.DATETIME: "0000-00-00 00:00:00",
    ColumnKind.TIMESTAMP: "0000-00-00 00:00:00",
    ColumnKind.TIME: "00:00:00",
    ColumnKind.YEAR: "0000",
    ColumnKind.JSON: "null",
    ColumnKind.VECTOR: "[]",
    **dict.fromkeys(CHARACTERS | BINARIES | {ColumnKind.SET}, ""),
    **dict.fromkeys(INTEGERS | {ColumnKind.BIT}, "0"),
    **dict.fromkeys((ColumnKind.FLOAT, ColumnKind.DOUBLE, ColumnKind.DECIMAL), "0"),
}


def stored_default(expr: Expr, written: str) -> Default:
    """Return the default that a DEFAULT expression stores; `written` is its SQL text."""
    return replace(_stored(expr), written=written)


def _stored(expr: Expr) -> Default:
    if isinstance(expr, Literal):
        return _literal(expr)
    if isinstance(expr, Compound) and expr.form in ("unary -", "unary +"):
        return Default(expr.restore().removeprefix("+"))
    return Default(_function_text(expr), is_expression=True)


def _function_text(expr: Expr) -> str:
    """Return a function default's SQL; CURRENT_TIMESTAMP stands without empty parentheses."""
    text = expr.restore()
    if isinstance(expr, Compound) and expr.form in (NOW, "call NOW"):
        return text.replace("NOW(", "CURRENT_TIMESTAMP(").removesuffix("()")
    return text


def _literal(literal: Literal) -> Default:
    match literal.kind:
        case LiteralKind.NULL:
            return Default(None)
        case LiteralKind.BOOLEAN:
            return Default("1" if literal.text == "TRUE" else "0")
        case LiteralKind.HEX:
            return Default(literal.text, is_binary=True)
        case LiteralKind.BITS:
            return Default(_hexadecimal(literal.text), is_binary=True)
        case _:
            return Default(literal.text)


def _hexadecimal(bits: str) -> str:
    value = int(bits or "0", 2)
    # Leading zeros count: b'0000000001' is two bytes (TiDB pkg/types `ParseBitStr`).
    size = max(1, (len(bits) + 7) // 8)
    return value.to_bytes(size, "big").hex()


def origin_default(column: Column) -> Default | None:
    """Return what rows stored before `column` was added read back as; None when NULL."""
    if column.generated is not None:
        return None
    if column.default is not None and column.default.text is not None:
        return column.default
    return None if column.nullable else _zero(column)


def _zero(column: Column) -> Default:
    if column.kind is ColumnKind.ENUM:
        return Default(column.members[0])
    text = _ZEROS[column.kind]
    fraction = f".{'0' * column.fsp}" if column.fsp and column.kind in _FRACTIONS else ""
    return Default(text + fraction)


_FRACTIONS = frozenset({ColumnKind.DATETIME, ColumnKind.TIMESTAMP, ColumnKind.TIME})
