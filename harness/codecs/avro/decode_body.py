"""Avro bodies back to values, over a registered schema's text; independent of the encoder.

The library reads the bytes; a body counts only when the same library writes it back to the same
bytes, so that lengths below zero, numbers in too many bytes and what is left over are all refused.
Only the shapes that TiCDC registers are taken: a flat record of primitive types, each perhaps in a
union with null. A schema that nests or repeats cannot be used to make us run for ever.

Source: Apache Avro 1.12, §Binary encoding; TiCDC Avro Protocol, §Column data format.
"""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from io import BytesIO
from typing import Any, cast

from fastavro import (
    parse_schema,
    schemaless_reader,  # pyright: ignore[reportUnknownVariableType]
    schemaless_writer,  # pyright: ignore[reportUnknownVariableType]
)

from harness.errors import DecodingError, plural

_PRIMITIVES = frozenset({"int", "long", "float", "double", "string", "bytes", "boolean"})
_FLOATS = frozenset({"float", "double"})
# What the library says of bytes that do not fit the schema.
_MISFITS = (
    EOFError,
    IndexError,
    KeyError,
    MemoryError,
    OverflowError,
    TypeError,
    ValueError,
)
# A schema with more fields than a table has columns is no table's (TiDB: at most 4,096).
FIELDS_MAX = 4200
_REMEMBERED = 1024
# The library reads more than an integer type has.
_BITS = {"int": 2**31, "long": 2**63}
Raw = int | float | str | bytes | bool | None


@dataclass(frozen=True, slots=True)
class AvroFieldShape:
    """One field: its Avro type, the place of null in its union, and its `connect.parameters`.

    `null` is None where there is no union; `scale` is a decimal's, None for all others. `default`
    is what a reader fills in for an older record, None where that is null or nothing; bytes stand
    in the schema as Base64, where Avro means a character for each byte.
    """

    name: str
    type: str
    null: int | None = None
    parameters: Mapping[str, str] = field(default_factory=dict[str, str])
    scale: int | None = None
    default: int | float | str | bytes | None = None


@dataclass(frozen=True, slots=True)
class AvroRecordShape:
    """One schema as it is read: names, fields, and the library's own form of it."""

    schema: str
    table: str
    fields: tuple[AvroFieldShape, ...]
    parsed: Any


@lru_cache(maxsize=_REMEMBERED)
def record_form(text: str) -> AvroRecordShape:
    """Return a schema's text as it is read; DecodingError for a shape that is not TiCDC's."""
    try:
        document: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DecodingError(f"the schema is not JSON: {error}") from error
    schema = _object(document, "the schema")
    fields = schema.get("fields")
    if schema.get("type") != "record" or not isinstance(fields, list):
        raise DecodingError("the schema is not a record", expected="a record of a table's columns")
    listed = cast("list[object]", fields)
    if not 1 <= len(listed) <= FIELDS_MAX:
        raise DecodingError(
            f"a record of {plural(len(listed), 'field')}", expected=f"1 to {FIELDS_MAX}"
        )
    forms = tuple(_field(_object(one, "a field")) for one in listed)
    if len({form.name for form in forms}) < len(forms):
        raise DecodingError("two fields of the schema have one name")
    name, space = schema.get("name"), schema.get("namespace", "")
    if not isinstance(name, str) or not isinstance(space, str):
        raise DecodingError("the schema's name or namespace is not text")
    return AvroRecordShape(space.partition(".")[2], name, forms, _library_form(forms))


def read(form: AvroRecordShape, body: bytes) -> tuple[Raw, ...]:
    """Return a body's values in the order of the fields; DecodingError for malformed bytes."""
    try:
        record = schemaless_reader(BytesIO(body), form.parsed, None)
        again = BytesIO()
        schemaless_writer(again, form.parsed, cast("Any", record))
    except _MISFITS as error:
        raise DecodingError(
            f"{len(body)} bytes are no body of {form.table}'s schema: {str(error)[:200]}"
        ) from error
    if again.getvalue() != body:
        raise DecodingError(
            f"{len(body)} bytes are more, fewer or other bytes than {form.table}'s schema writes",
            expected="a body without anything behind it",
        )
    named = cast("Mapping[str, Raw]", record)
    values = tuple(named[f"f{number}"] for number in range(len(form.fields)))
    for one, value in zip(form.fields, values, strict=True):
        bits = _BITS.get(one.type)
        if bits is not None and isinstance(value, int) and not -bits <= value < bits:
            raise DecodingError(f"field {one.name!r} has {value}, more than an {one.type} of Avro")
    return values


def _library_form(forms: tuple[AvroFieldShape, ...]) -> Any:  # noqa: ANN401  (the library's own)
    fields = [{"name": f"f{n}", "type": _library_type(form)} for n, form in enumerate(forms)]
    return parse_schema({"type": "record", "name": "row", "fields": fields})


def _library_type(form: AvroFieldShape) -> str | list[str]:
    if form.null is None:
        return form.type
    return ["null", form.type] if form.null == 0 else [form.type, "null"]


def _field(document: Mapping[str, object]) -> AvroFieldShape:
    name, kind = document.get("name"), document.get("type")
    if not isinstance(name, str):
        raise DecodingError("a field without a name")
    shape = _shape(name, kind)
    return replace(shape, default=_default(shape, document.get("default")))


def _default(shape: AvroFieldShape, default: object) -> int | float | str | bytes | None:
    if isinstance(default, bool) or not isinstance(default, int | float | str):
        return None
    if shape.type == "bytes":
        return _bytes(default) if shape.scale is None else None
    # Go's JSON writes a float that is whole without its point.
    return float(default) if shape.type in _FLOATS and isinstance(default, int) else default


def _bytes(default: float | str) -> bytes | None:
    try:
        return b64decode(str(default), validate=True)
    except ValueError:
        return None


def _shape(name: str, kind: object) -> AvroFieldShape:
    if not isinstance(kind, list):
        return _typed(name, kind)
    branches = cast("list[object]", kind)
    if len(branches) != 2 or branches.count("null") != 1:
        raise DecodingError(f"field {name!r} is another union than null and one type")
    return _typed(name, branches[1 - branches.index("null")], branches.index("null"))


def _typed(name: str, kind: object, null: int | None = None) -> AvroFieldShape:
    if isinstance(kind, str):
        kind = {"type": kind}
    typed = _object(kind, f"the type of field {name!r}")
    avro = typed.get("type")
    if not isinstance(avro, str) or avro not in _PRIMITIVES:
        raise DecodingError(f"field {name!r} is of the type {str(avro)[:60]!r}")
    parameters = _object(typed.get("connect.parameters", {}), f"the parameters of field {name!r}")
    if not all(isinstance(value, str) for value in parameters.values()):
        raise DecodingError(f"field {name!r} has parameters that are not text")
    scale = typed.get("scale", 0) if typed.get("logicalType") == "decimal" else None
    if scale is not None and (not isinstance(scale, int) or not 0 <= scale <= 30):
        raise DecodingError(f"field {name!r} is a decimal of scale {str(scale)[:60]}")
    return AvroFieldShape(name, avro, null, cast("Mapping[str, str]", parameters), scale)


def _object(document: object, what: str) -> Mapping[str, object]:
    if not isinstance(document, dict):
        raise DecodingError(f"{what} is {type(document).__name__}, not an object")
    return cast("Mapping[str, object]", document)
