"""How a Connect task stops: a Java exception's class, its message, and its causes."""

from __future__ import annotations

from harness.errors import SourceStopped

CONFIG_EXCEPTION = "org.apache.kafka.common.config.ConfigException"
CONNECT_EXCEPTION = "org.apache.kafka.connect.errors.ConnectException"
RETRIABLE_EXCEPTION = "org.apache.kafka.connect.errors.RetriableException"
DATA_EXCEPTION = "org.apache.kafka.connect.errors.DataException"
SCHEMA_BUILDER_EXCEPTION = "org.apache.kafka.connect.errors.SchemaBuilderException"
SCHEMA_PARSE_EXCEPTION = "org.apache.avro.SchemaParseException"
ARITHMETIC = "java.lang.ArithmeticException"
DATE_TIME = "java.time.DateTimeException"
ILLEGAL_ARGUMENT = "java.lang.IllegalArgumentException"
ILLEGAL_STATE = "java.lang.IllegalStateException"
INVALID_TOPIC = "org.apache.kafka.common.errors.InvalidTopicException"
NO_ALGORITHM = "java.security.NoSuchAlgorithmException"
NO_SUCH_GROUP = "java.lang.IndexOutOfBoundsException"
NULL_POINTER = "java.lang.NullPointerException"
NUMBER_FORMAT = "java.lang.NumberFormatException"
OUT_OF_BOUNDS = "java.lang.ArrayIndexOutOfBoundsException"
RUNTIME = "java.lang.RuntimeException"


class JavaError(SourceStopped):
    """One Java exception with its cause, before the framework wraps it."""

    def __init__(self, code: str, what: str, cause: JavaError | None = None) -> None:
        """Keep the cause, as Java's exceptions do."""
        self.cause = cause
        super().__init__(code, what)

    def chain(self) -> tuple[str, ...]:
        """Return this exception and its causes, outermost first."""
        line = java_text(self)
        return (line,) if self.cause is None else (line, *self.cause.chain())

    def innermost(self) -> JavaError:
        """Return the cause that started it."""
        return self if self.cause is None else self.cause.innermost()


def stopped(exception: str, message: str, hint: str = "") -> SourceStopped:
    """Return the stop of a task by an exception, as the worker's log names it."""
    return SourceStopped(exception, message, hint=hint)


def null_pointer(call: str, reason: str) -> SourceStopped:
    """Return a NullPointerException with the message of JDK 17."""
    return stopped(NULL_POINTER, f'Cannot invoke "{call}" because {reason} is null')


def java_text(stop: SourceStopped) -> str:
    """Return an exception as Java prints it: its class, a colon, its message."""
    return f"{stop.code}: {stop.what}"
