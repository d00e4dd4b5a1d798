"""Schemas: records, names, unions, registrations."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Final

from harness.codecs.avro.schema import AvroRecordSchema
from harness.codecs.avro.settings import AvroSettings
from harness.errors import SourceStopped
from harness.model.columns import Column
from harness.model.table import Table
from harness.mutants.producers.avro.edits import (
    DIALECT,
    ENCODER,
    SCHEMA,
    defaults,
    fields,
    schema_texts,
    written,
)
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.patch import Patch, constant, patch, result, returns
from harness.wire.registry import Compatibility

NAMES: Final = "harness.codecs.avro.names"


def _handle(change: Callable[[Table, tuple[int, ...]], Iterable[int]]) -> Patch:
    """Return the patch that changes which columns a key has."""

    def made(
        original: Callable[..., AvroRecordSchema],
        table: Table,
        handle: Iterable[int],
        bound: AvroSettings,
    ) -> AvroRecordSchema:
        return original(table, change(table, tuple(handle)), bound)

    return patch(f"{SCHEMA}:key_schema", lambda original: partial(made, original))


def _values(change: Callable[[Table, tuple[int, ...]], Iterable[int]]) -> Patch:
    """Return the patch that changes which columns a value has."""

    def made(
        original: Callable[..., AvroRecordSchema],
        table: Table,
        emitted: Iterable[int],
        bound: AvroSettings,
    ) -> AvroRecordSchema:
        return original(table, change(table, tuple(emitted)), bound)

    return patch(f"{SCHEMA}:value_schema", lambda original: partial(made, original))


def _null_last(field: dict[str, Any]) -> None:
    field["type"] = field["type"][::-1]


def _without_namespace(text: str) -> str:
    return re.sub(r',"namespace":"[^"]*"', "", text, count=1)


def _any(column: Column) -> bool:
    del column
    return True


def _nullable(column: Column) -> bool:
    return column.nullable


def _union(field: dict[str, Any]) -> None:
    if not isinstance(field["type"], list):
        field["type"] = ["null", field["type"]]


def _no_default(field: dict[str, Any]) -> None:
    field.pop("default", None)


def _type_first(field: dict[str, Any]) -> None:
    kind = field.pop("type")
    rest = dict(field)
    field.clear()
    field.update({"type": kind, **rest})


def _stale(original: Callable[..., Any]) -> Callable[..., Any]:
    """Return a registration that is done once a subject."""

    def prepare(encoder: object, remembered: dict[str, Any], topic: str, *rest: object) -> object:
        known = remembered.get(topic)
        return known if known is not None else original(encoder, remembered, topic, *rest)

    return prepare


def _going_on(original: Callable[..., Any]) -> Callable[..., Any]:
    """Return a registration that passes over a refusal."""

    def prepare(encoder: object, remembered: dict[str, Any], topic: str, *rest: object) -> object:
        try:
            return original(encoder, remembered, topic, *rest)
        except SourceStopped:
            if topic not in remembered:
                raise
            return remembered[topic]

    return prepare


def _asking_again(original: Callable[..., Any]) -> Callable[..., Any]:
    """Return a registration that asks again after a refusal, until the text is let in."""

    def prepare(
        encoder: Any,  # noqa: ANN401 - of a patched method
        remembered: object,
        topic: str,
        subject: str,
        *rest: object,
    ) -> object:
        try:
            return original(encoder, remembered, topic, subject, *rest)
        except SourceStopped:
            encoder._registry.require(subject, Compatibility.NONE)  # noqa: SLF001
            return original(encoder, remembered, topic, subject, *rest)

    return prepare


def _names(text: str) -> set[str]:
    found: Any = json.loads(text)
    return {field["name"] for field in found.get("fields", ())}


def _new_fields_pass(original: Callable[..., None]) -> Callable[..., None]:
    """Return a judgement under the same level that refuses no schema with a new field."""

    def judge(registry: object, subject: str, schema: str, versions: list[str]) -> None:
        if not versions or _names(schema) <= _names(versions[-1]):
            original(registry, subject, schema, versions)

    return judge


def _subject_each(original: Callable[..., Any]) -> Callable[..., Any]:
    """Return a registration under a subject of the topic and the table."""

    def prepare(
        encoder: object,
        remembered: object,
        topic: str,
        subject: str,
        table: Any,  # noqa: ANN401 - of a patched method
        *rest: object,
    ) -> object:
        name = f"{table.table.id.name}-{subject}"
        return original(encoder, remembered, topic, name, table, *rest)

    return prepare


def _anew(original: Callable[..., int]) -> Callable[..., int]:
    def register(registry: Any, subject: str, schema: str) -> int:  # noqa: ANN401 - patched
        vars(registry)["_ids"].pop(schema, None)
        return original(registry, subject, schema)

    return register


def _branch(data: bytes) -> bytes:
    return bytes([data[0] ^ 2]) + data[1:] if data else data


def _level(level: Compatibility) -> Patch:
    return patch(
        "harness.wire.registry:MemoryRegistry.__init__",
        lambda original: lambda registry, _=None: original(registry, level),
    )


def _bare_escapes(original: Callable[[str], str], text: str) -> str:
    return re.sub(r"\\u00(3c|3e|26)", lambda found: chr(int(found[1], 16)), original(text))


RECORDS: tuple[WrongProducer, ...] = (
    WrongProducer(
        "avro-key-of-all-columns",
        "avro.key.columns",
        "It puts all columns into the key.",
        _handle(lambda table, _: range(len(table.columns))),
    ),
    WrongProducer(
        "avro-key-of-the-first-column",
        "avro.key.columns",
        "It puts only the first column of the handle into the key.",
        _handle(lambda _, handle: sorted(handle)[:1]),
    ),
    WrongProducer(
        "avro-key-record-named-key",
        "avro.key.record",
        "It names the key's record otherwise than the table.",
        schema_texts(
            lambda text: text.replace('","namespace"', 'Key","namespace"', 1), "key_schema"
        ),
    ),
    WrongProducer(
        "avro-key-without-namespace",
        "avro.key.record",
        "It gives the key's record no namespace.",
        schema_texts(_without_namespace, "key_schema"),
    ),
    WrongProducer(
        "avro-value-in-another-namespace",
        "avro.value.record",
        "It puts the value's record in another namespace than the key's.",
        schema_texts(
            lambda text: text.replace('"namespace":"', '"namespace":"values.', 1), "value_schema"
        ),
    ),
    WrongProducer(
        "avro-value-record-named-value",
        "avro.value.record",
        "It names the value's record otherwise than the key's.",
        schema_texts(
            lambda text: text.replace('","namespace"', 'Value","namespace"', 1), "value_schema"
        ),
    ),
    WrongProducer(
        "avro-value-lacks-the-last-column",
        "avro.value.all-columns",
        "It leaves the last column out of values.",
        _values(lambda _, emitted: sorted(emitted)[:-1]),
    ),
    WrongProducer(
        "avro-value-without-its-key",
        "avro.value.all-columns",
        "It leaves the first column, which the key has as well, out of values.",
        _values(lambda _, emitted: sorted(emitted)[1:]),
    ),
    WrongProducer(
        "avro-value-with-virtual-columns",
        "avro.value.no-virtual-columns",
        "It declares virtual generated columns as fields, and writes what it has of them.",
        returns("harness.ddl.tidb:is_emitted", value=True),
        protocols=("avro",),
    ),
    WrongProducer(
        "avro-value-without-stored-columns",
        "avro.value.no-virtual-columns",
        "It sends stored generated columns no more than virtual ones.",
        _values(lambda table, emitted: [n for n in emitted if table.columns[n].generated is None]),
    ),
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
        "avro-names-as-they-are",
        "avro.schema.names-legal",
        "It writes names as they are.",
        patch(f"{NAMES}:sanitised", lambda _: lambda name: name),
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
        "avro-a-digit-first",
        "avro.schema.sanitised",
        "It writes nothing before a leading digit.",
        patch(f"{NAMES}:sanitised", lambda _: lambda name: re.sub("[^A-Za-z0-9_]", "_", name)),
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
        "avro-extension-gives-way",
        "avro.schema.collision",
        "It gives a column another name that is named like a field of the extension.",
        result(f"{NAMES}:sanitised", lambda name: f"_{name}" if name.startswith("_tidb") else name),
    ),
    WrongProducer(
        "avro-schema-with-blanks",
        "avro.schema.text",
        "It writes a blank behind each colon of a schema's text.",
        schema_texts(lambda text: text.replace('":', '": ')),
    ),
    WrongProducer(
        "avro-namespace-before-the-name",
        "avro.schema.text",
        "It writes a record's namespace before its name.",
        schema_texts(
            lambda text: re.sub(r'("name":"[^"]*"),("namespace":"[^"]*")', r"\2,\1", text, count=1)
        ),
    ),
    WrongProducer(
        "avro-field-with-its-type-first",
        "avro.schema.text",
        "It writes a field's type before its name.",
        fields(_type_first, _any),
    ),
    WrongProducer(
        "avro-html-characters-as-they-are",
        "avro.schema.html-escapes",
        "It writes `<`, `>` and `&` as they are.",
        patch("harness.wire.go_json:go_string", lambda original: partial(_bare_escapes, original)),
    ),
    WrongProducer(
        "avro-null-last",
        "avro.column.nullable",
        "It puts null behind the type of a nullable column without a default.",
        fields(_null_last, lambda column: column.nullable and column.default is None),
    ),
    WrongProducer(
        "avro-nullable-without-default-null",
        "avro.column.nullable",
        "It gives a nullable column without a default no default null.",
        fields(_no_default, lambda column: column.nullable and column.default is None),
    ),
    WrongProducer(
        "avro-every-column-is-a-union",
        "avro.column.not-null",
        "It declares NOT NULL columns as unions.",
        fields(_union, lambda column: not column.nullable),
    ),
    WrongProducer(
        "avro-null-first-before-a-default",
        "avro.column.nullable-default",
        "It puts null first where a nullable column has a default.",
        returns(f"{SCHEMA}:AvroField.null_first", value=True),
    ),
    WrongProducer(
        "avro-nullable-column-without-its-default",
        "avro.column.nullable-default",
        "It gives a nullable column the default null whatever its own is.",
        defaults(_nullable, lambda _: None),
    ),
    WrongProducer(
        "avro-not-null-column-without-its-default",
        "avro.column.not-null-default",
        "It leaves the default of a NOT NULL column out.",
        defaults(lambda column: not column.nullable, lambda _: None),
    ),
    WrongProducer(
        "avro-index-of-the-other-branch",
        "avro.column.branch",
        "It writes the index of a union's other branch.",
        written(_nullable, _branch),
    ),
)

REGISTRATIONS: tuple[WrongProducer, ...] = (
    WrongProducer(
        "avro-first-schema-for-ever",
        "avro.schema.change-registered",
        "It keeps the first schema of a subject, whatever a DDL did.",
        patch(f"{ENCODER}._prepare", _stale),
    ),
    WrongProducer(
        "avro-refused-and-gone-on",
        "avro.schema.no-repair",
        "It goes on with the subject's last schema where the registry refuses a new one.",
        patch(f"{ENCODER}._prepare", _going_on),
    ),
    WrongProducer(
        "avro-registered-unjudged",
        "avro.schema.compatibility-checked",
        "It registers schemas that the level forbids.",
        _level(Compatibility.NONE),
    ),
    WrongProducer(
        "avro-refusal-passed-over",
        "avro.registry.client-error",
        "It asks again after the registry has refused a schema, until it is let in.",
        patch(f"{ENCODER}._prepare", _asking_again),
    ),
    WrongProducer(
        "avro-new-column-must-not-be-null",
        "avro.schema.backward-not-null",
        "It registers a new NOT NULL column without a default under BACKWARD.",
        patch("harness.wire.registry:MemoryRegistry._judge", _new_fields_pass),
    ),
    WrongProducer(
        "avro-value-registered-first",
        "avro.registry.key-first",
        "It registers the value's schema before the key's.",
        constant(f"{DIALECT}:CURRENT.value_first", value=True),
    ),
    WrongProducer(
        "avro-old-key-registered-first",
        "avro.registry.value-first",
        "It registers the key's schema before the value's, before 7.3.0.",
        constant(f"{DIALECT}:V6.value_first", value=False),
    ),
    WrongProducer(
        "avro-subject-with-points",
        "avro.subject.points",
        "It leaves the points of a topic in its subjects.",
        patch(f"{NAMES}:value_subject", lambda _: lambda topic: f"{topic}-value"),
    ),
    WrongProducer(
        "avro-key-subject-with-points",
        "avro.subject.points",
        "It leaves the points of a topic in the subjects of its keys.",
        patch(f"{NAMES}:key_subject", lambda _: lambda topic: f"{topic}-key"),
    ),
    WrongProducer(
        "avro-subject-of-the-record",
        "avro.subject.topic-name",
        "It names every subject by one word, whatever the topic.",
        patch(f"{NAMES}:value_subject", lambda _: lambda _topic: "rows-value"),
    ),
    WrongProducer(
        "avro-key-subject-of-the-record",
        "avro.subject.topic-name",
        "It names every subject of keys by one word, whatever the topic.",
        patch(f"{NAMES}:key_subject", lambda _: lambda _topic: "rows-key"),
    ),
    WrongProducer(
        "avro-same-text-new-id",
        "avro.registry.same-text",
        "It gets a new id for a text that the subject has.",
        patch("harness.wire.registry:MemoryRegistry.register", _anew),
    ),
    WrongProducer(
        "avro-subject-of-the-table",
        "avro.topic.tables-share-none",
        "It registers the schemas of tables that share a topic under subjects of their own.",
        patch(f"{ENCODER}._prepare", _subject_each),
    ),
)


ROWS: tuple[WrongProducer, ...] = (*RECORDS, *REGISTRATIONS)
