"""SQL inside a scenario: its statements, and where in the file each of them begins.

This is the only module of the package that asks `harness.ddl`, and it does so late: the catalogue
takes longer to import than all scenarios take to load, and most texts are plain enough to be split
without it. Whether the syntax of a statement is right is asked when it is recorded.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate

from yaml import ScalarNode

from harness.documents.yaml_file import Path, YamlFile
from harness.errors import Location
from harness.scenario.document import SqlStatement

# Unusual blanks have rules of their own, which only the lexer knows.
_NEEDS_THE_LEXER = re.compile(r"[^\S \t\n\r]")
_TOKEN = re.compile(
    r"""(?P<end>;)
    | (?P<skip> \s+ | (?:\#|--(?=\s|\Z))[^\n]* | /\*(?!T?!).*?\*/ )
    | (?P<executed> /\*T?![^;'"`*\#/-]*\*/ )
    | (?P<word> [A-Za-z]+(?![\w$'"`.\u0080-\U0010ffff]) )
    | '(?:[^'\\]|\\.|'')*' | "(?:[^"\\]|\\.|"")*" | `(?:[^`]|``)*`
    | [^\s'"`;\#/@-]+ | -(?!-(?:\s|\Z)) | /(?!\*)""",
    re.DOTALL | re.VERBOSE,
)
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


class TornSqlError(ValueError):
    """An SQL text with a string, name or comment that never ends; `offset` is where it begins."""

    def __init__(self, offset: int, what: str, expected: str, hint: str) -> None:
        """Keep the parts of the message apart."""
        self.offset = offset
        self.what = what
        self.expected = expected
        self.hint = hint
        super().__init__(what)


@lru_cache(maxsize=64)
def pieces(sql: str) -> tuple[Piece, ...]:
    """Return the statements of an SQL text; TornSqlError when something in it never ends.

    The rules and the document ask for the same texts in turn; remembering them halves the work.
    """
    quick = None if _NEEDS_THE_LEXER.search(sql) else _quick_pieces(sql)
    return _lexed_pieces(sql) if quick is None else quick


def _quick_pieces(sql: str) -> tuple[Piece, ...] | None:
    """Return the statements of a plain text, or None where the lexer must decide.

    It must when a statement does not begin with a word, or when it ends with an executed comment:
    only the lexer knows whether TiDB reads such a comment.
    """
    found: list[Piece] = []
    first: re.Match[str] | None = None
    at = last = executed = 0
    while at < len(sql):
        token = _TOKEN.match(sql, at)
        kind = None if token is None else token.lastgroup
        if token is None or (first is None and kind in (None, "executed")):
            return None
        at = token.end()
        if kind == "end":
            if first is not None:
                found.append(_piece(sql, first, last))
            if executed > last:
                return None
            first = None
        elif kind == "executed":
            executed = at
        elif kind != "skip":
            first, last = first or token, at
    if executed > last:
        return None
    return tuple(found) if first is None else (*found, _piece(sql, first, last))


def _piece(sql: str, first: re.Match[str], last: int) -> Piece:
    return Piece(first.start(), sql[first.start() : last], first[0].upper())


def _lexed_pieces(sql: str) -> tuple[Piece, ...]:
    from harness.ddl import DdlError, split, tokenize  # noqa: PLC0415 - see the docstring above

    try:
        return tuple(
            Piece(_offset(sql, line, column), statement, tokenize(statement)[0].upper)
            for statement, line, column in split(sql)
        )
    except DdlError as error:
        what = error.what.partition(": ")[2]
        offset = _offset(sql, error.line, error.column)
        raise TornSqlError(offset, what, error.expected, error.hint) from None


def _offset(text: str, line: int, column: int) -> int:
    return _line_starts(text)[line - 1] + column - 1


def statements(source: YamlFile, path: Path) -> tuple[SqlStatement, ...]:
    """Return the statements of the SQL at `path`, each with its line and column in the file."""
    text = str(source.value(path))
    found: list[SqlStatement] = []
    for piece in pieces(text):
        place = place_within(source, path, piece.offset)
        found.append(SqlStatement(piece.sql, place.line, place.column))
    return tuple(found)


def place_within(source: YamlFile, path: Path, offset: int) -> Location:
    """Return the place in the file of the character at `offset` of the text at `path`.

    YAML folds and indents, but never adds or drops anything but blanks; so the place is found by
    counting the other characters.
    """
    node = source.node(path)
    if not isinstance(node, ScalarNode):
        return source.place(path)
    begin, end = node.start_mark.index, node.end_mark.index
    positions = _positions(source.text, node.style or "", begin, end)
    wanted = _visible_before(node.value)[min(offset, len(node.value))]
    position = positions[min(wanted, len(positions) - 1)] if positions else begin
    lines = _line_starts(source.text)
    line = bisect_right(lines, position)
    return Location(source.file, line, position - lines[line - 1] + 1)


# One text has many statements, and each asks for its place: what they share is counted once.
@lru_cache(maxsize=4)
def _line_starts(text: str) -> tuple[int, ...]:
    return (0, *(each.end() for each in re.finditer("\n", text)))


@lru_cache(maxsize=4)
def _visible_before(value: str) -> tuple[int, ...]:
    """Return for each offset how many characters before it are not blank."""
    return tuple(accumulate((not char.isspace() for char in value), initial=0))


@lru_cache(maxsize=4)
def _positions(text: str, style: str, begin: int, end: int) -> tuple[int, ...]:
    return tuple(_visible(text, style, begin, end))


def _visible(text: str, style: str, start: int, end: int) -> Iterator[int]:
    """Yield where each character of a scalar that is not blank stands in the file."""
    if style in ("|", ">"):
        start = text.index("\n", start)
    elif style in _WRITTEN:
        start, end = start + 1, end - 1
    for written in _WRITTEN.get(style, _ONE).finditer(text, start, end):
        escaped = written[0][1:] if written[0][0] == "\\" and style == '"' else ""
        blank = bool(escaped) and escaped[0] in _BLANK_ESCAPES
        if not (blank or written[0].isspace()):
            yield written.start()
