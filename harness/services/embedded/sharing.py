"""Class-data archives: what a JVM wrote on ending, so that the next one starts in half the time.

JEP 350. An archive is named by everything that it depends on; one that is broken would be passed
over by the JVM (`-Xshare:auto`), but one that was half written is never kept at all.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from harness.services.launch import Running
from harness.services.prepared import key

ARCHIVING_GRACE_S = 40.0  # an orderly end that also writes the class-data archive
ENDED_BY_SIGTERM = 143  # a JVM's exit code after its shutdown hooks


@dataclass(frozen=True, slots=True)
class ClassArchive:
    """A service's archive in the cache; when it is not `made`, this run's JVM writes `fresh`."""

    path: Path
    fresh: Path
    made: bool

    @classmethod
    def of(cls, home: Path, data: Path, *made_from: str) -> ClassArchive:
        """Return the archive below `home` for a JVM made from all this; `data` is the run's own."""
        path = home / f"classes-{key(*made_from)}.jsa"
        return cls(path, data / "classes.jsa", path.is_file())

    @property
    def option(self) -> str:
        """Return the JVM's option that uses the archive, or has it written when the JVM ends."""
        if self.made:
            return f"-XX:SharedArchiveFile={self.path}"
        return f"-XX:ArchiveClassesAtExit={self.fresh}"

    def kept_from(self, running: Running) -> Running:
        """Return the service so that its end leaves the archive in the cache, if it is new."""
        if self.made:
            return running
        keeping = partial(keep, self.fresh, self.path)
        return replace(running, grace_s=ARCHIVING_GRACE_S, before_removal=[keeping])


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
