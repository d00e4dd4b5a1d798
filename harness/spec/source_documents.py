"""The five source documents line by line: each checkable sentence and the clauses that state it.

`documents/*.toml` has one file a document: its title, address, number of lines and SHA-256 (the
text itself is not here), and `statements`, each a line or a range, a phrase of ours that finds the
place, and the ids of clauses, or `none: ` and one of the file's `reasons`.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from importlib.resources import files

from harness.documents import PlainObject


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence of a document: its first and last line, and its clauses or why it has none."""

    first: int
    last: int
    phrase: str
    clauses: tuple[str, ...]
    reason: str = ""

    @property
    def lines(self) -> str:
        """Return `5` or `5-9`."""
        return f"{self.first}" if self.first == self.last else f"{self.first}-{self.last}"


@dataclass(frozen=True, slots=True)
class SourceDocument:
    """A document, and its statements in the order of their lines."""

    title: str
    url: str
    lines: int
    sha256: str
    statements: tuple[Statement, ...]


def source_documents() -> tuple[SourceDocument, ...]:
    """Return the five documents in the order of their files' names; KeyError for no such reason."""
    directory = files("harness.spec") / "documents"
    each = sorted(directory.iterdir(), key=lambda file: file.name)
    return tuple(_document(tomllib.loads(file.read_text(encoding="utf-8"))) for file in each)


def _document(data: PlainObject) -> SourceDocument:
    statements = tuple(_statement(row, data["reasons"]) for row in data["statements"])
    return SourceDocument(data["title"], data["url"], data["lines"], data["sha256"], statements)


def _statement(row: list[str], reasons: dict[str, str]) -> Statement:
    lines, phrase, says = row
    first, _, last = lines.partition("-")
    place = int(first), int(last or first)
    if says.startswith("none: "):
        return Statement(*place, phrase, (), reasons[says.removeprefix("none: ")])
    return Statement(*place, phrase, tuple(says.split()))
