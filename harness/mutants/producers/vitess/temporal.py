"""Dates and times: what each precision mode makes of them, and what no calendar has."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Any, Final

from harness.codecs.connect import java_calendar
from harness.codecs.connect.errors import JavaError
from harness.codecs.debezium import temporal
from harness.codecs.debezium.columns import ColumnType, Conversion
from harness.codecs.debezium.schemas import STRING
from harness.codecs.debezium.temporal import DAY_SECONDS, NANOS, TemporalType
from harness.codecs.debezium_vitess.temporal import moment
from harness.codecs.debezium_vitess.values import ValueModes
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.patch import Patch, entry, patch
from harness.mutants.producers.vitess.columns import (
    CONVERSION,
    by_mode,
    default,
    modes,
    read_as,
    replaced,
)
from harness.mutants.producers.vitess.isostring import of

MODES: Final = "harness.codecs.debezium.temporal:MODES"
TEMPORAL: Final = "harness.codecs.debezium.temporal"
TEXTS: Final = "harness.codecs.debezium_vitess.temporal"
CALENDAR: Final = "harness.codecs.connect.java_calendar"
DAY: Final = DAY_SECONDS * NANOS
# What a mode has: its field, the clause, the type that a careless table has in its place.
_MADE: Final = (
    ("connect", "date", "vitess.temporal.connect.date", temporal.DATE),
    ("connect", "times", "vitess.temporal.connect.time", temporal.MICRO_TIME),
    ("connect", "datetimes", "vitess.temporal.connect.datetime", temporal.MICRO_TIMESTAMP),
    ("microseconds", "times", "vitess.temporal.microseconds", temporal.TIME),
    ("microseconds", "datetimes", "vitess.temporal.microseconds", temporal.TIMESTAMP),
    ("nanoseconds", "times", "vitess.temporal.nanoseconds", temporal.MICRO_TIME),
    ("nanoseconds", "datetimes", "vitess.temporal.nanoseconds", temporal.MICRO_TIMESTAMP),
)
ISO: Final = temporal.ISOSTRING
# The values of time.precision.mode -> a clause of each.
MODE_CLAUSES: Final = MappingProxyType(
    {
        "adaptive": "vitess.temporal.adaptive",
        "adaptive_time_microseconds": "vitess.temporal.adaptive-time",
        "connect": "vitess.temporal.connect.date",
        "microseconds": "vitess.temporal.microseconds",
        "nanoseconds": "vitess.temporal.nanoseconds",
        ISO: "vitess.temporal.isostring",
    }
)
Lenient = Callable[[int, int, int], java_calendar.Civil]


def _types(found: temporal.TemporalMode, field: str, made: TemporalType) -> temporal.TemporalMode:
    """Return a mode with another type in a field, for each number of digits."""
    now = getattr(found, field)
    new = (made,) * len(now) if isinstance(now, tuple) else made
    return replaced({field: new}, found)


def _first(found: temporal.TemporalMode, field: str) -> TemporalType:
    now = getattr(found, field)
    first: TemporalType = now[0] if isinstance(now, tuple) else now
    return first


def _of_modes() -> Iterator[WrongProducer]:
    for mode, field, clause, other in _MADE:
        of = f"{mode}-{field}"
        yield WrongProducer(
            f"vitess-{of}-of-another-type",
            clause,
            f"It writes {field} as {str(other.schema.name).rpartition('.')[2]} under `{mode}`.",
            entry(MODES, mode, partial(_types, field=field, made=other)),
        )
        for what, words, fields in (
            ("without-a-name", "without a name", {"name": None, "version": None}),
            ("of-version-2", "with version 2", {"version": 2}),
        ):
            yield WrongProducer(
                f"vitess-{of}-{what}",
                clause,
                f"It declares {field} {words} under `{mode}`.",
                entry(MODES, mode, partial(_declared, field, fields)),
            )
        yield WrongProducer(
            f"vitess-{of}-one-more",
            clause,
            f"It writes {field} that are one more under `{mode}`.",
            entry(MODES, mode, partial(_moved, field)),
        )


def _declared(
    field: str, fields: dict[str, Any], found: temporal.TemporalMode
) -> temporal.TemporalMode:
    one = _first(found, field)
    return _types(found, field, replace(one, schema=replaced(fields, one.schema)))


def _moved(field: str, found: temporal.TemporalMode) -> temporal.TemporalMode:
    one = _first(found, field)
    return _types(found, field, replace(one, convert=lambda value: one.convert(value) + 1))


def _swapped() -> Iterator[WrongProducer]:
    """Yield, for each two modes, one that takes the one for the other."""
    for mode, clause in MODE_CLAUSES.items():
        for other in MODE_CLAUSES:
            if other != mode:
                yield WrongProducer(
                    f"vitess-time-{mode}-read-as-{other}".replace("_", "-"),
                    clause,
                    f"It takes time.precision.mode {mode} for {other}.",
                    read_as("time", mode, other),
                )


def _rounded(found: temporal.TemporalMode, field: str) -> temporal.TemporalMode:
    one = _first(found, field)
    return _types(found, field, replace(one, convert=lambda value: one.convert(_up(value))))


def _of_digits(
    digits: int, made: TemporalType, found: temporal.TemporalMode
) -> temporal.TemporalMode:
    """Return a mode with another type for moments of so many digits."""
    now = found.datetimes
    return replaced({"datetimes": (*now[:digits], made, *now[digits + 1 :])}, found)


def _towards_1970(found: temporal.TemporalMode) -> temporal.TemporalMode:
    """Return a mode whose moments lose what is finer than milliseconds towards 1970."""
    one = _first(found, "datetimes")
    return _types(
        found,
        "datetimes",
        replace(one, convert=lambda value: one.convert(value + 999_999 if value < 0 else value)),
    )


def _up(value: Any) -> Any:  # noqa: ANN401 a moment or a time
    return value + 500_000 if isinstance(value, int) else value


def _of_timestamp(mode: str) -> Patch:
    """Return the patch by which a TIMESTAMP follows a mode of time as a DATETIME does."""

    def changed(column: ColumnType, found: Conversion) -> Conversion:
        made = temporal.MODES[mode].datetimes[min(max(column.length, 0), 9)]
        return replace(
            found,
            schema=replace(made.schema, optional=found.schema.optional),
            parse=lambda raw: made.convert(moment(None, raw)),
            null=None if column.optional else 0,
        )

    return by_mode(lambda column, found: column.type == "TIMESTAMP" and found.time == mode, changed)


def _passing_over(kind: str) -> Patch:
    """Return the patch by which override.datetime.to.nullable is off for columns of a type."""

    def changed(original: Callable[..., Any]) -> Callable[..., Any]:
        def conversion(column: ColumnType, found: ValueModes, *more: object) -> Any:  # noqa: ANN401 as the original
            own = replace(found, nullable_datetime=False) if column.type == kind else found
            return original(column, own, *more)

        return conversion

    return patch(CONVERSION, changed)


def _iso_timestamp(_: ColumnType, found: Conversion) -> Conversion:
    return replace(found, schema=replace(STRING, optional=found.schema.optional))


def _null_if_flawed(original: Callable[..., Any]) -> Callable[..., Any]:
    def read(*given: Any) -> Any:  # noqa: ANN401 what the original is given and gives
        try:
            return original(*given)
        except JavaError:
            return None

    return read


def _without_a_gap(original: Lenient, year: int, month: int, day: int) -> java_calendar.Civil:
    return (year, month, day) if _lost(year, month, day) else original(year, month, day)


def _year_0(original: Lenient, year: int, month: int, day: int) -> java_calendar.Civil:
    return (year, month, day) if not year else original(year, month, day)


def _ten_days_back(original: Lenient, year: int, month: int, day: int) -> java_calendar.Civil:
    found = original(year, month, day)
    if not _lost(year, month, day):
        return found
    return (1582, 9, day + 20) if day <= 10 else (1582, 10, day - 10)


def _lost(year: int, month: int, day: int) -> bool:
    return (year, month) == (1582, 10) and 5 <= day <= 14


ROWS: tuple[WrongProducer, ...] = (
    *_of_modes(),
    *_swapped(),
    *(
        WrongProducer(
            f"vitess-timestamp-follows-{mode.replace('_', '-')}",
            "vitess.temporal.timestamp-modes",
            f"It writes TIMESTAMP as a number under `{mode}`.",
            _of_timestamp(mode),
        )
        for mode in temporal.MODES
    ),
    WrongProducer(
        "vitess-timestamp-follows-isostring",
        "vitess.temporal.timestamp-modes",
        "It leaves the name of TIMESTAMP out under `isostring`.",
        by_mode(partial(of, "TIMESTAMP"), _iso_timestamp),
    ),
    *(
        WrongProducer(
            f"vitess-{mode.replace('_', '-')}-by-default",
            "vitess.temporal.adaptive-time",
            f"It takes `{mode}` for the default precision mode.",
            default("time.precision.mode", mode),
        )
        for mode in (*temporal.MODES, ISO)
        if mode != "adaptive_time_microseconds"
    ),
    *(
        WrongProducer(
            f"vitess-{form}-within-a-day",
            "vitess.temporal.time-outside",
            f"It writes a {word} beyond a day as a time of the day.",
            patch(
                f"{TEMPORAL}:{function}",
                lambda original: lambda nanos: original(nanos % DAY),
            ),
        )
        for form, word, function in (
            ("micro-time", "MicroTime", "_micros_of_day"),
            ("nano-time", "NanoTime", "_exact"),
        )
    ),
    WrongProducer(
        "vitess-time-without-its-sign",
        "vitess.temporal.time-outside",
        "It writes a negative TIME without its sign.",
        patch(f"{TEMPORAL}:_micros_of_day", lambda original: lambda nanos: original(abs(nanos))),
    ),
    *(
        WrongProducer(
            f"vitess-connect-{field}-rounded",
            "vitess.temporal.connect.truncates",
            f"It rounds {field} to milliseconds under `connect`.",
            entry(MODES, "connect", partial(_rounded, field=field)),
        )
        for field in ("times", "datetimes")
    ),
    WrongProducer(
        "vitess-connect-datetimes-towards-1970",
        "vitess.temporal.connect.truncates",
        "It cuts datetimes to milliseconds towards 1970 under `connect`.",
        entry(MODES, "connect", _towards_1970),
    ),
    WrongProducer(
        "vitess-connect-time-within-a-day",
        "vitess.temporal.connect.time-outside",
        "It writes a TIME outside the day as a time of the day under `connect`.",
        patch(f"{TEMPORAL}:_of_day", lambda original: lambda nanos: original(nanos % DAY)),
    ),
    WrongProducer(
        "vitess-connect-24-hours-refused",
        "vitess.temporal.connect.time-outside",
        "It takes 24:00:00 for a time outside the day under `connect`.",
        patch(
            f"{TEMPORAL}:_of_day",
            lambda original: lambda nanos: original(nanos if nanos != DAY else -1),
        ),
    ),
    *(
        WrongProducer(
            f"vitess-datetime-all-{word}",
            "vitess.type.datetime",
            f"It writes a DATETIME in {word} whatever its digits.",
            entry(
                MODES, "adaptive_time_microseconds", partial(_types, field="datetimes", made=made)
            ),
        )
        for word, made in (
            ("milliseconds", temporal.TIMESTAMP),
            ("microseconds", temporal.MICRO_TIMESTAMP),
        )
    ),
    *(
        WrongProducer(
            f"vitess-datetime-{digits}-in-{word}",
            "vitess.type.datetime",
            f"It writes a DATETIME({digits}) in {word}.",
            entry(MODES, "adaptive_time_microseconds", partial(_of_digits, digits, made)),
        )
        for digits, word, made in (
            (3, "microseconds", temporal.MICRO_TIMESTAMP),
            (4, "milliseconds", temporal.TIMESTAMP),
        )
    ),
    WrongProducer(
        "vitess-date-one-more",
        "vitess.type.date",
        "It counts the days of a DATE from 31 December 1969.",
        entry(MODES, "adaptive_time_microseconds", partial(_moved, "date")),
    ),
    WrongProducer(
        "vitess-time-in-milliseconds",
        "vitess.type.time",
        "It writes a TIME in milliseconds.",
        entry(
            MODES,
            "adaptive_time_microseconds",
            lambda found: _types(
                found,
                "times",
                replace(temporal.MICRO_TIME, convert=lambda value: value // 10**6),
            ),
        ),
    ),
    WrongProducer(
        "vitess-datetime-in-seconds",
        "vitess.temporal.datetime-sample",
        "It writes a DATETIME in whole seconds.",
        entry(
            MODES,
            "adaptive_time_microseconds",
            lambda found: _types(
                found,
                "datetimes",
                replace(temporal.TIMESTAMP, convert=lambda value: value // NANOS),
            ),
        ),
    ),
    WrongProducer(
        "vitess-datetime-an-hour-off",
        "vitess.temporal.datetime-sample",
        "It takes a DATETIME for a local time one hour ahead of UTC.",
        entry(
            MODES,
            "adaptive_time_microseconds",
            lambda found: _types(
                found,
                "datetimes",
                replace(temporal.TIMESTAMP, convert=lambda value: (value - 3600 * NANOS) // 10**6),
            ),
        ),
        also="vitess.temporal.datetime-utc",
    ),
    WrongProducer(
        "vitess-nanoseconds-refuse-what-wraps",
        "vitess.temporal.nanoseconds-wrap",
        "It leaves a DATETIME null beyond 292 years from 1970 under `nanoseconds`.",
        patch(f"{TEMPORAL}:_wrapped_nanos", lambda _: temporal.NANO_TIME.convert),
    ),
    WrongProducer(
        "vitess-nanoseconds-wrap-upwards-alone",
        "vitess.temporal.nanoseconds-wrap",
        "It writes the least 64-bit number for a DATETIME more than 292 years before 1970.",
        patch(
            f"{TEMPORAL}:_wrapped_nanos",
            lambda original: lambda value: max(value, -(2**63)) if value < 0 else original(value),
        ),
    ),
    WrongProducer(
        "vitess-impossible-datetime-null",
        "vitess.temporal.impossible-day",
        "It leaves a DATETIME on a day that the month does not have null.",
        patch(
            f"{CALENDAR}:lenient",
            lambda _: lambda year, month, day: (year, month, day),
        ),
    ),
    WrongProducer(
        "vitess-impossible-date-moved",
        "vitess.temporal.impossible-day",
        "It moves a DATE on a day that the month does not have into the next month.",
        patch(f"{CALENDAR}:checked", lambda _: java_calendar.lenient),
    ),
    WrongProducer(
        "vitess-impossible-date-null",
        "vitess.temporal.impossible-day",
        "It leaves a DATE on a day that the month does not have null.",
        patch(f"{TEXTS}:date", _null_if_flawed),
    ),
    WrongProducer(
        "vitess-october-1582-stays",
        "vitess.temporal.gregorian-gap",
        "It writes the days from the 5th to the 14th of October 1582 as they are.",
        patch(f"{CALENDAR}:lenient", lambda original: partial(_without_a_gap, original)),
    ),
    WrongProducer(
        "vitess-october-1582-back",
        "vitess.temporal.gregorian-gap",
        "It moves the days from the 5th to the 14th of October 1582 ten days back.",
        patch(f"{CALENDAR}:lenient", lambda original: partial(_ten_days_back, original)),
    ),
    WrongProducer(
        "vitess-year-0-stays",
        "vitess.temporal.year-zero",
        "It writes a DATETIME of the year 0 as it is.",
        patch(f"{CALENDAR}:lenient", lambda original: partial(_year_0, original)),
    ),
    WrongProducer(
        "vitess-jvm-zone-ignored",
        "vitess.temporal.jvm-zone",
        "It lets a DATETIME stand that the JVM's zone does not have.",
        modes(zone=None),
        also="vitess.temporal.datetime-utc",
    ),
    WrongProducer(
        "vitess-override-to-nullable-ignored",
        "vitess.temporal.override-nullable",
        "It pays no heed to override.datetime.to.nullable.",
        modes(nullable_datetime=False),
        also="vitess.value.optional",
    ),
    WrongProducer(
        "vitess-override-under-isostring",
        "vitess.temporal.override-nullable",
        "It makes DATE and DATETIME optional under `isostring` too.",
        by_mode(
            lambda column, found: (
                found.nullable_datetime
                and found.time == ISO
                and column.type in {"DATE", "DATETIME"}
            ),
            lambda _, found: replace(found, schema=replace(found.schema, optional=True)),
        ),
    ),
    *(
        WrongProducer(
            f"vitess-override-passes-over-{kind.lower()}",
            "vitess.temporal.override-nullable",
            f"It makes no {kind} optional with override.datetime.to.nullable.",
            _passing_over(kind),
        )
        for kind in ("DATE", "DATETIME")
    ),
)
