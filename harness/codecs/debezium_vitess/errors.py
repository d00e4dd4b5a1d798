"""How the Vitess connector fails inside its VStream, which is a gRPC call.

Source: vitess NOTES §1; grpc's `ClientCalls`.
"""

from __future__ import annotations

from harness.codecs.connect.errors import JavaError
from harness.codecs.debezium.errors import (
    DEBEZIUM_EXCEPTION,
    ConnectorFailed,
    not_restarted,
    restarted,
)

STATUS_EXCEPTION = "io.grpc.StatusRuntimeException"


def while_processing(error: JavaError) -> ConnectorFailed:
    """Wrap what was thrown inside gRPC's callback: the stream is cancelled, the task restarted."""
    return restarted(error, f"{STATUS_EXCEPTION}: CANCELLED: Failed to read message.")


def broken_stream(status: str, description: str) -> ConnectorFailed:
    """Wrap the status with which the stream broke off; every status can be retried."""
    text = f"{status}: {description}" if description else status
    return restarted(JavaError(STATUS_EXCEPTION, text))


def bad_sequence(message: str) -> ConnectorFailed:
    """Wrap a sequence of events that cannot be; it is not retried."""
    return not_restarted(JavaError(DEBEZIUM_EXCEPTION, message))
