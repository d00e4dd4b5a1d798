"""SQL text to tokens, as TiDB's own lexer sees it; nothing is rewritten, so positions stay true.

Executed comments are code: `/*! ... */`, `/*!40101 ... */`, `/*T! ... */`, and `/*T![feature] ...
*/` when TiDB knows the feature, yield the tokens inside them. Everything else between `/*` and
`*/`, after `#` and after `-- ` is skipped, MariaDB's `/*M! ... */` too (as TiDB and MySQL do).

Source: MySQL 8.0 reference manual §9.1 and §9.7; TiDB pkg/parser/lexer.go,
pkg/parser/tidb/features.go.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto

from harness.ddl.errors import DdlError


class TokenKind(Enum):
    """What a token is; keywords are WORDs, the grammar decides which words are special where."""

    WORD = auto()
    QUOTED_NAME = auto()
    STRING = auto()
    INTEGER = auto()
    DECIMAL = auto()
    FLOAT = auto()
    HEX = auto()
    BITS = auto()
    VARIABLE = auto()
    OPERATOR = auto()
    END = auto()


@dataclass(frozen=True, slots=True)
class Token:
    """One token: `text` is its decoded value, `start` and `end` its extent in the SQL text.

    `upper` is the upper-cased text of a WORD or OPERATOR and empty for all else, so that a quoted
    name or a string never passes for a keyword.
    """

    kind: TokenKind
    text: str
    start: int
    end: int
    upper: str = ""


# Features that TiDB's `/*T![...] */` may name; the content of any other is skipped.
FEATURES = frozenset(
    (
        *("affinity", "auto_id_cache", "auto_rand", "auto_rand_base", "clustered_index"),
        *("force_inc", "global_index", "placement", "pre_split", "region_split", "ttl"),
    )
)

DIGITS_MAX = 400  # of a number that is written out; DECIMAL has 65, DOUBLE 309 before its point
_SPACE = re.compile(r"\s+")
_LINE_COMMENT = re.compile(r"(?:#|--(?=\s|\Z))[^\n]*")
_EXECUTED = re.compile(r"/\*(?:!(?:\d{5,6})?|T!(?:\[([^\]]*)\])?)")
# Every character past ASCII may stand in a word; listing what may not compiles ten times faster.
_NO_WORD = r"\x00-\x23\x25-\x2f\x3a-\x40\x5b-\x5e\x60\x7b-\x7f"
_WORD = re.compile(rf"[^{_NO_WORD}0-9][^{_NO_WORD}]*")
_NUMBER_WORD = re.compile(rf"[0-9]++[^{_NO_WORD}0-9][^{_NO_WORD}]*")
_WORD_AFTER_DOT = re.compile(rf"[^{_NO_WORD}]+")
# Digits are taken whole (`++`): giving some back matches nothing more, and costs their square.
_FLOAT = re.compile(r"(?:\d++\.?+\d*+|\.\d++)[eE][+-]?\d++(?![\w$])")
_DECIMAL = re.compile(r"\d++\.\d*+|\.\d++")
_INTEGER = re.compile(r"\d++(?![\w$])")
_HEX = re.compile(r"0x([0-9A-Fa-f]++)(?![\w$])|[xX]'([0-9A-Fa-f]*+)'")
_BITS = re.compile(r"0b([01]++)(?![\w$])|[bB]'([01]*+)'")
_VARIABLE = re.compile(r"@@?(?:`(?:[^`]|``)*`|'[^']*'|\"[^\"]*\"|[\w.$]*)")
_OPERATORS = re.compile(r"<=>|->>|\|\||&&|<<|>>|<=|>=|<>|!=|:=|->|[-+*/%=<>!~^&|(),;.{}?:]")
# What a backslash makes of the next character; before % and _ it stays, for LIKE's sake.
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "0": "\0", "Z": "\x1a"} | {
    "%": "\\%",
    "_": "\\_",
}


def tokenize(sql: str, *, ansi_quotes: bool = False) -> tuple[Token, ...]:
    """Return the tokens of `sql`, ending with one END token; raise DdlError on an unfinished one.

    `ansi_quotes` is the sql_mode in which "double quotes" enclose names.
    """
    return tuple(_Lexer(sql, ansi_quotes=ansi_quotes).run())


class _Lexer:
    """One pass over one text; `_at` is the offset of the next character."""

    def __init__(self, sql: str, *, ansi_quotes: bool) -> None:
        self._sql = sql
        self._at = 0
        self._executed_since: list[int] = []
        self._ansi_quotes = ansi_quotes

    def run(self) -> list[Token]:
        tokens: list[Token] = []
        while self._skip_blanks():
            tokens.append(self._next(previous=tokens[-1] if tokens else None))
        if self._executed_since:
            raise self._unclosed(self._executed_since[-1])
        tokens.append(Token(TokenKind.END, "", len(self._sql), len(self._sql)))
        return tokens

    def _skip_blanks(self) -> bool:
        """Skip spaces and comments, enter and leave executed ones; False at the end of the text."""
        while self._at < len(self._sql):
            blank = _SPACE.match(self._sql, self._at) or _LINE_COMMENT.match(self._sql, self._at)
            if blank:
                self._at = blank.end()
            elif self._sql.startswith("/*", self._at):
                self._comment()
            elif self._executed_since and self._sql.startswith("*/", self._at):
                self._executed_since.pop()
                self._at += 2
            else:
                return True
        return False

    def _comment(self) -> None:
        opened = _EXECUTED.match(self._sql, self._at)
        features = (opened[1] or "") if opened else ""
        known = all(name.strip() in FEATURES for name in features.split(",") if name.strip())
        if opened and known:
            self._executed_since.append(self._at)
            self._at = opened.end()
            return
        closed = self._sql.find("*/", self._at + 2)
        if closed < 0:
            raise self._unclosed(self._at)
        self._at = closed + 2

    def _unclosed(self, at: int) -> DdlError:
        what = "this comment is never closed"
        return DdlError.at(self._sql, at, what, expected="*/ before the end of the text")

    def _next(self, previous: Token | None) -> Token:
        after_dot = previous is not None and previous.upper == "." and previous.end == self._at
        first = self._sql[self._at]
        if first == "'" or (first == '"' and not self._ansi_quotes):
            return self._quoted(first, TokenKind.STRING)
        if first in '`"':
            return self._quoted(first, TokenKind.QUOTED_NAME)
        if first in "nN" and self._sql.startswith("'", self._at + 1):
            return self._take(TokenKind.WORD, self._at + 1, "_utf8")
        # The dot of a.1b parts names; a number may start with one only elsewhere.
        after_name = previous is not None and previous.kind in _NAMES and previous.end == self._at
        literal = not after_dot and not (first == "." and after_name)
        for kind, pattern in _LITERALS:
            match = pattern.match(self._sql, self._at) if literal else None
            if match:
                self._refuse_digits(kind, match[0])
                groups = [group for group in match.groups() if group is not None]
                return self._take(kind, match.end(), groups[0] if groups else match[0])
        return self._word_or_operator(after_dot=after_dot)

    def _refuse_digits(self, kind: TokenKind, text: str) -> None:
        """Refuse a number that no column holds, before somebody counts with it."""
        if kind in _NUMBERS and len(text) > DIGITS_MAX:
            what = f"a number of {len(text)} characters"
            raise DdlError.at(self._sql, self._at, what, expected=f"at most {DIGITS_MAX}")

    def _word_or_operator(self, *, after_dot: bool) -> Token:
        word = _WORD.match(self._sql, self._at) or (
            _NUMBER_WORD.match(self._sql, self._at)
            or (_WORD_AFTER_DOT.match(self._sql, self._at) if after_dot else None)
        )
        if word:
            return self._take(TokenKind.WORD, word.end(), word[0])
        operator = _OPERATORS.match(self._sql, self._at)
        if operator:
            return self._take(TokenKind.OPERATOR, operator.end(), operator[0])
        raise DdlError.at(
            self._sql, self._at, f"unexpected character {self._sql[self._at]!r} in SQL"
        )

    def _take(self, kind: TokenKind, end: int, text: str) -> Token:
        upper = text.upper() if kind in (TokenKind.WORD, TokenKind.OPERATOR) else ""
        token = Token(kind, text, self._at, end, upper)
        self._at = end
        return token

    def _quoted(self, quote: str, kind: TokenKind) -> Token:
        """Read a string (backslash escapes, doubled quotes) or a quoted name (doubled quotes)."""
        value: list[str] = []
        at = self._at + 1
        while at < len(self._sql):
            char = self._sql[at]
            if char == quote:
                if not self._sql.startswith(quote, at + 1):
                    return self._take(kind, at + 1, "".join(value))
                at += 1
            elif char == "\\" and kind is TokenKind.STRING and at + 1 < len(self._sql):
                at += 1
                escaped = self._sql[at]
                char = _ESCAPES.get(escaped, escaped)
            value.append(char)
            at += 1
        what = "string" if kind is TokenKind.STRING else "quoted name"
        raise DdlError.at(
            self._sql,
            self._at,
            f"this {what} is never closed",
            expected=f"a closing {quote}",
            hint=f"inside it, write {quote} twice to mean the character itself",
        )


_NUMBERS = frozenset({TokenKind.FLOAT, TokenKind.DECIMAL, TokenKind.INTEGER})
_NAMES = frozenset({TokenKind.WORD, TokenKind.QUOTED_NAME})
_LITERALS = (
    (TokenKind.VARIABLE, _VARIABLE),
    (TokenKind.HEX, _HEX),
    (TokenKind.BITS, _BITS),
    (TokenKind.FLOAT, _FLOAT),
    (TokenKind.DECIMAL, _DECIMAL),
    (TokenKind.INTEGER, _INTEGER),
)
