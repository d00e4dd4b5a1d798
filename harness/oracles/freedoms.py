"""What a vendor's program may write otherwise than ours, each with its reason."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from harness.codecs.avro.varint import varint
from harness.codecs.debezium.emitter import LATER
from harness.oracles.compare import KEYLESS, TASKS, TIMER, Message

SECOND_NS: Final = 1_000_000_000
# By the end of a field's name: how many nanoseconds its unit has.
UNITS: Final[Mapping[bytes, int]] = {b"ms": 1_000_000, b"us": 1_000, b"ns": 1}
TIME: Final = re.compile(rb'"\w*ts_(ms|us|ns)":(\d+)')


UUID: Final = re.compile(rb"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
POSITION: Final = re.compile(rb'"vgtid":"(?:[^"\\]|\\.)*"')
SCHEMA_ID: Final = "schema-id"
PROCESSING_TIME: Final = "processing-time"
VERSION: Final = "connector-version"
RUN_ID: Final = "run-id"
LOG_POSITION: Final = "log-position"
COLLECTION_ORDER: Final = "collection-order"
COPY_TIME: Final = "copy-time"
UNACKNOWLEDGED: Final = "unacknowledged"
QUEUED: Final = "queued"
RUN_ID_HEADER: Final = "__debezium.context.runId"
# Each freedom by its name, with the reason why it is free.
REASONS: Final[Mapping[str, str]] = {
    PROCESSING_TIME: "The moment at which the connector handled a change: theirs lies within the "
    "run, ours is our clock's.",
    KEYLESS: "A producer puts records without a key wherever it has a batch open (KIP-794).",
    TASKS: "Tasks run side by side: each one's records keep their order, and no more.",
    TIMER: "A heartbeat is sent when a timer has run out: each of theirs is one of ours with the "
    "position, one that the stream has, at which their timer did.",
    SCHEMA_ID: "A registry counts its schemas as they come; the schemas behind the ids are equal. "
    "An id is part of the key that a producer hashes: our keys are hashed again with their ids.",
    RUN_ID: "From 3.4.0 on the last header is a random id of the run.",
    UNACKNOWLEDGED: "A task that fails stores the last offset whose record the broker had "
    "acknowledged by then: one of ours, and ours goes on from it.",
    QUEUED: "A task that fails hands over no more of what it has queued by then: where both stop, "
    "theirs may lack what ours sends last.",
    LOG_POSITION: "Where an event is in the server's log depends on all that the server has logged "
    "before. Theirs must be consistent: one for the rows of an event, and none that falls.",
    COPY_TIME: "A row that is read before the log says the second at which its table was read: "
    "theirs lies within the run, ours is the scenario's.",
    COLLECTION_ORDER: "A transaction's end lists its tables as a HashMap has them, which stays as "
    "large as the largest transaction of the connector's life has made it.",
    VERSION: "Each release writes its own version into the source block; several have one dialect.",
}


@dataclass(frozen=True, slots=True)
class ProcessingTime:
    """Times that a connector reads off its clock: theirs must lie in the run, ours be our clock's.

    Our clock runs so far behind each second of the source that nothing else in a record can be its
    reading; an event's own time in its place is a difference.
    """

    began_ns: int
    ended_ns: int
    name: str = PROCESSING_TIME

    def taken(self, ours: Message, theirs: Message) -> Message:
        """Return our message with the times that theirs was handled at."""
        if ours.value is None or theirs.value is None or ours.value == theirs.value:
            return ours
        mine, yours = list(TIME.finditer(ours.value)), list(TIME.finditer(theirs.value))
        if len(mine) != len(yours):
            return ours
        parts: list[bytes] = []
        at = 0
        for one, other in zip(mine, yours, strict=True):
            if self._free(one, other):
                parts += [ours.value[at : one.start(2)], other[2]]
                at = one.end(2)
        return replace(ours, value=b"".join((*parts, ours.value[at:])))

    def _free(self, ours: re.Match[bytes], theirs: re.Match[bytes]) -> bool:
        unit = UNITS[ours[1]]
        in_run = self.began_ns <= (int(theirs[2]) + 1) * unit and (
            int(theirs[2]) * unit <= self.ended_ns
        )
        return in_run and int(ours[2]) % (SECOND_NS // unit) == LATER // unit


@dataclass(frozen=True, slots=True)
class TimedPosition:
    """The position that a heartbeat tells, in topics whose names begin so: any of the stream's."""

    timed: str
    known: frozenset[bytes]
    name: str = TIMER

    def taken(self, ours: Message, theirs: Message) -> Message:
        """Return our heartbeat with the position that theirs tells."""
        if not self.timed or not ours.topic.startswith(self.timed):
            return ours
        found = [POSITION.search(one.value or b"") for one in (ours, theirs)]
        mine, yours = found
        if ours.value is None or mine is None or yours is None or yours[0] not in self.known:
            return ours
        return replace(ours, value=ours.value.replace(mine[0], yours[0]))


def positions(messages: Iterable[Message]) -> frozenset[bytes]:
    """Return every position that some messages tell, as they write it."""
    return frozenset(one[0] for m in messages for one in POSITION.finditer(m.value or b""))


@dataclass(frozen=True, slots=True)
class Version:
    """The connector's own version, where another than that of our dialect is asked."""

    ours: str
    theirs: str
    name: str = VERSION

    def taken(self, ours: Message, theirs: Message) -> Message:
        """Return our message with their version."""
        if ours.value is None or theirs.value is None or self.ours == self.theirs:
            return ours
        value = ours.value
        for form in (_in_json, _in_avro):
            value = value.replace(form(self.ours), form(self.theirs))
        return replace(ours, value=value)


@dataclass(frozen=True, slots=True)
class RunId:
    """A run's random id in the last header, where ours has one too."""

    name: str = RUN_ID

    def taken(self, ours: Message, theirs: Message) -> Message:
        """Return our message with the id of theirs."""
        if not (ours.headers and theirs.headers):
            return ours
        *before, (mine, our_value) = ours.headers
        yours, value = theirs.headers[-1]
        # A converter of headers may write more than the id, such as its schema.
        if {mine, yours} != {RUN_ID_HEADER} or around_id(value) is None:
            return ours
        if around_id(our_value) != around_id(value):
            return ours
        return replace(ours, headers=(*before, (mine, value)))


def around_id(value: bytes | None) -> bytes | None:
    """Return what a header's value has around a random id; None where it has none, or several."""
    rest, ids = UUID.subn(b"", value or b"")
    return rest if ids == 1 else None


def _in_json(version: str) -> bytes:
    return f'"version":"{version}"'.encode()


def _in_avro(version: str) -> bytes:
    """Return a version behind its length, as it stands in an Avro body."""
    return varint(len(version)) + version.encode()
