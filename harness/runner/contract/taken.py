"""The moment at which an answer is taken: the command's end. What is written later is none.

A process that outlives the command could correct its answer, or write it once the harness looks.
So the moment is marked by a file of our own beside the results, and each file of the answer must
have been changed before: by the clock of its own file system, which no program can set back.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from harness.errors import SetupError, next_step
from harness.runner.contract.exact_json import Malformed
from harness.runner.contract.reading import Misplaced

LATE = "was written after the command had ended"


def moment(directory: Path) -> int:
    """Return the time of now, in nanoseconds, as files in this directory are stamped with it."""
    try:
        handle, name = tempfile.mkstemp(dir=directory, prefix=".taken-")
    except OSError as error:
        raise SetupError(
            f"cannot write in {directory}: {error.strerror}", hint=next_step(error)
        ) from None
    try:
        return os.fstat(handle).st_ctime_ns
    finally:
        os.close(handle)
        Path(name).unlink(missing_ok=True)


def refuse_late(directory: Path, taken: int) -> None:
    """Raise Misplaced for what has changed in a directory since an answer was taken.

    It is called when all of it has been read: what changes from then on changes no verdict.
    """
    for path in _changed(directory, taken):
        what = "the result directory" if path == directory else str(path.relative_to(directory))
        problem = Malformed(LATE, expected="an answer that is whole at exit")
        raise Misplaced(what, 0, problem)


def _changed(directory: Path, taken: int) -> Iterator[Path]:
    for home, folders, files in os.walk(directory):
        # A folder changes with what is in it: a file names the change better.
        for name in (*sorted(files), *sorted(folders), ""):
            path = Path(home, name) if name else Path(home)
            if _stamp(path) > taken:
                yield path


def _stamp(path: Path) -> int:
    try:
        return path.lstat().st_ctime_ns
    except OSError:  # gone meanwhile: its folder has changed
        return 0
