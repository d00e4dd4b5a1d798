"""Java's archive of loaded classes: half of a cold start is loading them, an archive spares that.

Measured on 2 cores with one changefeed: 12.5 s without an archive, 7 s with one. The run that makes
it takes 18 s longer, once, and leaves 186 MB; so it is made only in a directory that the harness
names. It is dynamic (JEP 350): written when Java ends, of the classes that this run needed.

An archive is named after all that it depends on, and appears whole under its name. Java itself
ignores one that does not fit.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyspark

from cdc_spark.conformance import java

DIRECTORY = "HARNESS_SPARK_ARCHIVES"
KEPT = 3


@dataclass(frozen=True, slots=True)
class Archive:
    """An archive in its place, or the place where one is to be made."""

    path: Path
    made: bool

    @property
    def scratch(self) -> Path:
        """Return where Java writes the archive while it is not whole."""
        return self.path.with_name(f".{self.path.name}.{os.getpid()}")

    def options(self) -> Iterator[str]:
        """Yield the Java options that use it, or make it when Java ends."""
        if self.made:
            yield f"-XX:SharedArchiveFile={self.path}"
        else:
            yield f"-XX:ArchiveClassesAtExit={self.scratch}"
            yield "-Xlog:disable"  # making one logs each class that it leaves out

    def keep(self) -> None:
        """Give what Java has written its name, and remove all but the newest archives.

        To be called when Java has ended. Each environment that has PySpark has its own archive.
        """
        if not self.scratch.is_file():
            return
        self.scratch.replace(self.path)
        made = sorted(self.path.parent.glob("*.jsa"), key=lambda path: path.stat().st_mtime)
        for path in made[:-KEPT]:
            path.unlink(missing_ok=True)


def find(environment: Mapping[str, str], jars: Sequence[str]) -> Archive | None:
    """Return the archive for this Java, this PySpark and these jars; None when not wanted."""
    directory = environment.get(DIRECTORY)
    if not directory:
        return None
    home = Path(pyspark.__file__).parent
    files = [Path(java.command(environment)), *sorted((home / "jars").glob("*.jar"))]
    digest = hashlib.sha256("\0".join(_print(file) for file in [*files, *map(Path, jars)]).encode())
    path = Path(directory) / f"spark-{pyspark.__version__}-{digest.hexdigest()[:16]}.jsa"
    path.parent.mkdir(parents=True, exist_ok=True)
    return Archive(path, path.is_file())


def _print(file: Path) -> str:
    """Return what Java compares to see whether a file is the same."""
    real = file.resolve()
    known = real.stat()
    return f"{file}:{real}:{known.st_size}:{known.st_mtime_ns}"
