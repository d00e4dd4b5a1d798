"""Column types: every spelling that TiDB, MySQL and MariaDB take, resolved to one `DataType`.

Source: TiDB pkg/parser/parser.y, `NumericType`, `StringType`, `DateAndTimeType`;
pkg/parser/types/field_type.go, `FieldType.Restore`; MariaDB Knowledge Base, "Data Types" (UUID,
INET4 and INET6 have no counterpart in TiDB and are refused).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from harness.ddl.charsets import BINARY, charset_of_collation, find_charset
from harness.ddl.errors import DdlError
from harness.ddl.sql.cursor import Cursor
from harness.ddl.sql.lexer import TokenKind
from harness.ddl.sql.literals import even_digits
from harness.ddl.sql.tree import quote_string
from harness.model.columns import TEMPORALS, ColumnKind

_SCALED = frozenset({ColumnKind.FLOAT, ColumnKind.DOUBLE, ColumnKind.DECIMAL})
_MEMBERED = frozenset({ColumnKind.ENUM, ColumnKind.SET})
# What CHARACTER SET binary makes of a character type.
BINARY_KINDS: Mapping[ColumnKind, ColumnKind] = {
    ColumnKind.CHAR: ColumnKind.BINARY,
    ColumnKind.VARCHAR: ColumnKind.VARBINARY,
    ColumnKind.TINYTEXT: ColumnKind.TINYBLOB,
    ColumnKind.TEXT: ColumnKind.BLOB,
    ColumnKind.MEDIUMTEXT: ColumnKind.MEDIUMBLOB,
    ColumnKind.LONGTEXT: ColumnKind.LONGBLOB,
}
_LONGEST_FLOAT = 24
_MAX_FSP = 6


@dataclass(frozen=True, slots=True)
class DataType:
    """A column's type as written, aliases already resolved (INTEGER is INT, BOOL is TINYINT(1)).

    `length` and `scale` are None where nothing was written, except where the alias implies them.
    `binary` is the BINARY attribute of a character type (its binary collation). `signs` are the
    words SIGNED, UNSIGNED and ZEROFILL as they were written, `written` the members, quotes and all.
    """

    kind: ColumnKind
    length: int | None = None
    scale: int | None = None
    members: tuple[str, ...] = ()
    charset: str = ""
    binary: bool = False
    unsigned: bool = False
    zerofill: bool = False
    signs: tuple[str, ...] = field(default=(), compare=False)
    written: tuple[str, ...] = field(default=(), compare=False)

    def restore(self) -> str:
        """Return the type with its sizes and attributes; ENUM and SET lose their character set."""
        text = self.kind.value.upper() + self._sizes()
        text += " UNSIGNED" if self.unsigned else ""
        text += " ZEROFILL" if self.zerofill else ""
        text += " BINARY" if self.binary else ""
        if self.charset and self.kind not in _MEMBERED:
            text += f" CHARACTER SET {self.charset.upper()}"
        return text

    def _sizes(self) -> str:
        if self.kind in _MEMBERED:
            return f"({','.join(quote_string(member) for member in self.members)})"
        if self.kind in TEMPORALS:
            return "" if self.scale is None else f"({self.scale})"
        if self.length is None:
            return ""
        if self.kind in _SCALED and self.scale is not None:
            return f"({self.length},{self.scale})"
        return f"({self.length})"


def parse_type(cursor: Cursor) -> DataType:
    """Return the type that must stand here; DdlError names the types when it is none."""
    rule, kind = _TYPES.get(cursor.token.upper, (None, ColumnKind.INT))
    if rule is None:
        raise cursor.fail(
            "a column type",
            hint="TiDB's types: integers, DECIMAL, FLOAT, DOUBLE, BIT, CHAR, VARCHAR, TEXT, BINARY,"
            " VARBINARY, BLOB, ENUM, SET, JSON, DATE, TIME, DATETIME, TIMESTAMP, YEAR, VECTOR",
        )
    cursor.next()
    return rule(cursor, kind)


def _length(cursor: Cursor) -> int | None:
    return cursor.enclosed(lambda each: each.number("a length")) if cursor.sees("(") else None


def _needed_length(cursor: Cursor) -> int:
    if not cursor.sees("("):
        raise cursor.fail("a length in parentheses, such as (16)")
    return _length(cursor) or 0


def _sizes(cursor: Cursor) -> tuple[int | None, int | None]:
    if not cursor.sees("("):
        return None, None
    sizes = cursor.parenthesised(lambda: cursor.number("a length"))
    return sizes[0], sizes[1] if len(sizes) > 1 else None


def _signed(cursor: Cursor, data_type: DataType) -> DataType:
    while word := cursor.take_any("UNSIGNED", "SIGNED", "ZEROFILL"):
        data_type = replace(data_type, signs=(*data_type.signs, word))
        if word == "ZEROFILL":
            data_type = replace(data_type, zerofill=True, unsigned=True)
        elif word == "UNSIGNED":
            data_type = replace(data_type, unsigned=True)
    return data_type


# ---- one rule for each syntax: (cursor behind the word, kind of the column) ------------


def _plain(_cursor: Cursor, kind: ColumnKind) -> DataType:
    return DataType(kind)


def _sized(cursor: Cursor, kind: ColumnKind) -> DataType:
    return DataType(kind, length=_length(cursor))


def _integer(cursor: Cursor, kind: ColumnKind) -> DataType:
    return _signed(cursor, DataType(kind, length=_length(cursor)))


def _decimal(cursor: Cursor, kind: ColumnKind) -> DataType:
    length, scale = _sizes(cursor)
    return _signed(cursor, DataType(kind, length=length, scale=scale))


def _real(cursor: Cursor, kind: ColumnKind) -> DataType:
    """FLOAT(p) chooses FLOAT or DOUBLE by p and forgets it."""
    at = cursor.offset
    length, scale = _sizes(cursor)
    if scale is None and length is not None:
        if kind is ColumnKind.DOUBLE:
            raise DdlError.at(cursor.sql, at, "DOUBLE takes two sizes or none", expected="(M, D)")
        kind = ColumnKind.DOUBLE if length > _LONGEST_FLOAT else kind
        length = None
    return _signed(cursor, DataType(kind, length=length, scale=scale))


def _double(cursor: Cursor, kind: ColumnKind) -> DataType:
    cursor.take("PRECISION")
    return _real(cursor, kind)


def _year(cursor: Cursor, kind: ColumnKind) -> DataType:
    at = cursor.offset
    length = _length(cursor)
    if length not in (None, 4):
        what = f"YEAR({length}) is not a type"
        raise DdlError.at(cursor.sql, at, what, expected="YEAR or YEAR(4)")
    _signed(cursor, DataType(kind))
    return DataType(kind, length=length)


def _temporal(cursor: Cursor, kind: ColumnKind) -> DataType:
    at = cursor.offset
    fsp = _length(cursor)
    if fsp is not None and fsp > _MAX_FSP:
        what = f"too-big precision {fsp} for {kind.value.upper()}"
        raise DdlError.at(cursor.sql, at, what, expected=f"0 to {_MAX_FSP}")
    return DataType(kind, scale=fsp)


def _text(cursor: Cursor, kind: ColumnKind) -> DataType:
    length = _length(cursor) if kind is ColumnKind.TEXT else None
    return _with_charset(cursor, DataType(kind, length=length))


def _long(cursor: Cursor, kind: ColumnKind) -> DataType:
    if cursor.take("VARBINARY"):
        return DataType(ColumnKind.MEDIUMBLOB)
    if not cursor.take("CHAR", "VARYING") and not cursor.take("CHARACTER", "VARYING"):
        cursor.take_any("VARCHAR", "VARCHARACTER")
    return _with_charset(cursor, DataType(kind))


def _varchar(cursor: Cursor, kind: ColumnKind) -> DataType:
    return _with_charset(cursor, DataType(kind, length=_needed_length(cursor)))


def _char(cursor: Cursor, kind: ColumnKind) -> DataType:
    if cursor.take("VARYING"):
        return _varchar(cursor, ColumnKind.VARCHAR)
    return _with_charset(cursor, DataType(kind, length=_length(cursor)))


def _nchar(cursor: Cursor, kind: ColumnKind) -> DataType:
    if cursor.take("VARYING") or cursor.take_any("VARCHAR", "VARCHARACTER"):
        return _varchar(cursor, ColumnKind.VARCHAR)
    return _with_charset(cursor, DataType(kind, length=_length(cursor)))


def _national(cursor: Cursor, kind: ColumnKind) -> DataType:
    word = cursor.expect_any("CHAR", "CHARACTER", "VARCHAR", "VARCHARACTER")
    return _char(cursor, kind) if "VAR" not in word else _varchar(cursor, ColumnKind.VARCHAR)


def _members(cursor: Cursor, kind: ColumnKind) -> DataType:
    def item() -> tuple[str, str]:
        at = cursor.offset
        return _member(cursor).rstrip(" "), cursor.since(at)

    members, written = zip(*cursor.parenthesised(item), strict=True)
    return _with_charset(cursor, DataType(kind, members=members, written=written))


def _member(cursor: Cursor) -> str:
    """Return a member's text; hexadecimal and bit literals spell its UTF-8 bytes."""
    if cursor.token.kind is TokenKind.HEX:
        return bytes.fromhex(even_digits(cursor.next().text)).decode("utf-8", "replace")
    if cursor.token.kind is TokenKind.BITS:
        bits = cursor.next().text
        size = (len(bits) + 7) // 8
        return int(bits, 2).to_bytes(size, "big").decode("utf-8", "replace")
    return cursor.string("a member")


def _vector(cursor: Cursor, kind: ColumnKind) -> DataType:
    if cursor.take("<"):
        cursor.expect("FLOAT", ">")
    return DataType(kind, length=_length(cursor))


# ---- character sets ------------------------------------------------------------------------------

# BYTE makes a BLOB (parser.y, `OptCharsetWithOptBinary`).
_CHARSET_WORDS = {"ASCII": "latin1", "UNICODE": "ucs2", "BYTE": BINARY}


def _with_charset(cursor: Cursor, data_type: DataType) -> DataType:
    """Read BINARY, CHARACTER SET, ASCII, UNICODE or BYTE in any order that a server takes."""
    while True:
        if cursor.take("BINARY"):
            data_type = replace(data_type, binary=True)
        elif word := cursor.take_any(*_CHARSET_WORDS):
            data_type = replace(data_type, charset=_CHARSET_WORDS[word])
        elif take_charset_keyword(cursor):
            data_type = replace(data_type, charset=parse_charset_name(cursor))
        else:
            break
    if data_type.charset == BINARY and data_type.kind in BINARY_KINDS:
        kind = BINARY_KINDS[data_type.kind]
        return replace(data_type, kind=kind, charset="", binary=False)
    return data_type


def take_charset_keyword(cursor: Cursor) -> bool:
    """Step over CHARACTER SET, CHARSET or CHAR SET if it is next."""
    return cursor.take("CHARACTER", "SET") or cursor.take("CHARSET") or cursor.take("CHAR", "SET")


def parse_charset_name(cursor: Cursor) -> str:
    """Return the canonical name of the character set that must stand here."""
    at = cursor.offset
    name = cursor.string_or_name("the name of a character set")
    charset = find_charset(name)
    if charset is None:
        raise DdlError.at(
            cursor.sql,
            at,
            f"unknown character set {name!r}",
            expected="a character set of MySQL, such as utf8mb4, latin1, gbk or binary",
        )
    return charset.name


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


_Rule = Callable[[Cursor, ColumnKind], DataType]
# The words that start a type, its rule, and the kind of column that it makes.
_ROWS: tuple[tuple[str, ColumnKind, _Rule], ...] = (
    ("TINYINT INT1", ColumnKind.TINYINT, _integer),
    ("SMALLINT INT2", ColumnKind.SMALLINT, _integer),
    ("MEDIUMINT MIDDLEINT INT3", ColumnKind.MEDIUMINT, _integer),
    ("INT INTEGER INT4", ColumnKind.INT, _integer),
    ("BIGINT INT8", ColumnKind.BIGINT, _integer),
    ("BOOL BOOLEAN", ColumnKind.TINYINT, lambda c, kind: _signed(c, DataType(kind, length=1))),
    # The column rule adds the three options that SERIAL means too.
    ("SERIAL", ColumnKind.BIGINT, lambda _, kind: DataType(kind, unsigned=True)),
    ("DECIMAL NUMERIC DEC FIXED", ColumnKind.DECIMAL, _decimal),
    ("FLOAT FLOAT4", ColumnKind.FLOAT, _real),
    ("DOUBLE", ColumnKind.DOUBLE, _double),
    ("FLOAT8 REAL", ColumnKind.DOUBLE, _real),
    ("BIT", ColumnKind.BIT, lambda c, kind: DataType(kind, length=_length(c) or 1)),
    ("YEAR SQL_TSI_YEAR", ColumnKind.YEAR, _year),
    ("DATE", ColumnKind.DATE, _plain),
    ("DATETIME", ColumnKind.DATETIME, _temporal),
    ("TIMESTAMP", ColumnKind.TIMESTAMP, _temporal),
    ("TIME", ColumnKind.TIME, _temporal),
    ("CHAR CHARACTER", ColumnKind.CHAR, _char),
    ("NCHAR", ColumnKind.CHAR, _nchar),
    ("NATIONAL", ColumnKind.CHAR, _national),
    ("VARCHAR VARCHARACTER NVARCHAR", ColumnKind.VARCHAR, _varchar),
    ("TINYTEXT", ColumnKind.TINYTEXT, _text),
    ("TEXT", ColumnKind.TEXT, _text),
    ("MEDIUMTEXT", ColumnKind.MEDIUMTEXT, _text),
    ("LONGTEXT", ColumnKind.LONGTEXT, _text),
    ("LONG", ColumnKind.MEDIUMTEXT, _long),
    ("BINARY", ColumnKind.BINARY, _sized),
    ("VARBINARY", ColumnKind.VARBINARY, lambda c, k: DataType(k, length=_needed_length(c))),
    ("TINYBLOB", ColumnKind.TINYBLOB, _plain),
    ("BLOB", ColumnKind.BLOB, _sized),
    ("MEDIUMBLOB", ColumnKind.MEDIUMBLOB, _plain),
    ("LONGBLOB", ColumnKind.LONGBLOB, _plain),
    ("ENUM", ColumnKind.ENUM, _members),
    ("SET", ColumnKind.SET, _members),
    ("JSON", ColumnKind.JSON, _plain),
    ("VECTOR", ColumnKind.VECTOR, _vector),
)
_TYPES = {word: (rule, kind) for words, kind, rule in _ROWS for word in words.split()}
