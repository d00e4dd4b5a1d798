"""What an author says about the end of a changefeed: the last item of an event list.

`{stopped: ErrName}` demands that the changefeed stops with this error, or with one that wraps it;
without the item it must not stop.
"""

from __future__ import annotations

from collections.abc import Sequence

from harness.documents import PlainObject
from harness.model.source_events import ChangefeedStopped

STOPPED = "stopped"
Items = Sequence[PlainObject]


def split_stop(items: Items) -> tuple[Items, str]:
    """Return the events of a list, and the error that must end it ("" for none)."""
    if items and STOPPED in items[-1]:
        return items[:-1], str(items[-1][STOPPED])
    return items, ""


def check_stop(expected: str, stopped: ChangefeedStopped | None) -> str | None:
    """Return what does not hold about the end of a changefeed, None when it is as expected."""
    if not expected:
        return None if stopped is None else f"the changefeed stops with {_named(stopped)}"
    if stopped is None:
        return f"the changefeed goes on, where {expected} was to stop it"
    if expected in (stopped.code, stopped.cause):
        return None
    return f"the changefeed stops with {_named(stopped)}, not {expected}"


def _named(stopped: ChangefeedStopped) -> str:
    cause = f" ({stopped.cause})" if stopped.cause else ""
    return f"{stopped.code}{cause}: {stopped.what}"
