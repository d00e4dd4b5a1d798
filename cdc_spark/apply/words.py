"""SQL text -> words with a cursor on them; lexing is sqlglot's, in its MySQL dialect.

Comments are left out, TiDB's feature comments (`/*T![ttl] TTL = ... */`) among them: none of them
has an effect on rows. Whatever is refused is refused as `DecodingError` with the statement in it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any, ClassVar, NoReturn

from sqlglot.dialects.mysql import MySQL
from sqlglot.errors import SqlglotError

from cdc_spark.errors import DecodingError


class WordKind(Enum):
    """What a word is."""

    PLAIN = auto()
    QUOTED = auto()
    STRING = auto()
    NUMBER = auto()
    HEX = auto()
    BITS = auto()
    INTRODUCER = auto()
    SYMBOL = auto()


@dataclass(frozen=True, slots=True)
class Word:
    """One word: a keyword or bare name, a `quoted` name, a literal, a symbol."""

    form: WordKind
    text: str


_FORMS = {  # by the names of sqlglot's token types
    "IDENTIFIER": WordKind.QUOTED,
    "STRING": WordKind.STRING,
    "NATIONAL_STRING": WordKind.STRING,
    "NUMBER": WordKind.NUMBER,
    "HEX_STRING": WordKind.HEX,
    "BIT_STRING": WordKind.BITS,
    "INTRODUCER": WordKind.INTRODUCER,
}


class _Lexer(MySQL.Tokenizer):
    """MySQL's words; sqlglot would hand RENAME back as one opaque command."""

    COMMANDS: ClassVar[set[Any]] = set()


_END = Word(WordKind.SYMBOL, "")


def words(sql: str) -> Words:
    """Return a cursor before the first word; raises DecodingError when the text is no SQL."""
    try:
        tokens: list[Any] = list(_Lexer().tokenize(sql))
    except SqlglotError as error:
        raise DecodingError(f"DDL not understood: {error}: {sql}") from error
    found: list[Word] = []
    for token in tokens:
        text: str = token.text
        form = _FORMS.get(token.token_type.name)
        if form is not None:
            found.append(Word(form, text))
            continue
        # sqlglot takes "PRIMARY KEY" and its like for one word; here each is one.
        for piece in text.split():
            plain = piece[0].isalnum() or piece[0] in "_$" or not piece.isascii()
            found.append(Word(WordKind.PLAIN if plain else WordKind.SYMBOL, piece))
    while found and found[-1] == Word(WordKind.SYMBOL, ";"):
        found.pop()
    return Words(sql, found)


@dataclass(slots=True)
class Words:
    """A statement's words and a position; every `take` moves on only when it finds its word."""

    sql: str
    found: list[Word]
    position: int = field(default=0)

    @property
    def here(self) -> Word:
        """Return the word at the position; an empty symbol at the end."""
        return self.found[self.position] if self.position < len(self.found) else _END

    @property
    def done(self) -> bool:
        """Return whether all words are read."""
        return self.position >= len(self.found)

    def sees(self, *keywords: str) -> bool:
        """Return whether these keywords or symbols come next."""
        ahead = self.found[self.position : self.position + len(keywords)]
        return len(ahead) == len(keywords) and all(
            word.form in (WordKind.PLAIN, WordKind.SYMBOL) and word.text.upper() == keyword
            for word, keyword in zip(ahead, keywords, strict=True)
        )

    def take(self, *keywords: str) -> bool:
        """Read these keywords or symbols if they come next; return whether they did."""
        if self.sees(*keywords):
            self.position += len(keywords)
            return True
        return False

    def expect(self, *keywords: str) -> None:
        """Read these keywords or symbols; raises DecodingError when others come next."""
        if not self.take(*keywords):
            self.refuse(" ".join(keywords))

    def next(self) -> Word:
        """Read one word, whatever it is; raises DecodingError at the end."""
        word = self.here
        if self.done:
            self.refuse("more")
        self.position += 1
        return word

    def name(self) -> str:
        """Read a name, quoted or bare; raises DecodingError when there is none."""
        if self.here.form not in (WordKind.PLAIN, WordKind.QUOTED):
            self.refuse("a name")
        return self.next().text

    def table_name(self) -> tuple[str | None, str]:
        """Read `table` or `schema.table`; the schema is None when it is not said."""
        first = self.name()
        return (first, self.name()) if self.take(".") else (None, first)

    def group(self) -> Words:
        """Read `( ... )` and return a cursor on what is between the parentheses."""
        self.expect("(")
        start, depth = self.position, 1
        while depth:
            word = self.next()
            depth += (word == _OPEN) - (word == _CLOSE)
        return Words(self.sql, self.found[start : self.position - 1])

    def split(self) -> list[Words]:
        """Read all that is left, cut at the commas outside parentheses."""
        parts: list[list[Word]] = [[]]
        depth = 0
        while not self.done:
            word = self.next()
            depth += (word == _OPEN) - (word == _CLOSE)
            if word == _COMMA and not depth:
                parts.append([])
            else:
                parts[-1].append(word)
        return [Words(self.sql, part) for part in parts]

    def refuse(self, expected: str) -> NoReturn:
        """Raise the DecodingError that says where understanding ended."""
        what = self.here.text or "the end"
        raise DecodingError(
            f"DDL not understood at {what!r}: {self.sql}", expected=f"{expected} in its place"
        )


_OPEN, _CLOSE, _COMMA = (Word(WordKind.SYMBOL, symbol) for symbol in "(),")
