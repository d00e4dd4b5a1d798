"""The envelope of a change: its fields, their order, its schema's name and version."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Final

from harness.codecs.connect.schema import ConnectRecord, Schema
from harness.codecs.debezium import schemas
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.patch import Patch
from harness.mutants.producers.records import CHANGE, Values, at, op
from harness.mutants.producers.vitess.edits import (
    each,
    moved,
    one,
    renamed,
    value_schema,
    valued,
    values,
    without,
)

FIELDS: Final = schemas.ENVELOPE.fields
# Where the schemas of a table are: the envelope, and the rows within it.
ROWS_WITHIN: Final = ("before", "after")
# What each operation's event has where the right producer has something else.
CONFUSED: Final = {"c": "i", "u": "c", "d": "r"}
WHAT: Final = {"c": "create", "u": "update", "d": "delete"}


def _fields() -> Iterator[WrongProducer]:
    """Yield, for each field, one without it and one that renames it."""
    for name in FIELDS:
        yield WrongProducer(
            f"vitess-envelope-without-{name.replace('_', '-')}",
            "vitess.envelope.fields",
            f"It leaves `{name}` out of a change.",
            without(CHANGE, name),
        )
        yield WrongProducer(
            f"vitess-envelope-renames-{name.replace('_', '-')}",
            "vitess.envelope.fields",
            f"It calls `{name}` `{name}_` in a change.",
            renamed(CHANGE, name, f"{name}_"),
        )
    for name, before in zip(FIELDS[1:], FIELDS, strict=False):
        yield WrongProducer(
            f"vitess-envelope-{name.replace('_', '-')}-ahead",
            "vitess.envelope.fields",
            f"It writes `{name}` before `{before}`.",
            moved(CHANGE, name, before),
        )


def _schema_named(end: str, schema: Schema) -> Schema:
    """Return a schema whose name ends otherwise: `shop.shop.items.` and the end."""
    return replace(schema, name=f"{(schema.name or '').rpartition('.')[0]}{end}")


def _without_prefix(schema: Schema) -> Schema:
    """Return a schema that is named after the table alone."""
    return replace(schema, name=(schema.name or "").partition(".")[2])


def _of_rows(change: Callable[[Schema], Schema], schema: Schema) -> Schema:
    for path in ROWS_WITHIN:
        schema = at((path,), change)(schema)
    return schema


def _renamed_operation(old: str, new: str) -> Patch:
    return valued(CHANGE, "op", lambda held: new if held == old else held)


def _one_column_less(value: Values) -> None:
    """Leave the last column of an old row unset."""
    before = value["before"]
    if before:
        before[[*before][-1]] = None


def _changed_columns(record: ConnectRecord) -> ConnectRecord:
    """Leave the columns of an old row unset that are as they were, where they may be NULL."""
    before, after = record.value["before"], record.value["after"]
    if not before or not after or record.value_schema is None:
        return record
    (schema,) = (field.schema for field in record.value_schema.fields if field.name == "before")
    same = {f.name for f in schema.fields if f.schema.optional and before[f.name] == after[f.name]}
    old = {name: None if name in same else value for name, value in before.items()}
    return replace(record, value={**record.value, "before": old})


def _lacking(name: str, operation: str, record: ConnectRecord) -> Iterator[ConnectRecord]:
    """Yield a record without a field in its schema, where it is of an operation."""
    if op(record) != operation:
        yield record
        return
    assert record.value_schema is not None
    schema = replace(
        record.value_schema,
        fields=tuple(f for f in record.value_schema.fields if f.name != name),
    )
    yield replace(record, value_schema=schema)


def _both_rows(value: Values) -> None:
    if value["op"] == "c":
        value["before"] = value["after"]


ROWS: tuple[WrongProducer, ...] = (
    *_fields(),
    WrongProducer(
        "vitess-envelope-version-1",
        "vitess.envelope.version",
        "It calls the envelope's schema version 1.",
        value_schema(CHANGE, lambda schema: replace(schema, version=1)),
    ),
    WrongProducer(
        "vitess-envelope-without-version",
        "vitess.envelope.version",
        "It gives the envelope's schema no version.",
        value_schema(CHANGE, lambda schema: replace(schema, version=None)),
    ),
    WrongProducer(
        "vitess-old-row-without-its-last-column",
        "vitess.envelope.all-columns",
        "It leaves the last column of an old row unset.",
        values(CHANGE, _one_column_less),
    ),
    WrongProducer(
        "vitess-old-row-of-changed-columns",
        "vitess.envelope.all-columns",
        "It sends NULL for the columns of an old row that did not change.",
        one(CHANGE, _changed_columns),
    ),
    WrongProducer(
        "vitess-deletes-of-another-schema",
        "vitess.envelope.same-schema",
        "It has no `after` in the schema of a delete.",
        each(partial(_lacking, "after", "d")),
    ),
    WrongProducer(
        "vitess-updates-of-another-schema",
        "vitess.envelope.same-schema",
        "It has no `transaction` in the schema of an update.",
        each(partial(_lacking, "transaction", "u")),
    ),
    WrongProducer(
        "vitess-envelope-named-value",
        "vitess.envelope.names",
        "It ends the name of the envelope's schema with `.Value`.",
        value_schema(CHANGE, partial(_schema_named, ".Value")),
    ),
    WrongProducer(
        "vitess-rows-named-row",
        "vitess.envelope.names",
        "It ends the name of the rows' schema with `.Row`.",
        value_schema(CHANGE, partial(_of_rows, partial(_schema_named, ".Row"))),
    ),
    WrongProducer(
        "vitess-one-row-named-row",
        "vitess.envelope.names",
        "It ends the name of the old row's schema with `.Row`.",
        value_schema(CHANGE, at((ROWS_WITHIN[0],), partial(_schema_named, ".Row"))),
    ),
    WrongProducer(
        "vitess-envelope-named-without-prefix",
        "vitess.envelope.names",
        "It leaves the topic's prefix out of the name of the envelope's schema.",
        value_schema(CHANGE, _without_prefix),
    ),
    WrongProducer(
        "vitess-rows-named-without-prefix",
        "vitess.envelope.names",
        "It leaves the topic's prefix out of the name of the rows' schema.",
        value_schema(CHANGE, partial(_of_rows, _without_prefix)),
    ),
    WrongProducer(
        "vitess-create-with-the-new-row-twice",
        "vitess.row.create",
        "It sends the new row of an insert as the old one, too.",
        values(CHANGE, _both_rows),
    ),
    WrongProducer(
        "vitess-create-is-a-read",
        "vitess.row.create",
        "It calls the operation of an insert `r`.",
        _renamed_operation("c", "r"),
    ),
    *(
        WrongProducer(
            f"vitess-op-{new}-for-{old}",
            "vitess.event.op",
            f"It calls the operation `{old}` `{new}`.",
            _renamed_operation(old, new),
            also=f"vitess.row.{WHAT[old]}",
        )
        for old, new in CONFUSED.items()
    ),
)
