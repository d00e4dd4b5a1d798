"""Which files are scenarios: light, so that a check of files that did not change reads no YAML."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from os.path import realpath
from pathlib import Path

from harness.documents.nearest import did_you_mean
from harness.errors import Location, Problem

SUFFIX = ".yaml"


def scenario_files(root: Path, paths: Sequence[Path] = ()) -> Iterator[Path | Problem]:
    """Yield the scenario files under the root, or in `paths`, in order, each once, without links.

    What cannot be a scenario file is a problem in its place.
    """
    whole = real(root)
    seen: set[Path] = set()
    for start in [real(path) for path in paths] or [whole]:
        for found in _beneath(start, whole):
            if isinstance(found, Problem):
                yield found
            elif found not in seen:
                seen.add(found)
                yield found


def name_of(path: Path, root: Path) -> str:
    """Return a scenario's name: its file's path under the real root, no suffix."""
    return path.relative_to(root).as_posix().removesuffix(SUFFIX)


def _beneath(start: Path, root: Path) -> Iterator[Path | Problem]:
    if not start.exists():
        siblings = start.parent.iterdir() if start.parent.is_dir() else ()
        hint = did_you_mean(start.name, [path.name for path in siblings]) or _under(root, start)
        expected = "a scenario file, or a folder of them"
        what = "there is no such file or directory"
        yield Problem(Location(shown_path(start)), what, expected, hint)
    elif not start.is_relative_to(root):
        expected = f"a path under the scenarios' root, {shown_path(root)}"
        yield Problem(Location(shown_path(start)), "this is outside the scenarios' root", expected)
    elif start.is_dir():
        for path in sorted(start.rglob("*.y*ml")):
            hidden = any(part.startswith(".") for part in path.relative_to(start).parts)
            if path.is_file() and not hidden:
                yield path if path.suffix == SUFFIX else _misnamed(path)
    else:
        yield start if start.suffix == SUFFIX else _misnamed(start)


def _under(root: Path, path: Path) -> str:
    """Return how a file is named that the root has, where it is looked for elsewhere."""
    tails = (Path(*path.parts[at:]) for at in range(1, len(path.parts)))
    found = next((tail for tail in tails if (root / tail).is_file()), None)
    return "" if found is None else f"did you mean `{'.'.join(found.with_suffix('').parts)}`?"


def _misnamed(path: Path) -> Problem:
    what = f"a scenario file's name ends in {SUFFIX}"
    return Problem(Location(shown_path(path)), what, hint=f"rename it to {path.stem}{SUFFIX}")


def real(path: Path) -> Path:
    """Return the path without links; one that leads in circles stays as it is."""
    return Path(realpath(path))


def shown_path(path: Path) -> str:
    """Return a resolved path as a person would type it here."""
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)
