"""Wrong converters of a Kafka Connect worker: JSON, Avro, headers; and wrong partitions."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import partial
from typing import Any, Final
from zlib import crc32

from orjson import dumps, loads

from harness.codecs.connect.avro_schema import default_of
from harness.codecs.connect.avro_writer import Write
from harness.codecs.connect.json_text import JsonFormat
from harness.codecs.connect.schema import Schema, SchemaType
from harness.codecs.connect.settings import SIMPLE, Converters
from harness.model.record import SchemaUse
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.patch import Patch, adjusted, instead, patch, result, returns
from harness.wire.confluent import HEADER_SIZE, confluent_header

JSON: Final = "harness.codecs.connect.json_converter"
# As values are written by columns; a schema with a name is a logical type's.
BYTES: Final = "harness.codecs.connect.json_text:_bytes"
AVRO: Final = "harness.codecs.connect.avro_converter:AvroConverter"
TYPED: Final = "harness.codecs.connect.avro_schema:_typed"
WRITER: Final = "harness.codecs.connect.avro_writer:_writer"
HEADER: Final = "harness.codecs.connect.header_text:header_bytes"
CONVERTERS: Final = "harness.codecs.connect.settings:converter_settings"
PARTITION: Final = "harness.codecs.connect.partitioner:partition_for"
DECIMAL: Final = "harness.codecs.connect.logical:unscaled"
# An id that no registry of a scenario gives.
UNUSED: Final = 1000
# What stands before each Avro body, and the schema that it names.
Use = tuple[bytes, SchemaUse]
# The type of a field in Avro that is null or of one of the types of `EMPTY`.
_NO_STRUCT: Final = re.compile(
    r'\["null",(?:"(?:boolean|int|long|float|double|string|bytes)"'
    r'|\{"type":"(?:boolean|int|long|float|double|string|bytes)")'
)
# Zero, or nothing, as Avro writes it.
EMPTY: Final = {
    SchemaType.BOOLEAN: b"\x00",
    SchemaType.INT8: b"\x00",
    SchemaType.INT16: b"\x00",
    SchemaType.INT32: b"\x00",
    SchemaType.INT64: b"\x00",
    SchemaType.FLOAT32: bytes(4),
    SchemaType.FLOAT64: bytes(8),
    SchemaType.STRING: b"\x00",
    SchemaType.BYTES: b"\x00",
}
# A type of JSON schema text -> another that a careless writer takes for it.
CONFUSED: Final = {
    SchemaType.INT32: "int64",
    SchemaType.INT64: "int32",
    SchemaType.FLOAT64: "float",
    SchemaType.STRING: "bytes",
}


def _configured(change: Callable[[bool, JsonFormat], tuple[bool, JsonFormat]]) -> Patch:
    """Return the patch that changes the settings of each JSON converter."""

    def changed(original: Callable[..., None]) -> Callable[..., None]:
        def start(
            self: object, *, schemas_enable: bool = True, form: JsonFormat | None = None
        ) -> None:
            enabled, made = change(schemas_enable, form or JsonFormat())
            original(self, schemas_enable=enabled, form=made)

        return start

    return patch(f"{JSON}:JsonConverter.__init__", changed)


def _form(**fields: bool) -> Patch:
    return _configured(lambda enabled, form: (enabled, replace(form, **fields)))


def _short(text: str) -> str:
    """Return the number of a Decimal without the zeros at its end; Base64 as it is."""
    return text.rstrip("0").rstrip(".") if text[0] != '"' and "." in text else text


def _plain(text: str) -> str:
    """Return the number of a Decimal with all its zeros; Base64 as it is."""
    return text if text[0] == '"' else f"{Decimal(text):f}"


def _null_for_a_default(found: Converters) -> Converters:
    form = replace(found.value.form, replace_null_with_default=False)
    return replace(found, value=replace(found.value, form=form))


def _with_schemas(part: str, found: Converters) -> Converters:
    return replace(found, **{part: replace(getattr(found, part), schemas_enable=True)})


def _null_in_an_envelope(original: Callable[..., bytes | None]) -> Callable[..., bytes | None]:
    """Return an `_unknown` that writes a null as a schema and a payload, where there are such."""

    def unknown(converter: Any, value: object) -> bytes | None:  # noqa: ANN401 - patched
        if value is None and converter._envelope:  # noqa: SLF001
            return b'{"schema":null,"payload":null}'
        return original(converter, value)

    return unknown


def _schema_members(change: Callable[[str], str]) -> Patch:
    """Return the patch that changes each member of each schema's JSON text."""
    return result(f"{JSON}:_members", lambda given: filter(None, map(change, given)))


def _without(member: str) -> Patch:
    return _schema_members(lambda text: "" if text.startswith(f'"{member}":') else text)


def _instead(old: str, new: str) -> Patch:
    return _schema_members(lambda text: text if text != old else new)


def _turned(typed: str) -> str:
    """Return a union with null behind its other branch."""
    inner = typed[len('["null",') : -1]
    return f'[{inner},"null"]' if typed.startswith('["null",') else typed


def _null_first(typed: str) -> str:
    """Return a union with null before its other branch."""
    inner = typed[1 : -len(',"null"]')]
    return f'["null",{inner}]' if typed.endswith(',"null"]') else typed


def _other_branch(*, default: bool) -> Patch:
    """Return the patch that writes the other branch's index, of fields with a default or not."""

    def changed(original: Callable[..., Write]) -> Callable[..., Write]:
        def writer(schema: Schema, records: object) -> Write:
            write = original(schema, records)
            if not schema.optional or (default_of(schema) is not None) is not default:
                return write

            def turned(value: object) -> bytes:
                data = write(value)
                return bytes([data[0] ^ 2]) + data[1:]

            return turned

        return writer

    return patch(WRITER, changed)


def _bare_type(typed: str) -> str:
    """Return the type of a union that begins with null, a record's apart."""
    return typed[len('["null",') : -1] if _NO_STRUCT.match(typed) else typed


def _without_null(fields: Iterator[str]) -> Iterator[str]:
    """Yield fields in Avro, without the default null where they are no union."""
    for text in fields:
        union = '"type":["null",' in text[: text.index('"type":') + len('"type":["null",')]
        end = ',"default":null}'
        yield text if union or not text.endswith(end) else text.removesuffix(end) + "}"


def _no_unions() -> Patch:
    """Return the patch that writes optional fields without a default as if they were required."""
    defaults = result("harness.codecs.connect.avro_schema:_fields", _without_null)
    bodies = replace(patch(WRITER, _without_branches), then=defaults)
    return replace(result(TYPED, _bare_type), then=bodies)


def _without_branches(original: Callable[..., Write]) -> Callable[..., Write]:
    """Return a `_writer` that writes optional fields of such types without a branch's index."""

    def writer(schema: Schema, records: object) -> Write:
        write = original(schema, records)
        if not schema.optional or default_of(schema) is not None or schema.kind not in EMPTY:
            return write
        empty = EMPTY[schema.kind]
        return lambda value: empty if value is None else write(value)[1:]

    return writer


def _subject(part: str) -> Patch:
    """Return the patch that registers the schemas of keys, or of values, under the bare topic."""

    def changed(original: Callable[..., Use]) -> Callable[..., Use]:
        def use(converter: Any, topic: str, text: str) -> Use:  # noqa: ANN401 - patched
            if converter._part != part:  # noqa: SLF001
                return original(converter, topic, text)
            number = converter._registry.register(topic, text)  # noqa: SLF001
            return confluent_header(number), SchemaUse(topic, text, number)

        return use

    return patch(f"{AVRO}._use", changed)


def _unregistered(converter: Any, topic: str, text: str) -> Use:  # noqa: ANN401 - patched
    subject = f"{topic}-{converter._part}"  # noqa: SLF001
    return confluent_header(UNUSED), SchemaUse(subject, text, UNUSED)


def _payload(key: bytes) -> bytes:
    """Return a serialised key without what stands for its schema."""
    if key.startswith(b'{"schema":'):
        return dumps(loads(key)["payload"])
    return key[HEADER_SIZE:] if key.startswith(b"\x00") else key


def _header(change: Callable[[bytes], bytes]) -> Patch:
    """Return the patch that changes what stands before each Avro body."""
    return result(f"{AVRO}._use", lambda found: (change(found[0]), found[1]))


def _known_null(found: tuple[bytes | None, Any]) -> tuple[bytes | None, Any]:
    return (b"\x00", None) if found[0] is None else found


def _sorted_names(original: Callable[[Schema], tuple[str, ...]], schema: Schema) -> Sequence[str]:
    return tuple(sorted(original(schema)))


def _abs(original: Callable[[bytes], int], data: bytes) -> int:
    return abs(original(data))


def _hex(text: str) -> str:
    return f'"{b64decode(text).hex()}"'


def _payload_first(found: tuple[bytes | None, Any]) -> tuple[bytes | None, Any]:
    """Write an envelope's two members the other way round."""
    written, use = found
    if written is None or not written.startswith(b'{"schema":'):
        return found
    members: Mapping[str, Any] = loads(written)
    return dumps({"payload": members["payload"], "schema": members["schema"]}), use


def _types() -> Iterator[WrongProducer]:
    for kind, other in CONFUSED.items():
        yield WrongProducer(
            f"connect-schema-says-{other}-for-{kind.value}",
            "connect.json.schema-types",
            f"It calls {kind.value} {other} in the JSON text of a schema.",
            _instead(f'"type":"{kind.value}"', f'"type":"{other}"'),
        )
    for member in ("field", "optional"):
        yield WrongProducer(
            f"connect-schema-without-{member}",
            "connect.json.schema-types",
            f"It leaves `{member}` out of the JSON text of a schema.",
            _without(member),
            also="vitess.key.schema-text",
            protocols=("vitess",),
        )


ROWS: tuple[WrongProducer, ...] = (
    WrongProducer(
        "connect-envelope-without-schema",
        "connect.json.envelope",
        "It writes the payload without its schema where schemas are enabled.",
        result(f"{JSON}:JsonConverter._printer", lambda made: replace(made, head=b'{"payload":')),
    ),
    WrongProducer(
        "connect-payload-first",
        "connect.json.envelope",
        "It writes the payload before its schema.",
        result(f"{JSON}:JsonConverter.convert", _payload_first),
    ),
    WrongProducer(
        "connect-null-in-an-envelope",
        "connect.json.envelope",
        "It writes a null without a schema in an envelope where schemas are enabled.",
        patch(f"{JSON}:JsonConverter._unknown", _null_in_an_envelope),
    ),
    *(
        WrongProducer(
            f"connect-schema-of-{part}s-always",
            "connect.json.bare",
            f"It writes the schemas of {part}s where these are not enabled.",
            result(CONVERTERS, partial(_with_schemas, part)),
        )
        for part in ("key", "value")
    ),
    WrongProducer(
        "connect-null-as-text",
        "connect.json.null",
        "It writes a null without a schema as the text `null`.",
        result(f"{JSON}:JsonConverter._unknown", lambda text: b"null" if text is None else text),
    ),
    WrongProducer(
        "connect-default-not-filled-in",
        "connect.json.default",
        "It writes an unset field with a default as null.",
        result(CONVERTERS, _null_for_a_default),
    ),
    WrongProducer(
        "connect-default-always-filled-in",
        "connect.json.default",
        "It writes the default for null where `replace.null.with.default` is false.",
        _form(replace_null_with_default=True),
    ),
    WrongProducer(
        "connect-bytes-as-hex",
        "connect.json.bytes",
        "It writes bytes in hexadecimal.",
        adjusted(BYTES, lambda text, schema: text if schema.name else _hex(text)),
    ),
    WrongProducer(
        "connect-bytes-in-the-alphabet-of-urls",
        "connect.json.bytes",
        "It writes `-` and `_` for `+` and `/` in Base64.",
        adjusted(
            BYTES,
            lambda text, schema: text if schema.name else text.replace("+", "-").replace("/", "_"),
        ),
    ),
    WrongProducer(
        "connect-decimal-always-a-number",
        "connect.json.decimal-base64",
        "It writes Decimals as numbers where `decimal.format` is BASE64.",
        _form(decimal_numeric=True),
    ),
    WrongProducer(
        "connect-decimal-without-its-scale",
        "connect.json.decimal-base64",
        "It writes the bytes of a Decimal's whole part.",
        instead(DECIMAL, int),
    ),
    WrongProducer(
        "connect-decimal-without-its-sign",
        "connect.json.decimal-base64",
        "It writes the bytes of a negative Decimal as those of the positive one.",
        result(DECIMAL, abs),
    ),
    WrongProducer(
        "connect-decimal-never-a-number",
        "connect.json.decimal-numeric",
        "It writes Decimals as Base64 where `decimal.format` is NUMERIC.",
        _form(decimal_numeric=False),
    ),
    WrongProducer(
        "connect-decimal-without-its-last-zeros",
        "connect.json.decimal-numeric",
        "It cuts trailing zeros off the number of a Decimal.",
        adjusted(BYTES, lambda text, schema: _short(text) if schema.name else text),
    ),
    WrongProducer(
        "connect-decimal-in-plain-digits",
        "connect.json.decimal-numeric",
        "It writes the number of a Decimal without an exponent.",
        adjusted(BYTES, lambda text, schema: _plain(text) if schema.name else text),
    ),
    WrongProducer(
        "connect-struct-sorted",
        "connect.json.field-order",
        "It writes a struct's fields in the order of their names.",
        patch(
            "harness.codecs.connect.json_fast:_names",
            lambda original: partial(_sorted_names, original),
        ),
    ),
    *_types(),
    WrongProducer(
        "connect-avro-another-magic-byte",
        "connect.avro.frame",
        "It begins Avro with the byte 0x01.",
        _header(lambda header: b"\x01" + header[1:]),
    ),
    WrongProducer(
        "connect-avro-a-byte-behind-the-datum",
        "connect.avro.frame",
        "It writes one byte more behind the datum.",
        result(
            f"{AVRO}.convert",
            lambda found: found if found[0] is None else (found[0] + b"\x00", *found[1:]),
        ),
    ),
    WrongProducer(
        "connect-avro-id-little-endian",
        "connect.avro.frame",
        "It writes the schema's id with its lowest byte first.",
        _header(lambda header: header[:1] + header[:0:-1]),
    ),
    *(
        WrongProducer(
            f"connect-avro-subject-of-{part}s-is-the-topic",
            "connect.avro.frame",
            f"It registers the schemas of {part}s under the topic's name alone.",
            _subject(part),
        )
        for part in ("key", "value")
    ),
    WrongProducer(
        "connect-avro-schema-unregistered",
        "connect.avro.frame",
        "It registers no schema, and writes an id that no schema has.",
        instead(f"{AVRO}._use", _unregistered),
    ),
    WrongProducer(
        "connect-avro-null-in-a-frame",
        "connect.avro.null",
        "It writes a null without a schema as an empty datum.",
        result(f"{AVRO}.convert", _known_null),
    ),
    WrongProducer(
        "connect-avro-null-last",
        "connect.avro.optional",
        "It puts null behind the type in the union of an optional field.",
        replace(result(TYPED, _turned), then=_other_branch(default=False)),
    ),
    WrongProducer(
        "connect-avro-null-first-before-a-default",
        "connect.avro.optional",
        "It puts null first in the union of an optional field that has a default.",
        replace(result(TYPED, _null_first), then=_other_branch(default=True)),
    ),
    WrongProducer(
        "connect-avro-optional-is-no-union",
        "connect.avro.optional",
        "It writes a field without a default as its type alone, and null as zero or empty.",
        _no_unions(),
    ),
    WrongProducer(
        "connect-headers-quoted",
        "connect.header.simple",
        "It writes a header's text as JSON.",
        result(HEADER, lambda text: None if text is None else b'"' + text + b'"'),
    ),
    WrongProducer(
        "connect-headers-always-simple",
        "connect.header.simple",
        "It writes headers by SimpleHeaderConverter where another one is configured.",
        result(CONVERTERS, lambda found: replace(found, header=replace(found.header, type=SIMPLE))),
    ),
    WrongProducer(
        "connect-partition-by-crc32",
        "connect.partition.by-key",
        "It chooses a key's partition by CRC-32.",
        patch(PARTITION, lambda _: lambda key, partitions: crc32(key) % partitions),
        also="kafka.partition.murmur2",
        protocols=("vitess",),
    ),
    WrongProducer(
        "connect-partition-by-absolute-hash",
        "kafka.partition.murmur2",
        "It chooses a key's partition by the absolute value of the hash.",
        patch(
            "harness.codecs.connect.partitioner:murmur2", lambda original: partial(_abs, original)
        ),
        also="connect.partition.by-key",
        protocols=("vitess",),
    ),
    WrongProducer(
        "connect-partition-by-payload",
        "connect.partition.by-key",
        "It chooses a key's partition by its payload, without its schema or its schema's id.",
        patch(
            PARTITION, lambda original: lambda key, partitions: original(_payload(key), partitions)
        ),
        protocols=("vitess",),
    ),
    WrongProducer(
        "connect-one-partition",
        "kafka.partition.murmur2",
        "It sends every record with a key to partition 0.",
        returns(PARTITION, 0),
        protocols=("vitess",),
    ),
)
