"""A consumer's command as it will be started: found where the user stands, safe to start elsewhere.

A consumer starts in an empty directory of its own, so whatever is relative to the user's directory,
or to the manifest's, is resolved here, and only what says so (`./`, `../`, `~/`) is.
"""

from __future__ import annotations

import os
import shlex
import shutil
import sys
import sysconfig
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import harness
from harness.errors import UsageError

PYTHON = (sys.executable, "-m")
RELATIVE = ("./", "../", "~/")


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """Where the user stands: the directory, and the environment that finds commands and modules."""

    directory: Path
    environment: Mapping[str, str]

    @classmethod
    def here(cls) -> Whereabouts:
        """Return this process's own directory and environment."""
        return cls(Path.cwd(), dict(os.environ))


def is_file(path: Path) -> bool:
    """Return whether there is a file; what a file system cannot name is not there."""
    return os.path.isfile(path)  # noqa: PTH113 - Path's own raises for a name that is too long


def executable(command: str, whereabouts: Whereabouts) -> str:
    """Return the absolute path of a command, found as a shell finds it."""
    if "/" not in command:
        found = shutil.which(command, path=whereabouts.environment.get("PATH", os.defpath))
        if found is None:
            local = is_file(whereabouts.directory / command)
            raise UsageError(
                f"the command {command!r} is not on the PATH",
                expected="a command on the PATH, or a path with a slash in it",
                hint=f"exec:./{command}" if local else "",
            )
        return str(Path(whereabouts.directory, found))
    path = _absolute(command, whereabouts.directory)
    if not is_file(path):
        what = "is a directory" if os.path.isdir(path) else "does not exist"  # noqa: PTH112 - see is_file
        raise UsageError(f"the command {path} {what}", expected="an executable file")
    if not os.access(path, os.X_OK):
        raise UsageError(
            f"the command {path} is not executable",
            expected="an executable file",
            hint=f"chmod +x {shlex.quote(str(path))}, or name its interpreter before it:"
            " exec:python3 ./consumer.py",
        )
    return str(path)


def argument(word: str, directory: Path) -> str:
    """Resolve a word that says it is a path; refuse one that is a file here but not there."""
    if word.startswith(RELATIVE):
        return str(_absolute(word, directory))
    if word and not word.startswith(("-", "/")) and is_file(directory / word):
        raise UsageError(
            f"{word!r} would not be found: a consumer starts in an empty directory of its own",
            expected="paths that begin with ./ or / (these are resolved from where you are)",
            hint=f"write ./{word}",
        )
    return word


def _absolute(path: str, directory: Path) -> Path:
    return Path(os.path.normpath(directory / Path(path).expanduser()))


def python_path(whereabouts: Whereabouts, first: tuple[str, ...]) -> dict[str, str]:
    """Return the PYTHONPATH by which a child finds the user's modules, and ours when not installed.

    A site directory is left out: ahead of the standard library its backports would shadow it.
    """
    root = str(Path(harness.__file__).parents[1])
    installed = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    given = whereabouts.environment.get("PYTHONPATH", "").split(os.pathsep)
    entries = [*first, *(str(whereabouts.directory / entry) for entry in given if entry)]
    if root not in installed:
        entries.append(root)
    return {"PYTHONPATH": os.pathsep.join(entries)} if entries else {}
