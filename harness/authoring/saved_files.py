"""Which directories hold what a verdict depends on, and which of their files were just saved."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from watchfiles import Change, DefaultFilter, watch

from harness.engine.catalogue.workspace import RUNS, Workspace, bundled
from harness.errors import SetupError
from harness.runner.commands import Whereabouts
from harness.runner.manifest import Consumer
from harness.runner.targets import BUNDLED

OUTPUTS = (1, 2)  # the descriptors of standard output and error
LOOK_MS = 200  # how long one look waits for a change
BUNCH_MS = 400  # saves that belong together: an editor that writes several files
IGNORED = (*DefaultFilter.ignore_dirs, RUNS, ".ruff_cache", "venv", "spark-warehouse")


def places(
    consumer: Consumer,
    target: str,
    space: Workspace,
    whereabouts: Whereabouts,
    more: Iterable[Path],
) -> tuple[Path, ...]:
    """Return the directories to watch, without those that lie in another one of them.

    They are the manifest's directory, or where the user stands; those of the files that the command
    names, the scenarios unless they are the package's own, and `more`.
    """
    here = whereabouts.directory
    found: list[Path] = [path if path.is_dir() else path.parent for path in more]
    if consumer.target:
        found.append((here / target).parent)
    elif target not in BUNDLED:
        found.append(here)
    commands = _searched(whereabouts)
    if target not in BUNDLED and not consumer.image:
        files = [Path(word) for word in consumer.argv if word.startswith("/")]
        parents = [file.parent for file in files if file.is_file()]
        found += [one for one in parents if not _is_of_commands(one.resolve(), commands)]
    if (here / space.scenarios).resolve() != (bundled() / "scenarios").resolve():
        found.append(here / space.scenarios)
    return _outermost([Path(here, one).resolve() for one in found] or [here.resolve()])


def _searched(whereabouts: Whereabouts) -> frozenset[Path]:
    """Return the directories in which commands are found, the system's and Python's own as well.

    A Python that was started by its path stands in a directory that PATH need not name.
    """
    listed = whereabouts.environment.get("PATH", os.defpath).split(os.pathsep)
    own = (sys.executable, os.path.realpath(sys.executable))
    entries = [*listed, *os.defpath.split(os.pathsep), "/usr/local/bin", *map(os.path.dirname, own)]
    return frozenset(Path(whereabouts.directory, entry).resolve() for entry in entries if entry)


def _is_of_commands(directory: Path, searched: frozenset[Path]) -> bool:
    """Return whether a directory is one searched, or one of a virtual environment."""
    return directory in searched or (directory.parent / "pyvenv.cfg").is_file()


def _outermost(found: Iterable[Path]) -> tuple[Path, ...]:
    """Return the directories without those that lie in another one of them."""
    kept: list[Path] = []
    for one in sorted(set(found)):
        if not any(one.is_relative_to(other) for other in kept):
            kept.append(one)
    return tuple(kept)


@dataclass(frozen=True, slots=True)
class SavedFiles:
    """What was saved below some directories; `looks` yields that of a moment, mostly nothing."""

    directories: Sequence[Path]
    looks: Generator[set[tuple[Change, str]]]

    def so_far(self) -> frozenset[Path]:
        """Return what was saved since the last answer; SetupError where the system refuses."""
        try:
            return frozenset(Path(name) for _, name in next(self.looks))
        except (OSError, RuntimeError) as error:
            raise SetupError(
                f"cannot watch {', '.join(map(str, self.directories))}: {error}",
                hint="WATCHFILES_FORCE_POLLING=1 in the environment looks at the files instead",
            ) from error

    def wait(self) -> frozenset[Path]:
        """Return what was saved since the last answer, as soon as that is something."""
        while True:
            saved = self.so_far()
            if saved:
                return saved


class _NotOurs(DefaultFilter):
    """Passes over files to which a shell sends what this process prints: `> watch.log`."""

    def __call__(self, change: Change, path: str) -> bool:
        """Return whether a change is somebody's."""
        return super().__call__(change, path) and not _is_output(path)


def _is_output(path: str) -> bool:
    with suppress(OSError):
        there = Path(path).stat()
        return any(os.path.samestat(there, os.fstat(one)) for one in OUTPUTS)
    return False


@contextmanager
def saved_files(
    directories: Sequence[Path], passed_over: Sequence[Path] = ()
) -> Generator[SavedFiles]:
    """Watch directories, from now on; what the run itself writes, and we print, is no save."""
    looks = watch(
        *directories,
        watch_filter=_NotOurs(
            ignore_dirs=IGNORED, ignore_paths=[str(path.resolve()) for path in passed_over]
        ),
        debounce=BUNCH_MS,
        rust_timeout=LOOK_MS,
        yield_on_timeout=True,
    )
    saves = SavedFiles(directories, looks)
    try:
        saves.so_far()  # which begins to watch
        yield saves
    finally:
        looks.close()
