"""Dates and times: zones, seconds, fractions and calendars."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, timedelta, timezone, tzinfo

from harness.model.columns import Column, ColumnKind
from harness.model.values import Value
from harness.mutants.mutant import Mutant, of_type, sign
from harness.mutants.parts import Parts

_EAST = timedelta(hours=8)
# The first day of the Gregorian calendar, and how far the Julian one was behind in each century.
_GREGORIAN = "1582-10-15"
_TIME = re.compile(r"(-?)(\d+):(\d\d):(\d\d)(\.\d+)?\Z", re.ASCII)


def _texts(change: Callable[[str], Value], *kinds: ColumnKind) -> Parts:
    def value(column: Column, raw: Value) -> Value:
        return change(raw) if column.kind in kinds and isinstance(raw, str) else raw

    return Parts(value=value)


def _shifted(text: str) -> Value:
    """Return a moment as it reads eight hours further east."""
    whole, point, fraction = text.rstrip("Z").replace("T", " ").partition(".")
    try:
        moved = datetime.fromisoformat(whole) + _EAST
    except (ValueError, OverflowError):
        return text
    return f"{moved:%Y-%m-%d %H:%M:%S}".rjust(19, "0") + point + fraction


def _utc(_: tzinfo | None) -> tzinfo | None:
    return None


def _winter(zone: tzinfo | None) -> tzinfo | None:
    offset = None if zone is None else datetime(2024, 1, 1, tzinfo=zone).utcoffset()
    return None if offset is None else timezone(offset)


def _no_seconds(text: str) -> Value:
    """Return a moment whose time is lost where its seconds are 0 and were not printed."""
    whole, point, fraction = text.partition(".")
    if not whole.endswith(":00") or fraction.strip("0"):
        return text
    return f"{whole[:-8]}00:00:00{point}{fraction}" if len(whole) > 10 else text


def _fraction_cut(digits: int) -> Callable[[str], Value]:
    def change(text: str) -> Value:
        whole, point, fraction = text.partition(".")
        kept = fraction[:digits].ljust(len(fraction), "0")
        return f"{whole}{point}{kept}"

    return change


def _julian(text: str) -> Value:
    day, rest = text[:10], text[10:]
    if day >= _GREGORIAN or day.startswith("0000"):
        return text
    try:
        found = date.fromisoformat(day)
        behind = found.year // 100 - found.year // 400 - 2
        return f"{(found + timedelta(days=behind)).isoformat()}{rest}"
    except (ValueError, OverflowError):
        return text


def _within_a_day(text: str) -> Value:
    match = _TIME.match(text)
    if match is None:
        return text
    minus, hours, minutes, seconds, fraction = match.groups()
    return f"{minus}{int(hours) % 24:02d}:{minutes}:{seconds}{fraction or ''}"


def _no_minus(text: str) -> Value:
    return text.removeprefix("-")


def _two_digits(text: str) -> Value:
    return f"20{text[2:]}" if text[:2] not in {"00", "20"} else text


def _modes(*kinds: str) -> Mapping[str, str]:
    """Return the clauses of types in Debezium's protocols, one for each precision mode."""
    return {name: _modes_of(name, modes, kinds) for name, modes in _MODES.items()}


def _modes_of(name: str, modes: str, kinds: Sequence[str]) -> str:
    connect = " ".join(f"{name}.temporal.connect.{kind}" for kind in kinds if kind != "timestamp")
    listed = " ".join(f"{name}.temporal.{mode}" for mode in modes.split())
    return f"{of_type(*kinds)[name]} {connect} {listed}"


_MODES = {
    "vitess": "adaptive isostring microseconds nanoseconds",
    "debezium-mysql": "microseconds nanoseconds",
}


_ZONE = {"open": "open.value.timestamp-zone", "avro": "avro.value.timestamp-zone"}
_ZONE_TS = {**of_type("timestamp"), **_ZONE}
_ZONE_DT = {**_ZONE, **{name: f"{name}.temporal.datetime-utc" for name in _MODES}}
_MOMENTS_OF = {**of_type("datetime", "timestamp"), **_modes("datetime", "timestamp")}
_DIGITS = {
    "open": "open.value.temporal-digits",
    "avro": "avro.value.temporal-digits",
    **_modes("datetime", "timestamp", "time"),
}
_DAYS = {**of_type("date", "datetime"), **_modes("date", "datetime")}
_RANGE = {
    "open": "open.value.time-range",
    "avro": "avro.value.time-range",
    "vitess": f"{_modes('time')['vitess']} vitess.temporal.time-range vitess.temporal.time-outside",
    "debezium-mysql": f"{_modes('time')['debezium-mysql']} debezium-mysql.temporal.time-range",
}
_WRONG = "wrong-value unreadable-value"
# Of a key, a wrong moment is another row.
_WRONG_OR_ELSEWHERE = f"{_WRONG} missing-row extra-row"
_MOMENTS = (ColumnKind.DATETIME, ColumnKind.TIMESTAMP)

ROWS: tuple[Mutant, ...] = (
    Mutant(
        "session-tz",
        "dates and times",
        "It prints TIMESTAMP in its session's zone, eight hours east of UTC.",
        _ZONE_TS,
        _texts(_shifted, ColumnKind.TIMESTAMP),
        (sign(_WRONG_OR_ELSEWHERE, r"timestamp"),),
        seen=(
            "https://github.com/pingcap/tiflow/issues/1639",
            "https://github.com/pingcap/tiflow/issues/10581",
        ),
    ),
    Mutant(
        "server-zone-ignored",
        "dates and times",
        "It takes TIMESTAMPs for UTC, whatever zone the TiCDC server is in.",
        _ZONE,
        Parts(zone=_utc),
        (sign(_WRONG_OR_ELSEWHERE, r"timestamp"),),
        protocols=("open", "avro"),
        seen=("https://github.com/pingcap/tiflow/issues/8798",),
    ),
    Mutant(
        "no-summer-time",
        "dates and times",
        "It takes the offset that the zone of the TiCDC server has in January for the whole year.",
        _ZONE,
        Parts(zone=_winter),
        (sign(_WRONG_OR_ELSEWHERE, r"timestamp"),),
        protocols=("open", "avro"),
    ),
    Mutant(
        "datetime-has-a-zone",
        "dates and times",
        "It takes a DATETIME for a moment in UTC and moves it to its own zone.",
        _ZONE_DT,
        _texts(_shifted, ColumnKind.DATETIME),
        (sign(_WRONG, r"\.type\.datetime"),),
        seen=("https://github.com/pingcap/tiflow/issues/12243",),
    ),
    Mutant(
        "seconds-of-zero-lost",
        "dates and times",
        "It loses the time of a moment whose seconds are 0, because a text without them fits no "
        "pattern.",
        _MOMENTS_OF,
        _texts(_no_seconds, *_MOMENTS),
        (sign(_WRONG, r"\.type\.(datetime|timestamp)"),),
        seen=("https://github.com/oryanmoshe/debezium-timestamp-converter/pull/21",),
    ),
    Mutant(
        "microseconds-cut",
        "dates and times",
        "It keeps three digits of a second's fraction.",
        _DIGITS,
        _texts(_fraction_cut(3), *_MOMENTS, ColumnKind.TIME),
        (sign(_WRONG, r"\.type\.(datetime|timestamp|time)"),),
        seen=("https://github.com/pingcap/ticdc/pull/3973",),
    ),
    Mutant(
        "fraction-cut",
        "dates and times",
        "It keeps whole seconds only.",
        _DIGITS,
        _texts(_fraction_cut(0), *_MOMENTS, ColumnKind.TIME),
        (sign(_WRONG, r"\.type\.(datetime|timestamp|time)"),),
        seen=("https://github.com/pingcap/ticdc/pull/3973",),
    ),
    Mutant(
        "julian-days",
        "dates and times",
        "It counts days before 15 October 1582 in the Julian calendar.",
        _DAYS,
        _texts(_julian, ColumnKind.DATE, ColumnKind.DATETIME),
        (sign(_WRONG, r"\.type\.date"),),
        seen=("https://github.com/risingwavelabs/risingwave/issues/16895",),
    ),
    Mutant(
        "time-within-a-day",
        "dates and times",
        "It takes a TIME for a time of day and drops whole days.",
        _RANGE,
        _texts(_within_a_day, ColumnKind.TIME),
        (sign(_WRONG, r"\.type\.time\b"),),
    ),
    Mutant(
        "negative-time-turned",
        "dates and times",
        "It loses the sign of a TIME.",
        _RANGE,
        _texts(_no_minus, ColumnKind.TIME),
        (sign(_WRONG, r"\.type\.time\b"),),
    ),
    Mutant(
        "century-assumed",
        "dates and times",
        "It takes every year for one of this century.",
        _DAYS,
        _texts(_two_digits, ColumnKind.DATE, ColumnKind.DATETIME),
        (sign(_WRONG, r"\.type\.date"),),
    ),
)
