"""An event as a protocol's decoder reads it back from the wire, in words common to all protocols.

Previews, golden files and the author's own `expect.events` speak of these; so does the reference
consumer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

from harness.model.canonical import canonical
from harness.model.columns import BINARIES, CHARACTERS, Column, ColumnKind
from harness.model.debezium_place import DebeziumPlace
from harness.model.values import Value


def settled(kind: ColumnKind, value: Value) -> Value:
    """Return a decoded value as a column of that kind has it.

    Not every wire distinguishes text from bytes, and a float's shortest digits are not the 32-bit
    float that they stand for; a reader who knows the column knows both. Raises ValueError for bytes
    that are no text and for numbers beyond a 32-bit float.
    """
    if kind is ColumnKind.FLOAT and isinstance(value, float):
        return canonical(Column(0, "", kind), value)
    if isinstance(value, str) and kind in BINARIES:
        return value.encode()
    if isinstance(value, bytes) and kind in CHARACTERS:
        return value.decode()
    return value


class EventKind(StrEnum):
    """What an event says; an upsert is an insert or an update, the wire does not say which.

    A tombstone is a record with a key and a null value; begin and end bound a transaction of the
    transaction topic.
    """

    INSERT = "insert"
    UPDATE = "update"
    UPSERT = "upsert"
    DELETE = "delete"
    DDL = "ddl"
    RESOLVED = "resolved"
    TOMBSTONE = "tombstone"
    BEGIN = "begin"
    END = "end"
    HEARTBEAT = "heartbeat"


@dataclass(frozen=True, slots=True)
class DecodedEvent:
    """One event of one Kafka message.

    `before` and `after` hold the columns that are on the wire, by name; `handle` the names of the
    handle key. `key` holds the key's columns where the record's key carries their values. `query`
    and `type` are a DDL's. `key_text` and `value_text` are the event's own JSON. `handle_only`: the
    row was too large, and only its handle columns are here. `claim_check` names the file that the
    row was read from, empty when the message itself had it. `place` is Debezium's alone.
    `defaults` are what older records have in columns that they lack, as far as the wire says.
    """

    kind: EventKind
    commit_ts: int
    schema: str = ""
    table: str = ""
    before: Mapping[str, Value] | None = None
    after: Mapping[str, Value] | None = None
    handle: tuple[str, ...] = ()
    types: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    row_id: int | None = None
    query: str = ""
    type: int = 0
    key_text: str = ""
    value_text: str = ""
    key: Mapping[str, Value] | None = None
    handle_only: bool = False
    claim_check: str = ""
    place: DebeziumPlace | None = None
    defaults: Mapping[str, Value] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def age(self) -> tuple[int, int]:
        """Return what is greater of a newer event; within a second MariaDB's GTIDs tell."""
        return self.commit_ts, 0 if self.place is None else self.place.number

    @property
    def empties(self) -> bool:
        """Return whether it is a TRUNCATE that stands among the rows of its table."""
        return self.place is not None and self.place.op == "t"

    @property
    def image(self) -> Mapping[str, Value] | None:
        """Return the row that the event is about: the new one, a deletion's old one, or the key."""
        if self.after is not None:
            return self.after
        return self.key if self.before is None else self.before
