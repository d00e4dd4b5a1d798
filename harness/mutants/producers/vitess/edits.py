"""Patches of the Vitess connector, by what they do to the records that it gives.

A connector's record is changed before transforms and converters, so its schema, its key's bytes
and its partition follow in JSON and in Avro alike. `responses` changes what the connector is given,
`kafka` what Kafka is given. Rows are not written by columns under these patches, which changes no
byte of the right producer's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final, cast

from harness.codecs.connect.schema import ConnectRecord, Field, Schema, SchemaCache
from harness.codecs.debezium_vitess.codec import VitessConfiguration
from harness.model.record import Record
from harness.model.vstream import VStreamResponse
from harness.mutants.producers.patch import Patch, patch, result

CODEC: Final = "harness.codecs.debezium_vitess.codec"
CONNECTOR: Final = "harness.codecs.debezium_vitess.encode:Connector"
# What a record is, by a field that only its value has; a tombstone has no value.
CHANGE, BOUNDARY, SCHEMA_CHANGE, HEARTBEAT = "op", "status", "ddl", "vgtid"
TOMBSTONE: Final = ""
# A struct's values. Any: of whatever a field holds.
Values = dict[str, Any]
Records = Iterable[ConnectRecord]
SchemaChange = Callable[[Schema], Schema]


def kind(record: ConnectRecord) -> str:
    """Return which of the five kinds a record is."""
    if record.value is None:
        return TOMBSTONE
    own = (CHANGE, BOUNDARY, SCHEMA_CHANGE, HEARTBEAT)
    return next(name for name in own if name in record.value)


def op(record: ConnectRecord) -> str:
    """Return a change's operation, nothing for a record that is none."""
    return str(record.value["op"]) if kind(record) == CHANGE else ""


def stream(change: Callable[[Records], Records]) -> Patch:
    """Return the patch that changes all records of a connector together."""

    def changed(original: Callable[..., None]) -> Callable[..., None]:
        def start(self: Any, settings: Any, clock: Any, *rest: Any) -> None:  # noqa: ANN401 a method of any instance
            original(self, settings, clock, *rest[:2])  # the third writes rows by columns
            emitted = self.emitted
            self.emitted = lambda given: iter(change(emitted(given)))

        return start

    return patch(f"{CONNECTOR}.__init__", changed)


def each(change: Callable[[ConnectRecord], Records]) -> Patch:
    """Return the patch that changes each record, into any number of them."""
    return stream(partial(_each, change))


def _each(change: Callable[[ConnectRecord], Records], given: Records) -> Iterator[ConnectRecord]:
    for record in given:
        yield from change(record)


def one(of: str, change: Callable[[ConnectRecord], ConnectRecord]) -> Patch:
    """Return the patch that changes each record of one kind."""
    return each(lambda record: (change(record) if kind(record) == of else record,))


def values(of: str, change: Callable[[Values], object]) -> Patch:
    """Return the patch that changes, in place, the value of each record of one kind."""
    return one(of, lambda record: replace(record, value=_changed(record.value, change)))


def keys(change: Callable[[Values], object]) -> Patch:
    """Return the patch that changes, in place, the key of each record of a row."""
    return each(lambda record: (_rekeyed(record, change) if of_row(record) else record,))


def of_row(record: ConnectRecord) -> bool:
    """Tell whether a record is a change with a key, or its tombstone."""
    return record.key is not None and kind(record) in {CHANGE, TOMBSTONE}


def _rekeyed(record: ConnectRecord, change: Callable[[Values], object]) -> ConnectRecord:
    return replace(record, key=_changed(record.key, change))


def _changed(given: Values, change: Callable[[Values], object]) -> Values:
    """Return a changed copy; the structs within are copies too."""
    made = {
        name: {**cast("Values", value)} if isinstance(value, dict) else value
        for name, value in given.items()
    }
    change(made)
    return made


def value_schema(of: str, change: SchemaChange) -> Patch:
    """Return the patch that changes the schema of each value of one kind."""
    made = SchemaCache(change)
    return one(of, lambda record: replace(record, value_schema=made.of(_own(record))))


def key_schema(change: SchemaChange) -> Patch:
    """Return the patch that changes the schema of each key of a row."""
    made = SchemaCache(change)

    def changed(record: ConnectRecord) -> Records:
        schema = record.key_schema
        if schema is None or not of_row(record):
            return (record,)
        return (replace(record, key_schema=made.of(schema)),)

    return each(changed)


def _own(record: ConnectRecord) -> Schema:
    assert record.value_schema is not None
    return record.value_schema


def without(of: str, path: str) -> Patch:
    """Return the patch that leaves a field out: of a value, as `source.ts_ms` says it."""
    *outer, name = path.split(".")
    return value_schema(of, at(outer, partial(dropped, name)))


def renamed(of: str, path: str, new: str) -> Patch:
    """Return the patch that gives a field of a value another name."""
    *outer, name = path.split(".")
    made = SchemaCache(at(outer, partial(named, name, new)))

    def value(given: Values) -> None:
        struct = inner(given, outer)
        if struct is not None and name in struct:
            struct[new] = struct.pop(name)

    def changed(record: ConnectRecord) -> ConnectRecord:
        return replace(
            record, value=_changed(record.value, value), value_schema=made.of(_own(record))
        )

    return one(of, changed)


def moved(of: str, path: str, before: str) -> Patch:
    """Return the patch that puts a field of a value before another one of the same struct."""
    *outer, name = path.split(".")
    return value_schema(of, at(outer, partial(put_before, name, before)))


def valued(of: str, path: str, change: Callable[[Any], Any]) -> Patch:
    """Return the patch that changes what a field of a value holds; `path` is `source.ts_ms`."""
    *outer, name = path.split(".")

    def value(given: Values) -> None:
        struct = inner(given, outer)
        if struct is not None:
            struct[name] = change(struct.get(name))

    return values(of, value)


def typed(of: str, path: str, change: SchemaChange) -> Patch:
    """Return the patch that changes the schema of a field of a value."""
    return value_schema(of, at(path.split("."), change))


def inner(given: Values, path: Sequence[str]) -> Values | None:
    """Return the struct within a value at a path, None where it is null."""
    found: Any = given
    for name in path:
        if found is None:
            return None
        found = found.get(name)
    return cast("Values | None", found)


def at(path: Sequence[str], change: SchemaChange) -> SchemaChange:
    """Return what changes the schema at a path of a struct's schema, where that has such fields."""
    if not path:
        return change
    deeper = at(path[1:], change)

    def changed(schema: Schema) -> Schema:
        fields = (
            replace(f, schema=deeper(f.schema)) if f.name == path[0] else f for f in schema.fields
        )
        return replace(schema, fields=tuple(fields))

    return changed


def dropped(name: str, schema: Schema) -> Schema:
    """Return a struct's schema without a field."""
    return replace(schema, fields=tuple(f for f in schema.fields if f.name != name))


def named(name: str, new: str, schema: Schema) -> Schema:
    """Return a struct's schema with another name for a field."""
    fields = (replace(f, name=new) if f.name == name else f for f in schema.fields)
    return replace(schema, fields=tuple(fields))


def put_before(name: str, before: str, schema: Schema) -> Schema:
    """Return a struct's schema with a field before another, the same where it lacks one."""
    moving = [f for f in schema.fields if f.name == name]
    if not moving or all(f.name != before for f in schema.fields):
        return schema
    fields: list[Field] = []
    for each_field in schema.fields:
        fields += moving if each_field.name == before else ()
        fields += () if each_field.name == name else (each_field,)
    return replace(schema, fields=tuple(fields))


def responses(change: Callable[[Iterable[VStreamResponse]], Iterable[VStreamResponse]]) -> Patch:
    """Return the patch by which the connector hears other responses than the stream sends."""

    def changed(original: Callable[..., Any]) -> Callable[..., Any]:
        return lambda self, events: original(self, change(events))

    return patch(f"{CODEC}:BoundVitess.encode", changed)


def kafka(change: Callable[[Iterable[Record]], Iterable[Record]]) -> Patch:
    """Return the patch that changes what the producer sends, in bytes."""
    return result(f"{CODEC}:BoundVitess.encode", lambda given: iter(change(given)))


def with_settings(change: Callable[[dict[str, Any]], object]) -> Patch:
    """Return the patch that changes, in place, the settings that the connector is given.

    Whoever reads what it sends is still given the settings as they are.
    """

    def changed(original: Callable[..., VitessConfiguration]) -> Callable[..., Any]:
        def bound(given: Mapping[str, Any], dialect: str) -> VitessConfiguration:
            own = dict(given)
            change(own)
            return replace(original(own, dialect), values=given)

        return bound

    return patch(f"{CODEC}:bound_to", changed)


def ignoring(*names: str) -> Patch:
    """Return the patch by which the connector ignores settings, of which it takes the defaults."""
    return with_settings(lambda own: [own.pop(name, None) for name in names])


def by_default(**defaults: object) -> Patch:
    """Return the patch by which settings that nobody gave are these; `_` stands for a dot."""

    def change(own: dict[str, Any]) -> None:
        for name, value in defaults.items():
            own.setdefault(name.replace("_", "."), value)

    return with_settings(change)
