"""Whatever bytes arrive, they decode or are refused with DecodingError; nothing else, and soon.

The nightly profile tries 100,000 inputs.
"""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from harness.codecs.avro.codec import BoundAvro
from harness.codecs.avro.decode_body import read, record_form
from harness.codecs.avro.decode_values import value_of
from harness.errors import DecodingError
from harness.model.columns import Column, ColumnKind
from harness.wire.confluent import confluent_frame
from tests.codecs.avro.rows import CHECKSUM, EXTENSION, ID, insert, sent
from tests.source_tables import shop_table

USUAL = settings().max_examples
FUZZ = settings(max_examples=100_000 if USUAL >= 1000 else 3 * USUAL)
TABLE = shop_table(
    ID,
    Column(2, "n", ColumnKind.INT),
    Column(3, "v", ColumnKind.VARCHAR, length=16),
    Column(4, "raw", ColumnKind.BLOB, nullable=False),
    Column(5, "e", ColumnKind.ENUM, members=("a", "b,c")),
    Column(6, "d", ColumnKind.DECIMAL, length=10, scale=2),
    Column(7, "f", ColumnKind.DOUBLE, nullable=False),
    Column(8, "b", ColumnKind.BIT, length=64),
)
ROW = insert(TABLE, 1, 7, "text", b"\0\1", 2, "-1.50", 2.5, 9)
WATERMARK = {**EXTENSION, "avro-enable-watermark": True}


SENT = st.sampled_from([sent(ROW, values) for values in ({}, EXTENSION, CHECKSUM, WATERMARK)])
PARTS = st.none() | st.binary(max_size=80)
FRAMED = st.builds(confluent_frame, st.integers(-1, 3), st.binary(max_size=80))
WATERMARKS = st.builds(bytes.__add__, st.sampled_from([b"\1", b"\2"]), st.binary(max_size=12))


def survives(wire: BoundAvro, key: bytes | None, value: bytes | None) -> None:
    """Decode a message, or see it refused."""
    try:
        events = wire.decode(key, value)
    except DecodingError as refusal:
        assert len(refusal.what) < 2000  # noqa: PT017  (either way is right)
        return
    assert len(events) == 1


@FUZZ
@given(SENT, PARTS | FRAMED, PARTS | FRAMED | WATERMARKS)
def test_any_bytes(
    made: tuple[BoundAvro, bytes, bytes], key: bytes | None, value: bytes | None
) -> None:
    """Any bytes, framed or not, with ids that are known or not."""
    survives(made[0], key, value)


@FUZZ
@given(SENT, st.data())
def test_any_change(made: tuple[BoundAvro, bytes, bytes], data: st.DataObject) -> None:
    """A good message with some bytes changed, taken away or added."""
    wire, key, value = made
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(value)))
        cut = data.draw(st.integers(0, 3))
        value = value[:at] + data.draw(st.binary(max_size=3)) + value[at + cut :]
    survives(wire, key, value)


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 40) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=3,
)
AVRO_TYPES = st.sampled_from(
    ["int", "long", "float", "double", "string", "bytes", "boolean", "null", "array", "map", "t"]
)
TIDB_TYPES = st.sampled_from(
    [
        "INT",
        "INT UNSIGNED",
        "BIGINT",
        "BIGINT UNSIGNED",
        "FLOAT",
        "DOUBLE",
        "DECIMAL",
        "BIT",
        "YEAR",
        "TEXT",
        "BLOB",
        "ENUM",
        "SET",
        "JSON",
        "DATE",
        "TIME",
        "DATETIME",
        "TIMESTAMP",
        "TiDBVECTORFloat32",
    ]
)


def some_members(**members: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Draw an object with any of these members, each right in most cases."""
    return st.fixed_dictionaries(
        {}, optional={k.replace("_at_", "."): v | JSON_VALUES for k, v in members.items()}
    )


TYPES = some_members(
    type=AVRO_TYPES,
    connect_at_parameters=some_members(tidb_type=TIDB_TYPES, allowed=st.text(max_size=5)),
    logicalType=st.just("decimal"),
    scale=st.integers(-1, 40),
)
UNIONS = st.lists(TYPES | st.just("null"), min_size=1, max_size=3)
FIELD = some_members(name=st.text(max_size=3), type=AVRO_TYPES | TYPES | UNIONS)
SCHEMAS = some_members(
    type=st.just("record"),
    name=st.just("t"),
    namespace=st.just("default.s"),
    fields=st.lists(FIELD, min_size=1, max_size=3),
)


@FUZZ
@given(SCHEMAS, st.binary(max_size=24))
def test_any_schema(document: object, body: bytes) -> None:
    """A registry that gives out any JSON at all."""
    try:
        form = record_form(json.dumps(document))
        raw = read(form, body)
        values = [value_of(field, one) for field, one in zip(form.fields, raw, strict=True)]
    except DecodingError as refusal:
        assert refusal.what  # noqa: PT017  (either way is right)
        return
    assert len(values) == len(form.fields)


@FUZZ
@given(st.text(max_size=60))
def test_any_text(text: str) -> None:
    """A registry that gives out any text at all."""
    try:
        assert record_form(text).fields
    except DecodingError as refusal:
        assert refusal.what  # noqa: PT017  (either way is right)
