"""What each kind of change says of its row: old and new values, key, columns, partition."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any, Final

from harness.codecs.connect.schema import ConnectRecord, Schema, SchemaType
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.patch import Patch
from harness.mutants.producers.records import (
    CHANGE,
    TOMBSTONE,
    Records,
    Values,
    at,
    kind,
    late_inserts,
    of_row,
    op,
    swapped,
)
from harness.mutants.producers.vitess.edits import each, one, stream, value_schema, values

IMAGES: Final = ("before", "after")


def _of(operation: str, change: Callable[[Values], object]) -> Patch:
    """Return the patch that changes, in place, the value of each change of one operation."""
    return values(CHANGE, lambda value: change(value) if value["op"] == operation else None)


def _put(image: str, source: str | None, value: Values) -> None:
    """Put another image, or none, in the place of one."""
    value[image] = value[source] if source else None


def _early_tombstones(given: Records) -> Iterator[ConnectRecord]:
    """Yield each tombstone before the delete that it belongs to."""
    return swapped(given, lambda one: op(one) == "d", lambda _, one: kind(one) == TOMBSTONE)


def _first_of_key(record: ConnectRecord) -> Records:
    """Leave of a key of several columns the first."""
    schema = record.key_schema
    if schema is None or not of_row(record) or len(schema.fields) == 1:
        return (record,)
    first = schema.fields[0]
    own = replace(schema, fields=(first,))
    return (replace(record, key_schema=own, key={first.name: record.key[first.name]}),)


def _rows_fields(change: Callable[[Schema], Schema]) -> Patch:
    """Return the patch that changes the schema of each field of both images."""

    def fields(schema: Schema) -> Schema:
        own = (replace(each_, schema=change(each_.schema)) for each_ in schema.fields)
        return replace(schema, fields=tuple(own))

    def changed(schema: Schema) -> Schema:
        for image in IMAGES:
            schema = at((image,), fields)(schema)
        return schema

    return value_schema(CHANGE, changed)


def _with_default(schema: Schema) -> Schema:
    return replace(schema, default="") if schema.kind is SchemaType.STRING else schema


def _first_columns(given: Records) -> Iterator[ConnectRecord]:
    """Leave out of each row what the table's first row did not have."""
    met: dict[str, set[str]] = {}
    for record in given:
        if kind(record) != CHANGE or record.value_schema is None:
            yield record
            continue
        (images,) = (f.schema for f in record.value_schema.fields if f.name == "after")
        names = met.setdefault(record.topic, {field.name for field in images.fields})
        schema = record.value_schema
        for image in IMAGES:
            schema = at((image,), partial(_only, names))(schema)
        yield replace(record, value_schema=schema, value=_cut(names, record.value))


def _only(names: set[str], schema: Schema) -> Schema:
    return replace(schema, fields=tuple(field for field in schema.fields if field.name in names))


def _cut(names: set[str], value: Any) -> Values:  # noqa: ANN401 a Connect value is of any kind
    rows = {
        image: value[image] and {n: v for n, v in value[image].items() if n in names}
        for image in IMAGES
    }
    return {**value, **rows}


_IMAGES_OF: Final = (
    ("update-without-the-old-row", "vitess.row.update", "u", "before", None),
    ("update-with-the-old-row-twice", "vitess.row.update", "u", "after", "before"),
    ("delete-without-the-old-row", "vitess.row.delete", "d", "before", None),
    ("delete-with-the-old-row-twice", "vitess.row.delete", "d", "after", "before"),
)
_SAYS: Final = {
    "before": "It leaves the old row of {} null.",
    "after": "It sends the old row of {} as the new one, too.",
}
_NOUNS: Final = {"u": "an update", "d": "a delete"}

ROWS: tuple[WrongProducer, ...] = (
    *(
        WrongProducer(
            f"vitess-{name}",
            clause,
            _SAYS[image].format(_NOUNS[operation]),
            _of(operation, partial(_put, image, source)),
        )
        for name, clause, operation, image, source in _IMAGES_OF
    ),
    WrongProducer(
        "vitess-create-without-the-new-row",
        "vitess.row.create",
        "It leaves the new row of an insert null.",
        _of("c", partial(_put, "after", None)),
    ),
    WrongProducer(
        "vitess-no-tombstones",
        "vitess.tombstone.follows",
        "It sends no tombstone behind a delete.",
        each(lambda record: () if kind(record) == TOMBSTONE else (record,)),
    ),
    WrongProducer(
        "vitess-tombstone-before-its-delete",
        "vitess.tombstone.follows",
        "It sends a tombstone before the delete.",
        stream(_early_tombstones),
    ),
    WrongProducer(
        "vitess-tombstone-without-a-key",
        "vitess.tombstone.follows",
        "It sends tombstones without a key.",
        one(TOMBSTONE, lambda record: replace(record, key=None, key_schema=None)),
    ),
    WrongProducer(
        "vitess-key-of-the-first-column",
        "vitess.key.primary-key",
        "It takes the first column of a primary key for the whole of it.",
        each(_first_of_key),
    ),
    WrongProducer(
        "vitess-every-field-optional",
        "vitess.value.optional",
        "It calls a field optional whose column may not be NULL.",
        _rows_fields(lambda schema: replace(schema, optional=True)),
    ),
    WrongProducer(
        "vitess-no-field-optional",
        "vitess.value.optional",
        "It calls no field optional.",
        _rows_fields(lambda schema: replace(schema, optional=False)),
    ),
    WrongProducer(
        "vitess-fields-with-defaults",
        "vitess.value.optional",
        "It gives the fields of texts a default.",
        _rows_fields(_with_default),
    ),
    WrongProducer(
        "vitess-first-columns-for-ever",
        "vitess.ddl.next-row",
        "It leaves out of a row the columns that its table did not have at first.",
        stream(_first_columns),
    ),
    WrongProducer(
        "vitess-inserts-in-partition-0",
        "vitess.order.per-key",
        "It sends inserts to partition 0, and all else where the key belongs.",
        one(CHANGE, lambda r: replace(r, partition=0) if op(r) == "c" else r),
    ),
    WrongProducer(
        "vitess-update-before-its-insert",
        "vitess.order.per-key",
        "It sends the first update of a row before the insert of that row.",
        stream(late_inserts),
    ),
)
