"""Options of tables, partitions and sequences.

One row for each keyword says how its value is read and how TiDB writes the option back.
Source: TiDB pkg/parser/parser.y, `TableOption`, `PartDefOption`; pkg/parser/ast/ddl.go,
`TableOption`, `tableOptionsWithRestoreTTLFlag`; MariaDB Knowledge Base, "CREATE TABLE".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from harness.ddl.charsets import Charset, resolve_charset
from harness.ddl.definitions.types import (
    parse_charset_name,
    parse_collation,
    take_charset_keyword,
)
from harness.ddl.sql.cursor import Cursor
from harness.ddl.sql.lexer import TokenKind
from harness.ddl.sql.literals import parse_signed_literal, time_unit
from harness.ddl.sql.tree import (
    Compound,
    Expr,
    TableRef,
    quote_name,
    quote_string,
    special,
)

PLACEMENT = "PLACEMENT POLICY"
_FORCED = ("AUTO_INCREMENT", "AUTO_RANDOM_BASE")


@dataclass(frozen=True, slots=True)
class TableOption:
    """One table, partition or sequence option; `kind` is its keyword without value.

    `text` and `number` hold the value, `default` says that it was the word DEFAULT, `convert` that
    a character set came by CONVERT TO, `force` that FORCE stood before, `expr` is TTL's interval,
    `written` a comment between its quotes, escapes and all.
    """

    kind: str
    text: str = ""
    number: int = 0
    default: bool = False
    convert: bool = False
    force: bool = False
    tables: tuple[TableRef, ...] = ()
    expr: Expr | None = None
    written: str = field(default="", compare=False)

    def restore(self) -> str:
        """Return the option as TiDB writes it; placement comes out empty."""
        if self.kind == "CHARSET":
            value = "DEFAULT" if self.default else self.text.upper()
            equals = "CONVERT TO CHARACTER SET " if self.convert else "DEFAULT CHARACTER SET = "
            return equals + value
        if self.kind == "COLLATE":
            return f"DEFAULT COLLATE = {self.text.upper()}"
        return _RESTORED[self.kind.partition(" ")[0]](self)


def restore_options(options: tuple[TableOption, ...]) -> str:
    """Return options as TiDB writes them, each after a space."""
    return "".join(f" {option.restore()}" for option in options)


def sent_options(options: tuple[TableOption, ...]) -> tuple[TableOption, ...]:
    """Return the options with TTL switched off: TTL_ENABLE='OFF' after TTL, and nowhere else."""
    kept: list[TableOption] = []
    for option in options:
        if option.kind != "TTL_ENABLE":
            kept.append(option)
        if option.kind == "TTL":
            kept.append(TableOption("TTL_ENABLE", text="OFF"))
    return tuple(kept)


def only_placement(options: tuple[TableOption, ...]) -> bool:
    """Return whether every option is about placement; such a specification is not sent."""
    return all(option.kind == PLACEMENT for option in options)


def last_text(options: tuple[TableOption, ...], kind: str) -> str:
    """Return the text of the last option of a kind, empty when there is none."""
    return next((option.text for option in reversed(options) if option.kind == kind), "")


def table_charset(options: tuple[TableOption, ...], inherited: Charset) -> Charset:
    """Return the character set that table options (the last of each counts) ask for."""
    charset = last_text(options, "CHARSET")
    return resolve_charset(charset, last_text(options, "COLLATE"), inherited)


# ---- reading -------------------------------------------------------------------------------------


def parse_table_options(cursor: Cursor, *, commas: bool = True) -> tuple[TableOption, ...]:
    """Return the table options that stand here, none at all included.

    `commas` says that a comma may stand between two options (not so inside ALTER TABLE, where it
    starts the next specification).
    """
    options: list[TableOption] = []
    while True:
        after_comma = commas and bool(options) and cursor.take(",")
        option = parse_table_option(cursor)
        if option is None and after_comma:
            raise cursor.fail("a table option after the comma")
        if option is None:
            return tuple(options)
        options.append(option)


def parse_table_option(cursor: Cursor) -> TableOption | None:
    """Return the table option that starts here, None when none does."""
    if cursor.sees_any("DEFAULT", "COLLATE") or sees_charset(cursor):
        return parse_charset_or_collation(cursor)
    if cursor.sees("FORCE") and cursor.peek().upper in _FORCED:
        cursor.next()
        return _number(cursor, cursor.token.upper, force=True)
    word = cursor.token.upper
    if word not in _PARSED or cursor.peek().upper != _SECOND_WORDS.get(word, cursor.peek().upper):
        return None
    return _PARSED[word](cursor, word)


def sees_charset(cursor: Cursor) -> bool:
    """Return whether CHARACTER SET, CHARSET or CHAR SET stands here."""
    return cursor.sees("CHARACTER", "SET") or cursor.sees("CHARSET") or cursor.sees("CHAR", "SET")


def parse_charset_or_collation(cursor: Cursor) -> TableOption:
    """Return [DEFAULT] CHARACTER SET or COLLATE with its value, which must stand here."""
    cursor.take("DEFAULT")
    if cursor.sees("COLLATE"):
        return TableOption("COLLATE", text=parse_collation(cursor.assigned()))
    if not take_charset_keyword(cursor):
        raise cursor.fail("CHARACTER SET or COLLATE")
    cursor.take("=")
    if cursor.take("DEFAULT"):
        return TableOption("CHARSET", default=True)
    return TableOption("CHARSET", text=parse_charset_name(cursor))


def _number(cursor: Cursor, word: str, *, force: bool = False) -> TableOption:
    return TableOption(word, number=cursor.assigned().number(f"the value of {word}"), force=force)


def _number_or_default(cursor: Cursor, word: str) -> TableOption:
    if cursor.assigned().take("DEFAULT"):
        return TableOption(word, default=True)
    return TableOption(word, number=cursor.number(f"the value of {word}"))


_Parse = Callable[[Cursor, str], TableOption]
_Restore = Callable[[TableOption], str]


def _text(read: Callable[[Cursor], str]) -> _Parse:
    return lambda cursor, word: TableOption(word, text=read(cursor.assigned()))


def _type(cursor: Cursor, word: str) -> TableOption:
    return replace(_word(cursor, word), kind="ENGINE")


def _string(cursor: Cursor, word: str) -> TableOption:
    at = cursor.assigned().offset
    text = cursor.string(f"the value of {word}")
    return TableOption(word, text=text, written=cursor.since(at)[1:-1])


def _word(cursor: Cursor, word: str) -> TableOption:
    return TableOption(word, text=cursor.assigned().string_or_name(f"the value of {word}"))


def _secondary_engine(cursor: Cursor, word: str) -> TableOption:
    if cursor.assigned().take("NULL"):
        return TableOption(word, default=True)
    return TableOption(word, text=cursor.string_or_name(f"the value of {word}"))


_ROW_FORMATS = (
    *("DEFAULT", "DYNAMIC", "FIXED", "COMPRESSED", "REDUNDANT", "COMPACT", "PAGE"),
    *("TOKUDB_DEFAULT", "TOKUDB_FAST", "TOKUDB_SMALL", "TOKUDB_ZLIB", "TOKUDB_QUICKLZ"),
    *("TOKUDB_LZMA", "TOKUDB_SNAPPY", "TOKUDB_ZSTD", "TOKUDB_UNCOMPRESSED"),
)


def _directory(cursor: Cursor, word: str) -> TableOption:
    cursor.next()
    return TableOption(f"{word} DIRECTORY", text=cursor.assigned().string("a directory"))


def _storage(cursor: Cursor, word: str) -> TableOption:
    cursor.next()
    if cursor.sees("ENGINE"):
        return TableOption("ENGINE", text=cursor.assigned().string_or_name("an engine"))
    return TableOption(word, text=cursor.expect_any("MEMORY", "DISK"))


def _union(cursor: Cursor, word: str) -> TableOption:
    tables = cursor.assigned().parenthesised(cursor.table, may_be_empty=True)
    return TableOption(word, tables=tables)


def _ttl(cursor: Cursor, word: str) -> TableOption:
    column = cursor.assigned().name("a column")
    amount = parse_signed_literal(cursor.expect("+", "INTERVAL"))
    interval = Compound("interval", (amount, " ", time_unit(cursor)))
    return TableOption(word, text=column, expr=interval)


def _on_or_off(cursor: Cursor) -> str:
    at = cursor.offset
    text = cursor.string("ON or OFF").upper()
    if text not in ("ON", "OFF"):
        raise cursor.fail("'ON' or 'OFF'", at=at)
    return text


def _duration(cursor: Cursor) -> str:
    return cursor.string("a duration, such as '1h'")


def _placement(cursor: Cursor, word: str) -> TableOption:
    cursor.expect(word, "POLICY")
    if not cursor.take("="):
        cursor.take("SET")
    if cursor.take("DEFAULT"):
        return TableOption(PLACEMENT, text="default")
    return TableOption(PLACEMENT, text=cursor.string_or_name("a placement policy"))


def _stats_text(cursor: Cursor, word: str) -> TableOption:
    if cursor.assigned().take("DEFAULT"):
        return TableOption(word, default=True)
    if cursor.token.kind in (TokenKind.DECIMAL, TokenKind.FLOAT, TokenKind.INTEGER):
        return TableOption(word, text=cursor.next().text)
    return TableOption(word, text=cursor.string(f"the value of {word}"))


# ---- writing back --------------------------------------------------------------------------------


def _as_number(option: TableOption) -> str:
    return f"{option.kind} = {'DEFAULT' if option.default else option.number}"


def _as_string(option: TableOption) -> str:
    return f"{option.kind} = {'DEFAULT' if option.default else quote_string(option.text)}"


def _as_text(option: TableOption) -> str:
    return f"{option.kind} = {'DEFAULT' if option.default else option.text}"


def _as_word(option: TableOption) -> str:
    return f"{option.kind} = {option.text.upper()}"


def _as_string_or_null(option: TableOption) -> str:
    return f"{option.kind} = {'NULL' if option.default else quote_string(option.text)}"


def _as_name(option: TableOption) -> str:
    return f"{option.kind} = {quote_name(option.text)}"


def _only_tidb(feature: str, value: _Restore = _as_number) -> _Restore:
    return lambda option: special(feature, value(option))


def _forced(value: _Restore) -> _Restore:
    # The blank before what is forced stands inside the comment (TiDB pkg/parser/ast/ddl.go).
    return lambda option: (special("force_inc", "FORCE ") if option.force else "") + value(option)


def _unsupported(name: str) -> _Restore:
    return lambda option: f"{option.kind} = DEFAULT /* {name} is not supported */ "


def _as_ttl(option: TableOption) -> str:
    interval = option.expr.restore() if option.expr else ""
    return f"TTL = {quote_name(option.text)} + INTERVAL {interval}"


# Keyword -> the word that must follow it.
_SECOND_WORDS = {"DATA": "DIRECTORY", "INDEX": "DIRECTORY", "PLACEMENT": "POLICY"}
# Keywords, how their options are read, how they are written.
_ROWS: tuple[tuple[str, _Parse, _Restore], ...] = (
    ("AUTO_INCREMENT", _number, _forced(_as_number)),
    ("AUTO_RANDOM_BASE", _number, _forced(_only_tidb("auto_rand_base"))),
    ("AUTO_ID_CACHE", _number, _only_tidb("auto_id_cache")),
    ("SHARD_ROW_ID_BITS PRE_SPLIT_REGIONS", _number, _only_tidb("")),
    ("AVG_ROW_LENGTH CHECKSUM TABLE_CHECKSUM KEY_BLOCK_SIZE", _number, _as_number),
    ("MAX_ROWS MIN_ROWS DELAY_KEY_WRITE NODEGROUP PAGE_CHECKSUM", _number, _as_number),
    ("PAGE_COMPRESSED PAGE_COMPRESSION_LEVEL TRANSACTIONAL SEQUENCE", _number, _as_number),
    ("STATS_AUTO_RECALC STATS_SAMPLE_PAGES", _number_or_default, _as_number),
    ("STATS_BUCKETS STATS_TOPN", _number_or_default, _as_number),
    ("STATS_PERSISTENT", _number_or_default, _unsupported("TableOptionStatsPersistent")),
    ("PACK_KEYS", _number_or_default, _unsupported("TableOptionPackKeys")),
    ("COMMENT CONNECTION PASSWORD COMPRESSION ENCRYPTION", _string, _as_string),
    ("SECONDARY_ENGINE_ATTRIBUTE", _string, _as_string),
    ("AFFINITY", _string, _only_tidb("affinity", _as_string)),
    ("DATA INDEX", _directory, _as_string),
    ("STATS_COL_CHOICE STATS_COL_LIST", _stats_text, _as_string),
    ("STATS_SAMPLE_RATE", _stats_text, _as_text),
    ("ENGINE", _word, lambda o: f"ENGINE = {o.text or quote_string('')}"),
    ("TYPE", _type, _as_text),
    ("AUTOEXTEND_SIZE IETF_QUOTES", _word, _as_text),
    ("INSERT_METHOD", _word, _as_word),
    ("ROW_FORMAT", _text(lambda c: c.expect_any(*_ROW_FORMATS)), _as_word),
    ("SECONDARY_ENGINE", _secondary_engine, _as_string_or_null),
    ("TABLESPACE", _text(lambda c: c.name("a tablespace")), _as_name),
    ("STORAGE", _storage, lambda o: f"STORAGE {o.text}"),
    ("UNION", _union, lambda o: f"UNION = ({','.join(table.restore() for table in o.tables)})"),
    ("TTL", _ttl, _only_tidb("ttl", _as_ttl)),
    ("TTL_ENABLE", _text(_on_or_off), _only_tidb("ttl", _as_string)),
    ("TTL_JOB_INTERVAL", _text(_duration), _only_tidb("ttl", _as_string)),
    ("PLACEMENT", _placement, lambda _: ""),
)
_PARSED = {word: parse for words, parse, _ in _ROWS for word in words.split()}
_RESTORED = {word: restore for words, _, restore in _ROWS for word in words.split()}
