"""PATHS of a command line: files, folders, ids and patterns of cases.

A pattern is an id with `*`, and may end with words of cases in brackets, each of which a case must
have: `keys/`, `types.*`, `'types.*[avro]'`, `'keys.pk-chain[open,p2]'`, `'*[vitess,p1]'`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from harness.documents.nearest import did_you_mean
from harness.engine.catalogue.workspace import Workspace
from harness.errors import UsageError
from harness.protocols import PROTOCOLS
from harness.scenario.expand import Case
from harness.scenario.files import SUFFIX, name_of, real, scenario_files


@dataclass(frozen=True, slots=True)
class Place:
    """What one of PATHS means: files, and which of their cases.

    `names` are those of the scenarios, their paths under the root without a suffix. `words` are
    those that a case must have.
    """

    text: str
    files: tuple[Path, ...]
    names: frozenset[str]
    words: tuple[str, ...] = ()

    def holds(self, case: Case) -> bool:
        """Tell whether a case is one of these."""
        if case.scenario.path not in self.names:
            return False
        has = words_in_brackets(case)
        return all(any(fnmatchcase(word, wanted) for word in has) for wanted in self.words)


def words_in_brackets(case: Case) -> tuple[str, ...]:
    """Return the words in the brackets of a case's id."""
    return tuple(case.id.removeprefix(case.scenario.id).strip("[]").split(","))


def places(space: Workspace, texts: Sequence[str]) -> tuple[Place, ...]:
    """Return what PATHS mean; UsageError, with what would match, for one that means nothing."""
    known = tuple(_known(space)) if texts else ()
    return tuple(_place(space, text, known) for text in texts)


def files_of(space: Workspace, paths: Iterable[Path]) -> tuple[Path, ...]:
    """Return the files and folders that PATHS mean; none without any."""
    return tuple(file for one in places(space, tuple(map(str, paths))) for file in one.files)


def _known(space: Workspace) -> Iterator[tuple[str, Path]]:
    """Yield the names of all scenarios, each with its file."""
    root = real(space.scenarios)
    for file in scenario_files(root):
        if isinstance(file, Path):
            yield name_of(file, root), file


def _place(space: Workspace, text: str, known: Sequence[tuple[str, Path]]) -> Place:
    found = _path(space, Path(text))
    if found is not None:
        whole = real(found)
        within = [name for name, file in known if file == whole or file.is_relative_to(whole)]
        return Place(text, (found,), frozenset(within))
    pattern, bracket, words = text.partition("[")
    if bracket and not words.endswith("]"):
        raise UsageError(
            f"{text!r} has no closing bracket",
            expected="words of a case between brackets, as 'types.*[avro,p1]'",
            hint="put the whole into quotes: brackets mean something to a shell",
        )
    dotted = pattern.strip("/").replace("/", ".") or "*"
    there = [(name, file) for name, file in known if _fits(name.replace("/", "."), dotted)]
    if not there:
        raise UsageError(
            f"{text!r} matches no scenario: there is no such file or directory, and no such id",
            expected="a file, a folder such as keys/, an id, or a pattern such as 'types.*[avro]'",
            hint=_hint(dotted, [name for name, _ in known]),
        )
    wanted = tuple(word.strip() for word in words.removesuffix("]").split(",")) if bracket else ()
    files = tuple(file for _, file in there)
    return Place(text, files, frozenset(name for name, _ in there), wanted)


def _path(space: Workspace, path: Path) -> Path | None:
    """Return the path that is meant, here or below the scenarios' root; None for a pattern."""
    below = space.scenarios / path
    inside = real(path).is_relative_to(real(space.scenarios))
    if path.exists() and (inside or path.is_file() or not below.exists()):
        return path
    if below.exists():
        return below
    if path.suffix != SUFFIX:
        return None
    return path if path.parent.is_dir() or not below.parent.is_dir() else below


def _fits(identifier: str, pattern: str) -> bool:
    """Tell whether an id is meant, or stands in a folder that is."""
    return fnmatchcase(identifier, pattern) or fnmatchcase(identifier, f"{pattern}.*")


def _hint(pattern: str, names: Sequence[str]) -> str:
    ids = [name.replace("/", ".") for name in names]
    folders = sorted({name.partition("/")[0] for name in names if "/" in name})
    if pattern in PROTOCOLS:
        return f"a protocol is chosen by --protocol {pattern}"
    last = [one for one in ids if pattern.strip("*.") and pattern.strip("*.") in one]
    if last:
        return f"did you mean {', '.join(f'`{one}`' for one in last[:3])}?"
    close = did_you_mean(pattern.partition(".*")[0], [*ids, *folders], cutoff=0.7)
    return close or f"folders: {', '.join(folders)}"
