"""Promises of the readers of whole batches: they read what the library reads, or call it unfit."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from typing import Any

import fastavro
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdc_spark.errors import DecodingError
from cdc_spark.vectorised import avro_columns
from cdc_spark.wire import avro

TYPES: Sequence[tuple[str, object, Any]] = (
    ("i", "int", st.integers(-(2**31), 2**31 - 1)),
    ("n", ["null", "long"], st.none() | st.integers(-(2**63), 2**63 - 1)),
    ("s", ["string", "null"], st.none() | st.text(max_size=80)),
    ("b", "bytes", st.binary(max_size=200)),
    ("d", ["null", "double"], st.none() | st.floats(allow_nan=False)),
    ("f", "float", st.floats(width=32, allow_nan=False)),
    ("y", "boolean", st.booleans()),
)
SCHEMA = {
    "type": "record",
    "name": "r",
    "fields": [{"name": name, "type": kind} for name, kind, _ in TYPES],
}
PREPARED = avro.prepared(SCHEMA)
ROWS = st.tuples(*(values for _, _, values in TYPES))


def written(row: Sequence[Any]) -> bytes:
    """Return a row as the library writes it."""
    stream = io.BytesIO()
    names = [name for name, _, _ in TYPES]
    fastavro.schemaless_writer(stream, PREPARED.schema, dict(zip(names, row, strict=True)))
    return stream.getvalue()


def read(bodies: Sequence[bytes]) -> list[list[Any] | None]:
    """Return the rows of bodies, None for the unfit."""
    fields = avro_columns.fields(PREPARED.schema)
    assert fields is not None
    bad, values = avro_columns.read(fields, pa.array(bodies, pa.binary()))
    rows: list[list[Any]] = [[None] * len(fields) for _ in bodies]
    for number, (field, column) in enumerate(zip(fields, values, strict=True)):
        found = column.found.to_pylist() if field.kind in ("string", "bytes") else column.found
        which = range(len(bodies)) if column.which is None else column.which
        for body, value in zip(which, found, strict=True):
            rows[body][number] = value
    return [None if bad[number] else row for number, row in enumerate(rows)]


def by_library(body: bytes) -> list[Any] | None:
    """Return what the library makes of a body, None for nothing."""
    try:
        found = avro.read(PREPARED._replace(reader=None), body, 1)
    except DecodingError:
        return None
    return list(found.values())


def equal(one: list[Any] | None, other: list[Any] | None) -> bool:
    """Return whether rows are the same, as far as a bit pattern that is no number goes."""
    return (
        one is not None
        and other is not None
        and all(
            a == b or (isinstance(a, float) and math.isnan(a) and math.isnan(b))
            for a, b in zip(one, other, strict=True)
        )
    )


@given(st.lists(ROWS, max_size=5))
def test_rows_come_back(rows: list[tuple[Any, ...]]) -> None:
    """What the library writes is read without it, to the same values, whatever is beside it."""
    bodies = [written(row) for row in rows]
    assert read(bodies) == [by_library(body) for body in bodies]


@given(ROWS, ROWS, st.integers(0, 60), st.binary(max_size=3))
def test_broken_bytes_harm_no_neighbour(
    row: tuple[Any, ...], other: tuple[Any, ...], at: int, instead: bytes
) -> None:
    """Whatever bytes stand in a body: it is read as the library reads it, or is unfit."""
    body, good = written(row), written(other)
    broken = body[:at] + instead + body[at + 1 :]
    first, found, last = read([good, broken, good])
    assert equal(first, by_library(good))
    assert equal(last, by_library(good))
    assert found is None or equal(found, by_library(broken))


def test_long_numbers_are_unfit() -> None:
    """A number of eleven bytes, or of 65 bits, is none; one of 64 bits is."""
    fields = [avro_columns.Field("n", "long", None)]
    bodies = [b"\xff" * 9 + b"\x01", b"\xff" * 9 + b"\x02", b"\xff" * 10 + b"\x01"]
    bad, (values,) = avro_columns.read(fields, pa.array(bodies, pa.binary()))
    assert bad.tolist() == [False, True, True]
    assert values.found[0] == -(2**63)


@pytest.mark.parametrize(
    "kind",
    [{"type": "array", "items": "long"}, ["null", "long", "string"], ["long"], "null"],
)
def test_other_types_have_no_reader(kind: object) -> None:
    """A schema with a type that has no step is left to whoever reads bodies one by one."""
    schema = {"type": "record", "name": "r", "fields": [{"name": "a", "type": kind}]}
    assert avro_columns.fields(avro.prepared(schema).schema) is None
