"""Debezium for Vitess when things go wrong: repetitions, stops, rows that cannot be read."""

from __future__ import annotations

from collections.abc import Mapping

from harness.spec.clause import Clause, Row, clauses, may, must
from harness.spec.documents import VITESS

_BEHAVIOR_WHEN_THINGS_GO_WRONG: tuple[Row, ...] = (
    must("vitess.delivery.exactly-once", "While nothing fails, each change is sent once."),
    may(
        "vitess.delivery.at-least-once",
        "While it recovers from a failure the connector may send changes again, and loses none.",
    ),
    must(
        "vitess.delivery.idempotent",
        "Applying a repeated run of events again leads to the same rows.",
    ),
    may("vitess.delivery.vgtid-tells", "A consumer may tell a repetition by the event's VGTID."),
)

_CONFIGURATION_AND_STARTUP_ERRORS: tuple[Row, ...] = (
    must(
        "vitess.start.bad-config",
        "With an invalid configuration the connector does not start and says why.",
    ),
)

_ERRORS_MAX_RETIRES: tuple[Row, ...] = (
    must(
        "vitess.failure.retries",
        "An error that may pass is retried without end unless `errors.max.retries` sets one.",
    ),
)

_KAFKA_CONNECT_PROCESS_STOPS_GRACEFULLY: tuple[Row, ...] = (
    must(
        "vitess.stop.graceful",
        "A connector that was stopped in an orderly way repeats nothing that it had stored.",
    ),
)

_KAFKA_CONNECT_PROCESS_CRASHES: tuple[Row, ...] = (
    must(
        "vitess.delivery.duplicates-expected",
        "A consumer expects repetitions after a crash, as many as were sent since the last "
        "stored position.",
    ),
)

_VITESS_BECOMES_UNAVAILABLE: tuple[Row, ...] = (
    may(
        "vitess.stop.unavailable",
        "While VTGate is away the stream pauses or the connector stops, and after a restart "
        "nothing is missing.",
    ),
)

_KAFKA_BECOMES_UNAVAILABLE: tuple[Row, ...] = (
    must(
        "vitess.stop.kafka-away",
        "While Kafka is away the connector waits, and goes on where it was.",
    ),
)

_CONNECTOR_IS_STOPPED_FOR_A_DURATION: tuple[Row, ...] = (
    must(
        "vitess.stop.catches-up",
        "A connector that was stopped sends every change of the meantime once it runs again.",
    ),
)

_CONNECTOR_FAILS_BEFORE_FINISHING_THE_SNAPSHOT: tuple[Row, ...] = (
    may(
        "vitess.snapshot.broken-off",
        "After a copy that was broken off a topic may hold only some of the rows that the "
        "tables had.",
    ),
)

_INVALID_COLUMN_NAME_ERROR: tuple[Row, ...] = (
    must(
        "vitess.stop.at-column",
        "A column name that the stream lost (an `@` and a number) stops the connector; a "
        "restart mends it.",
    ),
)

_EVENT_PROCESSING_FAILURE_HANDLING_MODE: tuple[Row, ...] = (
    must(
        "vitess.failure.fail", "A row whose text cannot be parsed stops the connector by default."
    ),
    must(
        "vitess.failure.skip",
        "Under `event.processing.failure.handling.mode` warn or skip such a row is left out "
        "and the stream goes on.",
    ),
    must(
        "vitess.failure.not-covered",
        "Columns with `@` and rows with a wrong number of columns stop the connector in every "
        "failure mode.",
    ),
)

VITESS_FAILURE_CLAUSES: Mapping[str, Clause] = clauses(
    "vitess",
    {
        VITESS.section(
            "Behavior when things go wrong", "vitess-when-things-go-wrong"
        ): _BEHAVIOR_WHEN_THINGS_GO_WRONG,
        VITESS.section(
            "Configuration and startup errors", "vitess-connector-configuration-and-startup-errors"
        ): _CONFIGURATION_AND_STARTUP_ERRORS,
        VITESS.section(
            "Connector configuration properties", "vitess-property-errors-max-retires"
        ): _ERRORS_MAX_RETIRES,
        VITESS.section(
            "Kafka Connect process stops gracefully",
            "vitess-kafka-connect-process-stops-gracefully",
        ): _KAFKA_CONNECT_PROCESS_STOPS_GRACEFULLY,
        VITESS.section(
            "Kafka Connect process crashes", "vitess-kafka-connect-process-crashes"
        ): _KAFKA_CONNECT_PROCESS_CRASHES,
        VITESS.section(
            "Vitess becomes unavailable", "vitess-becomes-unavailable"
        ): _VITESS_BECOMES_UNAVAILABLE,
        VITESS.section(
            "Kafka becomes unavailable", "vitess-kafka-becomes-unavailable"
        ): _KAFKA_BECOMES_UNAVAILABLE,
        VITESS.section(
            "Connector is stopped for a duration", "vitess-connector-is-stopped-for-a-duration"
        ): _CONNECTOR_IS_STOPPED_FOR_A_DURATION,
        VITESS.section(
            "Connector fails before finishing the snapshot",
            "vitess-connector-failed-before-finishing-the-snapshot",
        ): _CONNECTOR_FAILS_BEFORE_FINISHING_THE_SNAPSHOT,
        VITESS.section(
            "Invalid column name error", "invalid-column-name-error"
        ): _INVALID_COLUMN_NAME_ERROR,
        VITESS.section(
            "Connector configuration properties",
            "vitess-property-event-processing-failure-handling-mode",
        ): _EVENT_PROCESSING_FAILURE_HANDLING_MODE,
    },
)
