"""Schemas: records, texts, unions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import Any

from harness.codecs.avro.encode_values import Writer
from harness.codecs.avro.schema import AvroField, AvroRecordSchema
from harness.codecs.avro.settings import AvroSettings
from harness.codecs.avro.stored_default import stored_default
from harness.model.columns import CHARACTERS, INTEGERS, Column
from harness.model.table import Table
from harness.mutants.producers.avro.edits import (
    SCHEMA,
    VALUES,
    defaults,
    fields,
    schema_texts,
    written,
)
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.patch import (
    Patch,
    patch,
    returns,
)


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


def _other_index(table: Table, handle: tuple[int, ...]) -> Iterable[int]:
    """Return the columns of a unique index that is not the handle; the handle's without one."""
    for index in table.indexes:
        columns = tuple(map(table.position, index.columns))
        if index.unique and not index.primary and sorted(columns) != sorted(handle):
            return columns
    return handle


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
    field["type"] = ["null", field["type"]]


def _union_behind(field: dict[str, Any]) -> None:
    field["type"] = [field["type"], "null"]


def _null_alone(column: Column) -> bool:
    """Tell whether a column's only default is null."""
    return column.nullable and column.default is None


def _text_or_integer(column: Column) -> bool:
    return _null_alone(column) and column.kind in CHARACTERS | INTEGERS


def _alone(field: dict[str, Any]) -> None:
    """Take null, and the default that it is, away from a field."""
    field["type"] = field["type"][1]
    field.pop("default", None)


def _without_branch(raw: bytes) -> bytes:
    """Return a value's bytes without its branch; that of NULL alone is 0, or an empty text."""
    return raw[1:] or raw


def _text_or_integer_by_default(column: Column) -> bool:
    filled = column.nullable and stored_default(column) is not None
    return filled and column.kind in CHARACTERS | INTEGERS


def _type_alone(field: dict[str, Any]) -> None:
    """Take null away from a field that keeps its default."""
    field["type"] = field["type"][0]


def _without_branch_behind(raw: bytes) -> bytes:
    """Return a value's bytes without its branch, the second of which is NULL."""
    return b"\x00" if raw == b"\x02" else raw[1:]


def _required(column: Column) -> bool:
    return not column.nullable and column.default is None


def _filled(column: Column) -> bool:
    """Tell whether a column is NOT NULL and has a default, in its schema too."""
    return not column.nullable and column.default is not None


def _no_default(field: dict[str, Any]) -> None:
    field.pop("default", None)


def _type_first(field: dict[str, Any]) -> None:
    rest = dict(field)
    field.clear()
    field.update({"type": rest["type"], **rest})


def _default_last(field: dict[str, Any]) -> None:
    if "default" in field:
        field["default"] = field.pop("default")


def _without_default(original: Callable[[AvroField], Writer]) -> Callable[[AvroField], Writer]:
    """Return what writes a field as if its schema had no default, so with null first."""
    return lambda field: original(replace(field, default=None))


def _branch(data: bytes) -> bytes:
    return bytes([data[0] ^ 2]) + data[1:] if data else data


def _unescaped(characters: str) -> Patch:
    """Return the patch that writes these characters as they are."""
    escapes = re.compile(r"\\u00(" + "|".join(f"{ord(one):02x}" for one in characters) + ")")

    def bare(original: Callable[[str], str]) -> Callable[[str], str]:
        return lambda text: escapes.sub(lambda found: chr(int(found[1], 16)), original(text))

    return patch("harness.wire.go_json:go_string", bare)


ROWS: tuple[WrongProducer, ...] = (
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
        "avro-key-of-an-index-beside-the-primary-key",
        "avro.key.columns",
        "It puts the columns of a unique index into the key where there is a primary key.",
        _handle(lambda table, handle: _other_index(table, handle) if table.primary_key else handle),
    ),
    WrongProducer(
        "avro-key-of-another-index",
        "avro.key.columns",
        "It puts the columns of another unique index into the key than the one that was chosen.",
        _handle(lambda table, handle: handle if table.primary_key else _other_index(table, handle)),
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
        "avro-key-record-named-by-one-word",
        "avro.key.record",
        "It names the record of each key Key, whatever the table.",
        schema_texts(
            lambda text: re.sub(r'"name":"[^"]*"(?=,"namespace")', '"name":"Key"', text, count=1),
            "key_schema",
        ),
    ),
    WrongProducer(
        "avro-key-is-an-error",
        "avro.key.record",
        "It declares keys as Avro's error, not as a record.",
        schema_texts(
            lambda text: text.replace('"type":"record"', '"type":"error"', 1), "key_schema"
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
        also="avro.value.all-columns",
        protocols=("avro",),
    ),
    WrongProducer(
        "avro-value-without-stored-columns",
        "avro.value.no-virtual-columns",
        "It sends stored generated columns no more than virtual ones.",
        _values(lambda table, emitted: [n for n in emitted if table.columns[n].generated is None]),
    ),
    WrongProducer(
        "avro-schema-with-blanks",
        "avro.schema.text",
        "It writes a blank behind each colon of a schema's text.",
        schema_texts(lambda text: text.replace('":', '": ')),
    ),
    WrongProducer(
        "avro-schema-with-blanks-behind-commas",
        "avro.schema.text",
        "It writes a blank behind each comma between the fields and members of a schema's text.",
        schema_texts(lambda text: text.replace("},{", "}, {").replace('","', '", "')),
    ),
    WrongProducer(
        "avro-record-with-its-type-last",
        "avro.schema.text",
        "It writes that a schema is a record behind its fields.",
        schema_texts(lambda text: re.sub(r'^\{("type":"record"),(.*)\}$', r"{\2,\1}", text)),
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
        "avro-fields-before-the-name",
        "avro.schema.text",
        "It writes a record's fields before its name and namespace.",
        schema_texts(
            lambda text: re.sub(
                r'("name":"[^"]*","namespace":"[^"]*"),("fields":\[.*\])\}$', r"\2,\1}", text
            )
        ),
    ),
    WrongProducer(
        "avro-field-with-its-default-last",
        "avro.schema.text",
        "It writes a field's default behind its type.",
        fields(_default_last, _any),
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
        _unescaped("<>&"),
    ),
    *(
        WrongProducer(
            f"avro-{word}-as-it-is",
            "avro.schema.html-escapes",
            f"It writes `{one}` as it is, and escapes the others.",
            _unescaped(one),
        )
        for word, one in (("less-than", "<"), ("greater-than", ">"), ("ampersand", "&"))
    ),
    WrongProducer(
        "avro-null-last",
        "avro.column.nullable",
        "It puts null behind the type of a nullable column without a default.",
        replace(fields(_null_last, _null_alone), then=written(_null_alone, _branch)),
    ),
    WrongProducer(
        "avro-nullable-without-default-null",
        "avro.column.nullable",
        "It gives a nullable column without a default no default null.",
        fields(_no_default, _null_alone),
    ),
    WrongProducer(
        "avro-nullable-is-no-union",
        "avro.column.nullable",
        "It declares and writes a nullable text or integer without a default as its type alone, "
        "NULL as the empty text or 0.",
        replace(fields(_alone, _text_or_integer), then=written(_text_or_integer, _without_branch)),
    ),
    WrongProducer(
        "avro-every-column-is-a-union",
        "avro.column.not-null",
        "It declares and writes NOT NULL columns without a default as unions with null.",
        replace(fields(_union, _required), then=written(_required, lambda raw: b"\x02" + raw)),
    ),
    WrongProducer(
        "avro-every-column-with-a-default-is-a-union",
        "avro.column.not-null",
        "It declares and writes NOT NULL columns with a default as unions with null.",
        replace(fields(_union_behind, _filled), then=written(_filled, lambda raw: b"\x00" + raw)),
    ),
    WrongProducer(
        "avro-null-first-before-a-default",
        "avro.column.nullable-default",
        "It puts null first where a nullable column has a default.",
        returns(f"{SCHEMA}:AvroField.null_first", value=True),
    ),
    WrongProducer(
        "avro-nullable-with-a-default-is-no-union",
        "avro.column.nullable-default",
        "It declares and writes a nullable text or integer with a default as its type alone, "
        "NULL as the empty text or 0.",
        replace(
            fields(_type_alone, _text_or_integer_by_default),
            then=written(_text_or_integer_by_default, _without_branch_behind),
        ),
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
        also="avro.schema.backward-not-null",
    ),
    WrongProducer(
        "avro-index-of-the-other-branch",
        "avro.column.branch",
        "It writes the index of a union's other branch.",
        written(_nullable, _branch),
    ),
    WrongProducer(
        "avro-null-is-always-the-first-branch",
        "avro.column.branch",
        "It counts null as the first branch where a default makes it the second.",
        patch(f"{VALUES}:writer", _without_default),
    ),
)
