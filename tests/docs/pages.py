"""What a reader would copy from the pages: blocks of code, and the commands in them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.tree import text_of, tracked

GENERATED_USAGE = Path("docs/reference/cli.md")  # click's own usage lines, from the real commands
FENCE = re.compile(r"^( *)```(\w*)$")
INLINE = re.compile(r"(?<!`)`(harness [a-z][^`]*)`(?!`)")
SHELLS = {"console", "sh"}
# What a shell does with a command's output and input is not the command's.
SHELL_WORDS = {"|", ">", "<", "&&", "||", ";"}


@dataclass(frozen=True)
class Block:
    """A fenced block: its page, the line of its first text, its language and text."""

    page: Path
    line: int
    language: str
    text: str

    @property
    def place(self) -> str:
        """Return where it stands, as the name of a test."""
        return f"{self.page}:{self.line}"


@dataclass(frozen=True)
class Command:
    """A command line that a page shows: its words up to the first of the shell's own."""

    place: str
    words: tuple[str, ...]
    whole: bool  # in a block, to be copied; not a mention in a sentence


def pages() -> Iterator[Path]:
    """Yield the pages that users read."""
    for path in tracked():
        if path.suffix == ".md" and path.parts[0] not in {"golden", "harness", "tests"}:
            yield path


def blocks() -> Iterator[Block]:
    """Yield every fenced block of every page; its indentation is removed."""
    for page in pages():
        opened: tuple[str, str, int] | None = None
        body: list[str] = []
        for number, line in enumerate(text_of(page).splitlines(), 1):
            fence = FENCE.match(line)
            if fence and opened is None:
                opened, body = (fence[1], fence[2], number + 1), []
            elif fence and opened is not None:
                yield Block(page, opened[2], opened[1], "\n".join(body) + "\n")
                opened = None
            elif opened is not None:
                body.append(line.removeprefix(opened[0]))
        assert opened is None, f"{page}: a block is not closed"


def commands() -> Iterator[Command]:
    """Yield the commands of all blocks, and those of `harness` that sentences mention."""
    for block in blocks():
        if block.language in SHELLS and block.page != GENERATED_USAGE:
            for line in re.sub(r"\\\n\s*", "", block.text).splitlines():
                yield from _split(block.place, line, prompted="$ " in block.text)
    for page in pages():
        prose = re.sub(r"^ *```.*?^ *```", "", text_of(page), flags=re.MULTILINE | re.DOTALL)
        for mention in INLINE.finditer(prose):
            for words in _commands(shlex.split(mention[1].replace("\n", " "))):
                yield Command(str(page), words, whole=False)


def _split(place: str, line: str, *, prompted: bool) -> Iterator[Command]:
    """Yield a line's commands; where a block has prompts, other lines are output."""
    if prompted and not line.startswith("$ "):
        return
    for words in _commands(shlex.split(line.removeprefix("$ "), comments=True)):
        yield Command(place, words, whole=True)


def _commands(words: list[str]) -> Iterator[tuple[str, ...]]:
    """Yield the commands of a line; what is behind a pipe or a redirection is no word of theirs."""
    command: list[str] = []
    ended = False
    for word in [*words, "&&"]:
        if word == "&&":
            if command:
                yield tuple(command)
            command, ended = [], False
        elif word in SHELL_WORDS:
            ended = True
        elif not ended:
            command.append(word)
