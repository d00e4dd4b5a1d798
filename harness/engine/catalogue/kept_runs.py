"""What earlier runs left below `.harness`: the newest whole, older ones by their events, no more.

A run holds a lock on its directory as long as its process lives, so that no other run and no
`harness clean` takes away what somebody still works in.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

# So many runs are kept whole (job, answers, output, services' logs), so many more by their events,
# which reports of many runs are made from.
WHOLE = 20
BY_EVENTS = 200
EVENTS = "events.ndjson"
# Locks end with the process; nobody closes them before.
_held: dict[Path, int] = {}


@dataclass(frozen=True, slots=True)
class Removed:
    """What went: directories or the parts of directories that are not events, and their bytes."""

    runs: int = 0
    size: int = 0


def hold(directory: Path) -> bool:
    """Keep a run's directory from being removed while this process lives; False where it was."""
    if directory in _held:
        return False
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:  # a file system without locks, on which nothing is removed
        os.close(descriptor)
        descriptor = -1
    _held[directory] = descriptor
    return True


def remove_old(parent: Path, whole: int = WHOLE, by_events: int = BY_EVENTS) -> Removed:
    """Bound what lies in `parent`, a directory of runs; what is in use is left alone."""
    runs, size = 0, 0
    for place, directory in enumerate(_newest_first(parent)):
        if place < whole:
            continue
        with _free(directory) as free:
            if not free:
                continue
            gone = _remove(directory, events_too=place >= whole + by_events)
        runs, size = runs + bool(gone), size + gone
    return Removed(runs, size)


def _newest_first(parent: Path) -> list[Path]:
    """Return the runs of a directory; one without events is as old as its directory."""

    def age(directory: Path) -> tuple[int, str]:
        events = directory / EVENTS
        try:
            return (events if events.exists() else directory).stat().st_mtime_ns, directory.name
        except OSError:  # another run removed it in this moment
            return 0, directory.name

    try:
        found = [one for one in parent.iterdir() if one.is_dir() and not one.is_symlink()]
    except OSError:
        return []
    return sorted(found, key=age, reverse=True)


@contextmanager
def _free(directory: Path) -> Generator[bool]:
    """Yield whether nobody works in a run's directory; nobody begins to inside the block."""
    try:
        descriptor = os.open(directory, os.O_RDONLY | os.O_NOFOLLOW)
    except OSError:
        yield False
        return
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            yield False
        else:
            yield True
    finally:
        os.close(descriptor)


def _remove(directory: Path, *, events_too: bool) -> int:
    """Remove a run, or all of it but its events; return the bytes that went."""
    keeps = not events_too and (directory / EVENTS).is_file()
    doomed = [one for one in directory.iterdir() if one.name != EVENTS] if keeps else [directory]
    size = sum(_size(one) for one in doomed)
    for one in doomed:
        if one.is_dir() and not one.is_symlink():
            shutil.rmtree(one, ignore_errors=True)
        else:
            one.unlink(missing_ok=True)
    return size


def _size(path: Path) -> int:
    """Return the bytes below a path; links count as themselves."""
    if path.is_symlink() or not path.is_dir():
        return path.lstat().st_size if os.path.lexists(path) else 0
    return sum(
        Path(home, name).lstat().st_size
        for home, _, names in os.walk(path)
        for name in names
        if os.path.lexists(Path(home, name))
    )
