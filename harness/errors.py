"""What can go wrong that is *not* a consumer's fault.

A consumer that breaks the protocol is a finding, and findings are data (`harness.verdict`). An
exception from this module means that the user, the environment or we ourselves are at fault; each
knows the exit code by which a CI job knows which of the three it was.

Every message says what was wrong, where (file, line, column, when there is a file), what was
expected, and the next step. Sentences are written once, here or in a named constructor, not at ten
raise sites.
"""

from __future__ import annotations

import errno
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from enum import IntEnum
from typing import Any


def plural(count: int, noun: str, many: str = "") -> str:
    """Return a count with its noun: `1 case`, `2 cases`; `many` is a plural without a plain s."""
    return f"{count} {noun}" if count == 1 else f"{count} {many or noun + 's'}"


# What an operating system's error asks of whoever reads of it.
_STEPS: Mapping[int, str] = {
    errno.ENOENT: "look at the path: a part of it is not there",
    errno.ENOTDIR: "look at the path: a part of it is a file",
    errno.EISDIR: "give a file; this is a directory",
    errno.EEXIST: "choose another path; this one is taken",
    errno.EACCES: "give yourself the right, or choose another path",
    errno.EPERM: "give yourself the right, or choose another path",
    errno.EROFS: "choose a path on a file system that can be written",
    errno.ENOSPC: "make room there, or choose another path",
    errno.EDQUOT: "make room there, or choose another path",
    errno.ENAMETOOLONG: "choose a shorter path",
    errno.ELOOP: "look at the path: its links go round in a circle",
    errno.EMFILE: "allow more open files (`ulimit -n`)",
    errno.ENFILE: "close programs: the machine is out of open files",
}
REACH_KAFKA = "look at the broker's log; `harness doctor` tries the connection"
REACH_REGISTRY = "look at the registry's log; `harness doctor` tries the connection"


def next_step(error: OSError) -> str:
    """Return what to do about an error of the operating system: the hint of a message."""
    return _STEPS.get(error.errno or 0, "look at the path, and at the rights to it")


class ExitCode(IntEnum):
    """The exit codes of every `harness` command."""

    PASS = 0
    FINDINGS = 1
    USAGE = 2
    ENVIRONMENT = 3


@dataclass(frozen=True, slots=True, order=True)
class Location:
    """A place in a file that a person wrote; lines and columns count from 1, 0 means unknown."""

    path: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        """Render as `path:line:column`, the form that editors and terminals make clickable."""
        if not self.line:
            return self.path
        return (
            f"{self.path}:{self.line}:{self.column}" if self.column else f"{self.path}:{self.line}"
        )


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One mistake in one place, with what was expected and what to do next."""

    location: Location
    what: str
    expected: str = ""
    hint: str = ""

    def __str__(self) -> str:
        """Render the place and the mistake on one line, expectation and hint indented below."""
        lines = [f"{self.location}: {self.what}"]
        if self.expected:
            lines.append(f"    expected: {self.expected}")
        if self.hint:
            lines.append(f"    hint: {self.hint}")
        return "\n".join(lines)


class HarnessError(Exception):
    """Base of all errors that the harness raises on purpose; never raised itself."""

    exit_code: ExitCode = ExitCode.ENVIRONMENT

    def __init__(self, what: str, *, expected: str = "", hint: str = "") -> None:
        """Keep the three parts of a message apart, so that every front end can lay them out."""
        self.what = what
        self.expected = expected
        self.hint = hint
        super().__init__(what)

    def __reduce__(self) -> tuple[Any, ...]:
        """Come whole through pickle: what fails in a worker is told as what it is."""
        return _restored, (type(self), self.args, self.__dict__)

    def __str__(self) -> str:
        """Render the message, then the expectation and the hint on lines of their own."""
        lines = [self.what]
        if self.expected:
            lines.append(f"    expected: {self.expected}")
        if self.hint:
            lines.append(f"    hint: {self.hint}")
        return "\n".join(lines)


def _restored(
    kind: type[HarnessError], args: tuple[Any, ...], state: Mapping[str, Any]
) -> HarnessError:
    error = kind.__new__(kind, *args)
    error.__dict__.update(state)
    return error


class UsageError(HarnessError):
    """The command line or the configuration asks for something that cannot be."""

    exit_code = ExitCode.USAGE


class ScenarioError(HarnessError):
    """Scenario files (or their goldens and locks) are wrong; carries every problem at once."""

    exit_code = ExitCode.USAGE

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        """Take all problems that were found, in file order."""
        self.problems = problems
        super().__init__("\n".join(str(problem) for problem in problems))


class SetupError(HarnessError):
    """The environment cannot run this: no Java, no network, a port in use, a service that died."""

    exit_code = ExitCode.ENVIRONMENT


class ServiceLost(SetupError):
    """A service of the run died, or was taken away: what it was needed for can be begun again."""

    def __init__(self, service: str, what: str, *, hint: str = "") -> None:
        """Keep the service's name apart from the words."""
        self.service = service
        super().__init__(what, hint=hint)


class EncodingError(HarnessError):
    """A protocol cannot express the value or event that it was given."""

    exit_code = ExitCode.USAGE


class SourceStopped(EncodingError):
    """The vendor's own process would stop here: a changefeed in error, a connector task that fails.

    `code` is the vendor's name for it: `ErrMessageTooLarge`, `ErrAvroSchemaAPIError`, a Java
    exception's class.
    """

    def __init__(self, code: str, what: str, *, expected: str = "", hint: str = "") -> None:
        """Keep the vendor's code apart from the words."""
        self.code = code
        super().__init__(what, expected=expected, hint=hint)


class SchemaRefused(EncodingError):
    """A registry refuses a schema: not compatible with the subject's versions, or not a schema."""


class DecodingError(HarnessError):
    """Bytes that are not what the protocol allows; decoders raise this and nothing else."""

    exit_code = ExitCode.ENVIRONMENT


class HarnessBug(HarnessError):
    """We are wrong. Never a verdict about a consumer."""

    exit_code = ExitCode.ENVIRONMENT

    def __init__(self, what: str) -> None:
        """Say what was violated; the hint asks for a report."""
        super().__init__(
            what, hint="this is a defect of the harness; please report it with the log"
        )


class StepError(UsageError):
    """A step of a scenario cannot be replayed; `line` is its line in the scenario file."""

    def __init__(self, what: str, *, line: int, expected: str = "", hint: str = "") -> None:
        """Keep the line, so that the caller who knows the file can make a Problem of it."""
        self.line = line
        super().__init__(what, expected=expected, hint=hint)


@contextmanager
def replaying(line: int) -> Generator[None]:
    """Give what cannot be replayed the line of its step: a UsageError becomes a StepError."""
    try:
        yield
    except StepError:
        raise
    except UsageError as error:
        raise StepError(error.what, line=line, expected=error.expected, hint=error.hint) from error
