"""Rows that are too large for a message, found again by what the message has of them.

TiCDC sends the handle key of such a row; its reader asks the upstream for the row as it was at the
commit ts. Table, commit ts and handle key are therefore a row's identity here.

Source: clauses `open.large.handle-key-only`, `open.large.fetch-row`; tiflow c7b2588
pkg/sink/codec/open/open_protocol_decoder.go `assembleHandleKeyOnlyEvent`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from harness.errors import DecodingError
from harness.model.decoded import DecodedEvent
from harness.model.values import Value

Identity = tuple[str, str, str, tuple[tuple[str, str], ...]]
Rows = Mapping[Identity, Mapping[str, Value]]


def identity(schema: str, table: str, commit_ts: object, handle: Mapping[str, Value]) -> Identity:
    """Return what finds a row; values of the handle are compared by their texts in JSON."""
    texts = ((n, v.hex() if isinstance(v, bytes) else str(v)) for n, v in handle.items())
    return (schema, table, str(commit_ts), tuple(sorted(texts)))


def lacks_columns(event: DecodedEvent) -> bool:
    """Return whether the message has only a new row's handle key; a deletion needs no more."""
    return event.handle_only and not event.claim_check and event.after is not None


def whole(event: DecodedEvent, rows: Rows) -> DecodedEvent:
    """Return the event with its whole new row; DecodingError where the upstream has none.

    One that is whole is left as it is.
    """
    if not lacks_columns(event):
        return event
    assert event.after is not None
    row = rows.get(identity(event.schema, event.table, event.commit_ts, event.after))
    if row is None:
        raise DecodingError(
            f"{event.schema}.{event.table} has no row {dict(event.after)} at {event.commit_ts}",
            expected="the row, as it was upstream when the change was committed",
        )
    return replace(event, after={**row, **event.after}, handle_only=False)
