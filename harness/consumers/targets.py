"""From the words of a command line to a consumer: `spark`, `py:pkg.mod:fn`, `exec:./cmd args`.

Law: a target that cannot run is refused here, before any service starts, with the spelling that
would have worked. A consumer starts in an empty directory of its own, so whatever is relative to
the user's directory is resolved here, and only what says so (`./`, `../`, `~/`) is.
"""

from __future__ import annotations

import difflib
import os
import re
import shlex
import shutil
import sys
import sysconfig
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import harness
from harness.consumers.call import CANNOT_LOAD
from harness.consumers.manifest import Capability, Consumer, CrashPoint
from harness.errors import UsageError

PYTHON = (sys.executable, "-m")
BUNDLED: Mapping[str, Consumer] = {
    "spark": Consumer(
        name="spark",
        argv=(*PYTHON, "harness.consumers.spark"),
        protocols=frozenset({"open", "avro", "vitess"}),
        max_changefeeds=300,
        needs_java=True,
        capabilities=frozenset({Capability.JOBS}),
    ),
    "reference": Consumer(
        name="reference",
        argv=(*PYTHON, "harness.consumers.reference"),
        protocols=frozenset({"open", "avro", "vitess"}),
        max_changefeeds=500,
        capabilities=frozenset(
            {Capability.GROWING_TOPICS, Capability.INSTANCES, Capability.LOST_DATA}
        ),
        crash_points=frozenset({CrashPoint.RECORD, CrashPoint.WRITE}),
    ),
}
EXPECTED = "spark, reference, py:pkg.mod:fn or exec:./command arguments"
CALLABLE = re.compile(r"([^\W\d]\w*(?:\.[^\W\d]\w*)*):([^\W\d]\w*)")
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


def parse(target: str, whereabouts: Whereabouts) -> Consumer:
    """Return the consumer that a target names; raises UsageError when nothing can run."""
    if target in BUNDLED:
        return replace(BUNDLED[target], environment=_python_path(whereabouts, ()))
    scheme, colon, rest = target.partition(":")
    if not colon or scheme not in SCHEMES:
        raise UsageError(
            f"there is no consumer {target!r}", expected=EXPECTED, hint=_suggestion(target)
        )
    return SCHEMES[scheme](rest.strip(), whereabouts)


def _callable(words: str, whereabouts: Whereabouts) -> Consumer:
    """Return the consumer for `py:`: our wrapper, which imports as the user's directory would."""
    if not CALLABLE.fullmatch(words):
        raise UsageError(
            f"'py:{words}' does not name a function",
            expected="py:package.module:function",
            hint=f"exec:{words}" if words.startswith(RELATIVE) else "",
        )
    return Consumer(
        name=f"py:{words}",
        argv=(*PYTHON, "harness.consumers.call", words),
        environment=_python_path(whereabouts, (str(whereabouts.directory),)),
        unusable_code=CANNOT_LOAD,
    )


def _command(words: str, whereabouts: Whereabouts) -> Consumer:
    """Return the consumer for `exec:`: words as a shell splits them, no shell."""
    try:
        parts = shlex.split(words)
    except ValueError as error:
        raise UsageError(
            f"'exec:{words}' cannot be split into words: {error}",
            expected="a command and its arguments, quoted as in a shell",
        ) from None
    if not parts:
        raise UsageError("'exec:' names no command", expected="exec:./command arguments")
    command = _executable(parts[0], whereabouts)
    arguments = [_argument(part, whereabouts.directory) for part in parts[1:]]
    return Consumer(name=f"exec:{words}", argv=(command, *arguments))


def _executable(command: str, whereabouts: Whereabouts) -> str:
    """Return the absolute path of a command, found as a shell finds it."""
    if "/" not in command:
        found = shutil.which(command, path=whereabouts.environment.get("PATH", os.defpath))
        if found is None:
            local = (whereabouts.directory / command).is_file()
            raise UsageError(
                f"the command {command!r} is not on the PATH",
                expected="a command on the PATH, or a path with a slash in it",
                hint=f"exec:./{command}" if local else "",
            )
        return str(Path(whereabouts.directory, found))
    path = _absolute(command, whereabouts.directory)
    if not path.is_file():
        what = "is a directory" if path.is_dir() else "does not exist"
        raise UsageError(f"the command {path} {what}", expected="an executable file")
    if not os.access(path, os.X_OK):
        raise UsageError(
            f"the command {path} is not executable",
            expected="an executable file",
            hint=f"chmod +x {shlex.quote(str(path))}",
        )
    return str(path)


def _argument(word: str, directory: Path) -> str:
    """Resolve a word that says it is a path; refuse one that is a file here but not there."""
    if word.startswith(RELATIVE):
        return str(_absolute(word, directory))
    if word and not word.startswith(("-", "/")) and (directory / word).is_file():
        raise UsageError(
            f"{word!r} would not be found: a consumer starts in an empty directory of its own",
            expected="paths that begin with ./ or / (these are resolved from where you are)",
            hint=f"write ./{word}",
        )
    return word


def _absolute(path: str, directory: Path) -> Path:
    return Path(os.path.normpath(directory / Path(path).expanduser()))


def _python_path(whereabouts: Whereabouts, first: tuple[str, ...]) -> dict[str, str]:
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


def _suggestion(target: str) -> str:
    """Return what the user may have meant."""
    if target.startswith((*RELATIVE, "/")):
        return f"did you mean exec:{target}?"
    if CALLABLE.fullmatch(target):
        return f"did you mean py:{target}?"
    scheme, colon, rest = target.partition(":")
    known = list(SCHEMES) if colon else [*BUNDLED, *SCHEMES]
    close = difflib.get_close_matches(scheme.lower(), known, n=1)
    if not close:
        return ""
    return f"did you mean {close[0]}{':' + rest if close[0] in SCHEMES else ''}?"


SCHEMES: Mapping[str, Callable[[str, Whereabouts], Consumer]] = {
    "py": _callable,
    "exec": _command,
}
