"""Days as Java counts them: the proleptic calendar of java.time, the mixed one of java.util.Date.

DATETIME texts go through `java.sql.Timestamp.valueOf` and back through its getters: leniently (Feb
30 is Mar 1 or 2), by Julian leap years up to 1582, with the ten days left out in October of that
year moved on by ten, and with local times in a gap of the JVM's zone moved on by the gap.

Source: JDK 17 java.sql.Timestamp, java.util.Date; V:VitessValueConverter.java stringToTimestamp;
vectors temporal.*, 08_jvm_timezone.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from harness.codecs.connect.errors import DATE_TIME, JavaError

_MONTHS: Final = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_NAMES: Final = (
    "JANUARY",
    "FEBRUARY",
    "MARCH",
    "APRIL",
    "MAY",
    "JUNE",
    "JULY",
    "AUGUST",
    "SEPTEMBER",
    "OCTOBER",
    "NOVEMBER",
    "DECEMBER",
)
CUTOVER_YEAR: Final = 1582
# Java's zones know no transition before this year.
FIRST_ZONED_YEAR: Final = 1900
LAST_ZONED_YEAR: Final = 9998

Civil = tuple[int, int, int]


def _gregorian_leap(year: int) -> bool:
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def _month_length(month: int, *, leap: bool) -> int:
    return 29 if month == 2 and leap else _MONTHS[month - 1]


def checked(year: int, month: int, day: int) -> Civil:
    """Return a date of the proleptic calendar, refused as `LocalDate.of` refuses it."""
    if not 1 <= month <= 12:
        raise JavaError(DATE_TIME, f"Invalid value for MonthOfYear (valid values 1 - 12): {month}")
    if not 1 <= day <= 31:
        raise JavaError(DATE_TIME, f"Invalid value for DayOfMonth (valid values 1 - 28/31): {day}")
    if day > _month_length(month, leap=_gregorian_leap(year)):
        if day == 29:
            raise JavaError(DATE_TIME, f"Invalid date 'February 29' as '{year}' is not a leap year")
        raise JavaError(DATE_TIME, f"Invalid date '{_NAMES[month - 1]} {day}'")
    return year, month, day


def epoch_day(year: int, month: int, day: int) -> int:
    """Return the days since 1970-01-01 of a date of the proleptic calendar."""
    shifted = year - (month <= 2)
    era = shifted // 400
    of_era = shifted - era * 400
    of_year = (153 * (month + (-3 if month > 2 else 9)) + 2) // 5 + day - 1
    return era * 146097 + of_era * 365 + of_era // 4 - of_era // 100 + of_year - 719468


def lenient(year: int, month: int, day: int) -> Civil:
    """Return what the getters of a `java.util.Date` made of these fields say."""
    julian = year <= CUTOVER_YEAR
    leap = year % 4 == 0 if julian else _gregorian_leap(year)
    length = _month_length(month, leap=leap)
    if day > length:
        day -= length
        month += 1
    elif year == CUTOVER_YEAR and month == 10 and 5 <= day <= 14:
        day += 10
    # Year 0 is the year 1 before Christ, and the getter returns its number alone.
    return (year if year >= 1 else 1 - year), month, day


def beyond_gap(zone: ZoneInfo, moment: datetime) -> datetime:
    """Return a local time as it reads after a trip through the zone: moved where it cannot be."""
    if not FIRST_ZONED_YEAR <= moment.year <= LAST_ZONED_YEAR:
        return moment
    there = moment.replace(tzinfo=zone).astimezone(UTC)
    return there.astimezone(zone).replace(tzinfo=None)


def in_zone(zone: ZoneInfo, date: Civil, seconds: int) -> tuple[Civil, int]:
    """Return a local date and second of the day as the zone lets them be."""
    year, month, day = date
    if not FIRST_ZONED_YEAR <= year <= LAST_ZONED_YEAR:
        return date, seconds
    moment = beyond_gap(zone, datetime(year, month, day) + timedelta(seconds=seconds))  # noqa: DTZ001 local by nature
    of_day = moment.hour * 3600 + moment.minute * 60 + moment.second
    return (moment.year, moment.month, moment.day), of_day
