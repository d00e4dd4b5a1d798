"""How values of single types are written: moments, members, padding."""

from __future__ import annotations

from datetime import datetime, timedelta

from harness.model.columns import ColumnKind
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.open.edits import values

FRACTIONS = (ColumnKind.DATETIME, ColumnKind.TIMESTAMP, ColumnKind.TIME)
ZEROS = (ColumnKind.DATE, ColumnKind.DATETIME, ColumnKind.TIMESTAMP)
SECONDS = "%Y-%m-%d %H:%M:%S"


def _within_a_day(text: str) -> str:
    sign, _, rest = text.rpartition("-")
    hours, _, minutes = rest.partition(":")
    return f"{'-' if '-' in text else sign}{int(hours) % 24:02d}:{minutes}"


def _trimmed(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text


def _six_digits(text: str) -> str:
    return text if "." in text else f"{text}.000000"


def _an_hour_later(text: str) -> str:
    """Return a moment in a zone one hour east of UTC; a zero date stays."""
    if "-00" in text:
        return text
    seconds, fraction = text[:19], text[19:]
    return str(datetime.strptime(seconds, SECONDS) + timedelta(hours=1)) + fraction  # noqa: DTZ007 - of the column's own zone


def _in_summer(text: str) -> str:
    return _an_hour_later(text) if "04" <= text[5:7] < "11" else text


ROWS: tuple[WrongProducer, ...] = (
    *(
        WrongProducer(
            f"open-{kind.value.lower()}-fraction-trimmed",
            "open.value.temporal-digits",
            f"It cuts trailing zeros off the fraction of a second of {kind.value.upper()}.",
            values(kind, _trimmed),
        )
        for kind in FRACTIONS
    ),
    *(
        WrongProducer(
            f"open-{kind.value.lower()}-fraction-undeclared",
            "open.value.temporal-digits",
            f"It writes six digits for a {kind.value.upper()} that declares none.",
            values(kind, _six_digits),
        )
        for kind in FRACTIONS
    ),
    *(
        WrongProducer(
            f"open-zero-{kind.value.lower()}-as-empty-text",
            "open.value.zero-date",
            f"It sends a {kind.value.upper()} of zeros as an empty text.",
            values(kind, lambda text: "" if "-00" in text else text),
        )
        for kind in ZEROS
    ),
    WrongProducer(
        "open-time-within-a-day",
        "open.value.time-range",
        "It counts a TIME within one day.",
        values(ColumnKind.TIME, _within_a_day),
    ),
    WrongProducer(
        "open-timestamp-in-another-zone",
        "open.value.timestamp-zone",
        "It writes a TIMESTAMP in a zone one hour east of the server's.",
        values(ColumnKind.TIMESTAMP, _an_hour_later),
    ),
    WrongProducer(
        "open-timestamp-in-summer-time",
        "open.value.timestamp-zone",
        "It writes a TIMESTAMP from April to October an hour later, whatever the zone does.",
        values(ColumnKind.TIMESTAMP, _in_summer),
    ),
    WrongProducer(
        "open-timestamp-with-a-zone",
        "open.value.timestamp-zone",
        "It names the zone behind a TIMESTAMP.",
        values(ColumnKind.TIMESTAMP, lambda text: f"{text}+00:00"),
    ),
    WrongProducer(
        "open-datetime-converted",
        "open.value.timestamp-zone",
        "It converts a DATETIME to a zone one hour east.",
        values(ColumnKind.DATETIME, _an_hour_later),
    ),
    WrongProducer(
        "open-enum-invalid-as-its-first",
        "open.value.enum-invalid",
        "It sends the invalid member of an ENUM as its first.",
        values(ColumnKind.ENUM, lambda text: text if text != "0" else "1"),
    ),
    WrongProducer(
        "open-char-padded",
        "open.value.char-trimmed",
        "It pads CHAR with a blank.",
        values(ColumnKind.CHAR, lambda text: f"{text} "),
    ),
    WrongProducer(
        "open-binary-trimmed",
        "open.value.char-trimmed",
        "It cuts zero bytes off the end of BINARY.",
        values(ColumnKind.BINARY, lambda text: text.removesuffix(r"\\x00")),
    ),
)
