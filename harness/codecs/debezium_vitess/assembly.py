"""Events are held back until a transaction is whole, then handled in order with its last VGTID.

Source: V:connection/VitessReplicationConnection.java startStreaming; vitess NOTES §1; vectors
err.*, tx.two_vgtids_in_tx, snapshot.duplicate_begin.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from harness.codecs.debezium_vitess.errors import bad_sequence
from harness.model.vstream import (
    Begin,
    Commit,
    CopyCompleted,
    Ddl,
    FieldEvent,
    Heartbeat,
    Other,
    Passed,
    VEvent,
    Vgtid,
    VRowEvent,
    VStreamResponse,
)

_NAMES: Final = {
    Begin: "BEGIN",
    Commit: "COMMIT",
    FieldEvent: "FIELD",
    VRowEvent: "ROW",
    Vgtid: "VGTID",
    Ddl: "DDL",
    Other: "OTHER",
    Heartbeat: "HEARTBEAT",
    CopyCompleted: "COPY_COMPLETED",
}
# What a copy of an empty table leaves behind before the next BEGIN.
_HARMLESS: Final = frozenset(
    {"BEGIN, FIELD", "BEGIN, FIELD, VGTID", "COPY_COMPLETED, BEGIN, FIELD"}
)


@dataclass(frozen=True, slots=True)
class TransactionEvents:
    """Events that are handled together; `vgtid` is None where only a heartbeat was due."""

    events: tuple[VEvent, ...]
    vgtid: Vgtid | None


@dataclass(slots=True)
class EventBuffer:
    """The buffer of one stream; `commit` is the time of the last COMMIT that was received."""

    events: list[VEvent] = field(default_factory=list[VEvent])
    vgtid: Vgtid | None = None
    begun: bool = False
    committed: bool = False
    commit: int | None = None

    def feed(self, response: VStreamResponse) -> TransactionEvents | None:
        """Take one response; return what can be handled now, if anything.

        Raises ConnectorFailed for an order of events that cannot be.
        """
        now = heartbeat = False
        for event in response.events:
            match event:
                case VRowEvent():
                    pass  # most events by far
                case Vgtid():
                    self.vgtid = event
                case Begin():
                    self._begin()
                case Commit():
                    self._commit(event)
                case Ddl() | Other():
                    now = True
                case Heartbeat():
                    now = heartbeat = True
                case _:
                    pass
            self.events.append(event)
        if not (now or (self.begun and self.committed)):
            return None
        batch = None
        if self.vgtid is not None or heartbeat:
            batch = TransactionEvents(tuple(self.events), self.vgtid)
        self.reset()
        return batch

    def _begin(self) -> None:
        if self.committed:
            self._refuse("Received BEGIN event after receiving COMMIT event")
        if self.begun:
            if self._types() not in _HARMLESS:
                self._refuse("Received duplicate BEGIN events")
            self.reset()
        self.begun = True

    def _commit(self, event: Commit) -> None:
        if not self.begun:
            self._refuse("Received COMMIT event before receiving BEGIN event")
        if self.committed:
            self._refuse("Received duplicate COMMIT events")
        self.committed = True
        self.commit = event.timestamp

    def _types(self) -> str:
        return ", ".join(
            str(event.type) if isinstance(event, Passed) else _NAMES[type(event)]
            for event in self.events
        )

    def _refuse(self, message: str) -> None:
        error = bad_sequence(f"{message}. Buffered event types: {self._types()}")
        self.reset()
        raise error

    def reset(self) -> None:
        """Forget what is buffered."""
        self.events.clear()
        self.vgtid = None
        self.begun = self.committed = False
