"""Vectors from files: JSON lines, found below a directory or in one file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import cast

from harness.errors import Location, Problem, ScenarioError, SetupError, UsageError, next_step
from harness.truth.result import Vector


def vector_files(root: Path) -> tuple[Path, ...]:
    """Return the files of vectors below a directory, or the file itself; UsageError for none."""
    if root.is_file():
        return (root,)
    if not root.is_dir():
        raise UsageError(
            f"{root}: no such file or directory",
            expected="a directory of vectors (*.jsonl), or one such file",
        )
    found = tuple(sorted(path for path in root.rglob("*.jsonl") if path.is_file()))
    if not found:
        raise UsageError(
            f"{root}: there are no vectors", expected="*.jsonl in it, or in directories below it"
        )
    return found


def vectors(path: Path) -> Iterator[tuple[int, Vector]]:
    """Yield line numbers and vectors of a file; ScenarioError names line and column of bad JSON."""
    # Only a line feed ends a line: U+2028 and U+0085 stand unescaped in JSON text.
    for number, raw in enumerate(_content(path).split(b"\n"), 1):
        if raw.strip():
            yield number, _vector(path, number, raw)


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise SetupError(
            f"{path} cannot be read: {error.strerror}", hint=next_step(error)
        ) from error


def _vector(path: Path, number: int, raw: bytes) -> Vector:
    try:
        found: object = json.loads(raw.decode())
    except UnicodeDecodeError as error:
        raise _wrong(path, number, error.start + 1, "this byte is not UTF-8") from error
    except json.JSONDecodeError as error:
        raise _wrong(path, number, error.colno, f"not JSON: {error.msg}") from error
    except RecursionError as error:
        raise _wrong(path, number, 1, "not JSON that can be read: it nests too deeply") from error
    except ValueError as error:  # after its subclasses above: an integer without end
        raise _wrong(path, number, 1, f"not JSON that can be read: {_first(error)}") from error
    if not isinstance(found, dict):
        raise _wrong(path, number, 1, f"a vector is {type(found).__name__}, not an object")
    return cast("Vector", found)


def _first(error: ValueError) -> str:
    """Return what an error says before it speaks of Python's settings."""
    return str(error).partition(";")[0]


def _wrong(path: Path, line: int, column: int, what: str) -> ScenarioError:
    expected = "one JSON object a line, as in the vectors of golden/truth"
    return ScenarioError((Problem(Location(str(path), line, column), what, expected),))
