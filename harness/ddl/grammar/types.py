"""Column types: every spelling that TiDB, MySQL and MariaDB take, resolved to one `DataType`.

Source: TiDB pkg/parser/parser.y, `NumericType`, `StringType`, `DateAndTimeType`; MariaDB Knowledge
Base, "Data Types" (UUID, INET4 and INET6 have no counterpart in TiDB and are refused).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from harness.ddl.charsets import BINARY, find_charset
from harness.ddl.errors import DdlError
from harness.ddl.grammar.cursor import Cursor
from harness.ddl.lexer import TokenKind
from harness.ddl.syntax import DataType
from harness.model.columns import ColumnKind

_INTEGERS: Mapping[str, ColumnKind] = {
    "TINYINT": ColumnKind.TINYINT,
    "INT1": ColumnKind.TINYINT,
    "SMALLINT": ColumnKind.SMALLINT,
    "INT2": ColumnKind.SMALLINT,
    "MEDIUMINT": ColumnKind.MEDIUMINT,
    "MIDDLEINT": ColumnKind.MEDIUMINT,
    "INT3": ColumnKind.MEDIUMINT,
    "INT": ColumnKind.INT,
    "INTEGER": ColumnKind.INT,
    "INT4": ColumnKind.INT,
    "BIGINT": ColumnKind.BIGINT,
    "INT8": ColumnKind.BIGINT,
}
_REALS: Mapping[str, ColumnKind] = {
    "FLOAT": ColumnKind.FLOAT,
    "FLOAT4": ColumnKind.FLOAT,
    "DOUBLE": ColumnKind.DOUBLE,
    "FLOAT8": ColumnKind.DOUBLE,
    "REAL": ColumnKind.DOUBLE,
}
_TEXTS: Mapping[str, ColumnKind] = {
    "TINYTEXT": ColumnKind.TINYTEXT,
    "MEDIUMTEXT": ColumnKind.MEDIUMTEXT,
    "LONGTEXT": ColumnKind.LONGTEXT,
}
_PLAIN: Mapping[str, ColumnKind] = {
    "TINYBLOB": ColumnKind.TINYBLOB,
    "MEDIUMBLOB": ColumnKind.MEDIUMBLOB,
    "LONGBLOB": ColumnKind.LONGBLOB,
    "DATE": ColumnKind.DATE,
    "JSON": ColumnKind.JSON,
}
_TEMPORALS: Mapping[str, ColumnKind] = {
    "DATETIME": ColumnKind.DATETIME,
    "TIMESTAMP": ColumnKind.TIMESTAMP,
    "TIME": ColumnKind.TIME,
}
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


def parse_type(cursor: Cursor) -> DataType:
    """Return the type that must stand here; DdlError names the types when it is none."""
    word = cursor.token.upper
    rule = _RULES.get(word)
    if rule is None:
        raise cursor.fail(
            "a column type",
            hint="TiDB's types: integers, DECIMAL, FLOAT, DOUBLE, BIT, CHAR, VARCHAR, TEXT, BINARY,"
            " VARBINARY, BLOB, ENUM, SET, JSON, DATE, TIME, DATETIME, TIMESTAMP, YEAR, VECTOR",
        )
    cursor.next()
    return rule(cursor, word)


def _length(cursor: Cursor) -> int | None:
    if not cursor.take("("):
        return None
    length = cursor.number("a length")
    cursor.expect(")")
    return length


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
        if word == "ZEROFILL":
            data_type = replace(data_type, zerofill=True, unsigned=True)
        elif word == "UNSIGNED":
            data_type = replace(data_type, unsigned=True)
    return data_type


def _integer(cursor: Cursor, word: str) -> DataType:
    return _signed(cursor, DataType(_INTEGERS[word], length=_length(cursor)))


def _boolean(cursor: Cursor, word: str) -> DataType:
    del word
    return _signed(cursor, DataType(ColumnKind.TINYINT, length=1))


def _decimal(cursor: Cursor, word: str) -> DataType:
    del word
    length, scale = _sizes(cursor)
    return _signed(cursor, DataType(ColumnKind.DECIMAL, length=length, scale=scale))


def _real(cursor: Cursor, word: str) -> DataType:
    """FLOAT(p) chooses FLOAT or DOUBLE by p and forgets it."""
    kind = _REALS[word]
    if word == "DOUBLE":
        cursor.take("PRECISION")
    at = cursor.offset
    length, scale = _sizes(cursor)
    if scale is None and length is not None:
        if kind is ColumnKind.DOUBLE:
            raise DdlError.at(cursor.sql, at, "DOUBLE takes two sizes or none", expected="(M, D)")
        kind = ColumnKind.DOUBLE if length > _LONGEST_FLOAT else kind
        length = None
    return _signed(cursor, DataType(kind, length=length, scale=scale))


def _bit(cursor: Cursor, word: str) -> DataType:
    del word
    return DataType(ColumnKind.BIT, length=_length(cursor) or 1)


def _year(cursor: Cursor, word: str) -> DataType:
    del word
    at = cursor.offset
    length = _length(cursor)
    if length not in (None, 4):
        raise DdlError.at(
            cursor.sql, at, f"YEAR({length}) is not a type", expected="YEAR or YEAR(4)"
        )
    _signed(cursor, DataType(ColumnKind.YEAR))
    return DataType(ColumnKind.YEAR, length=length)


def _temporal(cursor: Cursor, word: str) -> DataType:
    at = cursor.offset
    fsp = _length(cursor)
    if fsp is not None and fsp > _MAX_FSP:
        raise DdlError.at(
            cursor.sql, at, f"too-big precision {fsp} for {word}", expected=f"0 to {_MAX_FSP}"
        )
    return DataType(_TEMPORALS[word], scale=fsp)


def _plain(cursor: Cursor, word: str) -> DataType:
    del cursor
    return DataType(_PLAIN[word])


def _blob(cursor: Cursor, word: str) -> DataType:
    del word
    return DataType(ColumnKind.BLOB, length=_length(cursor))


def _binary(cursor: Cursor, word: str) -> DataType:
    if word == "BINARY":
        return DataType(ColumnKind.BINARY, length=_length(cursor))
    return DataType(ColumnKind.VARBINARY, length=_needed_length(cursor))


def _text(cursor: Cursor, word: str) -> DataType:
    if word == "TEXT":
        return _with_charset(cursor, DataType(ColumnKind.TEXT, length=_length(cursor)))
    return _with_charset(cursor, DataType(_TEXTS[word]))


def _long(cursor: Cursor, word: str) -> DataType:
    del word
    if cursor.take("VARBINARY"):
        return DataType(ColumnKind.MEDIUMBLOB)
    if not cursor.take("CHAR", "VARYING") and not cursor.take("CHARACTER", "VARYING"):
        cursor.take_any("VARCHAR", "VARCHARACTER")
    return _with_charset(cursor, DataType(ColumnKind.MEDIUMTEXT))


def _char(cursor: Cursor, word: str) -> DataType:
    """CHAR and VARCHAR with their CHARACTER VARYING, NATIONAL and NCHAR spellings."""
    if word == "NATIONAL":
        word = cursor.expect_any("CHAR", "CHARACTER", "VARCHAR", "VARCHARACTER")
    varying = word in ("VARCHAR", "VARCHARACTER", "NVARCHAR")
    if not varying:
        varying = bool(cursor.take_any("VARYING"))
        if word == "NCHAR" and not varying:
            varying = bool(cursor.take_any("VARCHAR", "VARCHARACTER"))
    if varying:
        data_type = DataType(ColumnKind.VARCHAR, length=_needed_length(cursor))
    else:
        data_type = DataType(ColumnKind.CHAR, length=_length(cursor))
    return _with_charset(cursor, data_type)


def _members(cursor: Cursor, word: str) -> DataType:
    kind = ColumnKind.ENUM if word == "ENUM" else ColumnKind.SET
    members = cursor.parenthesised(lambda: _member(cursor).rstrip(" "))
    return _with_charset(cursor, DataType(kind, members=members))


def _member(cursor: Cursor) -> str:
    """Return a member's text; hexadecimal and bit literals spell its UTF-8 bytes."""
    if cursor.token.kind is TokenKind.HEX:
        digits = cursor.next().text
        even = digits.rjust(len(digits) + len(digits) % 2, "0")
        return bytes.fromhex(even).decode("utf-8", "replace")
    if cursor.token.kind is TokenKind.BITS:
        bits = cursor.next().text
        size = (len(bits) + 7) // 8
        return int(bits, 2).to_bytes(size, "big").decode("utf-8", "replace")
    return cursor.string("a member")


def _vector(cursor: Cursor, word: str) -> DataType:
    del word
    if cursor.take("<"):
        cursor.expect("FLOAT", ">")
    return DataType(ColumnKind.VECTOR, length=_length(cursor))


def _serial(cursor: Cursor, word: str) -> DataType:
    """Return the type in SERIAL; the column rule adds the three options that it means too."""
    del cursor, word
    return DataType(ColumnKind.BIGINT, unsigned=True)


def _with_charset(cursor: Cursor, data_type: DataType) -> DataType:
    """Read BINARY, CHARACTER SET, ASCII, UNICODE or BYTE in any order that a server takes."""
    while True:
        if cursor.take("BINARY"):
            data_type = replace(data_type, binary=True)
        elif cursor.take("ASCII"):
            data_type = replace(data_type, charset="latin1")
        elif cursor.take("UNICODE"):
            data_type = replace(data_type, charset="ucs2")
        elif cursor.take("BYTE"):
            # A BLOB then (parser.y, `OptCharsetWithOptBinary`).
            data_type = replace(data_type, charset=BINARY)
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


_RULES: Mapping[str, Callable[[Cursor, str], DataType]] = {
    **dict.fromkeys(_INTEGERS, _integer),
    **dict.fromkeys(("BOOL", "BOOLEAN"), _boolean),
    **dict.fromkeys(("DECIMAL", "NUMERIC", "DEC", "FIXED"), _decimal),
    **dict.fromkeys(_REALS, _real),
    "BIT": _bit,
    "YEAR": _year,
    "SQL_TSI_YEAR": _year,
    **dict.fromkeys(_TEMPORALS, _temporal),
    **dict.fromkeys(_PLAIN, _plain),
    "BLOB": _blob,
    **dict.fromkeys(("BINARY", "VARBINARY"), _binary),
    **dict.fromkeys((*_TEXTS, "TEXT"), _text),
    "LONG": _long,
    **dict.fromkeys(
        ("CHAR", "CHARACTER", "VARCHAR", "VARCHARACTER", "NCHAR", "NVARCHAR", "NATIONAL"), _char
    ),
    **dict.fromkeys(("ENUM", "SET"), _members),
    "VECTOR": _vector,
    "SERIAL": _serial,
}
