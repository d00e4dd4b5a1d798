"""Patches of the Vitess connector's columns, by what they change: types, conversions, settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from harness.codecs.debezium.columns import ColumnType, Conversion
from harness.codecs.debezium_vitess.values import ValueModes
from harness.model.columns import ColumnKind
from harness.model.vstream import FieldInfo
from harness.mutants.producers.patch import Patch, adjusted, entry, patch, result

COLUMN = "harness.codecs.debezium_vitess.types:column_of"
CONVERSION = "harness.codecs.debezium_vitess.values:conversion"
DEFAULTS = "harness.codecs.debezium_vitess.settings:DEFAULTS"
MODES = "harness.codecs.debezium_vitess.values:modes"
T = TypeVar("T")
Fields = Callable[[FieldInfo], bool]
Columns = Callable[[ColumnType], bool]


def of(kind: ColumnKind, *, unsigned: bool | None = None) -> Fields:
    """Return a test for fields of a kind, and of a sign where one is asked for."""

    def fits(field: FieldInfo) -> bool:
        words = field.column_type.partition("(")[0].split()
        sign = field.type.startswith("UINT")
        return words[:1] == [kind.value] and unsigned in {None, sign}

    return fits


def named(*types: str) -> Columns:
    """Return a test for columns of these types of VStream."""
    return lambda column: column.type in types


def columns(which: Fields, change: Callable[[ColumnType], ColumnType]) -> Patch:
    """Return the patch that changes what the connector takes some fields for."""
    return adjusted(COLUMN, lambda column, field: change(column) if which(field) else column)


def replaced(fields: Mapping[str, Any], found: T) -> T:
    """Return a row of a table with other values in some fields."""
    made: Any = found
    changed: T = replace(made, **fields)
    return changed


def taken_for(which: Fields, **fields: object) -> Patch:
    """Return the patch by which columns of some fields have other attributes."""
    return columns(which, partial(replaced, fields))


def conversions(which: Columns, change: Callable[[Conversion], Conversion | None]) -> Patch:
    """Return the patch that changes how some columns travel."""
    return adjusted(
        CONVERSION,
        lambda found, column: change(found) if found is not None and which(column) else found,
    )


def by_mode(
    which: Callable[[ColumnType, ValueModes], bool],
    change: Callable[[ColumnType, Conversion], Conversion],
) -> Patch:
    """Return the patch that changes how some columns travel under some settings."""

    def changed(
        original: Callable[..., Conversion | None], column: ColumnType, found: ValueModes
    ) -> Conversion | None:
        made = original(column, found)
        return change(column, made) if made is not None and which(column, found) else made

    return patch(CONVERSION, lambda original: partial(changed, original))


def schemas(which: Columns, **fields: object) -> Patch:
    """Return the patch that changes the schemas of some columns."""
    return conversions(which, lambda found: replace(found, schema=replaced(fields, found.schema)))


def values(which: Columns, change: Callable[[Any], Any]) -> Patch:
    """Return the patch that changes the values of some columns, NULL apart."""
    return conversions(which, partial(converted, change))


def converted(change: Callable[[Any], Any], found: Conversion) -> Conversion:
    """Return a conversion whose values are changed at its end."""
    before = found.convert
    if before is None:
        return replace(found, convert=change)
    return replace(found, convert=lambda value: change(before(value)))


def parsed(which: Columns, parse: Callable[[bytes], Any]) -> Patch:
    """Return the patch that reads the cells of some columns otherwise."""
    return conversions(which, lambda found: replace(found, parse=parse))


def modes(**fields: object) -> Patch:
    """Return the patch that changes what the settings say about values."""
    return result(MODES, partial(replaced, fields))


def default(name: str, text: str) -> Patch:
    """Return the patch that changes a setting's default."""
    return entry(DEFAULTS, name, lambda _: text)


def read_as(field: str, value: str, other: str) -> Patch:
    """Return the patch by which one value of a mode is taken for another."""

    def changed(found: ValueModes) -> ValueModes:
        return replaced({field: other}, found) if getattr(found, field) == value else found

    return result(MODES, changed)
