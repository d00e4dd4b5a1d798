"""The rows of a change, column by column, and the shape that their table has.

Readers are worked out once for each schema, or once for each table where no schema travels.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from cdc_spark.debezium.parts import Part
from cdc_spark.debezium.schema import Schema
from cdc_spark.debezium.values import (
    AS_IT_IS,
    Column,
    Definitions,
    InexactError,
    Reader,
    by_definition,
    by_schema,
)
from cdc_spark.errors import DecodingError
from cdc_spark.events import json_text

Row = dict[str, Any]
_REMEMBERED = 1024
_SIDES = ("before", "after")
_NOTHING: Mapping[str, Column] = {}
_NONE: frozenset[type] = frozenset()
_SIZED = {
    **dict.fromkeys(("boolean", "int8", "int16", "int32", "int64"), "integer"),
    "float": "double",
}


class Rows:
    """Reads the images of changes by what schemas, or the caller, say of them."""

    def __init__(self, known: Definitions) -> None:
        """Take what the caller knows of tables and connector."""
        self._known = known
        self._schemed: dict[tuple[int, str], tuple[Schema, Mapping[str, Reader]]] = {}
        self._shapes: dict[int, tuple[Schema, str]] = {}
        self._names: dict[tuple[str, ...], str] = {}
        self._unschemed: dict[tuple[str, str], dict[str, Reader]] = {}

    def images(self, value: Part, schema: str, table: str) -> dict[str, Row | None]:
        """Return the rows before and after; raises DecodingError naming the column."""
        return {side: self._image(value, side, (schema, table)) for side in _SIDES}

    def key(self, named: Part) -> Row:
        """Return a key's values; raises DecodingError naming the column."""
        row: Row = {}
        for name, cell in named.document.items():
            of = None if named.schema is None else named.schema.fields.get(name)
            reader = by_definition(None, self._known)
            if of is not None:
                reader = self._reader(name, of, _NOTHING)
            try:
                row[name] = None if cell is None else reader(cell)
            except InexactError:
                raise
            except (ValueError, TypeError) as error:
                raise DecodingError(f"the key's column {name!r}: {error}") from error
        return row

    def rest(self, value: Part, newest: Row) -> str:
        """Return the members of a payload that follow the key: no row id, and the table's shape.

        A shape is the columns' names and types, without types where no schema travels.
        """
        if value.schema is None:
            return self._untyped(tuple(newest))
        known = self._shapes.get(id(value.schema))
        if known is None or known[0] is not value.schema:
            row = value.schema.fields.get("after") or value.schema.fields["before"]
            columns = [[name, _type(of)] for name, of in row.fields.items()]
            known = (value.schema, _rest(columns))
            if len(self._shapes) < _REMEMBERED:
                self._shapes[id(value.schema)] = known
        return known[1]

    def _untyped(self, names: tuple[str, ...]) -> str:
        known = self._names.get(names)
        if known is None:
            known = _rest([[name, ""] for name in names])
            if len(self._names) < _REMEMBERED:
                self._names[names] = known
        return known

    def _image(self, value: Part, side: str, table: tuple[str, str]) -> Row | None:
        raw: object = value.document.get(side)
        if raw is None:
            return None
        if not isinstance(raw, dict):
            raise DecodingError(f"`{side}` is {raw!r:.40}", expected="a row")
        image = cast("Row", raw)
        readers = self.readers(value.schema, side, table, image)
        row: Row = {}
        for name, cell in image.items():
            if cell is None:
                row[name] = None
                continue
            if type(cell) in AS_IT_IS.get(readers.get(name), _NONE):
                row[name] = cell  # to ask the table is quicker than to call a reader
                continue
            try:
                row[name] = readers[name](cell)
            except KeyError as error:
                raise DecodingError(f"column {name!r} is not in the schema") from error
            except InexactError:
                raise
            except (ValueError, TypeError) as error:
                raise DecodingError(f"column {name!r}: {error}") from error
        return row

    def readers(
        self, schema: Schema | None, side: str, table: tuple[str, str], image: Row
    ) -> Mapping[str, Reader]:
        """Return what reads the columns of an image; raises DecodingError naming the column."""
        columns = self._known.columns.get(table, _NOTHING)
        if schema is None:
            readers = self._unschemed.setdefault(table, {})
            for name in image:
                if name not in readers:
                    readers[name] = by_definition(columns.get(name), self._known)
            return readers
        # The schema is kept beside its readers, so that its id stays its own.
        known = self._schemed.get((id(schema), side))
        if known is None or known[0] is not schema:
            of = schema.fields.get(side)
            if of is None:
                raise DecodingError(f"the schema has no {side!r}")
            found = {name: self._reader(name, one, columns) for name, one in of.fields.items()}
            known = (schema, found)
            if len(self._schemed) < 2 * _REMEMBERED:
                self._schemed[id(schema), side] = known
        return known[1]

    def _reader(self, name: str, schema: Schema, columns: Mapping[str, Column]) -> Reader:
        try:
            return by_schema(schema, columns.get(name), self._known)
        except ValueError as error:
            raise DecodingError(f"column {name!r}: {error}") from error


def _rest(columns: list[list[str]]) -> str:
    return f'"rid":null,"shape":{json_text(columns)}'


def _type(schema: Schema) -> str:
    """Return what a column's values are; numbers of all sizes are one."""
    return schema.name or _SIZED.get(schema.type, schema.type)
