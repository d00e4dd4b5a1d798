"""DATE, TIME, DATETIME and TIMESTAMP, and the precision modes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date, datetime, timedelta
from functools import partial
from typing import Any, Final

from harness.codecs.connect.schema import UNSET
from harness.codecs.debezium.columns import ColumnType, Conversion
from harness.model.columns import ColumnKind
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.mysql.edits import (
    CODEC,
    cells,
    conversions,
    kind_of,
    of,
    read_as,
    row,
)
from harness.mutants.producers.patch import Patch, patch

MOMENTS: Final = f"{CODEC}.moments"
HOUR: Final = 3600
MICROSECOND: Final = timedelta(microseconds=1)
LONGEST: Final = (1 << 63) - 1
UNITED: Final = frozenset({"microseconds", "nanoseconds"})  # modes of one unit for all columns
EPOCH: Final = "1970-01-01T00:00:00Z"
DEFAULT: Final = "adaptive_time_microseconds"
# Milliseconds, microseconds or nanoseconds, by what ends the name of a schema.
UNITS: Final = {"MicroTimestamp": 10**6, "NanoTimestamp": 10**9}


def _modes() -> Iterator[WrongProducer]:
    for value, other, clauses in (
        (DEFAULT, "connect", ("date", "datetime")),
        (DEFAULT, "nanoseconds", ("time",)),
        (DEFAULT, "microseconds", ("datetime",)),
        ("connect", DEFAULT, ("date", "time", "datetime")),
        ("microseconds", DEFAULT, ("",)),
        ("microseconds", "nanoseconds", ("time",)),
        ("nanoseconds", "microseconds", ("",)),
        ("nanoseconds", DEFAULT, ("time", "datetime")),
    ):
        for kind in clauses:
            clause = f"temporal.{value}.{kind}" if kind else f"temporal.{value}"
            clause = f"type.{kind}" if value == DEFAULT else clause
            clause = f"temporal.{value}" if value in UNITED else clause
            yield row(
                f"{value}-read-as-{other}{'-of-' if kind else ''}{kind}".replace("_", "-"),
                clause,
                f"It takes time.precision.mode {value} for {other}.",
                _mode_of(kind, value, other) if kind else read_as("time", value, other),
            )


def _mode_of(kind: str, value: str, other: str) -> Patch:
    """Return the patch by which one kind of column takes one mode for another."""

    def changed(original: Callable[..., Any]) -> Callable[..., Any]:
        def conversion(column: ColumnType, found: Any) -> Any:  # noqa: ANN401 see patch
            wrong = found.time == value and kind_of(column) is ColumnKind(kind)
            return original(column, replace(found, time=other) if wrong else found)

        return conversion

    return patch(f"{CODEC}.values:conversion", changed)


def _an_hour_later(found: Conversion) -> Conversion:
    """Return the conversion of a DATETIME by a zone that is an hour behind UTC."""
    name = (found.schema.name or "").rpartition(".")[2]
    step, read = HOUR * UNITS.get(name, 1000), found.parse

    def later(cell: Any) -> Any:  # noqa: ANN401 a number or null
        value = read(cell)
        return value if value is None else value + step

    return replace(found, parse=later)


def _hour_behind(text: str | None) -> str | None:
    """Return a TIMESTAMP's text as a clock an hour behind UTC has it, with the Z of UTC."""
    if text is None:
        return None
    moment = datetime.fromisoformat(text.removesuffix("Z")) - timedelta(hours=1)
    return moment.isoformat()[:19] + text[19:]


def _six_digits(text: str | None) -> str | None:
    if text is None:
        return None
    whole, _, fraction = text.removesuffix("Z").partition(".")
    return f"{whole}.{fraction:0<6}Z"


def _never_null(original: Callable[..., Any]) -> Callable[..., Any]:
    """Read a zero date as a column does that may not be null."""
    return lambda *given, **_: original(*given, optional=False)


def _zero_kept(original: Callable[[str], str]) -> Callable[[str], str]:
    """Write a zero TIMESTAMP as its own text."""
    return lambda value: (
        f"{value[:10]}T{value[11:]}Z" if value.startswith("0000-00-00") else original(value)
    )


def _zero_null(found: Conversion) -> Conversion:
    """Write a zero TIMESTAMP as NULL where it may be, as the page has it."""
    read = found.parse
    if not found.schema.optional:
        return found
    return replace(found, parse=lambda cell: None if cell.startswith("0000-") else read(cell))


def _zero_whole(original: Callable[[str], str]) -> Callable[[str], str]:
    """Write a zero TIMESTAMP without the digits of its column."""
    return lambda value: EPOCH if value.startswith("0000-00-00") else original(value)


def _clamped(found: Conversion, sign: int) -> Conversion:
    """Write the greatest (1) or least (-1) number of nanoseconds for a moment that has more."""
    if not (found.schema.name or "").endswith("NanoTimestamp"):
        return found
    read = found.parse

    def within(cell: Any) -> Any:  # noqa: ANN401 a number or null
        if read(cell) is None:
            return None
        nanos = (datetime.fromisoformat(cell) - datetime(1970, 1, 1)) // MICROSECOND * 1000  # noqa: DTZ001 - a moment without a zone
        return sign * LONGEST if sign * nanos > LONGEST else read(cell)

    return replace(found, parse=within)


def _never_defaulted(original: Callable[..., Any]) -> Callable[..., Any]:
    """Take the first moment of 1970 for a zero date whose column has a default."""
    return lambda read, _, cell: original(read, 0, cell)


def _without_name(found: Conversion) -> Conversion:
    """Return the conversion without the name that the mode `connect` gives its schema."""
    if not (found.schema.name or "").startswith("org.apache.kafka.connect.data."):
        return found
    return replace(found, schema=replace(found.schema, name=None))


def _by_another_unit(
    change: Callable[[int], int], begin: str = "org.apache.kafka.connect.data."
) -> Callable[[Conversion], Conversion]:
    """Return how a number under names that begin so becomes one of another unit."""

    def changed(found: Conversion) -> Conversion:
        if not (found.schema.name or "").startswith(begin):
            return found
        read = found.convert or found.parse

        def other(cell: Any) -> int | None:  # noqa: ANN401 a cell of any kind
            number = read(cell)
            return None if number is None else change(number)

        return replace(found, convert=other) if found.convert else replace(found, parse=other)

    return changed


def _another_clock(found: Conversion) -> Conversion:
    if found.schema.default is UNSET:
        return found
    return replace(found, schema=replace(found.schema, default="2000-01-01T00:00:00Z"))


def _clock_of_all(found: Conversion) -> Conversion:
    """Return the conversion with the clock's default also where NULL may be."""
    if found.schema.default is not UNSET:
        return found
    return replace(found, schema=replace(found.schema, default=EPOCH))


def _without_default(found: Conversion) -> Conversion:
    return replace(found, schema=replace(found.schema, default=UNSET))


def _zeros_kept(original: Callable[[str], int | None]) -> Callable[[str], int | None]:
    """Take a zero date for the day before 1970, which no zero one becomes."""
    return lambda value: -1 if value.startswith("0000-00-00") else original(value)


def _first(part: slice) -> Callable[..., Callable[[str], int | None]]:
    """Take a zero month or day of a date that has another for the first."""

    def changed(original: Callable[[str], int | None]) -> Callable[[str], int | None]:
        def days(value: str) -> int | None:
            alone = value[part] == "00" and value[5:10] != "00-00"
            return original(f"{value[: part.start]}01{value[part.stop :]}" if alone else value)

        return days

    return changed


def _year_zero_kept(original: Callable[[str], int | None]) -> Callable[[str], int | None]:
    """Take the year 0 for 2000, as the other years below 100."""

    def days(value: str) -> int | None:
        kept = value.startswith("0000-") and not value.startswith("0000-00-00")
        return original(f"2000{value[4:]}" if kept else value)

    return days


def _years_kept(original: Callable[[str], int | None]) -> Callable[[str], int | None]:
    """Take years below 100 for those of the century before."""

    def days(value: str) -> int | None:
        year, rest = value[:4], value[4:]
        return original(f"19{year[2:]}{rest}" if 0 < int(year) < 100 else value)

    return days


def _late_years_late(original: Callable[[str], int | None]) -> Callable[[str], int | None]:
    """Take the years from 70 to 99 for those of this century."""

    def days(value: str) -> int | None:
        late = 70 <= int(value[:4]) < 100
        return original(f"20{value[2:]}" if late else value)

    return days


def _late_years_kept(original: Callable[[str], int | None]) -> Callable[[str], int | None]:
    """Take the years from 70 to 99 for what they say."""

    def days(value: str) -> int | None:
        year = int(value[:4])
        if not 70 <= year < 100:
            return original(value)
        return date.fromisoformat(value).toordinal() - date(1970, 1, 1).toordinal()

    return days


def _of_a_century(original: Callable[..., int | None]) -> Callable[..., int | None]:
    """Take years below 100 for those of the century before, in values of one type."""

    def read(convert: Callable[..., int], value: str, *, optional: bool) -> int | None:
        low = 0 < int(value[:4]) < 100
        return original(convert, f"19{value[2:]}" if low else value, optional=optional)

    return read


ROWS: Final = (
    *_modes(),
    row(
        "date-in-weeks",
        "type.date",
        "It writes DATE in weeks.",
        cells(of(ColumnKind.DATE), lambda days: days and days // 7),
    ),
    *(
        row(
            f"{name.lower()}-in-{unit}",
            f"type.{kind.value}",
            f"It writes {kind.value.upper()} in {unit} under `{name}`.",
            conversions(of(kind), _by_another_unit(change, f"io.debezium.time.{name}")),
        )
        for kind, name, unit, change in (
            (ColumnKind.TIME, "MicroTime", "milliseconds", lambda micros: micros // 1000),
            (ColumnKind.DATETIME, "Timestamp", "seconds", lambda ms: ms // 1000),
            (ColumnKind.DATETIME, "MicroTimestamp", "milliseconds", lambda micros: micros // 1000),
        )
    ),
    row(
        "datetime-of-another-zone",
        "temporal.datetime-utc",
        "It reads a DATETIME in a zone that is an hour behind UTC.",
        conversions(of(ColumnKind.DATETIME), _an_hour_later),
    ),
    row(
        "timestamp-without-a-zone",
        "temporal.timestamp-utc",
        "It writes a TIMESTAMP without the Z of UTC.",
        cells(of(ColumnKind.TIMESTAMP), lambda text: text and text.removesuffix("Z")),
        also="type.timestamp",
    ),
    row(
        "timestamp-behind-utc",
        "temporal.timestamp-utc",
        "It writes a TIMESTAMP as a clock an hour behind UTC has it.",
        cells(of(ColumnKind.TIMESTAMP), _hour_behind),
        also="type.timestamp",
    ),
    row(
        "timestamp-of-six-digits",
        "type.timestamp",
        "It writes TIMESTAMP with six digits of a second, whatever its column has.",
        cells(of(ColumnKind.TIMESTAMP), _six_digits),
    ),
    *(
        row(
            f"zero-{word}-never-null",
            "temporal.zero-date",
            f"It writes 1970 for a zero {word.upper()} in a column that may be NULL.",
            patch(f"{MOMENTS}:{name}", _never_null),
        )
        for word, name in (("date", "date"), ("datetime", "moment"))
    ),
    row(
        "zero-dates-without-their-default",
        "temporal.zero-date",
        "It writes 1970 for a zero date of a column that is never NULL and has a default.",
        patch(f"{CODEC}.values:_or_default", _never_defaulted),
    ),
    *(
        row(
            f"zero-timestamps-{word}",
            "temporal.zero-timestamp",
            what,
            patch(f"{MOMENTS}:zoned", how),
        )
        for word, what, how in (
            ("kept", "It writes a zero TIMESTAMP as its text.", _zero_kept),
            ("whole", "It writes a zero TIMESTAMP without a fraction.", _zero_whole),
        )
    ),
    row(
        "zero-timestamps-null",
        "temporal.zero-timestamp",
        "It writes NULL for a zero TIMESTAMP where it may.",
        conversions(of(ColumnKind.TIMESTAMP), _zero_null),
    ),
    row(
        "no-default-for-the-clock",
        "temporal.default-clock",
        "It leaves out the default of a TIMESTAMP that is the clock's.",
        conversions(of(ColumnKind.TIMESTAMP), _without_default),
    ),
    row(
        "clock-of-nullable-columns",
        "temporal.default-clock",
        "It writes the first moment of 1970 for the default of a TIMESTAMP that may be NULL.",
        conversions(of(ColumnKind.TIMESTAMP), _clock_of_all),
    ),
    row(
        "clock-of-2000",
        "temporal.default-clock",
        "It writes the first moment of 2000 for the default of a TIMESTAMP that is the clock's.",
        conversions(of(ColumnKind.TIMESTAMP), _another_clock),
    ),
    *(
        row(
            f"connect-{kind.value}-without-a-name",
            f"temporal.connect.{kind.value}",
            f"It gives the schema of {kind.value.upper()} no name under connect.",
            conversions(of(kind), _without_name),
        )
        for kind in (ColumnKind.DATE, ColumnKind.TIME, ColumnKind.DATETIME)
    ),
    *(
        row(
            f"connect-{kind.value}-in-{unit}",
            f"temporal.connect.{kind.value}",
            f"It writes {kind.value.upper()} in {unit} under connect.",
            conversions(of(kind), _by_another_unit(change)),
        )
        for kind, unit, change in (
            (ColumnKind.DATE, "hours", lambda days: days * 24),
            (ColumnKind.TIME, "seconds", lambda ms: ms // 1000),
            (ColumnKind.DATETIME, "seconds", lambda ms: ms // 1000),
        )
    ),
    row(
        "zero-dates-as-a-day",
        "temporal.zero-date",
        "It writes a zero date as the day before 1970.",
        patch(f"{MOMENTS}:_days", _zeros_kept),
    ),
    *(
        row(
            f"zero-{word}-as-the-first",
            "temporal.partial-zero",
            f"It takes a zero {word} for the first.",
            patch(f"{MOMENTS}:_days", _first(part)),
        )
        for word, part in (("month", slice(5, 7)), ("day", slice(8, 10)))
    ),
    *(
        row(
            f"nanoseconds-clamped{end}",
            "temporal.nanoseconds",
            f"It writes the {most} number for a DATETIME {behind} all that there can be.",
            conversions(of(ColumnKind.DATETIME), partial(_clamped, sign=sign)),
        )
        for end, most, behind, sign in (
            ("", "greatest", "behind", 1),
            ("-at-their-begin", "least", "before", -1),
        )
    ),
    row(
        "year-zero-as-two-digits",
        "temporal.year-zero",
        "It takes the year 0 for 2000.",
        patch(f"{MOMENTS}:_days", _year_zero_kept),
    ),
    row(
        "two-digit-years-of-a-century",
        "temporal.two-digit-year",
        "It takes years below 100 for those of the twentieth century.",
        patch(f"{MOMENTS}:_days", _years_kept),
    ),
    row(
        "two-digit-years-of-this-century",
        "temporal.two-digit-year",
        "It takes the years from 70 to 99 for those from 2070 to 2099.",
        patch(f"{MOMENTS}:_days", _late_years_late),
    ),
    row(
        "two-digit-years-from-70-kept",
        "temporal.two-digit-year",
        "It leaves the years from 70 to 99 as they are.",
        patch(f"{MOMENTS}:_days", _late_years_kept),
    ),
    *(
        row(
            f"two-digit-years-of-a-{word}",
            "temporal.two-digit-year",
            f"It takes years below 100 of a {word.upper()} for those of the twentieth century.",
            patch(f"{MOMENTS}:{name}", _of_a_century),
        )
        for word, name in (("date", "date"), ("datetime", "moment"))
    ),
)
