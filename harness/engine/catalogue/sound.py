"""Scenarios that a check found sound, remembered by content, so that they are not planned again.

A scenario's digest covers all that its check reads: its file, its lock and goldens, the harness,
Python, and the names and versions of what is installed. Any other byte is another digest. Nothing
but soundness is remembered: what had a problem is checked again each time.
"""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path

import orjson

from harness.engine.catalogue.places import files_of
from harness.engine.catalogue.workspace import RUNS, Workspace, runs
from harness.protocols import PROTOCOLS
from harness.scenario.files import SUFFIX, name_of, real, scenario_files

PACKAGE = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Sound:
    """A scenario without problems: the digest of what was read, its cases and their messages."""

    digest: str
    cases: int
    records: int


def files(space: Workspace, paths: Iterable[Path] = ()) -> Mapping[str, Path] | None:
    """Return the chosen scenario files by name, a name being the path under the root, no suffix.

    None where a path is a problem by itself, or where two files would have one id: each of them is
    a problem of the other.
    """
    root = real(space.scenarios)
    found = tuple(scenario_files(space.scenarios, files_of(space, paths)))
    named = {name_of(file, root): file for file in found if isinstance(file, Path)}
    ids = {name.replace("/", ".").casefold() for name in named}
    return named if len(ids) == len(found) else None


def digests(space: Workspace, named: Mapping[str, Path]) -> Mapping[str, str]:
    """Return each scenario's digest by name; files that cannot be read have none."""
    version = _version()
    found: dict[str, str] = {}
    for name, file in named.items():
        home = real(space.golden / name)
        with suppress(OSError):
            content = [*_contents([file]), *_listed(home)]
            found[name] = _digest([version, str(file), name, str(home), *content])
    return found


def _listed(home: Path) -> Iterator[str | bytes]:
    """Yield name and content of each file directly in a directory, in order."""
    if home.is_dir():
        yield from _contents(sorted(path for path in home.iterdir() if path.is_file()))


def _contents(paths: Iterable[Path]) -> Iterator[str | bytes]:
    for path in paths:
        yield path.name
        yield path.read_bytes()


def _digest(parts: Iterable[str | bytes]) -> str:
    state = sha256()
    for part in parts:
        content = part.encode(errors="surrogateescape") if isinstance(part, str) else part
        state.update(len(content).to_bytes(8, "big"))
        state.update(content)
    return state.hexdigest()


def _version() -> str:
    """Return a digest of what else decides: our and protocols' files, Python, what is installed."""
    parts: list[str | bytes] = [sys.version]
    for package in (PACKAGE, *_registered()):
        for home, directories, found in os.walk(package):
            directories[:] = sorted({*directories} - {"__pycache__", "_bundle"})
            parts.append(home)
            parts += _contents(Path(home, name) for name in sorted(found))
    for entry in sys.path:
        with suppress(OSError):
            parts += sorted(p.name for p in Path(entry).iterdir() if p.name.endswith("-info"))
    return _digest(parts)


def _registered() -> Iterator[Path]:
    """Yield the directories of the packages that register protocols of their own."""
    for name in sorted(PROTOCOLS.packages):
        spec = find_spec(name)
        if spec is not None and spec.origin is not None:
            yield Path(spec.origin).parent  # a single module lies in a directory as well


def unchanged(space: Workspace, named: Mapping[str, Path]) -> Mapping[str, Sound]:
    """Return those of the files, by name, that are remembered as sound and are what they were."""
    known = read(space)
    there = {name: file for name, file in named.items() if name in known}
    if not there:
        return {}
    now = digests(space, there)
    return {name: known[name] for name, digest in now.items() if known[name].digest == digest}


def read(space: Workspace) -> Mapping[str, Sound]:
    """Return what is remembered here; nothing where there is nothing, or nothing readable."""
    try:
        rows = orjson.loads(_store(space).read_bytes())
        return {name: _sound(**row) for name, row in rows.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


def _sound(digest: object, cases: object, records: object) -> Sound:
    """Return a remembered scenario; TypeError where a value is of another type."""
    if not (isinstance(digest, str) and isinstance(cases, int) and isinstance(records, int)):
        raise TypeError("this is not how a sound scenario is remembered")
    return Sound(digest, cases, records)


def remember(space: Workspace, fresh: Mapping[str, Sound]) -> None:
    """Add scenarios to what is remembered, where the workspace may be written.

    The file is replaced as a whole: of two checks at once the later one's is there, and sound.
    """
    if not fresh or not real(space.scenarios).is_relative_to(real(space.here)):
        return
    known = {**read(space), **fresh}
    rows = {name: asdict(sound) for name, sound in known.items() if _is_there(space, name)}
    with suppress(OSError):
        store = runs(space.here) / _store(space).name
        scratch = store.with_suffix(f".{secrets.token_hex(4)}")
        scratch.write_bytes(orjson.dumps(rows))
        scratch.replace(store)


def _is_there(space: Workspace, name: str) -> bool:
    return (space.scenarios / f"{name}{SUFFIX}").is_file()


def _store(space: Workspace) -> Path:
    return space.here / RUNS / "sound.json"
