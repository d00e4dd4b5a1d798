"""Table options, and the options of databases and partitions.

Source: TiDB pkg/parser/parser.y, `TableOption`, `PartDefOption`, `DatabaseOption`; MariaDB
Knowledge Base, "CREATE TABLE".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from harness.ddl.expressions import Compound
from harness.ddl.grammar.columns import parse_collation
from harness.ddl.grammar.cursor import Cursor
from harness.ddl.grammar.keywords import words
from harness.ddl.grammar.literals import parse_signed_literal, time_unit
from harness.ddl.grammar.types import parse_charset_name, take_charset_keyword
from harness.ddl.lexer import TokenKind
from harness.ddl.syntax import DatabaseOption, TableOption

_NUMBERS = words(
    """
    AUTO_INCREMENT AUTO_ID_CACHE AUTO_RANDOM_BASE AVG_ROW_LENGTH CHECKSUM TABLE_CHECKSUM
    KEY_BLOCK_SIZE MAX_ROWS MIN_ROWS DELAY_KEY_WRITE SHARD_ROW_ID_BITS PRE_SPLIT_REGIONS
    NODEGROUP PAGE_CHECKSUM PAGE_COMPRESSED PAGE_COMPRESSION_LEVEL TRANSACTIONAL SEQUENCE
    """
)
_NUMBERS_OR_DEFAULT = words(
    """
    STATS_AUTO_RECALC STATS_SAMPLE_PAGES STATS_BUCKETS STATS_TOPN STATS_PERSISTENT PACK_KEYS
    """
)
_STRINGS = words(
    """
    COMMENT CONNECTION PASSWORD COMPRESSION ENCRYPTION AFFINITY SECONDARY_ENGINE_ATTRIBUTE
    """
)
_WORDS = words("ENGINE TYPE INSERT_METHOD SECONDARY_ENGINE AUTOEXTEND_SIZE IETF_QUOTES")
_NAMES = frozenset(("TABLESPACE",))
_ROW_FORMATS = (
    "DEFAULT",
    "DYNAMIC",
    "FIXED",
    "COMPRESSED",
    "REDUNDANT",
    "COMPACT",
    "PAGE",
    "TOKUDB_DEFAULT",
    "TOKUDB_FAST",
    "TOKUDB_SMALL",
    "TOKUDB_ZLIB",
    "TOKUDB_QUICKLZ",
    "TOKUDB_LZMA",
    "TOKUDB_SNAPPY",
    "TOKUDB_ZSTD",
    "TOKUDB_UNCOMPRESSED",
)


def parse_table_options(cursor: Cursor, *, commas: bool = True) -> tuple[TableOption, ...]:
    """Return the table options that stand here, none at all included.

    `commas` says that a comma may stand between two options (not so inside ALTER TABLE, where it
    starts the next specification).
    """
    options: list[TableOption] = []
    while True:
        separated = commas and bool(options) and cursor.sees(",")
        option = _option_after_comma(cursor) if separated else parse_table_option(cursor)
        if option is None:
            return tuple(options)
        options.append(option)


def _option_after_comma(cursor: Cursor) -> TableOption | None:
    cursor.expect(",")
    option = parse_table_option(cursor)
    if option is None:
        raise cursor.fail("a table option after the comma")
    return option


def parse_table_option(cursor: Cursor) -> TableOption | None:
    """Return the table option that starts here, None when none does."""
    word = cursor.token.upper
    if word == "DEFAULT" or take_charset_is_next(cursor) or word == "COLLATE":
        return _charset_or_collation(cursor)
    if word == "FORCE" and cursor.peek().upper in ("AUTO_INCREMENT", "AUTO_RANDOM_BASE"):
        cursor.next()
        return _number(cursor, force=True)
    if word in _NUMBERS:
        return _number(cursor)
    for keywords, rule in _RULES.items():
        if word in keywords:
            return rule(cursor)
    return None


def take_charset_is_next(cursor: Cursor) -> bool:
    """Tell whether CHARACTER SET, CHARSET or CHAR SET stands here."""
    return cursor.sees("CHARACTER", "SET") or cursor.sees("CHARSET") or cursor.sees("CHAR", "SET")


def _charset_or_collation(cursor: Cursor) -> TableOption:
    cursor.take("DEFAULT")
    if cursor.take("COLLATE"):
        cursor.take("=")
        return TableOption("COLLATE", text=parse_collation(cursor))
    if not take_charset_keyword(cursor):
        raise cursor.fail("CHARACTER SET or COLLATE")
    cursor.take("=")
    if cursor.take("DEFAULT"):
        return TableOption("CHARSET", default=True)
    return TableOption("CHARSET", text=parse_charset_name(cursor))


def _number(cursor: Cursor, *, force: bool = False) -> TableOption:
    word = cursor.next().upper
    cursor.take("=")
    return TableOption(word, number=cursor.number(f"the value of {word}"), force=force)


def _number_or_default(cursor: Cursor) -> TableOption:
    word = cursor.next().upper
    cursor.take("=")
    if cursor.take("DEFAULT"):
        return TableOption(word, default=True)
    return TableOption(word, number=cursor.number(f"the value of {word}"))


def _string(cursor: Cursor) -> TableOption:
    word = cursor.next().upper
    cursor.take("=")
    return TableOption(word, text=cursor.string(f"the value of {word}"))


def _word(cursor: Cursor) -> TableOption:
    word = cursor.next().upper
    cursor.take("=")
    kind = "ENGINE" if word == "TYPE" else word
    if word == "SECONDARY_ENGINE" and cursor.take("NULL"):
        return TableOption(kind, default=True)
    return TableOption(kind, text=cursor.string_or_name(f"the value of {word}"))


def _name(cursor: Cursor) -> TableOption:
    word = cursor.next().upper
    cursor.take("=")
    return TableOption(word, text=cursor.name("a tablespace"))


def _row_format(cursor: Cursor) -> TableOption:
    cursor.next()
    cursor.take("=")
    return TableOption("ROW_FORMAT", text=cursor.expect_any(*_ROW_FORMATS))


def _directory(cursor: Cursor) -> TableOption | None:
    if cursor.peek().upper != "DIRECTORY":
        return None
    kind = f"{cursor.next().upper} DIRECTORY"
    cursor.next()
    cursor.take("=")
    return TableOption(kind, text=cursor.string("a directory"))


def _storage(cursor: Cursor) -> TableOption:
    cursor.next()
    if cursor.take("ENGINE"):
        cursor.take("=")
        return TableOption("ENGINE", text=cursor.string_or_name("an engine"))
    return TableOption("STORAGE", text=cursor.expect_any("MEMORY", "DISK"))


def _union(cursor: Cursor) -> TableOption:
    cursor.next()
    cursor.take("=")
    cursor.expect("(")
    tables = () if cursor.sees(")") else cursor.list(cursor.table)
    cursor.expect(")")
    return TableOption("UNION", tables=tables)


def _ttl(cursor: Cursor) -> TableOption:
    cursor.next()
    cursor.take("=")
    column = cursor.name("a column")
    cursor.expect("+", "INTERVAL")
    amount = parse_signed_literal(cursor)
    return TableOption(
        "TTL", text=column, expr=Compound("interval", (amount, " ", time_unit(cursor)))
    )


def _ttl_enable(cursor: Cursor) -> TableOption:
    cursor.next()
    cursor.take("=")
    at = cursor.offset
    text = cursor.string("ON or OFF").upper()
    if text not in ("ON", "OFF"):
        raise cursor.fail("'ON' or 'OFF'", at=at)
    return TableOption("TTL_ENABLE", text=text)


def _ttl_interval(cursor: Cursor) -> TableOption:
    cursor.next()
    cursor.take("=")
    return TableOption("TTL_JOB_INTERVAL", text=cursor.string("a duration, such as '1h'"))


def _placement(cursor: Cursor) -> TableOption | None:
    if cursor.peek().upper != "POLICY":
        return None
    cursor.next()
    cursor.next()
    if not cursor.take("="):
        cursor.take("SET")
    if cursor.take("DEFAULT"):
        return TableOption("PLACEMENT POLICY", text="default")
    return TableOption("PLACEMENT POLICY", text=cursor.string_or_name("a placement policy"))


def _stats_text(cursor: Cursor) -> TableOption:
    word = cursor.next().upper
    cursor.take("=")
    if cursor.take("DEFAULT"):
        return TableOption(word, default=True)
    if cursor.token.kind in (TokenKind.DECIMAL, TokenKind.FLOAT, TokenKind.INTEGER):
        return TableOption(word, text=cursor.next().text)
    return TableOption(word, text=cursor.string(f"the value of {word}"))


_RULES: Mapping[frozenset[str], Callable[[Cursor], TableOption | None]] = {
    _NUMBERS_OR_DEFAULT: _number_or_default,
    _STRINGS: _string,
    _WORDS: _word,
    _NAMES: _name,
    frozenset({"ROW_FORMAT"}): _row_format,
    frozenset({"DATA", "INDEX"}): _directory,
    frozenset({"STORAGE"}): _storage,
    frozenset({"UNION"}): _union,
    frozenset({"TTL"}): _ttl,
    frozenset({"TTL_ENABLE"}): _ttl_enable,
    frozenset({"TTL_JOB_INTERVAL"}): _ttl_interval,
    frozenset({"PLACEMENT"}): _placement,
    frozenset({"STATS_COL_CHOICE", "STATS_COL_LIST", "STATS_SAMPLE_RATE"}): _stats_text,
}


def parse_database_options(cursor: Cursor) -> tuple[DatabaseOption, ...]:
    """Return the options of CREATE or ALTER DATABASE that stand here."""
    options: list[DatabaseOption] = []
    while True:
        if cursor.sees("PLACEMENT", "POLICY") or cursor.sees("DEFAULT", "PLACEMENT"):
            cursor.take("DEFAULT")
            found = _placement(cursor)
            options.append(DatabaseOption("PLACEMENT POLICY", found.text if found else ""))
        elif cursor.sees_any("DEFAULT", "ENCRYPTION", "COLLATE") or take_charset_is_next(cursor):
            options.append(_database_option(cursor))
        elif cursor.take("COMMENT"):
            cursor.take("=")
            options.append(DatabaseOption("COMMENT", cursor.string("a comment")))
        else:
            return tuple(options)


def _database_option(cursor: Cursor) -> DatabaseOption:
    cursor.take("DEFAULT")
    if cursor.take("ENCRYPTION"):
        cursor.take("=")
        return DatabaseOption("ENCRYPTION", cursor.string("'Y' or 'N'"))
    option = _charset_or_collation(cursor)
    return DatabaseOption("CHARACTER SET" if option.kind == "CHARSET" else "COLLATE", option.text)
