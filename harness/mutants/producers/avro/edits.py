"""Patches of the Avro encoder, by what they change: types, fields, schema texts, values, rows."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from harness.codecs.avro.encode_values import Writer
from harness.codecs.avro.schema import AvroField
from harness.codecs.avro.settings import AvroSettings
from harness.codecs.avro.types import AvroType
from harness.model.columns import Column
from harness.model.record import SchemaUse
from harness.model.source_events import RowEvent
from harness.model.values import Value
from harness.mutants.producers.patch import Patch, patch, result

ENCODER = "harness.codecs.avro.encode:AvroEncoder"
DIALECT = "harness.codecs.avro.dialect"
NAMES = "harness.codecs.avro.names"
SCHEMA = "harness.codecs.avro.schema"
VALUES = "harness.codecs.avro.encode_values"
TYPE = "harness.codecs.avro.types:avro_type"
Which = Callable[[Column], bool]
Part = tuple[bytes | None, SchemaUse | None]
MakePart = Callable[[Any, RowEvent], Part]


def types(which: Which, change: Callable[[AvroType], AvroType]) -> Patch:
    """Return the patch that changes the Avro type of some columns."""
    return patch(TYPE, lambda original: partial(_typed, original, which, change))


def _typed(
    original: Callable[[Column, AvroSettings], AvroType],
    which: Which,
    change: Callable[[AvroType], AvroType],
    column: Column,
    settings: AvroSettings,
) -> AvroType:
    found = original(column, settings)
    return change(found) if which(column) else found


def type_texts(change: Callable[[AvroType, str], str]) -> Patch:
    """Return the patch that changes the JSON of each type."""
    return patch(
        "harness.codecs.avro.types:AvroType.text",
        lambda original: lambda of: change(of, original(of)),
    )


def field_texts(change: Callable[[AvroField, str], str]) -> Patch:
    """Return the patch that changes the JSON of each column's field."""
    return patch(
        f"{SCHEMA}:AvroField.text", lambda original: lambda field: change(field, original(field))
    )


def fields(change: Callable[[dict[str, Any]], None], which: Callable[[Column], bool]) -> Patch:
    """Return the patch that changes the fields of some columns, as objects."""

    def changed(field: AvroField, text: str) -> str:
        if not which(field.column):
            return text
        made = json.loads(text)
        change(made)
        return json.dumps(made, separators=(",", ":"), ensure_ascii=False)

    return field_texts(changed)


def schema_texts(change: Callable[[str], str], of: str = "_schema") -> Patch:
    """Return the patch that changes the text of each record's schema."""
    return result(f"{SCHEMA}:{of}", lambda made: replace(made, text=change(made.text)))


def defaults(which: Which, change: Callable[[Any], Any]) -> Patch:
    """Return the patch that changes the defaults of some columns, where they have one."""

    def changed(original: Callable[..., Any], column: Column, kind: AvroType) -> object:
        found = original(column, kind)
        return change(found) if found is not None and which(column) else found

    return patch(
        "harness.codecs.avro.defaults:native_default", lambda original: partial(changed, original)
    )


def values(which: Which, change: Callable[[Any], Any]) -> Patch:
    """Return the patch that changes the values of some columns, NULL apart."""
    return writers(
        which, lambda write: lambda value: write(value if value is None else change(value))
    )


def written(which: Which, change: Callable[[bytes], bytes]) -> Patch:
    """Return the patch that changes the bytes of some columns' values, with their branch."""
    return writers(which, lambda write: lambda value: change(write(value)))


def writers(which: Which, change: Callable[[Callable[[Value], bytes]], Writer]) -> Patch:
    """Return the patch that changes what writes the values of some columns."""

    def changed(original: Callable[[AvroField], Writer], field: AvroField) -> Writer:
        write = original(field)
        return change(write) if which(field.column) else write

    return patch(f"{VALUES}:writer", lambda original: partial(changed, original))


def unscaled(change: Callable[[bytes], bytes]) -> Patch:
    """Return the patch that changes the bytes of precise DECIMALs."""
    return patch(
        f"{VALUES}:_unscaled",
        lambda original: lambda scale: lambda value: change(original(scale)(value)),
    )


def value_parts(change: Callable[[MakePart, Any, RowEvent], Part]) -> Patch:
    """Return the patch that changes how each row's value is made."""
    return _parts("_value", change)


def key_parts(change: Callable[[MakePart, Any, RowEvent], Part]) -> Patch:
    """Return the patch that changes how each row's key is made."""
    return _parts("_key", change)


def _parts(name: str, change: Callable[[MakePart, Any, RowEvent], Part]) -> Patch:
    return patch(f"{ENCODER}.{name}", lambda original: partial(change, original))


def settings(**fields: object) -> Patch:
    """Return the patch that changes fields of the settings that decide the bytes."""
    return result("harness.codecs.avro.settings:settings", lambda found: replace(found, **fields))
