"""SQL inside a scenario: its statements, and where in the file each of them begins.

Statements are told apart by the DDL package's own lexer, so that both see the same text. Whether
their syntax is right is asked when they are recorded; here only their first word is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from yaml import ScalarNode

from harness.ddl.errors import DdlError
from harness.ddl.lexer import Token, TokenKind, tokenize
from harness.errors import Location, Problem
from harness.scenario.document import SqlStatement
from harness.scenario.source import Path, Source

_EXECUTED = ("/*!", "/*T!")
_NEEDS_THE_LEXER = re.compile(r"#|--|/\*|@")
_QUOTED_OR_BARE = re.compile(
    r"""'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*"|`(?:[^`]|``)*`|[^'"`;]+|(;)""", re.DOTALL
)
_FIRST_WORD = re.compile(r"\s*([A-Za-z]+)(?![\w$'\"`.])")
# What one character of a scalar's value may look like in the file, by the scalar's quotes.
_WRITTEN = {
    "'": re.compile(r"''|.", re.DOTALL),
    '"': re.compile(r"\\(?:x\w{2}|u\w{4}|U\w{8}|\n\s*|.)|.", re.DOTALL),
}
_ONE = re.compile(".", re.DOTALL)
_BLANK_ESCAPES = frozenset("ntrvf N_LP\n\t")


@dataclass(frozen=True, slots=True)
class Piece:
    """One statement of an SQL text: its offset, text without `;`, and first word in capitals."""

    offset: int
    sql: str
    word: str


@lru_cache(maxsize=64)
def pieces(sql: str) -> tuple[Piece, ...]:
    """Return the statements of an SQL text; DdlError when a string or comment is never closed.

    The rules and the document ask for the same texts in turn; remembering them halves the work.
    """
    quick = None if _NEEDS_THE_LEXER.search(sql) else _quick_pieces(sql)
    return _lexed_pieces(sql) if quick is None else quick


def _quick_pieces(sql: str) -> tuple[Piece, ...] | None:
    """Return the statements of a text without comments, or None where the lexer must decide.

    Only quotes and semicolons matter in such a text. Most texts are such, and six times faster so.
    """
    found: list[Piece] = []
    begin = at = 0
    while at < len(sql):
        match = _QUOTED_OR_BARE.match(sql, at)
        if match is None:
            return None
        at = match.end()
        if match[1] is None and at < len(sql):
            continue
        end = match.start() if match[1] else at
        first = _FIRST_WORD.match(sql, begin, end)
        if first:
            found.append(
                Piece(first.start(1), sql[first.start(1) : end].rstrip(), first[1].upper())
            )
        elif sql[begin:end].strip():
            return None
        begin = at
    return tuple(found)


def _lexed_pieces(sql: str) -> tuple[Piece, ...]:
    found: list[Piece] = []
    begin, first = 0, None
    for token in tokenize(sql):
        ends = token.kind is TokenKind.END or token.upper == ";"
        if ends and first is not None:
            found.append(_piece(sql, begin, first, token.start))
        if ends:
            begin, first = token.end, None
        elif first is None:
            first = token
    return tuple(found)


def _piece(sql: str, begin: int, first: Token, end: int) -> Piece:
    """Cut a statement out; one that begins within an executed comment begins with the comment."""
    before = sql[begin : first.start]
    executed = [before.find(mark) for mark in _EXECUTED if mark in before]
    start = begin + min(executed) if executed else first.start
    return Piece(start, sql[start:end].rstrip(), first.upper)


def statements(source: Source, path: Path) -> tuple[SqlStatement, ...]:
    """Return the statements of the SQL at `path`, each with its line and column in the file."""
    text = str(source.value(path))
    found: list[SqlStatement] = []
    for piece in pieces(text):
        place = place_within(source, path, piece.offset)
        found.append(SqlStatement(piece.sql, place.line, place.column))
    return tuple(found)


def unreadable(source: Source, path: Path, error: DdlError) -> Problem:
    """Return the problem that an SQL text at `path` has, at its place in the file."""
    text = str(source.value(path))
    lines = text.split("\n")
    offset = sum(len(line) + 1 for line in lines[: error.line - 1]) + error.column - 1
    what = error.what.partition(": ")[2] or error.what
    place = place_within(source, path, offset)
    return Problem(place, f"SQL: {what}", error.expected, error.hint)


def place_within(source: Source, path: Path, offset: int) -> Location:
    """Return the place in the file of the character at `offset` of the text at `path`.

    YAML folds and indents, but never adds or drops anything but blanks; so the place is found by
    counting the other characters.
    """
    node = source.node(path)
    if not isinstance(node, ScalarNode):
        return source.place(path)
    wanted = sum(not char.isspace() for char in node.value[:offset])
    position = node.start_mark.index
    for seen, at in enumerate(_visible(source.text, node)):
        position = at
        if seen == wanted:
            break
    before = source.text[:position]
    return Location(source.file, before.count("\n") + 1, position - before.rfind("\n"))


def _visible(text: str, node: ScalarNode) -> Iterator[int]:
    """Yield where each character of a scalar that is not blank stands in the file."""
    start, end = node.start_mark.index, node.end_mark.index
    if node.style in ("|", ">"):
        start = text.index("\n", start)
    elif node.style in _WRITTEN:
        start, end = start + 1, end - 1
    for written in _WRITTEN.get(node.style or "", _ONE).finditer(text, start, end):
        escaped = written[0][1:] if written[0][0] == "\\" and node.style == '"' else ""
        blank = bool(escaped) and escaped[0] in _BLANK_ESCAPES
        if not (blank or written[0].isspace()):
            yield written.start()
