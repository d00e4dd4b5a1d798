"""Reading by columns gives what row by row gives: records, and broken ones."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdc_spark.debezium import vectorised
from cdc_spark.debezium.connectors import VITESS
from cdc_spark.debezium.events import Decoder
from cdc_spark.debezium.parts import Parts
from cdc_spark.debezium.rows import Rows
from cdc_spark.debezium.values import Definitions
from tests.cdc_spark.debezium.test_truth import (
    FILES,
    records,
    with_schemas,
    without_schemas,
)
from tests.cdc_spark.vectorised import equivalence
from tests.cdc_spark.vitess_records import block, change
from tests.strategies import EACH_STREAM

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**64 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=6),
    st.sampled_from(['a":1,"b', "\u2028", 'x","source":{', "e"]),
)


def alike(*messages: equivalence.Message) -> int:
    """Assert that both agree, with payloads and without; return how many were read by columns."""
    counts: list[int] = []
    for payloads in (True, False):
        parts, rows = Parts({}.__getitem__), Rows(Definitions())
        by = vectorised.reader(parts, rows, VITESS, payloads=payloads)
        counts.append(
            equivalence.alike(by, Decoder(parts, rows, VITESS).decode, messages, payloads=payloads)
        )
    assert counts[0] == counts[1]
    return counts[0]


def tight(document: Any) -> bytes:
    """Return JSON as the converter writes it, without spaces."""
    return json.dumps(document, separators=(",", ":"), ensure_ascii=False).encode()


@pytest.mark.parametrize("name", FILES)
def test_the_connectors_records_are_read_alike(name: str) -> None:
    """All records of a vector together, with their schemas and as they stand without."""
    for form in (with_schemas, without_schemas):
        found = [pair for one in records(name) if any(pair := form(one))]
        if found:
            alike(*found)


@EACH_STREAM
@given(st.lists(st.tuples(SCALARS, SCALARS, st.sampled_from("crud")), min_size=1, max_size=5))
def test_any_value_is_read_alike(rows: list[tuple[Any, Any, str]]) -> None:
    """Rows with whatever values, columns called like members of the envelope among them."""
    found: list[equivalence.Message] = []
    for number, (one, other, op) in enumerate(rows):
        row = {"id": number, "after": one, 'v":': other}
        images = (row if op in "ud" else None, None if op == "d" else row)
        document = change(op, *images, ts=number, transaction=block("t", number + 1, 1, number))
        found += [(tight({"id": number}), tight(document)), (None, tight(document))]
    alike(*found)


@given(st.integers(0, 200), st.binary(max_size=3))
def test_broken_bytes_are_read_alike(at: int, instead: bytes) -> None:
    """A record with other bytes in it: no way sees more in it than the other."""
    good = tight(change("c", None, {"id": 1, "v": "a"}))
    alike((b'{"id":1}', good), (b'{"id":1}', good[:at] + instead + good[at + 1 :]))


def test_a_layout_is_learnt_from_one_record() -> None:
    """All creates of a table are read by what the first taught; a tombstone is left alone."""
    rows = [tight(change("c", None, {"id": n, "v": f"text {n}"}, shard=f"-{n}")) for n in range(5)]
    found: list[equivalence.Message] = [(tight({"id": n}), row) for n, row in enumerate(rows)]
    assert alike(*found) == 2 * len(rows)
    assert alike(*found, (b'{"id":1}', None)) == 2 * len(rows)
