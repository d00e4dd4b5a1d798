"""Deletes and tombstones."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from harness.model.decoded import DecodedEvent, EventKind
from harness.model.table import TableId
from harness.mutants.delivery import Message
from harness.mutants.mutant import ALL, Mutant, sign
from harness.mutants.parts import Events, GivesUp, Known, Parts
from harness.reference_consumer.tables import Tables


class Ignored(Events):
    """Has no deletes."""

    def __init__(self, known: Known) -> None:
        """Know nothing."""
        del known

    def read(self, event: DecodedEvent, message: Message) -> Iterable[DecodedEvent]:
        """Drop a delete, and the tombstone behind it."""
        del message
        return () if event.kind in {EventKind.DELETE, EventKind.TOMBSTONE} else (event,)


class TombstonesIgnored(Ignored):
    """Takes a tombstone for an echo of a delete, which it need not be."""

    def read(self, event: DecodedEvent, message: Message) -> Iterable[DecodedEvent]:
        """Drop a tombstone."""
        del message
        return () if event.kind is EventKind.TOMBSTONE else (event,)


class NullValueFails(Ignored):
    """Has never heard of a message without a value."""

    def read(self, event: DecodedEvent, message: Message) -> Iterable[DecodedEvent]:
        """Give up at a null value."""
        if message.value is None:
            raise GivesUp("the value is null: NullPointerException")
        return (event,)


class NullValueSkipped(Ignored):
    """Passes over every message without a value."""

    def read(self, event: DecodedEvent, message: Message) -> Iterable[DecodedEvent]:
        """Drop what has no value."""
        return () if message.value is None else (event,)


class LateTombstones(Ignored):
    """Lets a tombstone take away the row that its table has got since."""

    def __init__(self, known: Known) -> None:
        """Start without tombstones."""
        del known
        self._deleted: DecodedEvent | None = None
        self._tombstones = 0

    def read(self, event: DecodedEvent, message: Message) -> Iterable[DecodedEvent]:
        """Turn the row after a tombstone into nothing, as if the tombstone were its own."""
        del message
        if event.kind is EventKind.DELETE:
            self._deleted = event
        if event.kind is EventKind.TOMBSTONE:
            self._tombstones += 1
        deleted, same = self._deleted, self._deleted is not None
        if same and self._tombstones and event.kind is EventKind.INSERT and deleted is not None:
            self._deleted, self._tombstones = None, 0
            if (deleted.table, deleted.commit_ts) == (event.table, event.commit_ts):
                gone = replace(event, kind=EventKind.DELETE, before=event.after, after=None)
                return (event, gone)
        return (event,)


class WholeBefore(Tables):
    """Finds the row to delete by all its columns."""

    def apply_row(self, event: DecodedEvent) -> None:
        """Leave the row where the old image is not all of it."""
        table = TableId(event.schema, event.table)
        if event.kind is EventKind.DELETE and event.handle:
            image = event.before or event.key or {}
            if self.rows.get(table, {}).get(self.key_of(event.handle, image)) != image:
                return
        super().apply_row(event)


class SoftDeletes(Tables):
    """Keeps a deleted row, with NULL in every column but the key."""

    def apply_row(self, event: DecodedEvent) -> None:
        """Empty the row."""
        table = TableId(event.schema, event.table)
        image = event.before or event.key or {}
        row = self.rows.get(table, {}).get(self.key_of(event.handle, image))
        if event.kind is not EventKind.DELETE or row is None:
            super().apply_row(event)
            return
        emptied = {name: value if name in event.handle else None for name, value in row.items()}
        self.rows[table][self.key_of(event.handle, image)] = emptied


class MissingFails(Tables):
    """Takes a delete of a row that is not there for a broken stream."""

    def apply_row(self, event: DecodedEvent) -> None:
        """Give up at a delete that finds nothing."""
        table = TableId(event.schema, event.table)
        if event.kind is EventKind.DELETE and event.handle:
            key = self.key_of(event.handle, event.before or event.key or {})
            if key not in self.rows.get(table, {}):
                raise GivesUp(f"there is no row {key} of {table} to delete")
        super().apply_row(event)


class AllEqualRows(Tables):
    """Deletes every row that equals the old image, where one is meant."""

    def apply_row(self, event: DecodedEvent) -> None:
        """Remove all equal rows of a table without a key."""
        table = TableId(event.schema, event.table)
        if not event.handle and event.before is not None:
            loose = self.loose.get(table, [])
            self.loose[table] = [row for row in loose if row != event.before]
        super().apply_row(event)


_DELETE = {
    "open": "open.row.delete",
    "avro": "avro.consumer.null-is-delete",
    "vitess": "vitess.row.delete",
    "debezium-mysql": "debezium-mysql.row.delete",
}
# Debezium sends tombstones behind its deletes.
_DEBEZIUM = ("vitess", "debezium-mysql")
_STAYS = sign("extra-row", "must not be there")

ROWS: tuple[Mutant, ...] = (
    Mutant(
        "deletes-ignored",
        "deletes",
        "It passes over deletes.",
        _DELETE,
        Parts(events=Ignored),
        (_STAYS,),
        ALL,
        ("https://github.com/risingwavelabs/risingwave/issues/4694",),
    ),
    Mutant(
        "tombstone-npe",
        "deletes",
        "It fails at a message without a value.",
        {
            "avro": "avro.consumer.null-is-delete",
            "vitess": "vitess.tombstone.follows",
            "debezium-mysql": "debezium-mysql.tombstone.follows",
        },
        Parts(events=NullValueFails),
        (sign("consumer", "the value is null"),),
        ("avro", *_DEBEZIUM),
        (
            "https://github.com/apache/hudi/issues/8519",
            "https://github.com/apache/flink/pull/13019",
            "https://github.com/spring-attic/cdc-debezium/issues/6",
        ),
    ),
    Mutant(
        "null-value-skipped",
        "deletes",
        "It passes over messages without a value, which in Avro are the deletes.",
        "avro.consumer.null-is-delete",
        Parts(events=NullValueSkipped),
        (_STAYS,),
        ("avro",),
        ("https://github.com/apache/paimon/pull/3113",),
    ),
    Mutant(
        "tombstone-ignored",
        "deletes",
        "It passes over tombstones, although compaction may leave one alone, without its delete.",
        "kafka.compaction.tombstone",
        Parts(events=TombstonesIgnored),
        (_STAYS,),
        _DEBEZIUM,
        ("https://github.com/risingwavelabs/risingwave/pull/9944",),
    ),
    Mutant(
        "tombstone-deletes-new-key",
        "deletes",
        "It lets the tombstone of a key that moved take away the row under the new key.",
        {name: f"{name}.tombstone.ignored" for name in _DEBEZIUM},
        Parts(events=LateTombstones),
        (sign("missing-row"),),
        _DEBEZIUM,
        ("https://github.com/MaterializeInc/materialize/issues/6553",),
    ),
    Mutant(
        "before-only-delete",
        "deletes",
        "It finds the row to delete by all its columns, where the message carries the key only.",
        {
            "open": "open.row.delete.handle-columns open.row.delete.handle-only-setting",
            "avro": "avro.row.delete avro.consumer.null-is-delete",
        },
        Parts(tables=WholeBefore),
        (_STAYS,),
        ("open", "avro"),
        ("https://github.com/apache/hudi/issues/9143",),
    ),
    Mutant(
        "delete-empties-the-row",
        "deletes",
        "It keeps a deleted row with NULL in every column but the key.",
        _DELETE,
        Parts(tables=SoftDeletes),
        (_STAYS,),
    ),
    Mutant(
        "delete-of-nothing-fails",
        "deletes",
        "It fails at a delete of a row that is not there, as a replayed one.",
        {
            "avro": "avro.delivery.at-least-once",
            "vitess": "vitess.delivery.idempotent",
            "debezium-mysql": "debezium-mysql.delivery.idempotent",
        },
        Parts(tables=MissingFails),
        (sign("consumer", "there is no row"),),
        ("avro", *_DEBEZIUM),
        ("https://github.com/risingwavelabs/risingwave/issues/5542",),
    ),
    Mutant(
        "delete-takes-all-equal-rows",
        "deletes",
        "It deletes every row that equals the old one, in a table without a key.",
        "open.key.row-id",
        Parts(tables=AllEqualRows),
        (sign("missing-row"),),
        ("open",),
    ),
)
