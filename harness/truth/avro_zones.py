"""Time zones of TiCDC vectors: of the session that ran the SQL, and of the CDC server."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

_OFFSET = re.compile(r"([+-])(\d\d):(\d\d)\Z")
_FORM = "%Y-%m-%d %H:%M:%S"
# What else a literal may look like.
_FORMS = (_FORM, "%Y-%m-%d", "%Y%m%d%H%M%S", "%Y%m%d")


def session_to_utc(moment: str, zone: str) -> str:
    """Return a TIMESTAMP literal of a session in UTC; what is no moment stays as it is."""
    return _in_utc(moment, _zone(zone))


def server_to_utc(zone: str) -> Callable[[str], str]:
    """Return the function that makes UTC of the TIMESTAMPs that a CDC server prints."""
    named_zone = _zone(zone)
    return lambda moment: _in_utc(moment, named_zone)


def _zone(name: str) -> tzinfo:
    found = _OFFSET.match(name)
    if found is None:
        return ZoneInfo(name)
    offset = timedelta(hours=int(found[2]), minutes=int(found[3]))
    return timezone(-offset if found[1] == "-" else offset)


def _in_utc(moment: str, zone: tzinfo) -> str:
    text, point, fraction = moment.partition(".")
    for form in _FORMS:
        try:
            local = datetime.strptime(text, form).replace(tzinfo=zone)
        except ValueError:
            continue
        return local.astimezone(UTC).strftime(_FORM) + point + fraction
    return moment
