"""TIMESTAMPs of a TiCDC server's clock in UTC: the wire does not name the server's time zone."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from functools import lru_cache
from zoneinfo import ZoneInfo, available_timezones

from cdc_spark.errors import UsageError

UTC_NAME = "UTC"
_SECONDS = "%Y-%m-%d %H:%M:%S"


@lru_cache
def in_utc(zone: str) -> Callable[[str], str] | None:
    """Return what gives UTC for a text of the zone's clock; None for UTC itself.

    Of two moments that the clock shows alike it is the first. What is no moment, such as a date of
    zeros, stays as it is. Raises UsageError for a zone that is not in the machine's database.
    """
    if zone == UTC_NAME:
        return None
    if zone not in available_timezones():
        raise UsageError(
            f"the time zone {zone!r}",
            expected="a zone of the IANA database, such as Asia/Shanghai",
            hint="a machine without such a database has it from `pip install tzdata`",
        )
    found = ZoneInfo(zone)

    def read(moment: str) -> str:
        whole, point, fraction = moment.partition(".")
        try:
            shown = datetime.strptime(whole, _SECONDS).replace(tzinfo=found)
            moved = shown.astimezone(UTC).replace(tzinfo=None)
        except (OverflowError, ValueError):
            return moment
        return moved.isoformat(" ", "seconds") + point + fraction

    return read
