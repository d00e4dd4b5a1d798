"""A moment of a TIMESTAMP column in the zones that write it: UTC here, a server's own on the wire.

What is no moment, such as the date of zeros, is the same text in every zone. A zone whose clocks go
back writes two moments alike; `repeated` says so, for nothing on the wire tells them apart.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, tzinfo
from functools import cache, partial
from zoneinfo import ZoneInfo, available_timezones

# From the text of a moment in some zone to its text in another.
Moved = Callable[[str], str]
_SECONDS = "%Y-%m-%d %H:%M:%S"


@cache
def named_zone(name: str) -> ZoneInfo | None:
    """Return a zone of the IANA database, None for UTC; ValueError for what is not in there."""
    if name == "UTC":
        return None
    if name not in available_timezones():
        raise ValueError(f"no zone {name!r}")
    return ZoneInfo(name)


def same(moment: str) -> str:
    """Return a moment that is in UTC already."""
    return moment


def to_utc(zone: tzinfo | None) -> Moved:
    """Return what gives the moment at which a clock of the zone shows a text: the first of two."""
    return same if zone is None else partial(_moved, here=zone, there=UTC)


def from_utc(zone: tzinfo | None) -> Moved:
    """Return what gives the text that a clock of the zone shows at a moment; fractions stay."""
    return same if zone is None else partial(_moved, here=UTC, there=zone)


def repeated(moment: str, zone: tzinfo) -> bool:
    """Return whether the clock of the zone shows twice what it shows at a moment of UTC."""
    shown = from_utc(zone)(moment)
    try:
        first, second = (_read(shown, zone, fold).utcoffset() for fold in (0, 1))
    except ValueError:
        return False
    assert first is not None
    assert second is not None
    return first > second


def _moved(moment: str, *, here: tzinfo, there: tzinfo) -> str:
    _, point, fraction = moment.partition(".")
    try:
        moved = _read(moment, here).astimezone(there)
    except (OverflowError, ValueError):
        return moment
    return moved.replace(tzinfo=None).isoformat(" ", "seconds") + point + fraction


def _read(moment: str, zone: tzinfo, fold: int = 0) -> datetime:
    found = datetime.strptime(moment.partition(".")[0], _SECONDS)  # noqa: DTZ007 - its zone is next
    return found.replace(tzinfo=zone, fold=fold)
