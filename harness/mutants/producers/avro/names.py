"""Schemas: namespaces, and what becomes of names that Avro forbids."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from harness.codecs.avro.names import COMMIT_TS, OP, PHYSICAL_TIME, sanitised
from harness.codecs.avro.schema import AvroField, AvroRecordSchema
from harness.model.table import Table
from harness.mutants.producers.avro.edits import NAMES, SCHEMA, field_texts
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.patch import adjusted, patch, result
from harness.wire.go_json import go_string


def _field_as_it_is(field: AvroField, text: str) -> str:
    name = sanitised(field.column.name)
    return text.replace(f'"name":"{name}"', f'"name":{go_string(field.column.name)}', 1)


def _record_as_it_is(made: AvroRecordSchema, table: Table) -> AvroRecordSchema:
    name = sanitised(table.id.name)
    text = made.text.replace(f'"name":"{name}"', f'"name":{go_string(table.id.name)}', 1)
    return replace(made, text=text)


def _with_extension(original: Callable[..., None]) -> Callable[..., None]:
    """Return a `_buildable` that counts the extension's fields in, sent or not."""
    fields = dict.fromkeys((OP, COMMIT_TS, PHYSICAL_TIME))
    return lambda record, columns, extra: original(record, columns, {**fields, **extra})


ROWS: tuple[WrongProducer, ...] = (
    WrongProducer(
        "avro-namespace-without-the-database",
        "avro.schema.namespace",
        "It leaves the database out of the namespace.",
        patch(f"{NAMES}:namespace", lambda original: lambda feed, _: original(feed, "")),
    ),
    WrongProducer(
        "avro-namespace-without-the-changefeed",
        "avro.schema.namespace",
        "It leaves the changefeed's namespace out.",
        result(f"{NAMES}:namespace", lambda space: space.rpartition(".")[2]),
    ),
    WrongProducer(
        "avro-namespace-of-the-changefeed-as-it-is",
        "avro.schema.namespace",
        "It writes the changefeed's namespace with the characters that Avro forbids.",
        patch(
            f"{NAMES}:namespace",
            lambda original: (
                lambda feed, schema: f"{feed}.{original('', schema).rpartition('.')[2]}"
            ),
        ),
    ),
    WrongProducer(
        "avro-namespace-of-the-database-cut",
        "avro.schema.namespace",
        "It leaves out of the database's name what Avro forbids.",
        patch(
            f"{NAMES}:namespace",
            lambda original: (
                lambda feed, schema: original(feed, re.sub("[^A-Za-z0-9_]", "", schema))
            ),
        ),
    ),
    WrongProducer(
        "avro-namespace-joined-by-an-underscore",
        "avro.schema.namespace",
        "It writes `_` between the two parts of the namespace.",
        result(f"{NAMES}:namespace", lambda space: space.replace(".", "_", 1)),
    ),
    WrongProducer(
        "avro-names-as-they-are",
        "avro.schema.names-legal",
        "It writes names as they are.",
        patch(f"{NAMES}:sanitised", lambda _: lambda name: name),
    ),
    WrongProducer(
        "avro-field-names-as-they-are",
        "avro.schema.names-legal",
        "It writes the names of columns as they are.",
        field_texts(_field_as_it_is),
    ),
    WrongProducer(
        "avro-record-names-as-they-are",
        "avro.schema.names-legal",
        "It writes the names of tables as they are.",
        adjusted(f"{SCHEMA}:_schema", _record_as_it_is),
    ),
    WrongProducer(
        "avro-names-without-what-is-forbidden",
        "avro.schema.sanitised",
        "It leaves forbidden characters out instead of writing `_`.",
        patch(
            f"{NAMES}:sanitised",
            lambda original: lambda name: original(re.sub("[^A-Za-z0-9_]", "", name)),
        ),
    ),
    WrongProducer(
        "avro-forbidden-run-as-one",
        "avro.schema.sanitised",
        "It writes one `_` for several forbidden characters side by side.",
        patch(
            f"{NAMES}:sanitised",
            lambda original: lambda name: original(re.sub("[^A-Za-z0-9_]+", "_", name)),
        ),
    ),
    WrongProducer(
        "avro-forbidden-bytes-one-by-one",
        "avro.schema.sanitised",
        "It writes `_` for each byte of a forbidden character.",
        patch(
            f"{NAMES}:sanitised",
            lambda original: lambda name: original(name.encode().decode("latin-1")),
        ),
    ),
    WrongProducer(
        "avro-a-digit-first",
        "avro.schema.sanitised",
        "It writes nothing before a leading digit.",
        patch(f"{NAMES}:sanitised", lambda _: lambda name: re.sub("[^A-Za-z0-9_]", "_", name)),
        also="avro.schema.names-legal",
    ),
    WrongProducer(
        "avro-equal-names-kept-apart",
        "avro.schema.collision",
        "It writes a number for each forbidden character, so that no two names become the same.",
        patch(
            f"{NAMES}:sanitised",
            lambda _: lambda name: re.sub("[^A-Za-z0-9_]", lambda c: f"_{ord(c[0])}", name),
        ),
    ),
    WrongProducer(
        "avro-extension-always-in-the-way",
        "avro.schema.collision",
        "It stops at a column named like a field of the extension where none is sent.",
        patch(f"{SCHEMA}:_buildable", _with_extension),
    ),
    WrongProducer(
        "avro-extension-gives-way",
        "avro.schema.collision",
        "It gives a column another name that is named like a field of the extension.",
        result(f"{NAMES}:sanitised", lambda name: f"_{name}" if name.startswith("_tidb") else name),
    ),
)
