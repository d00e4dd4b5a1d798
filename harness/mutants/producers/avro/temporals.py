"""Dates and times: their digits, their zones, their forms, kind by kind."""

from __future__ import annotations

import re

from harness.model.columns import ColumnKind
from harness.mutants.producers.avro.edits import values
from harness.mutants.producers.avro.types import of
from harness.mutants.producers.mutant import WrongProducer

FRACTIONS = (ColumnKind.DATETIME, ColumnKind.TIMESTAMP, ColumnKind.TIME)
MOMENTS = (ColumnKind.DATETIME, ColumnKind.TIMESTAMP)
ZEROS = (ColumnKind.DATE, *MOMENTS)


def trailing_zeros_cut(text: str) -> str:
    """Return a number or a moment without zeros at the end of its fraction."""
    return text.rstrip("0").rstrip(".") if "." in text else text


def _six_digits(text: str) -> str:
    return text if "." in text else f"{text}.000000"


def _an_hour_later(text: str) -> str:
    return f"{text[:11]}{(int(text[11:13]) + 1) % 24:02}{text[13:]}"


def _in_summer(text: str) -> str:
    return _an_hour_later(text) if "04" <= text[5:7] < "11" else text


def _as_time_of_day(text: str) -> str:
    hours, rest = text.lstrip("-").split(":", 1)
    return f"{int(hours) % 24:02}:{rest}"


def _one_digit_hours(text: str) -> str:
    return re.sub(r"\A(-?)0(\d:)", r"\1\2", text)


DIGITS: tuple[WrongProducer, ...] = (
    *(
        WrongProducer(
            f"avro-{kind.value}-fraction-trimmed",
            "avro.value.temporal-digits",
            f"It cuts trailing zeros off the fraction of a second of {kind.value.upper()}.",
            values(of(kind), trailing_zeros_cut),
        )
        for kind in FRACTIONS
    ),
    *(
        WrongProducer(
            f"avro-{kind.value}-fraction-undeclared",
            "avro.value.temporal-digits",
            f"It writes six digits for a {kind.value.upper()} that declares none.",
            values(of(kind), _six_digits),
        )
        for kind in FRACTIONS
    ),
    *(
        WrongProducer(
            f"avro-zero-{kind.value}-is-1970",
            "avro.value.zero-date",
            f"It writes a {kind.value.upper()} of zeros as the first day of 1970.",
            values(of(kind), lambda text: text.replace("0000-00-00", "1970-01-01")),
        )
        for kind in ZEROS
    ),
    *(
        WrongProducer(
            f"avro-zero-{kind.value}-without-its-time",
            "avro.value.zero-date",
            f"It writes a {kind.value.upper()} of zeros as a day without a time.",
            values(of(kind), lambda text: text[:10] if text.startswith("0000-00-00") else text),
        )
        for kind in MOMENTS
    ),
)

FORMS: tuple[WrongProducer, ...] = (
    WrongProducer(
        "avro-date-without-dashes",
        "avro.type.date",
        "It writes a DATE as eight digits.",
        values(of(ColumnKind.DATE), lambda text: text.replace("-", "")),
    ),
    *(
        WrongProducer(
            f"avro-{kind.value}-with-a-t",
            f"avro.type.{kind.value}",
            f"It writes T between the day and the time of a {kind.value.upper()}, as ISO 8601.",
            values(of(kind), lambda text: text.replace(" ", "T")),
        )
        for kind in MOMENTS
    ),
    WrongProducer(
        "avro-time-with-one-digit",
        "avro.type.time",
        "It writes hours below ten of a TIME with one digit.",
        values(of(ColumnKind.TIME), _one_digit_hours),
    ),
    WrongProducer(
        "avro-time-of-day",
        "avro.value.time-range",
        "It takes TIME for a time of day.",
        values(of(ColumnKind.TIME), _as_time_of_day),
    ),
)

ZONES: tuple[WrongProducer, ...] = (
    WrongProducer(
        "avro-timestamp-in-another-zone",
        "avro.value.timestamp-zone",
        "It writes a TIMESTAMP an hour later than it is in the server's zone.",
        values(of(ColumnKind.TIMESTAMP), _an_hour_later),
    ),
    WrongProducer(
        "avro-timestamp-in-summer-time",
        "avro.value.timestamp-zone",
        "It writes a TIMESTAMP from April to October an hour later, whatever the zone does.",
        values(of(ColumnKind.TIMESTAMP), _in_summer),
    ),
    WrongProducer(
        "avro-timestamp-with-a-zone",
        "avro.value.timestamp-zone",
        "It names the zone behind a TIMESTAMP.",
        values(of(ColumnKind.TIMESTAMP), lambda text: f"{text}+00:00"),
    ),
    WrongProducer(
        "avro-datetime-in-another-zone",
        "avro.value.timestamp-zone",
        "It converts a DATETIME to a zone an hour east.",
        values(of(ColumnKind.DATETIME), _an_hour_later),
    ),
)

ROWS: tuple[WrongProducer, ...] = (*DIGITS, *FORMS, *ZONES)
