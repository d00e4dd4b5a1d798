"""Kafka Connect's schemas and records.

A struct's value is a plain dict by field name, its schema kept beside it; it holds every field, in
the schema's order, or fewer where the missing ones are null. Values are `int`,
`float`, `str`, `bytes`, `bool`, `None`, `list`, `dict`, and `decimal.Decimal` for
`org.apache.kafka.connect.data.Decimal`; Connect's Date, Time and Timestamp are their integers.

Source: Kafka 4.1 connect-api `ConnectSchema`, `SourceRecord`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final, Generic, TypeVar

from harness.model.record import Origin


class SchemaType(StrEnum):
    """Connect's schema types, by the name that JsonConverter writes for them."""

    BOOLEAN = "boolean"
    INT8 = "int8"
    INT16 = "int16"
    INT32 = "int32"
    INT64 = "int64"
    FLOAT32 = "float"
    FLOAT64 = "double"
    STRING = "string"
    BYTES = "bytes"
    ARRAY = "array"
    MAP = "map"
    STRUCT = "struct"


class Unset:
    """The absence of a default, which is not the default null."""


UNSET: Final = Unset()


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a struct."""

    name: str
    schema: Schema


@dataclass(frozen=True, slots=True)
class Schema:
    """A schema; `fields` are a struct's, `items` an array's element or a map's value."""

    kind: SchemaType
    optional: bool = False
    name: str | None = None
    version: int | None = None
    doc: str | None = None
    parameters: tuple[tuple[str, str], ...] = ()
    default: object = UNSET
    fields: tuple[Field, ...] = ()
    items: Schema | None = None


# A struct's values by field; what Connect would store of a source's position.
Struct = Mapping[str, Any]
Offset = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Header:
    """One record header before its converter."""

    key: str
    schema: Schema
    value: object


@dataclass(frozen=True, slots=True)
class ConnectRecord:
    """What a connector's `poll` gives: schemas and values before any converter.

    `partition` is None where the producer chooses by the key's bytes. `source_partition` and
    `source_offset` are what Connect would store.
    """

    topic: str
    key_schema: Schema | None
    key: Any
    value_schema: Schema | None
    value: Any
    origin: Origin
    headers: tuple[Header, ...] = ()
    partition: int | None = None
    source_partition: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    source_offset: Offset = field(default_factory=lambda: MappingProxyType({}))


def field_value(schema: Schema, value: object) -> object:
    """Return a field's value as `Struct.get` does: unset reads as the default."""
    if value is None and not isinstance(schema.default, Unset):
        return schema.default
    return value


def with_value(record: ConnectRecord, schema: Schema | None, value: Any) -> ConnectRecord:  # noqa: ANN401 Connect values are of any kind
    """Return a record with another value; all else, headers too, stays."""
    return replace(record, value_schema=schema, value=value)


T = TypeVar("T")
# `schemas.cache.size` of the converters.
_SCHEMAS_KEPT: Final = 1000


class SchemaCache(Generic[T]):
    """What is made once of each schema, found again by the schema's identity; bounded.

    Schemas are deep: comparing or hashing one for each record would cost more than the record. The
    connector keeps one object for each version of a table.
    """

    def __init__(self, make: Callable[[Schema], T]) -> None:
        """Take the function that makes an entry of a schema."""
        self._make = make
        # By the schema's identity. A reader for whom a call counts may look here first.
        self.made: dict[int, T] = {}
        # Each schema is kept, so that its identity cannot be reused.
        self._kept: list[Schema] = []

    def of(self, schema: Schema) -> T:
        """Return a schema's entry, made now or before."""
        found = self.made.get(id(schema))
        if found is not None:
            return found
        if len(self.made) >= _SCHEMAS_KEPT:
            self.made.clear()
            self._kept.clear()
        made = self.made[id(schema)] = self._make(schema)
        self._kept.append(schema)
        return made
