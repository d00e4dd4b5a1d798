"""Column definitions to columns: sizes, character sets, nullability, defaults.

Source: TiDB pkg/ddl/add_column.go, `buildColumnAndConstraint`, `columnDefToCol`;
pkg/ddl/executor.go, `ResolveCharsetCollation`, `adjustBlobTypesFlen`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from harness.ddl.charsets import BINARY, CHARSETS, charset_of_collation
from harness.ddl.expressions import Expr, restore_expression
from harness.ddl.grammar.types import BINARY_KINDS
from harness.ddl.schema.defaults import function_text, stored_default
from harness.ddl.schema.refusals import Refused
from harness.ddl.syntax import ColumnDef, ColumnOption, DataType, OptionKind
from harness.model.columns import BINARIES, CHARACTERS, Column, ColumnKind, Generated

# Largest byte length of each BLOB size; TEXT(n) and BLOB(n) choose the first that holds n.
_BLOB_SIZES = (
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


@dataclass(frozen=True, slots=True)
class Charset:
    """A character set with the collation that goes with it."""

    name: str
    collation: str


DEFAULT_CHARSET = Charset("utf8mb4", "utf8mb4_bin")


def resolve_charset(charset: str, collation: str, inherited: Charset, *, at: int = 0) -> Charset:
    """Return the character set and collation that a CHARACTER SET and a COLLATE (or "") mean."""
    if collation:
        owner = charset_of_collation(collation)
        name = owner.name if owner else charset
        if charset and name != charset:
            raise Refused(at, f"COLLATION '{collation}' is not valid for CHARACTER SET '{charset}'")
        return Charset(name, collation)
    if charset:
        return Charset(charset, CHARSETS[charset].collation)
    return inherited


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
        length=_length(written),
        scale=_scale(written),
        members=written.members,
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
        return Charset(name, f"{name}_bin")
    return resolve_charset(written.charset, collation, inherited, at=definition.at)


def _length(written: DataType) -> int | None:
    if written.length is None:
        return _DEFAULT_LENGTHS.get(written.kind)
    return written.length


def _scale(written: DataType) -> int | None:
    if written.kind is ColumnKind.DECIMAL:
        return written.scale or 0
    return written.scale


def _with_charset(column: Column, definition: ColumnDef, charset: Charset) -> Column:
    if column.kind in BINARIES:
        return _sized(replace(column, charset=BINARY, collation=BINARY), width=1)
    if column.kind not in _CHARSETTED:
        return column
    if charset.name == BINARY and column.kind in BINARY_KINDS:
        kind = BINARY_KINDS[column.kind]
        return _sized(replace(column, kind=kind, charset=BINARY, collation=BINARY), width=1)
    width = CHARSETS[charset.name].width
    limit = _VARCHAR_BYTES_MAX // width
    if column.kind is ColumnKind.VARCHAR and (column.length or 0) > limit:
        raise Refused(
            definition.at,
            f"Column length too big for column '{column.name}' (max = {limit})",
            hint="use TEXT or BLOB instead",
        )
    return _sized(replace(column, charset=charset.name, collation=charset.collation), width=width)


def _sized(column: Column, width: int) -> Column:
    """TEXT(n) and BLOB(n) become the smallest kind that holds n characters, and forget n."""
    is_text = column.kind is ColumnKind.TEXT
    if column.length is None or (not is_text and column.kind is not ColumnKind.BLOB):
        return column
    needed = column.length * width
    for size, text_kind, blob_kind in _BLOB_SIZES:
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
            return replace(column, default=stored_default(_needed(option)))
        case OptionKind.ON_UPDATE:
            return replace(column, on_update=function_text(_needed(option)))
        case OptionKind.COMMENT:
            return replace(column, comment=option.text)
        case OptionKind.GENERATED:
            text = restore_expression(_needed(option))
            return replace(column, generated=Generated(text, stored=option.flag))
        case _:
            return column


def _needed(option: ColumnOption) -> Expr:
    assert option.expr is not None, "the grammar gives these options an expression"
    return option.expr


def _check(column: Column, definition: ColumnDef) -> None:
    """Refuse what MySQL refuses about one column alone."""
    if column.kind is ColumnKind.CHAR and (column.length or 0) > _CHAR_LENGTH_MAX:
        raise Refused(
            definition.at,
            f"Column length too big for column '{column.name}' (max = {_CHAR_LENGTH_MAX})",
            hint="use VARCHAR or TEXT instead",
        )
    if column.kind is ColumnKind.DECIMAL and (column.scale or 0) > (column.length or 0):
        what = f"For decimal(M,D), M must be >= D (column '{column.name}')"
        raise Refused(definition.at, what)
    if column.default is None:
        return
    if column.default.text is None and not column.nullable and not column.generated:
        raise Refused(definition.at, f"Invalid default value for '{column.name}'")
    literal = not column.default.is_expression and column.default.text
    if column.kind in _NO_DEFAULTS | {ColumnKind.JSON} and literal:
        raise Refused(
            definition.at,
            f"BLOB, TEXT, GEOMETRY or JSON column '{column.name}' can't have a default value",
            hint="an expression in parentheses may be its default",
        )
