"""The errors that this package raises on purpose; each knows its exit code.

A message says what is wrong, what was expected and the next step.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

USAGE, ENVIRONMENT = 2, 3


class CdcSparkError(Exception):
    """Base of all errors of this package; never raised itself."""

    exit_code: int = ENVIRONMENT

    def __init__(self, what: str, *, expected: str = "", hint: str = "") -> None:
        """Keep the three parts of a message apart."""
        self.what = what
        self.expected = expected
        self.hint = hint
        super().__init__(what)

    def __str__(self) -> str:
        """Render the message, then the expectation and the hint on lines of their own."""
        lines = [self.what]
        if self.expected:
            lines.append(f"    expected: {self.expected}")
        if self.hint:
            lines.append(f"    hint: {self.hint}")
        return "\n".join(lines)


class UsageError(CdcSparkError):
    """An argument, a variable of the environment or job.json asks for something that cannot be."""

    exit_code = USAGE


class SetupError(CdcSparkError):
    """The environment cannot run this: no Java, no Kafka, a jar that is missing."""


class DecodingError(CdcSparkError):
    """Bytes that are not what the protocol allows; decoders raise this and nothing else."""


class InternalError(CdcSparkError):
    """The package is wrong; the hint asks for a report."""

    def __init__(self, what: str) -> None:
        """Say what failed."""
        super().__init__(what, hint="this is a defect of cdc_spark; please report it with the log")


class PoisonError(DecodingError):
    """A message that cannot be read stops the query; nothing was committed past it."""


class StatementError(DecodingError):
    """A DDL statement whose effect on the rows is unknown stops the query, in the same way."""


class GrowthError(UsageError):
    """A topic that the changefeed does not declare, or a partition that joined too late."""


class ForeignTablesError(SetupError):
    """The tables were written by another checkpoint, an older copy of it, or another query."""


class LostTablesError(SetupError):
    """Tables, their ledger or the state lack changes that the others have."""


class StateFormatError(SetupError):
    """The checkpoint was written by another version of this package, which kept another state."""


class RegistryAwayError(SetupError):
    """The schema registry does not answer; the message is read again when the query restarts."""


def error_of(failure: BaseException) -> CdcSparkError | None:
    """Return the error of this package inside a failure of a query; None where it is another.

    Errors arise on executors and in micro-batches; PySpark raises its own, with our text in it.
    """
    if isinstance(failure, CdcSparkError):
        return failure
    text = str(failure)
    found = _RAISED.search(text)
    if found is None:
        return state_format_error("its state has other columns") if _OTHER.search(text) else None
    what, *rest = found[2].splitlines()
    parts = dict(line.strip().split(": ", 1) for line in rest)
    made = {one.__name__: one for one in _kinds(CdcSparkError)}.get(found[1])
    if made is None or made is InternalError:
        return None
    return made(what.strip(), expected=parts.get("expected", ""), hint=parts.get("hint", ""))


def state_format_error(
    found: str, expected: str = "the state that this version keeps"
) -> StateFormatError:
    """Return the error of a checkpoint whose state is of another version."""
    return StateFormatError(
        f"the checkpoint was written by another version of cdc_spark: {found}",
        expected=f"a checkpoint of this version: {expected}",
        hint="go on with the version that wrote it, or begin with a new checkpoint and a new root,"
        " from the earliest offset that still has all rows; nothing was written",
    )


def _kinds(base: type[CdcSparkError]) -> Iterator[type[CdcSparkError]]:
    for kind in base.__subclasses__():
        yield kind
        yield from _kinds(kind)


# How Python writes an exception, and how ours writes its three parts.
_RAISED = re.compile(r"cdc_spark\.errors\.(\w+): (.*(?:\n {4}(?:expected|hint): .*)*)")
# How Spark refuses a state of other columns, before any function of ours sees it.
_OTHER = re.compile(
    r"STATE_STORE_\w*SCHEMA_NOT_COMPATIBLE|schema doesn't match to the schema for existing state"
)
