"""How TiDB writes down a DEFAULT that is a date or a time: as a value of the column's type.

| declared | kept |
| --- | --- |
| `'24-1-2'`, `20240102`, `240102` | `2024-01-02`; years below 70 are of this century |
| `'2024-01-02'` of a DATETIME(3) | `2024-01-02 00:00:00.000` |
| 0, of a date | all zeros |
| `'1 02:03'`, `10203`, `'10:20'` of a TIME | `26:03:00`, `01:02:03`, `10:20:00` |
| more digits of a second than the column has | rounded, half up |

What has none of these forms stays as it was written.

Source: TiDB pkg/ddl/add_column.go `getDefaultValue`; pkg/types/time.go `parseDatetime`,
`matchDuration`; pkg/types/fsp.go `ParseFrac`.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from harness.model.columns import Column, ColumnKind

_DATE = re.compile(
    r"(\d{2}|\d{4})\D(\d{1,2})\D(\d{1,2})"
    r"(?:[ T](\d{1,2})(?::(\d{1,2})(?::(\d{1,2})(?:\.(\d+))?)?)?)?\Z",
    re.ASCII,
)
_DIGITS = re.compile(r"(\d{4}|\d{2})(\d\d)(\d\d)(?:(\d\d)(\d\d)(\d\d)(?:\.(\d+))?)?\Z", re.ASCII)
_ZEROS = re.compile(r"0+\Z", re.ASCII)
_TIME = re.compile(
    r"(-?)(?:(\d{1,2}) )?(\d{1,3})(?::(\d{1,2})(?::(\d{1,2})(?:\.(\d+))?)?)?\Z", re.ASCII
)
_CLOCK_DIGITS = re.compile(r"(-?)(\d{1,7})(?:\.(\d+))?\Z", re.ASCII)
# Years of two digits below this one are of the 21st century.
_PIVOT = 70
_HOURS_A_DAY = 24


def stored_moment(column: Column, text: str) -> str:
    """Return the text that TiDB keeps of a DATE's, DATETIME's or TIMESTAMP's default."""
    if _ZEROS.match(text):
        text = "0000-00-00"
    found = _DATE.match(text) or _DIGITS.match(text)
    if found is None:
        return text
    year, month, day, hour, minute, second = (int(part or 0) for part in found.groups()[:6])
    if len(found[1]) == len("24"):
        year += 2000 if year < _PIVOT else 1900
    date = f"{year:04}-{month:02}-{day:02}"
    if column.kind is ColumnKind.DATE:
        return date
    fraction, more = _fraction(column, found[7])
    moment = f"{date} {hour:02}:{minute:02}:{second:02}"
    if more:
        try:
            later = datetime.fromisoformat(moment) + timedelta(seconds=1)
        except (OverflowError, ValueError):
            return text
        moment = later.isoformat(" ")
    return moment + fraction


def stored_time(column: Column, text: str) -> str:
    """Return the text that TiDB keeps of a TIME's default."""
    digits = _CLOCK_DIGITS.match(text)
    if digits is not None:
        sign, number, part = digits[1], int(digits[2]), digits[3]
        seconds = number // 10_000 * 3600 + number // 100 % 100 * 60 + number % 100
    else:
        found = _TIME.match(text)
        if found is None:
            return text
        sign, part = found[1], found[6]
        day, hour, minute, second = (int(one or 0) for one in found.groups()[1:5])
        seconds = ((day * _HOURS_A_DAY + hour) * 60 + minute) * 60 + second
    fraction, more = _fraction(column, part)
    seconds += more
    sign = sign if seconds or fraction.strip(".0") else ""
    return f"{sign}{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}{fraction}"


def _fraction(column: Column, digits: str | None) -> tuple[str, int]:
    """Return the column's digits of a second, and the second that rounding carries over."""
    size = column.fsp
    kept = f"{digits or '':0<{size + 1}}"[: size + 1]
    number = (int(kept) + 5) // 10
    if not size:
        return "", number
    return f".{number % 10**size:0{size}}", number // 10**size
