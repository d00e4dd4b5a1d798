"""SHOW CREATE TABLE of MariaDB 11.4: a table's text, and the table as who reads that text knows it.

The text has lost how a type was spelled: BOOL is tinyint(1), INT int(11), JSON longtext.

Source: MariaDB knowledge base, SHOW CREATE TABLE; answers of MariaDB 11.4.5.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from types import MappingProxyType
from typing import Final

from harness.ddl.charsets import CHARSETS
from harness.errors import StepError
from harness.model.columns import (
    BINARIES,
    CHARACTERS,
    INTEGERS,
    TEMPORALS,
    Column,
    ColumnKind,
)
from harness.model.table import ForeignKey, Index, Table

_BIN: Final = "utf8mb4_bin"
_SERVER: Final = ("utf8mb4", "utf8mb4_0900_ai_ci")  # what the catalogue has for who says nothing
# Display widths of integers, signed and unsigned.
_WIDTHS: Final[Mapping[ColumnKind, tuple[int, int]]] = MappingProxyType(
    {
        ColumnKind.TINYINT: (4, 3),
        ColumnKind.SMALLINT: (6, 5),
        ColumnKind.MEDIUMINT: (9, 8),
        ColumnKind.INT: (11, 10),
        ColumnKind.BIGINT: (20, 20),
    }
)
_LENGTHS: Final[Mapping[ColumnKind, int]] = MappingProxyType(
    {
        ColumnKind.BIT: 1,
        ColumnKind.CHAR: 1,
        ColumnKind.BINARY: 1,
        ColumnKind.DECIMAL: 10,
        ColumnKind.YEAR: 4,
    }
)
_SIZED: Final = frozenset({ColumnKind.VARCHAR, ColumnKind.VARBINARY, *INTEGERS, *_LENGTHS})
_FRACTIONS: Final = frozenset({ColumnKind.TIME, ColumnKind.DATETIME, ColumnKind.TIMESTAMP})
_MEMBERS: Final = frozenset({ColumnKind.ENUM, ColumnKind.SET})
# MariaDB's default collations where TiDB's, which the catalogue has, are others.
_COLLATIONS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "latin1": "latin1_swedish_ci",
        "ascii": "ascii_general_ci",
        "utf8": "utf8mb3_general_ci",
    }
)
# How a foreign key without a name is called here; the server calls it and its index otherwise.
_UNNAMED: Final = re.compile(r"fk_\d+")
_TOKENS: Final = re.compile(
    r"(?P<call>\w+(?=\())|(?P<operator>[-+*/])|(?P<space>\s+)"
    r"|(?P<plain>`[^`]+`|'[^'\\]*'|\d+|[(),])|(?P<other>.)",
    re.DOTALL,
)
_ESCAPES: Final = str.maketrans({"\\": r"\\", "'": "''", "\n": r"\n", "\r": r"\r", "\0": r"\0"})
_REALS: Final = frozenset({ColumnKind.FLOAT, ColumnKind.DOUBLE})
_NUMBERS: Final = INTEGERS | _REALS | {ColumnKind.DECIMAL, ColumnKind.YEAR}


def shown(table: Table) -> Table:
    """Return a table as its SHOW CREATE TABLE has it."""
    return replace(table, columns=tuple(map(_shown, table.columns)))


def _shown(column: Column) -> Column:
    default = column.default and replace(column.default, written=_written(column))
    members = tuple(map(_text, column.members))
    return _typed_anew(replace(column, default=default, written=members))


def _written(column: Column) -> str:
    """Return the default of a column as the text has it."""
    return next((text.removeprefix("DEFAULT ") for text in _default(column)), "")


def _typed_anew(column: Column) -> Column:
    if column.kind is ColumnKind.JSON:
        return replace(column, kind=ColumnKind.LONGTEXT, charset="utf8mb4", collation=_BIN)
    if column.length is not None:
        return column
    if column.kind in _WIDTHS:
        return replace(column, length=_WIDTHS[column.kind][column.unsigned])
    return replace(column, length=_LENGTHS.get(column.kind))


def show_create(table: Table, line: int, next_number: int = 1) -> str:
    """Return the text; StepError for a table whose text is not worked out here.

    `next_number` is what AUTO_INCREMENT gives next.
    """
    _check(table, line)
    parts = [f"  {_quoted(column.name)} {_column(column, table, line)}" for column in table.columns]
    parts += [f"  {_index(index)}" for index in _ordered(table)]
    parts += [f"  {_foreign_key(key, table)}" for key in table.foreign_keys]
    lines = ",\n".join(parts)
    numbered = any(column.auto_increment for column in table.columns) and next_number > 1
    charset, collation = _of_table(table)
    options = [
        "ENGINE=InnoDB",
        *([f"AUTO_INCREMENT={next_number}"] if numbered else ()),
        f"DEFAULT CHARSET={charset} COLLATE={collation}",
        *([f"COMMENT={_text(table.comment)}"] if table.comment else ()),
    ]
    return f"CREATE TABLE {_quoted(table.id.name)} (\n{lines}\n) {' '.join(options)}"


def _check(table: Table, line: int) -> None:
    kinds = {column.kind for column in table.columns}
    what = next(
        (
            word
            for word, there in (
                ("partitions", bool(table.partitions)),
                ("a column of VECTOR", ColumnKind.VECTOR in kinds),
                (
                    "a foreign key without a name",
                    any(_UNNAMED.fullmatch(key.name) for key in table.foreign_keys),
                ),
            )
            if there
        ),
        "",
    )
    if what:
        raise StepError(
            f"{table.id} has {what}: what SHOW CREATE TABLE says of it is not worked out here",
            line=line,
            expected="tables without it where a connector copies what is there",
        )


def _of_table(table: Table) -> tuple[str, str]:
    """Return a table's character set and collation; scenarios' databases have utf8mb4_bin."""
    own = table.charset, table.collation
    return ("utf8mb4", _BIN) if own == _SERVER else own


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def escaped(value: str) -> str:
    """Return a text as it stands between its quotes."""
    return value.translate(_ESCAPES)


def _text(value: str) -> str:
    return f"'{escaped(value)}'"


def _column(column: Column, table: Table, line: int) -> str:
    return " ".join(_words(column, table, line))


def _words(column: Column, table: Table, line: int) -> Iterator[str]:
    own = _shown(column)
    yield from _typed(own, table)
    if own.generated is not None:
        yield f"GENERATED ALWAYS AS ({_expression(own, line)})"
        yield "STORED" if own.generated.stored else "VIRTUAL"
        return
    if not own.nullable:
        yield "NOT NULL"
    elif own.kind is ColumnKind.TIMESTAMP:
        yield "NULL"
    yield from _default(own)
    if own.on_update is not None:
        yield f"ON UPDATE {_clock(own.on_update)}"
    if own.auto_increment:
        yield "AUTO_INCREMENT"
    if own.comment:
        yield f"COMMENT {_text(own.comment)}"
    if column.kind is ColumnKind.JSON:
        yield f"CHECK (json_valid({_quoted(column.name)}))"


def _typed(own: Column, table: Table) -> Iterator[str]:
    yield _type(own)
    if own.unsigned and own.kind is not ColumnKind.YEAR:
        yield "unsigned"
    if own.zerofill:
        yield "zerofill"
    if own.kind in CHARACTERS | _MEMBERS:
        yield from _charset(own, table)


def _expression(column: Column, line: int) -> str:
    """Return a generated column's expression; StepError for more than sums and calls."""
    assert column.generated is not None
    text, said = column.generated.expression.replace("_UTF8MB4'", "'"), ""
    for found in _TOKENS.finditer(text):
        kind, token = str(found.lastgroup), found[0]
        if kind == "other" or (kind == "operator" and said[-1:] in {"", "(", ","}):
            raise StepError(
                f"what SHOW CREATE TABLE says of {column.name} AS ({text}) is not worked out here",
                line=line,
                expected="columns, numbers and texts in + - * / and calls of functions",
            )
        if kind != "space":
            said += {"operator": f" {token} ", "call": token.lower()}.get(kind, token)
    return said


def _foreign_key(key: ForeignKey, table: Table) -> str:
    columns, others = (",".join(map(_quoted, names)) for names in (key.columns, key.parent_columns))
    parent = _quoted(key.parent.name)
    if key.parent.schema != table.id.schema:
        parent = f"{_quoted(key.parent.schema)}.{parent}"
    text = f"CONSTRAINT {_quoted(key.name)} FOREIGN KEY ({columns}) REFERENCES {parent} ({others})"
    for event, action in zip(("DELETE", "UPDATE"), key.actions, strict=True):
        text += f" ON {event} {action}" if action not in {"", "RESTRICT"} else ""
    return text


def _type(column: Column) -> str:
    word = column.kind.value
    if column.kind in _MEMBERS:
        return f"{word}({','.join(map(_text, column.members))})"
    if column.kind is ColumnKind.DECIMAL:
        return f"{word}({column.length},{column.scale or 0})"
    if column.kind in _REALS and column.scale is not None:
        return f"{word}({column.length},{column.scale})"
    if column.kind in _SIZED:
        return f"{word}({column.length})"
    if column.kind in _FRACTIONS and column.fsp:
        return f"{word}({column.fsp})"
    return word


def _charset(column: Column, table: Table) -> Iterator[str]:
    charset, collation = _of_table(table)
    own = column.charset or charset
    chosen = column.collation or collation
    if own != charset and chosen == CHARSETS[own].collation:
        chosen = _COLLATIONS.get(own, chosen)
    if own != charset or chosen not in {collation, _SERVER[1]}:
        yield f"CHARACTER SET {own} COLLATE {chosen}"


def _default(column: Column) -> Iterator[str]:
    default = column.default
    if default is None or default.text is None:
        if column.nullable and not column.auto_increment:
            yield "DEFAULT NULL"
        return
    if default.is_expression:
        yield f"DEFAULT {_clock(default.text)}"
    elif default.is_binary and column.kind is ColumnKind.BIT:
        yield f"DEFAULT b'{int(default.text, 16):b}'"
    elif column.kind in _NUMBERS:
        text = str(int(default.text, 16)) if default.is_binary else default.text
        yield f"DEFAULT {_number(column, text)}"
    elif column.kind in TEMPORALS:
        yield f"DEFAULT {_text(_moment(column, default.text))}"
    elif column.kind in BINARIES | CHARACTERS and default.is_binary:
        encoding = "latin-1" if column.kind in BINARIES else "utf-8"
        yield f"DEFAULT {_text(bytes.fromhex(default.text).decode(encoding))}"
    else:
        yield f"DEFAULT {_text(default.text)}"


def _number(column: Column, text: str) -> str:
    """Return a number with the digits of its column."""
    if column.kind is ColumnKind.DECIMAL:
        return f"{Decimal(text):.{column.scale or 0}f}"
    if column.kind is ColumnKind.DOUBLE and column.scale is None:
        return f"{float(text):.15g}".replace("e+", "e")
    short = f"{float(text):.6g}"
    plain = column.kind is ColumnKind.FLOAT and column.scale is None and "e" not in short
    return short if plain else text


def _moment(column: Column, text: str) -> str:
    """Return a moment with all its parts; one without points or lines between them as it stands."""
    whole, _, fraction = text.partition(".")
    parts = [f"{part:0>2}" for part in re.split(r"\D+", whole.lstrip("-"))]
    if len(parts) == 1:
        return text
    if column.kind is ColumnKind.TIME:
        sign = "-" if text.startswith("-") else ""
        return f"{sign}{':'.join([*parts, '00'][:3])}{_fraction(column, fraction)}"
    day = "-".join(parts[:3])
    if column.kind is ColumnKind.DATE:
        return day
    clock = ":".join([*parts[3:], "00", "00", "00"][:3])
    return f"{day} {clock}{_fraction(column, fraction)}"


def _fraction(column: Column, digits: str) -> str:
    return f".{digits:0<{column.fsp}}" if column.fsp else ""


def _clock(expression: str) -> str:
    text = expression.lower()
    return text if text.endswith(")") else f"{text}()"


def _ordered(table: Table) -> list[Index]:
    """Return indexes as they are listed: the primary key, unique ones, then the others.

    Of unique ones those come first whose columns are never NULL.
    """

    def place(index: Index) -> tuple[bool, bool, bool]:
        nullable = any(table.column(name).nullable for name in index.columns)
        return not index.primary, not index.unique, index.unique and nullable

    return sorted(table.indexes, key=place)


def _index(index: Index) -> str:
    parts = ",".join(
        _quoted(part.column or "") + (f"({part.length})" if part.length else "")
        for part in index.parts
    )
    if index.primary:
        return f"PRIMARY KEY ({parts})"
    return f"{'UNIQUE ' if index.unique else ''}KEY {_quoted(index.name)} ({parts})"
