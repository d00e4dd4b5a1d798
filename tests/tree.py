"""The work tree as the house rules see it: what git would hold, what pyproject.toml declares."""

from __future__ import annotations

import ast
import gc
import subprocess
import tomllib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]


@cache
def tracked() -> tuple[Path, ...]:
    """Return every file that git knows or would add, relative to the root, in order."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    paths = {Path(name) for name in listed.split("\0") if name}
    return tuple(sorted(path for path in paths if (ROOT / path).is_file()))


def under(top: str, suffix: str = "") -> Iterator[Path]:
    """Yield the tracked files under a directory of the root, with that suffix when one is given."""
    for path in tracked():
        if path.parts[0] == top and path.suffix == (suffix or path.suffix):
            yield path


def text_of(path: Path | str) -> str:
    """Return the text of a file by its path relative to the root."""
    return (ROOT / path).read_text(encoding="utf-8")


def text_files() -> Iterator[tuple[Path, str]]:
    """Yield each tracked file that is text, with its text."""
    for path in tracked():
        with suppress(UnicodeDecodeError):
            yield path, text_of(path)


@cache
def python_files() -> tuple[tuple[Path, str, ast.Module], ...]:
    """Return each Python file's relative path, text and syntax tree, parsed once for all rules."""
    texts = ((path, text_of(path)) for path in tracked() if path.suffix == ".py")
    found = tuple((path, text, ast.parse(text)) for path, text in texts)
    gc.freeze()  # as many objects as these are gone through at each collection, for nothing
    return found


@cache
def pyproject() -> dict[str, Any]:
    """Return pyproject.toml as a dict."""
    return tomllib.loads(text_of("pyproject.toml"))


def line_of(text: str, offset: int) -> int:
    """Return the line (from 1) of a character offset."""
    return text.count("\n", 0, offset) + 1


def hold(breaches: Iterable[str]) -> None:
    """Fail with one line a breach; pass when there is none."""
    found = list(breaches)
    assert not found, "\n" + "\n".join(found)
