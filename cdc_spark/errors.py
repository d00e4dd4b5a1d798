"""The errors that this package raises on purpose; each knows its exit code.

A message says what is wrong, what was expected and the next step.
"""

from __future__ import annotations

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
