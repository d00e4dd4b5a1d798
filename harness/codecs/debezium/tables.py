"""A version of a table: schemas and readers, prepared once for all its rows.

Source: C:relational/TableSchemaBuilder.java, C:relational/Key.java,
vitess NOTES §2–§4.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from harness.codecs.connect.errors import DATA_EXCEPTION, SCHEMA_BUILDER_EXCEPTION, JavaError
from harness.codecs.connect.schema import Field, Schema, SchemaType
from harness.codecs.debezium import schemas
from harness.codecs.debezium.adjustment import Adjuster
from harness.codecs.debezium.columns import FLOATS, Cells, ColumnType, Conversion
from harness.codecs.debezium.mappers import ColumnRule, mapper_for
from harness.codecs.debezium.rows import (
    FieldReader,
    Row,
    StructReaders,
    key_slot,
    struct,
    value_slot,
)
from harness.codecs.debezium.selection import Predicate
from harness.codecs.debezium.topics import TableKey, TopicNames


@dataclass(frozen=True, slots=True)
class TableShape:
    """A version of a table; `required` are the fields that a failed conversion may leave null."""

    key: TableKey
    columns: tuple[ColumnType, ...]
    primary: tuple[str, ...]
    topic: str
    key_schema: Schema | None
    envelope: Schema
    keys: StructReaders
    values: StructReaders
    checked: tuple[tuple[int, Callable[[bytes], Any]], ...]
    required: tuple[tuple[str, str], ...]
    exact_keys: bool
    key_constant: tuple[str, str] | None = None

    def key_of(self, cells: Cells) -> Row | None:
        """Return the key struct of a row, None for a table without one."""
        if self.key_schema is None:
            return None
        row = struct(self.keys, cells)
        if self.key_constant is not None:
            row[self.key_constant[0]] = self.key_constant[1]
        return row

    def value_of(self, cells: Cells) -> Row:
        """Return the value struct of a row; raises JavaError for a cell that cannot be parsed."""
        for index, parse in self.checked:
            cell = cells[index]
            if cell is not None:
                parse(cell)
        return struct(self.values, cells)

    def validate(self, row: Row) -> None:
        """Refuse a null where the schema has none, as a struct does that is put into another."""
        for name, kind in self.required:
            if row[name] is None:
                raise JavaError(
                    DATA_EXCEPTION,
                    f'Invalid value: null used for required field: "{name}", schema type: {kind}',
                )

    def __str__(self) -> str:
        """Render as the connector's own `TableImpl.toString`, which its errors quote."""
        lines = "".join(f"  {column}\n" for column in self.columns)
        return (
            f"columns: {{\n{lines}}}\nprimary key: [{', '.join(self.primary)}]\n"
            "default charset: null\ncomment: null\nattributes: {\n}\n"
        )


@dataclass(frozen=True, slots=True)
class TableShaper:
    """What the settings say about tables, read once."""

    conversion: Callable[[ColumnType], Conversion | None]
    topics: TopicNames
    rules: tuple[ColumnRule, ...]
    column_included: Predicate
    message_keys: tuple[Predicate, ...]
    schema_name: Adjuster
    field_name: Adjuster
    source: Schema
    block: Schema
    envelope: schemas.EnvelopeForm = schemas.ENVELOPE

    def shape(
        self,
        key: TableKey,
        columns: Sequence[ColumnType],
        primary: tuple[str, ...] | None = None,
    ) -> TableShape:
        """Build a table's schemas and readers; raises JavaError for names that collide.

        `primary` has the key in its order; without it the columns' flags say what is the key.
        """
        topic = self.topics.data(key)
        primary = _primary(columns) if primary is None else primary
        key_columns = self._key_columns(key, columns, primary)
        key_schema = self._key_schema(topic, key_columns)
        included = [
            (i, column)
            for i, column in enumerate(columns)
            if self.column_included(f"{key.captured_as}.{column.name}")
        ]
        fields, values, required = self._values(key, included)
        value = Schema(
            SchemaType.STRUCT, optional=True, name=self.schema_name(f"{topic}.Value"), fields=fields
        )
        read = {slot[1] for slot in values}
        constant = self.topics.key_value
        return TableShape(
            key=key,
            columns=tuple(columns),
            primary=primary,
            topic=topic,
            key_schema=key_schema,
            envelope=self._envelope(topic, value),
            keys=self._keys(key_columns),
            values=values,
            checked=self._checked(columns, read),
            required=required,
            exact_keys=any(column.jdbc in FLOATS for _, column in key_columns),
            key_constant=(self.topics.key_field or "", constant(key)) if constant else None,
        )

    def _key_columns(
        self, key: TableKey, columns: Sequence[ColumnType], primary: tuple[str, ...]
    ) -> list[tuple[int, ColumnType]]:
        """Return the columns that message.key.columns names, in its order, or the key's own."""
        named = [
            (i, column)
            for matches in self.message_keys
            for i, column in enumerate(columns)
            if matches(f"{key}.{column.name}") or matches(f"{key.captured_as}.{column.name}")
        ]
        places = {column.name: i for i, column in enumerate(columns)}
        own = [(places[name], columns[places[name]]) for name in primary]
        return named or own

    def _key_schema(self, topic: str, columns: list[tuple[int, ColumnType]]) -> Schema | None:
        pairs = [
            (self.field_name(column.name), found.schema)
            for _, column in columns
            if (found := self.conversion(column)) is not None
        ]
        if self.topics.key_field is not None:
            pairs.append((self.topics.key_field, schemas.STRING))
        elif not columns:
            return None
        return Schema(
            SchemaType.STRUCT, name=self.schema_name(f"{topic}.Key"), fields=_unique(pairs)
        )

    def _keys(self, columns: list[tuple[int, ColumnType]]) -> StructReaders:
        return tuple(
            key_slot(self.field_name(column.name), i, found)
            for i, column in columns
            if (found := self.conversion(column)) is not None
        )

    def _values(
        self, key: TableKey, columns: list[tuple[int, ColumnType]]
    ) -> tuple[tuple[Field, ...], StructReaders, tuple[tuple[str, str], ...]]:
        pairs: list[tuple[str, Schema]] = []
        plan: list[FieldReader] = []
        required: list[tuple[str, str]] = []
        for i, column in columns:
            found = self.conversion(column)
            if found is None:
                continue
            name = self.field_name(column.name)
            mapper = mapper_for(self.rules, key, column)
            parameters = mapper.parameters(column) if mapper else ()
            change = mapper.change(column) if mapper else None
            schema = replace(found.schema, parameters=(*found.schema.parameters, *parameters))
            pairs.append((name, schema))
            plan.append(value_slot(name, i, found, change))
            if not schema.optional and (found.fails or found.null is None or change is not None):
                required.append((name, schema.kind.name))
        return _unique(pairs), tuple(plan), tuple(required)

    def _checked(
        self, columns: Sequence[ColumnType], read: set[int]
    ) -> tuple[tuple[int, Callable[[bytes], Any]], ...]:
        """Return the parsers of columns that are not part of the value; theirs must not fail."""
        return tuple(
            (i, found.parse)
            for i, column in enumerate(columns)
            if i not in read and (found := self.conversion(column)) is not None
        )

    def _envelope(self, topic: str, value: Schema) -> Schema:
        known = {
            "before": value,
            "after": value,
            "source": self.source,
            "transaction": self.block,
            "op": schemas.STRING,
            "ts_ms": schemas.OPTIONAL_INT64,
            "ts_us": schemas.OPTIONAL_INT64,
            "ts_ns": schemas.OPTIONAL_INT64,
        }
        return Schema(
            SchemaType.STRUCT,
            name=self.schema_name(f"{topic}.Envelope"),
            version=self.envelope.version,
            fields=schemas.fields(*((name, known[name]) for name in self.envelope.fields)),
        )


def _primary(columns: Sequence[ColumnType]) -> tuple[str, ...]:
    """Return the key's columns: the primary ones, or the first that has a UNIQUE flag."""
    primary = tuple(column.name for column in columns if column.primary)
    return primary or tuple(column.name for column in columns if column.unique)[:1]


def _unique(pairs: Iterable[tuple[str, Schema]]) -> tuple[Field, ...]:
    found: dict[str, Field] = {}
    for name, schema in pairs:
        if name in found:
            raise JavaError(
                SCHEMA_BUILDER_EXCEPTION,
                f"Cannot create field because of field name duplication {name}",
            )
        found[name] = Field(name, schema)
    return tuple(found.values())
