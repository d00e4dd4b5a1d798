"""Debezium for Vitess and time: the precision modes, what is out of range, what zones do."""

from __future__ import annotations

from collections.abc import Mapping

from harness.spec.clause import Clause, Row, clauses, may, must
from harness.spec.documents import DEBEZIUM_CODE, VITESS, VITESS_CODE

_TEMPORAL_TYPES: tuple[Row, ...] = (
    must(
        "vitess.temporal.adaptive-time",
        "`adaptive_time_microseconds` is the default precision mode.",
    ),
    may(
        "vitess.temporal.time-range",
        "Only a TIME from 00:00:00 to before 24:00:00 is promised to be captured rightly.",
    ),
    must(
        "vitess.temporal.time-outside",
        "In modes of micro- and nanoseconds a TIME outside the day is the number all the "
        "same, negative or above 24 hours.",
    ),
    must(
        "vitess.temporal.connect.date",
        "Under `connect` DATE is int32 days, named `org.apache.kafka.connect.data.Date`.",
    ),
    must(
        "vitess.temporal.connect.time",
        "Under `connect` TIME is int32 milliseconds, named "
        "`org.apache.kafka.connect.data.Time`; the page says int64 microseconds.",
    ),
    must(
        "vitess.temporal.connect.datetime",
        "Under `connect` DATETIME is int64 milliseconds, named "
        "`org.apache.kafka.connect.data.Timestamp`.",
    ),
    must(
        "vitess.temporal.connect.truncates",
        "Under `connect` digits beyond milliseconds are cut off.",
    ),
    must(
        "vitess.temporal.connect.time-outside",
        "Under `connect` a TIME outside the day is null where the column allows it; 24:00:00 "
        "is kept.",
    ),
    must(
        "vitess.temporal.isostring",
        "Under `isostring` DATE, TIME and DATETIME are plain text as MySQL prints them, "
        "without a name.",
    ),
    must("vitess.temporal.datetime-utc", "A DATETIME is turned into a number as if it were UTC."),
    may(
        "vitess.temporal.jvm-zone",
        "In the hour that the JVM's own zone, `user.timezone`, skips in spring a DATETIME "
        "moves by an hour; the page says that the zone never matters.",
    ),
    must(
        "vitess.temporal.timestamp-modes", "No precision mode changes how a TIMESTAMP is written."
    ),
)

_TIME_PRECISION_MODE: tuple[Row, ...] = (
    must(
        "vitess.temporal.isostring-zero",
        "Under `isostring` a date without a number, such as 0000-00-00, keeps its text.",
    ),
)

_TEMPORAL_PRECISION_MODE: tuple[Row, ...] = (
    must(
        "vitess.temporal.microseconds",
        "Under `microseconds` TIME is MicroTime and DATETIME MicroTimestamp, whatever their "
        "digits.",
    ),
    must(
        "vitess.temporal.nanoseconds",
        "Under `nanoseconds` TIME is NanoTime and DATETIME NanoTimestamp, which wraps beyond "
        "292 years from 1970.",
    ),
    may(
        "vitess.temporal.adaptive",
        "`adaptive` is accepted, with milliseconds for TIME of up to three digits, though no "
        "document lists it.",
    ),
)

_VITESS_VALUE_CONVERTER: tuple[Row, ...] = (
    must(
        "vitess.temporal.zero-date",
        "A DATE with a zero month or day, and a DATETIME with both zero, is null in a "
        "nullable column and 1970-01-01 in another.",
    ),
    must(
        "vitess.temporal.partial-zero",
        "A DATETIME of which only the month or only the day is zero stops the connector.",
    ),
    must(
        "vitess.temporal.impossible-day",
        "A day that the month does not have moves a DATETIME into the next month and stops "
        "the connector in a DATE.",
    ),
    must(
        "vitess.temporal.gregorian-gap",
        "A DATETIME from the 5th to the 14th of October 1582 moves by ten days.",
    ),
    must(
        "vitess.temporal.override-nullable",
        "With `override.datetime.to.nullable` DATE and DATETIME are optional and zero dates "
        "null, but for isostring.",
    ),
)

VITESS_TEMPORAL_CLAUSES: Mapping[str, Clause] = clauses(
    "vitess",
    {
        VITESS.section("Temporal types", "vitess-temporal-types"): _TEMPORAL_TYPES,
        VITESS.section(
            "Connector configuration properties", "vitess-property-time-precision-mode"
        ): _TIME_PRECISION_MODE,
        DEBEZIUM_CODE.file("jdbc/TemporalPrecisionMode.java", 33): _TEMPORAL_PRECISION_MODE,
        VITESS_CODE.file("VitessValueConverter.java", 390): _VITESS_VALUE_CONVERTER,
    },
)
