"""How a Debezium connector fails: the chain of exceptions that Connect is shown.

Source: debezium-core `ErrorHandler`.
"""

from __future__ import annotations

from harness.codecs.connect.errors import (
    CONNECT_EXCEPTION,
    RETRIABLE_EXCEPTION,
    JavaError,
)
from harness.errors import SourceStopped

DEBEZIUM_EXCEPTION = "io.debezium.DebeziumException"

_PRODUCER = "An exception occurred in the change event producer. This connector will be "


class ConnectorFailed(SourceStopped):
    """The task stops: `code` and `what` are the innermost exception's, `chain` what Connect shows.

    `retriable` says whether Connect would start the task again by itself.
    """

    def __init__(self, chain: tuple[str, ...], innermost: JavaError, *, retriable: bool) -> None:
        """Keep the whole chain, outermost first."""
        self.chain = chain
        self.retriable = retriable
        super().__init__(innermost.code, innermost.what)


def at_start(error: JavaError) -> ConnectorFailed:
    """Return the failure for an exception while the task starts: nothing wraps it."""
    return ConnectorFailed(error.chain(), error.innermost(), retriable=False)


def restarted(error: JavaError, *wrappers: str) -> ConnectorFailed:
    """Return the failure for an exception that can be retried; `wrappers` stand around it."""
    outer = f"{RETRIABLE_EXCEPTION}: {_PRODUCER}restarted."
    return ConnectorFailed((outer, *wrappers, *error.chain()), error.innermost(), retriable=True)


def not_restarted(error: JavaError) -> ConnectorFailed:
    """Return the failure for an exception that is not retried."""
    outer = f"{CONNECT_EXCEPTION}: {_PRODUCER}stopped."
    return ConnectorFailed((outer, *error.chain()), error.innermost(), retriable=False)
