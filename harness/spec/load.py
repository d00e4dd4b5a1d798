"""Read clauses from TOML files; `clauses/README.md` describes the format.

A mistake in a file is a UsageError that names the file, the line and the clause: a protocol from
outside this repository brings clause files of its own.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.resources.abc import Traversable
from types import MappingProxyType
from typing import Any, cast

from harness.documents import PlainObject
from harness.errors import Location, UsageError
from harness.spec.clause import Clause, Level, Proof, Source

# Keys of a file, of a clause that stands on a page, and of one in a source tree: those that are
# required, then those that are not.
_FILE = (("document", "url"), ("section", "versions"))
_ON_A_PAGE = (
    ("id", "level", "text"),
    ("versions", "url", "program", "no_scenario", "no_mutant", "proved_by"),
)
_IN_A_TREE = (
    ("id", "level", "text", "file"),
    ("versions", "no_scenario", "no_mutant", "proved_by"),
)

_ID_LINE = re.compile(r"""^id\s*=\s*["']([^"']*)""", re.MULTILINE)


def load_clauses(*directories: Traversable) -> Mapping[str, Clause]:
    """Return the clauses of all `*.toml` files that stand directly in some directories, by id.

    The order is that of the directories, then of file names, then of lines. Raises UsageError for
    a mistake in a file and for an id that is given twice.
    """
    found: dict[str, Clause] = {}
    for clause in (clause for directory in directories for clause in _read(directory)):
        if clause.id in found:
            what = f"its id is that of {found[clause.id].written}"
            raise _wrong(clause.written, f"clause `{clause.id}`", what)
        found[clause.id] = clause
    return MappingProxyType(found)


def _read(directory: Traversable) -> Iterator[Clause]:
    for file in sorted(directory.iterdir(), key=lambda each: each.name):
        if file.name.endswith(".toml"):
            yield from _parsed(file.read_text(encoding="utf-8"), str(file))


def _parsed(text: str, path: str) -> Iterator[Clause]:
    """Yield the clauses of one file's text; `path` names the file in errors."""
    try:
        head = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{path}: {error}", expected="TOML 1.0") from error
    rows: Any = head.pop("clause", None)
    _check(head, *_FILE, Location(path), "the file")
    listed = cast("Sequence[object]", rows) if isinstance(rows, list) else ()
    if not listed or not all(isinstance(row, dict) for row in listed):
        raise _wrong(Location(path), "the file", "it has no `[[clause]]`")
    lines = {hit[1]: text.count("\n", 0, hit.start()) + 1 for hit in _ID_LINE.finditer(text)}
    for number, row in enumerate(cast("list[PlainObject]", rows), start=1):
        name = str(row.get("id", f"number {number}"))
        yield _clause(row, head, Location(path, lines.get(name, 0)), f"clause `{name}`")


def _clause(row: PlainObject, head: dict[str, str], written: Location, subject: str) -> Clause:
    required, optional = _ON_A_PAGE if "section" in head else _IN_A_TREE
    _check(row, required, optional, written, subject)
    if row["level"] not in list(Level):
        raise _wrong(written, subject, f"unknown level `{row['level']}`", expected=", ".join(Level))
    return Clause(
        row["id"],
        Level(row["level"]),
        _folded(row["text"]),
        _source(row, head),
        written,
        row.get("versions", head.get("versions", "newest")),
        _proof(row, written, subject),
    )


def _proof(row: PlainObject, written: Location, subject: str) -> Proof | None:
    """Return what stands in for scenarios, or for mutants of those that there are."""
    reasons = [name for name in ("no_scenario", "no_mutant") if name in row]
    if not reasons:
        if "proved_by" in row:
            raise _wrong(
                written, subject, "`proved_by` needs the reason, `no_scenario` or `no_mutant`"
            )
        return None
    if len(reasons) > 1:
        raise _wrong(written, subject, "`no_scenario` says already that there is no mutant")
    (reason,) = reasons
    if reason == "no_mutant" and "proved_by" not in row:
        raise _wrong(written, subject, "`no_mutant` needs `proved_by`, a test that sees it broken")
    return Proof(_folded(row[reason]), row.get("proved_by", ""), violation=reason == "no_mutant")


def _source(row: PlainObject, head: dict[str, str]) -> Source:
    """Return a section of a page, or a file of a source tree with `#L` and its line."""
    if "section" in head:
        url, program = row.get("url", head["url"]), row.get("program", "")
        return Source(head["document"], head["section"], url, program)
    path, _, line = row["file"].partition(":")
    url = f"{head['url']}/{path}{f'#L{line}' if line else ''}"
    return Source(head["document"], row["file"], url, url)


def _folded(text: str) -> str:
    """Return a text with its line breaks as blanks."""
    return " ".join(text.split())


def _check(
    table: PlainObject,
    required: Iterable[str],
    optional: Iterable[str],
    written: Location,
    subject: str,
) -> None:
    known = (*required, *optional)
    for key in required:
        if key not in table:
            raise _wrong(written, subject, f"`{key}` is missing")
    for key, value in table.items():
        if key not in known:
            raise _wrong(written, subject, f"unknown key `{key}`", expected=", ".join(known))
        if not isinstance(value, str) or not value:
            raise _wrong(written, subject, f"`{key}` is not a text: {value!r}")


def _wrong(written: Location, subject: str, what: str, expected: str = "") -> UsageError:
    return UsageError(f"{written}: {subject}: {what}", expected=expected)
