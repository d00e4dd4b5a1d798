"""Things that are made once and kept in the cache: unpacked binaries, installed data directories.

A prepared directory appears under its name complete, or not at all. Its name carries a digest
of everything it was made from, so that nothing ever goes stale.
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import filelock

from harness.errors import SetupError

OTHER_RUN_DEADLINE_S = 300.0


def key(*parts: str) -> str:
    """Return a short digest of everything that a prepared directory depends on."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def once(directory: Path, make: Callable[[Path], None]) -> Path:
    """Return `directory`, filled by `make` when it does not exist yet.

    `make` is given an empty directory beside it; a SetupError of its own passes through, and an
    OSError becomes one.
    """
    if directory.is_dir():
        return directory
    try:
        directory.parent.mkdir(parents=True, exist_ok=True)
        lock = filelock.FileLock(directory.with_name(directory.name + ".lock"))
        with lock.acquire(timeout=OTHER_RUN_DEADLINE_S):
            if not directory.is_dir():
                _make(directory, make)
    except filelock.Timeout as error:
        raise SetupError(
            f"another run has held {error.lock_file} for {OTHER_RUN_DEADLINE_S:g} s",
            hint="end that run; the lock is released with it",
        ) from error
    except OSError as error:
        raise SetupError(
            f"{directory} cannot be prepared: {error}",
            hint="make room or give rights there, or name another place with HARNESS_CACHE_DIR",
        ) from error
    return directory


def _make(directory: Path, make: Callable[[Path], None]) -> None:
    scratch = Path(tempfile.mkdtemp(prefix=f".{directory.name}.", dir=directory.parent))
    try:
        make(scratch)
        scratch.chmod(0o755)  # mkdtemp's 0700 would keep other users of a shared cache out
        scratch.rename(directory)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
