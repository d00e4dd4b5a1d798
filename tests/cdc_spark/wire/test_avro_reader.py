"""Promises of the readers that are made for a schema: they read what the library reads."""

from __future__ import annotations

import io
from typing import Any

import fastavro
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdc_spark.errors import DecodingError
from cdc_spark.wire import avro, avro_reader

INNER = {"type": "record", "name": "inner", "fields": [{"name": "l", "type": "long"}]}
FIELDS: list[dict[str, Any]] = [
    {"name": "i", "type": "int"},
    {"name": "it's \\ {odd}", "type": ["null", "long"]},
    {"name": "s", "type": ["string", "null"]},
    {"name": "b", "type": {"type": "bytes", "logicalType": "decimal", "precision": 4}},
    {"name": "d", "type": ["null", "double"]},
    {"name": "f", "type": "float"},
    {"name": "y", "type": "boolean"},
    {"name": "one", "type": ["null", INNER]},
    {"name": "two", "type": ["null", "inner"]},
]
SCHEMA = {"type": "record", "name": "r", "fields": FIELDS}
LONGS = st.integers(-(2**63), 2**63 - 1)
ROWS = st.tuples(
    st.integers(-(2**31), 2**31 - 1),
    st.none() | LONGS,
    st.none() | st.text(max_size=80),
    st.binary(max_size=80),
    st.none() | st.floats(allow_nan=False),
    st.floats(width=32, allow_nan=False),
    st.booleans(),
    st.none() | st.fixed_dictionaries({"l": LONGS}),
    st.none() | st.fixed_dictionaries({"l": LONGS}),
)
PREPARED = avro.prepared(SCHEMA)


def written(row: tuple[Any, ...]) -> bytes:
    """Return a row as the library writes it."""
    stream = io.BytesIO()
    names = [field["name"] for field in FIELDS]
    values = dict(zip(names, row, strict=True))
    fastavro.schemaless_writer(stream, PREPARED.schema, values)
    return stream.getvalue()


def by_library(body: bytes) -> object:
    """Return what the library alone makes of a body, None for nothing."""
    try:
        return avro.read(PREPARED._replace(reader=None), body, 1)
    except DecodingError:
        return None


@given(ROWS)
def test_a_row_comes_back(row: tuple[Any, ...]) -> None:
    """What the library writes is read without it, to the same values."""
    assert PREPARED.reader is not None
    found = avro_reader.read(PREPARED.reader, written(row))
    assert found is not None
    assert tuple(found.values()) == row
    assert found == by_library(written(row))


@given(ROWS, st.integers(0, 60), st.binary(max_size=3))
def test_bytes_that_were_changed_are_judged_by_the_library(
    row: tuple[Any, ...], at: int, instead: bytes
) -> None:
    """Whatever bytes stand in a body: the answer is the library's, or none and it is asked."""
    assert PREPARED.reader is not None
    body = written(row)
    broken = body[:at] + instead + body[at + 1 :]
    found = avro_reader.read(PREPARED.reader, broken)
    if found is not None:
        assert repr(found) == repr(by_library(broken))


@pytest.mark.parametrize(
    "kind",
    [
        {"type": "array", "items": "long"},
        {"type": "map", "values": "long"},
        ["null", "long", "string"],
        ["long"],
        "null",
    ],
)
def test_other_types_are_left_to_the_library(kind: object) -> None:
    """A schema with a type that has no lines gets no reader, and is read all the same."""
    schema = {"type": "record", "name": "r", "fields": [{"name": "a", "type": kind}]}
    assert avro.prepared(schema).reader is None


def test_a_record_within_itself_is_left_to_the_library() -> None:
    """No source can be written for a schema that has no end."""
    inner = {"name": "next", "type": ["null", "r"]}
    assert avro.prepared({"type": "record", "name": "r", "fields": [inner]}).reader is None
