"""Patches of a Debezium connector, by what they do to the records that it gives.

A connector's record is changed before transforms and converters, so its schema, its key's bytes
and its partition follow in JSON and in Avro alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, cast

from harness.codecs.connect.schema import ConnectRecord, Field, Schema, SchemaCache
from harness.codecs.debezium.emitter import NEW_KEY, OLD_KEY
from harness.mutants.producers.patch import Patch

# What a record is, by the first of these fields that its value has; a tombstone has no value.
CHANGE, BOUNDARY, SCHEMA_CHANGE, HEARTBEAT = "op", "status", "ddl", "ts_ms"
TOMBSTONE: Final = ""
BEGIN, END = "BEGIN", "END"
# A struct's values. Any: of whatever a field holds.
Values = dict[str, Any]
Records = Iterable[ConnectRecord]
SchemaChange = Callable[[Schema], Schema]
# Makes other records of the halves of a key change: the delete, its tombstones, the create.
Halves = Callable[[ConnectRecord, list[ConnectRecord], ConnectRecord], Records]


def kind(record: ConnectRecord) -> str:
    """Return which of the five kinds a record is."""
    if record.value is None:
        return TOMBSTONE
    own = (CHANGE, BOUNDARY, SCHEMA_CHANGE, HEARTBEAT)
    return next(name for name in own if name in record.value)


def op(record: ConnectRecord) -> str:
    """Return a change's operation, nothing for a record that is none."""
    return str(record.value["op"]) if kind(record) == CHANGE else ""


def status_of(record: ConnectRecord) -> str:
    """Return BEGIN or END for a boundary, nothing for another record."""
    return str(record.value["status"]) if kind(record) == BOUNDARY else ""


def transactions(given: Records) -> Iterator[list[ConnectRecord]]:
    """Yield the records from each BEGIN to its END together, others by themselves.

    A BEGIN without an END, as a statement of DDL has one, ends at the next BEGIN.
    """
    held: list[ConnectRecord] = []
    for record in given:
        if held and status_of(record) == BEGIN:
            yield held
            held = []
        held.append(record)
        inside = status_of(held[0]) == BEGIN
        if not inside or status_of(record) == END:
            yield held
            held = []
    if held:
        yield held


def of_row(record: ConnectRecord) -> bool:
    """Tell whether a record is a change with a key, or its tombstone."""
    return record.key is not None and kind(record) in {CHANGE, TOMBSTONE}


def key_changes(change: Halves) -> Callable[[Records], Iterator[ConnectRecord]]:
    """Return what changes each key change of a stream: the delete, its tombstones, the create."""

    def changed(given: Records) -> Iterator[ConnectRecord]:
        held: list[ConnectRecord] = []
        for record in given:
            names = {header.key for header in record.headers}
            if NEW_KEY in names:
                held.append(record)
            elif OLD_KEY in names and held:
                yield from change(held[0], held[1:], record)
                held = []
            else:
                yield record
        yield from held

    return changed


def late_inserts(given: Records) -> Iterator[ConnectRecord]:
    """Yield the insert of a row behind the row's next change, if that is an update."""
    records = list(given)
    following: dict[tuple[str, str], int] = {}
    late: dict[int, ConnectRecord] = {}
    kept: list[tuple[int, ConnectRecord]] = []
    for number, record in reversed([*enumerate(records)]):
        row = (record.topic, str(record.key))
        after = following.get(row)
        if op(record) == "c" and after is not None and op(records[after]) == "u":
            late[after] = record
        else:
            kept.append((number, record))
        if of_row(record):
            following[row] = number
    for number, record in reversed(kept):
        yield record
        if number in late:
            yield late[number]


def of_a_schema(given: Records) -> Iterator[ConnectRecord]:
    """Give each tombstone the schema of the value before it, which it allows to be null."""
    schema = None
    for record in given:
        if kind(record) == CHANGE:
            schema = record.value_schema
        if kind(record) == TOMBSTONE and schema is not None:
            yield replace(record, value_schema=replace(schema, optional=True))
        else:
            yield record


def changed_columns(value: Values) -> None:
    """Leave what an update did not change, the key apart, unset in its new row."""
    before, after = value["before"], value["after"]
    if before and after:
        for name in [*after][1:]:
            after[name] = None if before[name] == after[name] else after[name]


def tombstone_of_updates(record: ConnectRecord) -> Records:
    """Return a record, and behind an update a tombstone of its key."""
    if op(record) != "u":
        return (record,)
    return (record, replace(record, value=None, value_schema=None))


def swapped(
    given: Records,
    leads: Callable[[ConnectRecord], bool],
    follows: Callable[[ConnectRecord, ConnectRecord], bool],
) -> Iterator[ConnectRecord]:
    """Yield each record that leads behind the next one, where that follows it."""
    held: ConnectRecord | None = None
    for record in given:
        if held is not None and follows(held, record):
            yield record
            yield held
            held = None
            continue
        if held is not None:
            yield held
        held = record if leads(record) else None
        if held is None:
            yield record
    if held is not None:
        yield held


@dataclass(frozen=True, slots=True)
class Edits:
    """One connector's patches; `stream` makes the one that changes all records together."""

    stream: Callable[[Callable[[Records], Records]], Patch]

    def each(self, change: Callable[[ConnectRecord], Records]) -> Patch:
        """Return the patch that changes each record, into any number of them."""
        return self.stream(partial(_each, change))

    def one(self, of: str, change: Callable[[ConnectRecord], ConnectRecord]) -> Patch:
        """Return the patch that changes each record of one kind."""
        return self.each(lambda record: (change(record) if kind(record) == of else record,))

    def values(self, of: str, change: Callable[[Values], object]) -> Patch:
        """Return the patch that changes, in place, the value of each record of one kind."""
        return self.one(of, lambda record: replace(record, value=_changed(record.value, change)))

    def keys(self, change: Callable[[Values], object]) -> Patch:
        """Return the patch that changes, in place, the key of each record of a row."""
        return self.each(
            lambda record: (
                replace(record, key=_changed(record.key, change)) if of_row(record) else record,
            )
        )

    def value_schema(self, of: str, change: SchemaChange) -> Patch:
        """Return the patch that changes the schema of each value of one kind."""
        made = SchemaCache(change)
        return self.one(of, lambda record: replace(record, value_schema=made.of(_own(record))))

    def key_schema(self, change: SchemaChange) -> Patch:
        """Return the patch that changes the schema of each key of a row."""
        made = SchemaCache(change)

        def changed(record: ConnectRecord) -> Records:
            schema = record.key_schema
            if schema is None or not of_row(record):
                return (record,)
            return (replace(record, key_schema=made.of(schema)),)

        return self.each(changed)

    def by_transaction(
        self, change: Callable[[list[ConnectRecord]], Iterable[ConnectRecord]]
    ) -> Patch:
        """Return the patch that changes the records of each transaction together."""

        def changed(given: Records) -> Iterator[ConnectRecord]:
            for those in transactions(given):
                whole = status_of(those[0]) == BEGIN and status_of(those[-1]) == END
                yield from change(those) if whole else those

        return self.stream(changed)

    def of_status(self, status: str, field: str, change: Callable[[Any], Any]) -> Patch:
        """Return the patch that changes a field of each boundary of one status."""

        def changed(value: Values) -> None:
            if value["status"] == status:
                value[field] = change(value[field])

        return self.values(BOUNDARY, changed)

    def without(self, of: str, path: str) -> Patch:
        """Return the patch that leaves a field out: of a value, as `source.ts_ms` says it."""
        *outer, name = path.split(".")
        return self.value_schema(of, at(outer, partial(dropped, name)))

    def renamed(self, of: str, path: str, new: str) -> Patch:
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

        return self.one(of, changed)

    def moved(self, of: str, path: str, before: str) -> Patch:
        """Return the patch that puts a field of a value before another one of the same struct."""
        *outer, name = path.split(".")
        return self.value_schema(of, at(outer, partial(put_before, name, before)))

    def valued(self, of: str, path: str, change: Callable[[Any], Any]) -> Patch:
        """Return the patch that changes what a field of a value holds; `path` is `source.ts_ms`."""
        *outer, name = path.split(".")

        def value(given: Values) -> None:
            struct = inner(given, outer)
            if struct is not None:
                struct[name] = change(struct.get(name))

        return self.values(of, value)

    def typed(self, of: str, path: str, change: SchemaChange) -> Patch:
        """Return the patch that changes the schema of a field of a value."""
        return self.value_schema(of, at(path.split("."), change))


def _each(change: Callable[[ConnectRecord], Records], given: Records) -> Iterator[ConnectRecord]:
    for record in given:
        yield from change(record)


def _changed(given: Values, change: Callable[[Values], object]) -> Values:
    """Return a changed copy; the structs within are copies too."""
    made = {
        name: {**cast("Values", value)} if isinstance(value, dict) else value
        for name, value in given.items()
    }
    change(made)
    return made


def _own(record: ConnectRecord) -> Schema:
    assert record.value_schema is not None
    return record.value_schema


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
