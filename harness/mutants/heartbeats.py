"""Heartbeats: messages that say no more than that a connector is alive."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from harness.model.decoded import DecodedEvent, EventKind
from harness.mutants.delivery import Message
from harness.mutants.mutant import Mutant, sign
from harness.mutants.parts import Events, GivesUp, Known, Parts

_ROWS = frozenset({EventKind.INSERT, EventKind.UPDATE, EventKind.DELETE})


class Row(Events):
    """Takes a heartbeat for a row of a table that is called like its topic."""

    def __init__(self, known: Known) -> None:
        """Need nothing."""
        del known

    def read(self, event: DecodedEvent, message: Message) -> Iterable[DecodedEvent]:
        """Insert what the heartbeat says."""
        if event.kind is not EventKind.HEARTBEAT:
            return (event,)
        row = {"ts_ms": event.commit_ts}
        name = message.topic
        return (replace(event, kind=EventKind.INSERT, schema="heartbeats", table=name, after=row),)


class Watermark(Events):
    """Takes the time of a heartbeat for one up to which it has every row."""

    def __init__(self, known: Known) -> None:
        """Start with no time."""
        del known
        self._until = -1

    def read(self, event: DecodedEvent, message: Message) -> Iterable[DecodedEvent]:
        """Drop a row that is not later than a heartbeat before it."""
        del message
        if event.kind is EventKind.HEARTBEAT:
            self._until = max(self._until, event.commit_ts)
        return () if event.kind in _ROWS and event.commit_ts <= self._until else (event,)


class Unknown(Events):
    """Looks for the operation of every message."""

    def __init__(self, known: Known) -> None:
        """Need nothing."""
        del known

    def read(self, event: DecodedEvent, message: Message) -> Iterable[DecodedEvent]:
        """Give up at a heartbeat."""
        if event.kind is EventKind.HEARTBEAT:
            raise GivesUp(f"no field `op` in a message of {message.topic}")
        return (event,)


_CLAUSE = {
    "vitess": "vitess.heartbeat.content",
    "debezium-mysql": "debezium-mysql.heartbeat.no-row",
}
_CONNECTORS = tuple(_CLAUSE)

ROWS: tuple[Mutant, ...] = (
    Mutant(
        "heartbeat-is-a-row",
        "heartbeats",
        "It takes a heartbeat for a row of a table that is called like the heartbeat's topic.",
        _CLAUSE,
        Parts(events=Row),
        (sign("extra-table"),),
        _CONNECTORS,
        ("https://github.com/airbytehq/airbyte/issues/41647",),
    ),
    Mutant(
        "heartbeat-is-a-watermark",
        "heartbeats",
        "It drops rows that are not later than a heartbeat that it has read.",
        _CLAUSE,
        Parts(events=Watermark),
        (sign("missing-row stale-row extra-row event-missing"),),
        _CONNECTORS,
    ),
    Mutant(
        "heartbeat-stops",
        "heartbeats",
        "It gives up at a heartbeat, which has no operation.",
        _CLAUSE,
        Parts(events=Unknown),
        (sign("consumer", "no field `op`"),),
        _CONNECTORS,
        ("https://github.com/memiiso/debezium-server-bigquery/issues/288",),
    ),
)
