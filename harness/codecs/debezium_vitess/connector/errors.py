"""How the connector fails: Java exceptions, and the chain that Connect is shown.

Source: vitess NOTES §1; debezium-core ErrorHandler, grpc's ClientCalls.
"""

from __future__ import annotations

from harness.errors import SourceStopped

CONNECT_EXCEPTION = "org.apache.kafka.connect.errors.ConnectException"
RETRIABLE_EXCEPTION = "org.apache.kafka.connect.errors.RetriableException"
DATA_EXCEPTION = "org.apache.kafka.connect.errors.DataException"
SCHEMA_BUILDER_EXCEPTION = "org.apache.kafka.connect.errors.SchemaBuilderException"
DEBEZIUM_EXCEPTION = "io.debezium.DebeziumException"
STATUS_EXCEPTION = "io.grpc.StatusRuntimeException"
NUMBER_FORMAT = "java.lang.NumberFormatException"
ILLEGAL_ARGUMENT = "java.lang.IllegalArgumentException"
ILLEGAL_STATE = "java.lang.IllegalStateException"
NULL_POINTER = "java.lang.NullPointerException"
OUT_OF_BOUNDS = "java.lang.ArrayIndexOutOfBoundsException"
ARITHMETIC = "java.lang.ArithmeticException"
RUNTIME = "java.lang.RuntimeException"
NO_ALGORITHM = "java.security.NoSuchAlgorithmException"
DATE_TIME = "java.time.DateTimeException"

_PRODUCER = "An exception occurred in the change event producer. This connector will be "


class JavaError(SourceStopped):
    """One Java exception with its cause, before anybody wraps it."""

    def __init__(self, code: str, what: str, cause: JavaError | None = None) -> None:
        """Keep the cause, as Java's exceptions do."""
        self.cause = cause
        super().__init__(code, what)

    def chain(self) -> tuple[str, ...]:
        """Return this exception and its causes, outermost first."""
        line = f"{self.code}: {self.what}"
        return (line,) if self.cause is None else (line, *self.cause.chain())

    def innermost(self) -> JavaError:
        """Return the cause that started it."""
        return self if self.cause is None else self.cause.innermost()


class ConnectorFailed(SourceStopped):
    """The task stops: `code` and `what` are the innermost exception's, `chain` what Connect shows.

    `retriable` tells whether Connect would start the task again by itself.
    """

    def __init__(self, chain: tuple[str, ...], innermost: JavaError, *, retriable: bool) -> None:
        """Keep the whole chain, outermost first."""
        self.chain = chain
        self.retriable = retriable
        super().__init__(innermost.code, innermost.what)


def while_processing(error: JavaError) -> ConnectorFailed:
    """Wrap what was thrown inside gRPC's callback: the stream is cancelled, the task restarted."""
    outer = (
        f"{RETRIABLE_EXCEPTION}: {_PRODUCER}restarted.",
        f"{STATUS_EXCEPTION}: CANCELLED: Failed to read message.",
    )
    return ConnectorFailed((*outer, *error.chain()), error.innermost(), retriable=True)


def broken_stream(status: str, description: str) -> ConnectorFailed:
    """Wrap the status with which the stream broke off; every status can be retried."""
    text = f"{status}: {description}" if description else status
    error = JavaError(STATUS_EXCEPTION, text)
    outer = f"{RETRIABLE_EXCEPTION}: {_PRODUCER}restarted."
    return ConnectorFailed((outer, *error.chain()), error, retriable=True)


def bad_sequence(message: str) -> ConnectorFailed:
    """Wrap a sequence of events that cannot be; it is not retried."""
    error = JavaError(DEBEZIUM_EXCEPTION, message)
    outer = f"{CONNECT_EXCEPTION}: {_PRODUCER}stopped."
    return ConnectorFailed((outer, *error.chain()), error, retriable=False)


def at_start(error: JavaError) -> ConnectorFailed:
    """Wrap what was thrown while the task started: nothing is put around it."""
    return ConnectorFailed(error.chain(), error.innermost(), retriable=False)
