"""Schemas: which one a record was written by, and which columns a row has."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from harness.model.decoded import DecodedEvent
from harness.model.values import Value
from harness.mutants.delivery import Delivery, Message
from harness.mutants.mutant import ALL, Mutant, sign
from harness.mutants.parts import Batch, Events, Known, Parts

_FRAME = 5
# No registry of a scenario gives an id above.
_GIVEN = 1_000_000


class FirstColumns(Events):
    """Keeps the columns that a table's first row had."""

    def __init__(self, known: Known) -> None:
        """Start with no table."""
        del known
        self._columns: dict[tuple[str, str], tuple[str, ...]] = {}

    def read(self, event: DecodedEvent, message: Message) -> Iterable[DecodedEvent]:
        """Drop later columns."""
        del message
        if event.after is None:
            return (event,)
        names = self._columns.setdefault((event.schema, event.table), tuple(event.after))
        if set(names) == set(event.after):
            return (event,)
        return (replace(event, after=self._kept(names, event.after)),)

    @staticmethod
    def _kept(names: tuple[str, ...], after: Mapping[str, Value]) -> Mapping[str, Value]:
        return {name: value for name, value in after.items() if name in names}


class ByPlace(FirstColumns):
    """Gives the n-th value of a row to the n-th column of the table's first row."""

    def read(self, event: DecodedEvent, message: Message) -> Iterable[DecodedEvent]:
        """Name the values anew."""
        del message
        if event.after is None:
            return (event,)
        names = self._columns.setdefault((event.schema, event.table), tuple(event.after))
        if names == tuple(event.after):
            return (event,)
        values = tuple(event.after.values())
        named = dict(zip(names, values, strict=False))
        rest = dict(list(event.after.items())[len(names) :])
        return (replace(event, after={**named, **rest}),)


class NoDefaults(FirstColumns):
    """Ignores the defaults of schemas."""

    def read(self, event: DecodedEvent, message: Message) -> Iterable[DecodedEvent]:
        """Take the defaults away."""
        del message
        return (replace(event, defaults={}),)


def _schema_id(part: bytes | None) -> bytes | None:
    return None if part is None or part[:1] != b"\0" or len(part) < _FRAME else part[1:_FRAME]


def _first_schema() -> Callable[[Message], Message]:
    first: dict[str, bytes] = {}

    def change(message: Message) -> Message:
        found = _schema_id(message.value)
        if found is None or message.value is None:
            return message
        kept = first.setdefault(message.topic, found)
        return replace(message, value=b"\0" + kept + message.value[_FRAME:])

    return change


def _by_latest(delivery: Delivery) -> Iterable[Batch]:
    """Return the batches; every value names the last schema that its topic has."""
    latest: dict[str, bytes] = {}
    for message in delivery.messages():
        latest[message.topic] = _schema_id(message.value) or latest.get(message.topic, b"")

    def read(message: Message) -> Message:
        if message.value is None or _schema_id(message.value) is None:
            return message
        return replace(message, value=b"\0" + latest[message.topic] + message.value[_FRAME:])

    return [tuple(map(read, batch)) for batch in delivery.batches]


def _key_schema_for_both() -> Callable[[Message], Message]:
    def change(message: Message) -> Message:
        found = _schema_id(message.key)
        if found is None or message.value is None or _schema_id(message.value) is None:
            return message
        return replace(message, value=b"\0" + found + message.value[_FRAME:])

    return change


def _turned_id() -> Callable[[Message], Message]:
    def change(message: Message) -> Message:
        found = _schema_id(message.value)
        if found is None or message.value is None:
            return message
        return replace(message, value=b"\0" + found[::-1] + message.value[_FRAME:])

    return change


def _any_first_byte() -> Callable[[Message], Message]:
    def change(message: Message) -> Message:
        value = message.value
        # Where TiCDC sends other messages, they have no key.
        if message.key is None or value is None or len(value) < _FRAME:
            return message
        return replace(message, value=b"\0" + value[1:])

    return change


def _newest_for_unknown() -> Callable[[Message], Message]:
    newest: dict[str, bytes] = {}

    def change(message: Message) -> Message:
        found = _schema_id(message.value)
        if found is None or message.value is None:
            return message
        if int.from_bytes(found, "big") < _GIVEN:
            newest[message.topic] = found
        kept = newest.get(message.topic, found)
        return replace(message, value=b"\0" + kept + message.value[_FRAME:])

    return change


# A value belongs to the column that its own record names.
_NAMES = {
    "open": "open.column.name",
    "avro": "avro.consumer.follows-versions registry.avro.resolution",
    "vitess": "vitess.ddl.next-row",
    "debezium-mysql": "debezium-mysql.ddl.next-row",
}
_SCHEMA = sign("consumer", "schema|field|body")
_COLUMNS = (sign("missing-column extra-column wrong-value unreadable-value"),)

ROWS: tuple[Mutant, ...] = (
    Mutant(
        "first-columns-for-ever",
        "schemas",
        "It keeps the columns that a table's first row had and drops the values of later ones.",
        _NAMES,
        Parts(events=FirstColumns),
        _COLUMNS,
        ALL,
        ("https://github.com/apache/hudi/issues/11833",),
    ),
    Mutant(
        "columns-by-place",
        "schemas",
        "It gives the n-th value of a row to the n-th column that the table had at first.",
        _NAMES,
        Parts(events=ByPlace),
        _COLUMNS,
        ALL,
        ("https://github.com/apache/hudi/issues/7219",),
    ),
    Mutant(
        "schema-default-ignored",
        "schemas",
        "It leaves a new column NULL in older rows, where the schema has a default.",
        "registry.avro.resolution",
        Parts(events=NoDefaults),
        (sign("wrong-value", "is NULL"),),
        ("avro",),
        ("https://github.com/apache/hudi/issues/6496",),
    ),
    Mutant(
        "first-schema-for-all",
        "schemas",
        "It reads every record of a topic by the schema of the first.",
        "avro.consumer.schema-by-id avro.consumer.follows-versions",
        Parts(message=_first_schema),
        (_SCHEMA, *_COLUMNS),
        ("avro",),
        ("https://github.com/kafkajs/confluent-schema-registry/issues/146",),
    ),
    Mutant(
        "latest-schema-for-all",
        "schemas",
        "It reads every record of a topic by the latest schema, older ones too.",
        "avro.consumer.schema-by-id",
        Parts(reads=_by_latest),
        (_SCHEMA, *_COLUMNS),
        ("avro",),
        ("https://github.com/apache/hudi/issues/7219",),
    ),
    Mutant(
        "newest-schema-for-an-unknown-id",
        "schemas",
        "It reads a value whose schema id the registry does not know by the schema before.",
        "registry.id-unknown",
        Parts(message=_newest_for_unknown),
        (sign("consumer", "says nothing of a message that cannot be read"),),
        ("avro",),
        ("https://github.com/kafkajs/confluent-schema-registry/issues/146",),
    ),
    Mutant(
        "first-byte-unread",
        "schemas",
        "It takes a value for Avro whatever its first byte is.",
        "registry.frame.magic",
        Parts(message=_any_first_byte),
        (sign("consumer", "says nothing of a message that cannot be read"),),
        ("avro",),
        ("https://github.com/kafkajs/confluent-schema-registry/issues/146",),
    ),
    Mutant(
        "key-schema-for-both",
        "schemas",
        "It reads the value by the schema that the key names.",
        "avro.message.avro-encoded",
        Parts(message=_key_schema_for_both),
        (_SCHEMA,),
        ("avro",),
        ("https://github.com/confluentinc/kafka-connect-hdfs/issues/202",),
    ),
    Mutant(
        "schema-id-turned-round",
        "schemas",
        "It reads the four bytes of a schema id in the order of the machine.",
        "registry.frame.schema-id",
        Parts(message=_turned_id),
        (sign("consumer", "schema"),),
        ("avro",),
        ("https://github.com/kafkajs/confluent-schema-registry/issues/146",),
    ),
)
