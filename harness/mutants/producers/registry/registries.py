"""Wrong frames, subjects and ids; wrong judgements of compatibility."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

from harness.codecs.avro.encode_values import Writer
from harness.codecs.avro.schema import AvroField
from harness.errors import SchemaRefused
from harness.model.values import Value
from harness.mutants.producers.avro.registrations import new_fields_pass
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.patch import Patch, constant, patch, result
from harness.wire.confluent import HEADER_SIZE
from harness.wire.registry import Compatibility

HEADER: Final = "harness.wire.confluent:confluent_header"
BODY: Final = "harness.codecs.avro.encode:_body"
REGISTRY: Final = "harness.wire.registry:MemoryRegistry"
# A subject and its new schema's text, then the texts that it has.
Judge = Callable[[str, Sequence[str]], bool]


def _level(level: Compatibility) -> Patch:
    """Return the patch by which a registry starts at another level."""
    return patch(
        f"{REGISTRY}.__init__",
        lambda original: lambda registry, _=None: original(registry, level),
    )


def _refusing(when: Judge) -> Patch:
    """Return the patch by which a registry also refuses what it need not."""

    def changed(original: Callable[..., None]) -> Callable[..., None]:
        def judge(registry: object, subject: str, schema: str, versions: list[str]) -> None:
            original(registry, subject, schema, versions)
            if versions and when(schema, versions):
                raise SchemaRefused(f"subject {subject!r} is to stay as it is")

        return judge

    return patch(f"{REGISTRY}._judge", changed)


def _names(text: str) -> set[str]:
    found: Any = json.loads(text)
    return {field["name"] for field in found.get("fields", ())}


def _keeping(original: Callable[..., None]) -> Callable[..., None]:
    def judge(registry: Any, subject: str, schema: str, versions: list[str]) -> None:  # noqa: ANN401
        try:
            original(registry, subject, schema, versions)
        except SchemaRefused:
            registry.require(subject, Compatibility.NONE)

    return judge


def _always_new(original: Callable[..., int]) -> Callable[..., int]:
    def register(registry: Any, subject: str, schema: str) -> int:  # noqa: ANN401
        vars(registry)["_ids"].pop(schema, None)
        return original(registry, subject, schema)

    return register


def _id_of_the_subject(original: Callable[..., int]) -> Callable[..., int]:
    """Return a registration that gives a subject's new schema the id of its first one."""

    def register(registry: Any, subject: str, schema: str) -> int:  # noqa: ANN401
        number = original(registry, subject, schema)
        first: int = vars(registry)["_ids"][registry.versions(subject)[0]]
        if number != first:
            vars(registry)["_texts"][first - 1] = schema
        return first

    return register


def _other_branch(original: Callable[[AvroField], Writer], field: AvroField) -> Writer:
    write = original(field)
    if not field.column.nullable:
        return write

    def written(value: Value) -> bytes:
        first, *rest = write(value)
        return bytes([first ^ 2, *rest])

    return written


ROWS: tuple[WrongProducer, ...] = (
    WrongProducer(
        "registry-another-magic-byte",
        "registry.frame.magic",
        "It begins a frame with the byte 0x01.",
        result(HEADER, lambda header: b"\x01" + header[1:]),
    ),
    WrongProducer(
        "registry-id-little-endian",
        "registry.frame.schema-id",
        "It writes the schema's id with its lowest byte first.",
        result(HEADER, lambda header: header[:1] + header[:0:-1]),
    ),
    WrongProducer(
        "registry-id-of-another-schema",
        "registry.frame.schema-id",
        "It writes the id behind that of the schema.",
        result(HEADER, lambda header: header[:4] + bytes([header[4] + 1])),
    ),
    WrongProducer(
        "registry-a-byte-behind-the-datum",
        "registry.frame.body",
        "It writes one byte more behind the datum.",
        result(BODY, lambda body: body + b"\x00"),
        protocols=("avro",),
    ),
    WrongProducer(
        "registry-datum-as-text",
        "registry.frame.body",
        "It writes the datum as text, in hexadecimal.",
        result(BODY, lambda made: made[:HEADER_SIZE] + made[HEADER_SIZE:].hex().encode()),
        protocols=("avro",),
    ),
    WrongProducer(
        "registry-subject-is-the-topic",
        "registry.subject.topic-name",
        "It registers keys under the topic's name alone.",
        patch("harness.codecs.avro.names:key_subject", lambda _: lambda topic: topic),
        protocols=("avro",),
    ),
    WrongProducer(
        "registry-value-subject-is-the-keys",
        "registry.subject.topic-name",
        "It registers values under the keys' subject.",
        result(
            "harness.codecs.avro.names:value_subject",
            lambda subject: subject.removesuffix("-value") + "-key",
        ),
        protocols=("avro",),
    ),
    WrongProducer(
        "registry-connect-subject-without-dots",
        "registry.subject.topic-name",
        "It writes an underscore for each dot of a topic in the subjects of Connect's converter.",
        patch(
            "harness.codecs.connect.avro_converter:AvroConverter._use",
            lambda use: lambda self, topic, text: use(self, topic.replace(".", "_"), text),
        ),
        also="connect.avro.frame",
        protocols=("vitess",),
    ),
    WrongProducer(
        "registry-starts-at-none",
        "registry.compatibility.default",
        "It accepts every schema unless a level was set.",
        _level(Compatibility.NONE),
    ),
    WrongProducer(
        "registry-starts-at-full",
        "registry.compatibility.default",
        "It starts at FULL.",
        _level(Compatibility.FULL),
    ),
    WrongProducer(
        "registry-judges-forward",
        "registry.compatibility.backward",
        "It asks whether the old schema can read what the new one writes.",
        _level(Compatibility.FORWARD),
    ),
    WrongProducer(
        "registry-asks-all-that-came-before",
        "registry.compatibility.backward",
        "It asks whether the new schema can read what every older one wrote.",
        _level(Compatibility.BACKWARD_TRANSITIVE),
    ),
    WrongProducer(
        "registry-refuses-any-new-field",
        "registry.compatibility.added-field",
        "It refuses a new field that has a default.",
        _refusing(lambda new, old: bool(_names(new) - _names(old[-1]))),
    ),
    WrongProducer(
        "registry-takes-a-new-field-without-a-default",
        "registry.compatibility.added-field",
        "It stores a schema whose new field has no default under BACKWARD.",
        patch(f"{REGISTRY}._judge", new_fields_pass),
    ),
    WrongProducer(
        "registry-keeps-every-field",
        "registry.compatibility.removed-field",
        "It refuses a schema that lacks a field of the last one.",
        _refusing(lambda new, old: bool(_names(old[-1]) - _names(new))),
    ),
    WrongProducer(
        "registry-accepts-what-it-should-refuse",
        "registry.refused",
        "It stores an incompatible schema.",
        patch(f"{REGISTRY}._judge", _keeping),
    ),
    WrongProducer(
        "registry-new-id-each-time",
        "registry.id-by-text",
        "It gives a text that it has a new id.",
        patch(f"{REGISTRY}.register", _always_new),
    ),
    WrongProducer(
        "registry-id-stays-with-the-subject",
        "registry.id-immutable",
        "It gives a subject's new schema the id of its first one.",
        patch(f"{REGISTRY}.register", _id_of_the_subject),
    ),
    WrongProducer(
        "registry-wrong-branch",
        "registry.avro.union-index",
        "It writes the index of a union's other branch.",
        patch(
            "harness.codecs.avro.encode_values:writer",
            lambda original: partial(_other_branch, original),
        ),
        protocols=("avro",),
    ),
    WrongProducer(
        "registry-wrong-branch-in-connect",
        "registry.avro.union-index",
        "It writes the index of a union's other branch behind Connect's converter.",
        constant("harness.codecs.connect.avro_writer:_SECOND", b"\x00"),
        protocols=("vitess",),
    ),
    WrongProducer(
        "registry-decimal-little-endian",
        "registry.avro.decimal",
        "It writes a decimal with its lowest byte first.",
        result("harness.codecs.connect.logical:unscaled_bytes", lambda raw: raw[::-1]),
        also="connect.json.decimal-base64",
        protocols=("vitess",),
    ),
    WrongProducer(
        "registry-decimal-without-a-sign",
        "registry.avro.decimal",
        "It leaves out the byte that keeps a decimal positive.",
        result("harness.codecs.connect.logical:unscaled_bytes", lambda raw: raw.lstrip(b"\x00")),
        also="connect.json.decimal-base64",
        protocols=("vitess",),
    ),
)
