"""The TiCDC server's time zone, `tz`: in it the mounter prints TIMESTAMPs, which TiDB keeps in UTC.

Filters and dispatchers see what the mounter prints. Defaults in a table's definition stay in UTC.

Source: tiflow c7b2588 cdc/processor/processor.go:646 (the server's `tz`, not the changefeed's),
cdc/entry/mounter.go:268, pkg/util/tz.go `GetTimezone`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import tzinfo

from harness.errors import UsageError
from harness.model.columns import ColumnKind
from harness.model.settings import SettingValue
from harness.model.source_events import RowEvent, SourceEvent
from harness.model.table import Table
from harness.model.values import Row
from harness.model.zones import Moved, from_utc, named_zone, repeated, same, to_utc
from harness.sources.tidb.refusal import ChangefeedError

TIME_ZONE = "tz"
# A row, or no image of one, as the mounter prints it.
Printed = Callable[[Row | None], Row | None]


def server_zone(value: SettingValue) -> tzinfo | None:
    """Return the zone that `tz` names, None for UTC; ChangefeedError for what TiCDC cannot load."""
    try:
        return named_zone(str(value))
    except ValueError as error:
        raise ChangefeedError(
            "ErrLoadTimezone",
            f"tz is {value!r}",
            expected="UTC, or a zone of the IANA database such as Asia/Shanghai; no offset",
            hint="a machine without such a database has it from `pip install tzdata`",
            path=(TIME_ZONE,),
        ) from error


def printer(table: Table, zone: tzinfo | None) -> Printed:
    """Return what prints the TIMESTAMPs of a table's rows in a zone; None is UTC.

    Raises UsageError for a moment that the zone's clock shows twice: no consumer can know which.
    """
    if zone is None:
        return _unchanged

    def printed(moment: str) -> str:
        if repeated(moment, zone):
            raise UsageError(
                f"the TIMESTAMP {moment} of {table.id} is in an hour that the clocks of {zone} show"
                " twice, and nothing on the wire says which",
                expected="a moment (in UTC) of another hour",
            )
        return from_utc(zone)(moment)

    return _over(table, printed)


def in_utc(event: SourceEvent, zone: tzinfo) -> SourceEvent:
    """Return an event whose rows, printed in a zone, have their TIMESTAMPs in UTC again."""
    if not isinstance(event, RowEvent):
        return event
    back = _over(event.table.table, to_utc(zone))
    return replace(event, before=back(event.before), after=back(event.after))


def _over(table: Table, moved: Moved) -> Printed:
    moments = {
        ordinal
        for ordinal, column in enumerate(table.columns)
        if column.kind is ColumnKind.TIMESTAMP
    }
    if moved is same or not moments:
        return _unchanged

    def each(row: Row | None) -> Row | None:
        if row is None:
            return None
        return tuple(
            moved(value) if ordinal in moments and isinstance(value, str) else value
            for ordinal, value in enumerate(row)
        )

    return each


def _unchanged(row: Row | None) -> Row | None:
    return row
