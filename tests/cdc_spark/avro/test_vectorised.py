"""Reading by columns gives what row by row gives: the vendor's messages, and broken ones."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdc_spark.avro import vectorised
from cdc_spark.avro.events import Decoder
from cdc_spark.errors import DecodingError
from tests.cdc_spark.avro.test_truth import FILES, vectors
from tests.cdc_spark.avro_messages import ID, PLAIN_EXTENSION, Publisher, column, nullable
from tests.cdc_spark.vectorised import equivalence
from tests.strategies import EACH_STREAM

SIDES = ("key_hex", "value_hex")


def alike(schemas: Mapping[int, str], *messages: equivalence.Message) -> int:
    """Assert that both agree, with payloads and without; return how many were read by columns."""

    def schema(number: int) -> str:
        if number not in schemas:
            raise DecodingError(f"no schema {number}")
        return schemas[number]

    counts: list[int] = []
    for payloads in (True, False):
        decoder = Decoder(schema)
        by = vectorised.reader(decoder.record, payloads=payloads)
        counts.append(equivalence.alike(by, decoder.decode, messages, payloads=payloads))
    assert counts[0] == counts[1]
    return counts[0]


@pytest.mark.parametrize("name", FILES)
def test_the_vendors_messages_are_read_alike(name: str) -> None:
    """Each of the vendor's messages, and most of them by columns; those of one schema at once."""
    together: dict[str, list[equivalence.Message]] = {}
    for vector in vectors(name):
        found = together.setdefault(json.dumps(vector["schema_ids"], sort_keys=True), [])
        for one in vector.get("events") or []:
            if one.get("key_hex"):
                key, value = (bytes.fromhex(one.get(side) or "") for side in SIDES)
                found.append((key, value or None))
    vectorised_count = several = 0
    for texts, found in together.items():
        schemas = {int(number): text for number, text in json.loads(texts).items()}
        vectorised_count += alike(schemas, *found) if found else 0
        several += 2 * len(found)
    assert vectorised_count >= several / 2


@EACH_STREAM
@given(
    st.lists(
        st.tuples(
            st.integers(-(2**31), 2**31 - 1),
            st.none() | st.text(max_size=9),
            st.integers(-1, 2**63 - 1),
            st.sampled_from("cuxd"),
            st.booleans(),
        ),
        min_size=1,
        max_size=5,
    ),
    st.integers(0, 40),
    st.binary(max_size=2),
)
def test_any_row_is_read_alike(
    rows: list[tuple[int, str | None, int, str, bool]], at: int, instead: bytes
) -> None:
    """Whatever rows, deletes and broken bytes come between them, in whatever order."""
    source = Publisher()
    key = source.register(column(ID))
    value = source.register(column(ID), nullable(("v", "string", "TEXT")), *PLAIN_EXTENSION)
    found: list[equivalence.Message] = []
    for number, text, ts, op, gone in rows:
        row = {"id": number, "v": text, "_tidb_op": op, "_tidb_commit_ts": ts}
        body = source.part(value, {**row, "_tidb_commit_physical_time": 0})
        head = source.part(key, {"id": number})
        found += [(head, None if gone else body), (head, body[:at] + instead + body[at + 1 :])]
    alike(source.texts, *found)
