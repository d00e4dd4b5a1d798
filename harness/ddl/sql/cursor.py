"""A place in a token stream, and the few questions that a grammar asks there.

Every refusal goes through `fail`, which knows what was found and where; the grammar only says what
it expected.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from harness.ddl.errors import DdlError
from harness.ddl.sql.lexer import Token, TokenKind, tokenize
from harness.ddl.sql.tree import Expr, TableRef

_T = TypeVar("_T")


def words(text: str) -> frozenset[str]:
    """Return the words of a text: long word lists read better as one."""
    return frozenset(text.split())


# The words that cannot name a table or column without quotes. Words that only one of the two
# sources reserves are left out, so that what either takes is taken here.
# Source: MySQL 8.0 reference manual §9.3; TiDB pkg/parser/parser.y, the tokens of ReservedKeyword.
RESERVED = words(
    """
    ADD ALL ALTER ANALYZE AND AS ASC BETWEEN BIGINT BINARY BLOB BOTH BY CALL CASCADE CASE CHANGE
    CHAR CHARACTER CHECK COLLATE COLUMN CONSTRAINT CONVERT CREATE CROSS CURRENT_DATE
    CURRENT_TIME CURRENT_TIMESTAMP CURRENT_USER DATABASE DATABASES DAY_HOUR DAY_MICROSECOND
    DAY_MINUTE DAY_SECOND DECIMAL DEFAULT DELAYED DELETE DESC DESCRIBE DISTINCT DISTINCTROW DIV
    DOUBLE DROP DUAL ELSE ENCLOSED ESCAPED EXCEPT EXISTS EXPLAIN FALSE FETCH FLOAT FLOAT4 FLOAT8
    FOR FORCE FOREIGN FROM FULLTEXT GENERATED GRANT GROUP HAVING HIGH_PRIORITY HOUR_MICROSECOND
    HOUR_MINUTE HOUR_SECOND IF IGNORE IN INDEX INFILE INNER INSERT INT INT1 INT2 INT3 INT4 INT8
    INTEGER INTERSECT INTERVAL INTO IS JOIN KEY KEYS KILL LEADING LEFT LIKE LIMIT LINEAR LINES LOAD
    LOCALTIME LOCALTIMESTAMP LOCK LONG LONGBLOB LONGTEXT LOW_PRIORITY MATCH MAXVALUE MEDIUMBLOB
    MEDIUMINT MEDIUMTEXT MIDDLEINT MINUTE_MICROSECOND MINUTE_SECOND MOD NATURAL NOT
    NO_WRITE_TO_BINLOG NULL NUMERIC ON OPTIMIZE OPTION OPTIONALLY OR ORDER OUTER OUTFILE
    PARTITION PRECISION PRIMARY PROCEDURE RANGE READ REAL REFERENCES REGEXP RELEASE RENAME
    REPEAT REPLACE REQUIRE RESTRICT REVOKE RIGHT RLIKE SECOND_MICROSECOND SELECT SET SHOW
    SMALLINT SPATIAL SQL SQL_BIG_RESULT SQL_CALC_FOUND_ROWS SQL_SMALL_RESULT SSL STARTING
    STRAIGHT_JOIN TABLE TERMINATED THEN TINYBLOB TINYINT TINYTEXT TO TRAILING TRIGGER TRUE UNION
    UNIQUE UNLOCK UNSIGNED UPDATE USAGE USE USING UTC_DATE UTC_TIME UTC_TIMESTAMP VALUES
    VARBINARY VARCHAR VARCHARACTER VARYING WHEN WHERE WITH WRITE XOR YEAR_MONTH ZEROFILL
    """
)


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules that contain each other: expressions may hold queries, queries expressions.

    An `operand` is an expression without comparisons, predicates and logical operators.
    """

    expression: Callable[[Cursor], Expr]
    operand: Callable[[Cursor], Expr]
    subquery: Callable[[Cursor], Expr]


class Cursor:
    """Walks the tokens of one statement."""

    def __init__(self, sql: str, rules: Rules, *, ansi_quotes: bool = False) -> None:
        """Tokenize `sql`; DdlError when a string, name or comment in it has no end."""
        self.sql = sql
        self.rules = rules
        self.tables: list[TableRef] = []
        self._tokens = tokenize(sql, ansi_quotes=ansi_quotes)
        self._at = 0

    @property
    def token(self) -> Token:
        """Return the current token (END at the end, for ever)."""
        return self._tokens[self._at]

    @property
    def offset(self) -> int:
        """Return where the current token starts in the SQL text."""
        return self.token.start

    def peek(self, ahead: int = 1) -> Token:
        """Return the token `ahead` of the current one."""
        return self._tokens[min(self._at + ahead, len(self._tokens) - 1)]

    def next(self) -> Token:
        """Return the current token and step over it."""
        token = self.token
        if token.kind is not TokenKind.END:
            self._at += 1
        return token

    def since(self, offset: int) -> str:
        """Return the SQL text from an offset to the end of the token before the current one."""
        return self.sql[offset : self._tokens[max(self._at - 1, 0)].end]

    def behind(self) -> int:
        """Step over the current token and return where the next one starts."""
        self.next()
        return self.offset

    def sees(self, *words: str) -> bool:
        """Return whether the next tokens are these keywords or operators, in this order."""
        return all(self.peek(ahead).upper == word for ahead, word in enumerate(words))

    def sees_any(self, *words: str) -> bool:
        """Return whether the current token is one of these keywords or operators."""
        return bool(self.token.upper) and self.token.upper in words

    def take(self, *words: str) -> bool:
        """Step over these keywords if they are next; return whether they were."""
        if not self.sees(*words):
            return False
        self._at += len(words)
        return True

    def take_any(self, *words: str) -> str:
        """Step over the current token if it is one of these; return it, or the empty string."""
        return self.next().upper if self.sees_any(*words) else ""

    def expect(self, *words: str) -> Cursor:
        """Step over these keywords, which must be next, and return the cursor behind them."""
        for word in words:
            if not self.take(word):
                raise self.fail(word)
        return self

    def expect_any(self, *words: str) -> str:
        """Step over one of these keywords, which must be next, and return it."""
        found = self.take_any(*words)
        if not found:
            raise self.fail(" or ".join(words) if len(words) < 6 else ", ".join(words))
        return found

    def fail(self, expected: str, *, hint: str = "", at: int | None = None) -> DdlError:
        """Return the error that something else than `expected` stands here, or at offset `at`."""
        token = self.token if at is None else next(t for t in self._tokens if t.start >= at)
        if token.kind is TokenKind.END:
            found = "the statement ends too early"
        else:
            found = f"unexpected {self.sql[token.start : token.end]!r}"
        return DdlError.at(self.sql, token.start, found, expected=expected, hint=hint)

    def end(self) -> None:
        """Demand the end of the statement (one `;` is fine)."""
        self.take(";")
        if self.token.kind is not TokenKind.END:
            raise self.fail("the end of the statement")

    def sees_query(self, ahead: int = 0) -> bool:
        """Return whether the token `ahead` starts a query."""
        return self.peek(ahead).upper in ("SELECT", "WITH", "TABLE", "VALUES")

    def sees_subquery(self) -> bool:
        """Return whether a query in one or more parentheses stands here."""
        ahead = 0
        while self.peek(ahead).upper == "(":
            ahead += 1
        return ahead > 0 and self.sees_query(ahead)

    def attempt(self, rule: Callable[[Cursor], _T]) -> _T | None:
        """Apply a rule; when it fails, step back to where it began and return None."""
        at, noted = self._at, len(self.tables)
        try:
            return rule(self)
        except DdlError:
            self._at = at
            del self.tables[noted:]
            return None

    def sees_name(self) -> bool:
        """Return whether the current token can be a name: quoted, or a word not reserved."""
        token = self.token
        return token.kind is TokenKind.QUOTED_NAME or (
            token.kind is TokenKind.WORD and token.upper not in RESERVED
        )

    def name(self, what: str) -> str:
        """Return the name that must stand here; `what` says of which thing, for the error."""
        if self.sees_name():
            return self.next().text
        hint = ""
        if self.token.kind is TokenKind.WORD:
            hint = f"{self.token.upper} is a reserved word: write it in `back quotes`"
        raise self.fail(f"the name of {what}", hint=hint)

    def part_after_dot(self, what: str) -> str:
        """Return the name after a dot, where reserved words are names too."""
        if self.token.kind in (TokenKind.QUOTED_NAME, TokenKind.WORD):
            return self.next().text
        raise self.fail(f"the name of {what}")

    def table(self, what: str = "a table") -> TableRef:
        """Return the table name, with or without schema, that must stand here, and note it."""
        at = self.offset
        first = self.name(what)
        table = TableRef("", first, at)
        if self.take("."):
            table = TableRef(first, self.part_after_dot(what), at)
        self.tables.append(table)
        return table

    def string(self, what: str) -> str:
        """Return the string that must stand here (adjacent strings are one)."""
        if self.token.kind is not TokenKind.STRING:
            raise self.fail(f"{what} in 'quotes'")
        pieces = [self.next().text]
        while self.peek(0).kind is TokenKind.STRING:
            pieces.append(self.next().text)
        return "".join(pieces)

    def string_or_name(self, what: str) -> str:
        """Return a string or any word: how engines, character sets and formats may be written."""
        if self.token.kind is TokenKind.STRING:
            return self.string(what)
        if self.token.kind in (TokenKind.QUOTED_NAME, TokenKind.WORD):
            return self.next().text
        raise self.fail(what)

    def number(self, what: str) -> int:
        """Return the unsigned integer that must stand here."""
        if self.token.kind is TokenKind.INTEGER:
            return int(self.next().text)
        if self.token.kind is TokenKind.HEX:
            return int(self.next().text or "0", 16)
        raise self.fail(f"{what} (a number)")

    def list(self, item: Callable[[], _T]) -> tuple[_T, ...]:
        """Return one or more items between commas."""
        items = [item()]
        while self.take(","):
            items.append(item())
        return tuple(items)

    def parenthesised(
        self, item: Callable[[], _T], *, may_be_empty: bool = False
    ) -> tuple[_T, ...]:
        """Return one or more items between commas, in parentheses."""
        self.expect("(")
        items = () if may_be_empty and self.sees(")") else self.list(item)
        self.expect(")")
        return items

    def enclosed(self, rule: Callable[[Cursor], _T]) -> _T:
        """Return what a rule reads between parentheses."""
        self.expect("(")
        found = rule(self)
        self.expect(")")
        return found

    def names(self, what: str) -> tuple[str, ...]:
        """Return one or more names between commas."""
        return self.list(lambda: self.name(what))

    def column(self) -> str:
        """Return a column's name; the table before it is allowed and dropped."""
        name = self.name("a column")
        while self.take("."):
            name = self.part_after_dot("a column")
        return name

    def columns(self) -> tuple[str, ...]:
        """Return one or more columns between commas, in parentheses."""
        return self.parenthesised(self.column)

    def assigned(self) -> Cursor:
        """Step over a keyword and the `=` that may follow it; return the cursor, at the value."""
        self.next()
        self.take("=")
        return self

    def if_exists(self) -> bool:
        """Step over IF EXISTS if it is next."""
        return self.take("IF", "EXISTS")

    def if_not_exists(self) -> bool:
        """Step over IF NOT EXISTS if it is next."""
        return self.take("IF", "NOT", "EXISTS")

    def temporary(self) -> str:
        """Step over TEMPORARY or GLOBAL TEMPORARY; return the words, empty when neither is next."""
        if self.take("GLOBAL"):
            self.expect("TEMPORARY")
            return "GLOBAL TEMPORARY"
        return self.take_any("TEMPORARY")
