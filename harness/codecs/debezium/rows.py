"""How a row's cells become the fields of a struct: prepared for each column, run for each row.

Source: C:relational/TableSchemaBuilder.java createValueGenerator, createKeyGenerator.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from harness.codecs.connect.errors import JavaError
from harness.codecs.connect.java import text
from harness.codecs.connect.schema import SchemaType
from harness.codecs.debezium.columns import Cells, Conversion
from harness.codecs.debezium.mappers import Change

Read = Callable[[Any], Any]
Row = dict[str, Any]
# The field, its cell, how a cell that is not NULL is read, and what NULL becomes.
FieldReader = tuple[str, int, Read, Any]
StructReaders = tuple[FieldReader, ...]

_PYTHON: Mapping[SchemaType, type] = MappingProxyType(
    {
        SchemaType.BOOLEAN: bool,
        SchemaType.INT16: int,
        SchemaType.INT32: int,
        SchemaType.INT64: int,
        SchemaType.FLOAT32: float,
        SchemaType.FLOAT64: float,
        SchemaType.STRING: str,
        SchemaType.BYTES: bytes,
    }
)


def struct(plan: StructReaders, cells: Cells) -> Row:
    """Return a struct of a row; raises JavaError for a cell that cannot be parsed."""
    try:
        return {
            name: null if (cell := cells[index]) is None else read(cell)
            for name, index, read, null in plan
        }
    except UnicodeDecodeError:
        return {
            name: null if (cell := cells[index]) is None else _patient(read)(cell)
            for name, index, read, null in plan
        }


def _patient(read: Read) -> Read:
    """Return the reader of texts that are no UTF-8; they are rare, and the others quicker."""
    return text if read is bytes.decode else read


def _parser(found: Conversion) -> Read:
    return bytes.decode if found.parse is text else found.parse


def key_slot(name: str, index: int, found: Conversion) -> FieldReader:
    """Prepare a field of a key: a conversion that fails is the event's failure."""
    parse, convert, null = found.parse, found.convert, found.null
    if convert is None:
        return name, index, _parser(found), null

    def read(cell: bytes) -> Any:  # noqa: ANN401 Connect values are of any kind
        raw = parse(cell)
        return null if raw is None else convert(raw)

    return name, index, read, null


def value_slot(name: str, index: int, found: Conversion, change: Change | None) -> FieldReader:
    """Prepare a field of a value: a conversion that fails leaves null."""
    parse, convert, null = found.parse, found.convert, found.null
    if change is not None:
        return _changed_slot(name, index, found, change)
    if convert is None:
        return name, index, _parser(found), null

    def read(cell: bytes) -> Any:  # noqa: ANN401 Connect values are of any kind
        raw = parse(cell)
        if raw is None:
            return null
        try:
            return convert(raw)
        except JavaError:
            return None

    return name, index, read, null


def _changed_slot(name: str, index: int, found: Conversion, change: Change) -> FieldReader:
    """Prepare a field with a mapper: what no longer fits the schema is left null."""
    parse, convert, null = found.parse, found.convert, found.null

    def settled(value: Any) -> Any:  # noqa: ANN401 Connect values are of any kind
        changed = change(value)
        # A logical type takes its own class only, and no mapper makes one.
        if found.schema.kind is SchemaType.BYTES and found.schema.name is not None:
            return changed if changed is value else None
        return changed if isinstance(changed, _PYTHON[found.schema.kind]) else None

    def read(cell: bytes) -> Any:  # noqa: ANN401 Connect values are of any kind
        raw = parse(cell)
        try:
            plain = null if raw is None else raw if convert is None else convert(raw)
        except JavaError:
            return None
        return settled(plain)

    return name, index, read, settled(null)
