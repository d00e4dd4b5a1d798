"""Registrations: when which text goes to which subject, and what becomes of a refusal."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from harness.codecs.avro.schema import API_ERROR
from harness.errors import SourceStopped
from harness.model.columns import Column, ColumnKind
from harness.model.source_events import DdlEvent, RowEvent
from harness.model.table import TableId
from harness.mutants.producers.avro.edits import DIALECT, ENCODER, NAMES
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.patch import Patch, constant, patch, result
from harness.wire.registry import Compatibility


def _stale(original: Callable[..., Any]) -> Callable[..., Any]:
    """Return a registration that is done once a subject."""

    def prepare(encoder: object, remembered: dict[str, Any], topic: str, *rest: object) -> object:
        known = remembered.get(topic)
        return known if known is not None else original(encoder, remembered, topic, *rest)

    return prepare


def _stale_part(part: str) -> Callable[..., Callable[..., Any]]:
    """Return what keeps the first schema of the subjects whose names end so."""

    def patched(original: Callable[..., Any]) -> Callable[..., Any]:
        def prepare(
            encoder: object, remembered: dict[str, Any], topic: str, subject: str, *rest: object
        ) -> object:
            known = remembered.get(topic) if subject.endswith(part) else None
            if known is not None:
                return known
            return original(encoder, remembered, topic, subject, *rest)

        return prepare

    return patched


def _value_at_deletes(original: Callable[..., Any]) -> Callable[..., Any]:
    """Return a `_value` that makes the schema of values for a delete, too."""

    def value(encoder: Any, row: RowEvent) -> object:  # noqa: ANN401 - of a patched method
        encoder._value_of(row.topic, row.table)  # noqa: SLF001
        return original(encoder, row)

    return value


def _at_ddl(original: Callable[..., Any]) -> Callable[..., Any]:
    """Return a `_ddl` that stops at a table with a default that a double rounds to 2^63."""

    def ddl(encoder: object, event: DdlEvent) -> object:
        columns = () if event.after is None else event.after.table.columns
        if any(map(_too_great, columns)):
            raise SourceStopped(API_ERROR, "a mutant stops here")
        return original(encoder, event)

    return ddl


def _too_great(column: Column) -> bool:
    text = "" if column.default is None else str(column.default.text)
    signed = column.kind is ColumnKind.BIGINT and not column.unsigned
    return signed and column.nullable and text.isdecimal() and float(text) >= 1 << 63


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
    """Return a registration that lowers the subject's level after a refusal, and asks again."""

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


def new_fields_pass(original: Callable[..., None]) -> Callable[..., None]:
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


def _level(level: Compatibility) -> Patch:
    return patch(
        "harness.wire.registry:MemoryRegistry.__init__",
        lambda original: lambda registry, _=None: original(registry, level),
    )


def _topic_each(*, fixed: bool) -> Patch:
    """Return the patch that gives each table a topic, where a fixed name or no rule joins them."""

    def changed(original: Callable[..., str]) -> Callable[..., str]:
        def topic(feed: Any, table: TableId) -> str:  # noqa: ANN401 - of a patched method
            found, dispatcher = original(feed, table), feed.rule(table)
            rule = "" if dispatcher is None else dispatcher.topic
            joined = "{table}" not in rule and bool(rule) is fixed
            return f"{found}_{table.name}" if joined and table.name else found

        return topic

    return patch("harness.sources.tidb.changefeed:Changefeed.topic_for", changed)


def _alike_apart(original: Callable[..., str]) -> Callable[..., str]:
    """Return a `topic_of` that names topics apart where a `_` may be of the rule or of a name."""

    def topic(rule: str, table: TableId, default: str) -> str:
        found = original(rule, table, default)
        doubtful = "{table}" in rule and "_" in table.schema + table.name
        return f"{found}_{len(table.schema)}" if doubtful else found

    return topic


ROWS: tuple[WrongProducer, ...] = (
    WrongProducer(
        "avro-first-schema-for-ever",
        "avro.schema.change-registered",
        "It keeps the first schema of a subject, whatever a DDL did.",
        patch(f"{ENCODER}._prepare", _stale),
    ),
    *(
        WrongProducer(
            f"avro-first-{part}-schema-for-ever",
            "avro.schema.change-registered",
            f"It keeps the first schema of a subject of {part}s, whatever a DDL did.",
            patch(f"{ENCODER}._prepare", _stale_part(f"-{part}")),
        )
        for part in ("key", "value")
    ),
    WrongProducer(
        "avro-value-registered-at-deletes",
        "avro.schema.change-registered",
        "It registers the schema of values at a delete, too.",
        patch(f"{ENCODER}._value", _value_at_deletes),
    ),
    WrongProducer(
        "avro-equal-names-stop-deletes",
        "avro.schema.collision",
        "It stops at a delete whose key has none of two names that are alike.",
        patch(f"{ENCODER}._value", _value_at_deletes),
    ),
    WrongProducer(
        "avro-refused-and-gone-on",
        "avro.schema.no-repair",
        "It goes on with the subject's last schema where the registry refuses a new one.",
        patch(f"{ENCODER}._prepare", _going_on),
        also="avro.schema.backward-not-null",
    ),
    WrongProducer(
        "avro-registered-unjudged",
        "avro.schema.compatibility-checked",
        "It registers schemas that the level forbids.",
        _level(Compatibility.NONE),
    ),
    WrongProducer(
        "avro-refusal-passed-over",
        "avro.schema.no-repair",
        "It lowers the level of a subject that refuses a schema, and registers the schema.",
        patch(f"{ENCODER}._prepare", _asking_again),
    ),
    WrongProducer(
        "avro-new-column-must-not-be-null",
        "avro.schema.backward-not-null",
        "It registers a new NOT NULL column without a default under BACKWARD.",
        patch("harness.wire.registry:MemoryRegistry._judge", new_fields_pass),
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
        "It leaves the points of a topic in the subjects of its values.",
        patch(f"{NAMES}:value_subject", lambda _: lambda topic: f"{topic}-value"),
        also="avro.subject.topic-name",
    ),
    WrongProducer(
        "avro-key-subject-with-points",
        "avro.subject.points",
        "It leaves the points of a topic in the subjects of its keys.",
        patch(f"{NAMES}:key_subject", lambda _: lambda topic: f"{topic}-key"),
        also="avro.subject.topic-name",
    ),
    WrongProducer(
        "avro-subject-with-later-points",
        "avro.subject.points",
        "It writes `_` for the first point of a topic only.",
        patch(
            f"{NAMES}:value_subject",
            lambda _: lambda topic: f"{topic.replace('.', '_', 1)}-value",
        ),
    ),
    WrongProducer(
        "avro-subject-of-the-record",
        "avro.subject.topic-name",
        "It names the subjects of all values by one word, whatever the topic.",
        patch(f"{NAMES}:value_subject", lambda _: lambda _topic: "rows-value"),
    ),
    *(
        WrongProducer(
            f"avro-{part}-subject-without-its-ending",
            "avro.subject.topic-name",
            f"It registers {part}s under the topic's name without `-{part}`.",
            result(f"{NAMES}:{part}_subject", lambda subject: subject.rpartition("-")[0]),
        )
        for part in ("key", "value")
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
        "avro-a-topic-each",
        "avro.topic.one-table",
        "It gives tables topics of their own where there is no topic rule.",
        _topic_each(fixed=False),
        protocols=("avro",),
    ),
    WrongProducer(
        "avro-a-fixed-topic-each",
        "avro.topic.one-table",
        "It gives tables topics of their own where a fixed name joins them.",
        _topic_each(fixed=True),
        protocols=("avro",),
    ),
    WrongProducer(
        "avro-topics-of-like-names-apart",
        "avro.topic.one-table",
        "It names the topics apart of tables whose names give the same one.",
        patch("harness.sources.tidb.topic:topic_of", _alike_apart),
        protocols=("avro",),
    ),
    WrongProducer(
        "avro-subject-of-the-table",
        "avro.topic.tables-share-none",
        "It registers the schemas of tables that share a topic under subjects of their own.",
        patch(f"{ENCODER}._prepare", _subject_each),
    ),
    WrongProducer(
        "avro-greatest-bigint-stops-at-its-ddl",
        "avro.default.bigint-max",
        "It stops at the DDL of a nullable BIGINT whose default a double rounds to 2^63.",
        patch(f"{ENCODER}._ddl", _at_ddl),
    ),
)
