"""Class-data archives: what a JVM wrote on ending, so that the next one starts in half the time.

JEP 350. An archive is named by everything that it depends on; one that is broken would be passed
over by the JVM (`-Xshare:auto`), but one that was half written is never kept at all.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

ARCHIVING_GRACE_S = 40.0  # an orderly end that also writes the class-data archive
ENDED_BY_SIGTERM = 143  # a JVM's exit code after its shutdown hooks


def keep(fresh: Path, archive: Path, status: int) -> None:
    """Copy the class-data archive into the cache, if the JVM ended in order and wrote it whole."""
    if status != ENDED_BY_SIGTERM or not fresh.is_file():
        return
    handle, scratch = tempfile.mkstemp(prefix=f".{archive.name}.", dir=archive.parent)
    os.close(handle)
    try:
        shutil.copyfile(fresh, scratch)
        Path(scratch).chmod(0o644)
        Path(scratch).replace(archive)
    except OSError:  # a full disk: the next run is slower, nothing else
        Path(scratch).unlink(missing_ok=True)
