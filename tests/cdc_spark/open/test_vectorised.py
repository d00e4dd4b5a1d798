"""Reading by columns gives what reading row by row gives, for any message."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdc_spark.open import events, vectorised
from cdc_spark.open.values import DIALECTS
from tests.cdc_spark.messages import Frame, Message, column, gone, key, message, put, row
from tests.cdc_spark.open.test_truth import ALL, FILES, vectors
from tests.cdc_spark.vectorised import equivalence
from tests.strategies import EACH_STREAM

CURRENT = DIALECTS["current"]
NUMBERS = st.one_of(
    st.integers(-(2**63), 2**64 - 1), st.floats(allow_nan=False, allow_infinity=False)
)
VALUES = st.one_of(st.none(), NUMBERS, st.text(), st.booleans())
TYPES = st.sampled_from([1, 3, 4, 5, 8, 10, 15, 246, 247, 252, 253, 6, 99])


def tight(*frames: Frame) -> Message:
    """Return a message whose JSON is written as Go writes it, without spaces."""
    tightened = [
        (frame[0].replace(" ", ""), json.dumps(json.loads(frame[1]), separators=(",", ":")))
        for frame in frames
    ]
    return message(*tightened)


def alike(*messages: Message) -> int:
    """Assert that both agree, with payloads and without; return how many were read by columns."""
    decode = partial(events.decode, CURRENT)
    counts = [
        equivalence.alike(vectorised.reader(CURRENT, payloads=one), decode, messages, payloads=one)
        for one in (True, False)
    ]
    assert counts[0] == counts[1]
    return counts[0]


@EACH_STREAM
@given(TYPES, st.sampled_from([0, 1, 64, 65]), st.lists(VALUES, min_size=2, max_size=6))
def test_any_value_is_read_alike(kind: int, flags: int, values: list[Any]) -> None:
    """Rows of one layout, with whatever value: the skeleton and the whole reading agree."""
    found: list[Message] = []
    for value in values:
        cells = {"id": key(1), "v%": {"t": kind, "f": flags, "v": value}}
        changed = {"u": cells, "p": {**cells, "id": key(2)}}
        found += [tight(one) for one in (row(5, {"u": cells}), row(6, changed), gone(7, 1))]
    alike(*found)


@EACH_STREAM
@given(st.text(alphabet='{}":,\\nu0d8\u2028é1.-+eE[]v', max_size=12))
def test_any_text_in_the_place_of_a_value_is_read_alike(raw: str) -> None:
    """Bytes that are no JSON, or JSON of another form, are never taken for a value."""
    found: list[Message] = []
    for one in (column("@"), {"t": 3, "f": 0, "v": "@"}, {"t": 5, "f": 0, "v": "@"}):
        good = json.dumps(one).replace('"@"', "1" if one["t"] != 15 else '"1"')
        for text in (good, json.dumps(one).replace('"@"', raw)):
            frames = (
                b'{"ts":5,"scm":"s","tbl":"t","t":1}',
                f'{{"u":{{"id":{json.dumps(key(1))},"v":{text}}}}}'.replace(" ", "").encode(),
            )
            sized = [len(frame).to_bytes(8, "big") + frame for frame in frames]
            found.append(((1).to_bytes(8, "big") + sized[0], sized[1]))
    alike(*found)


def test_a_layout_is_learnt_from_one_message() -> None:
    """All rows of a table are read by what the first taught, keys that move included."""
    moved = row(6, {"u": {"id": key(2)}, "p": {"id": key(1)}})
    rows = [put(5, 1, "a"), put(8, 3, 'new "\\u003c\n'), moved, gone(7, 2), gone(9, 2)]
    assert alike(*[tight(one) for one in rows]) == 2 * len(rows)


def test_rows_that_share_a_message_are_read_by_columns() -> None:
    """A message of several rows is told whole, its slots in order; one that has more is left."""
    moved = row(6, {"u": {"id": key(2)}, "p": {"id": key(1)}})
    several = tight(put(5, 1, "a"), moved, put(6, 3, "b"))
    assert alike(several) == 2
    assert alike(several, tight(put(5, 1, "a"), row(6, {"u": {"id": {"t": 99, "v": 1}}}))) == 2


@given(st.binary(max_size=60), st.binary(max_size=60), st.integers(0, 90))
def test_broken_frames_are_read_alike(first: bytes, second: bytes, cut: int) -> None:
    """Whatever bytes come as key and value: no way sees more in them than the other."""
    good = tight(put(5, 1, "a"), put(6, 2, "b"))
    alike(good, (first, second), (good[0][:cut], good[1]), (good[0], good[1][:cut]))


@pytest.mark.parametrize("name", FILES)
def test_the_vendors_messages_are_read_alike(name: str) -> None:
    """Each of the vendor's messages, by a layout learnt from itself."""
    assert (ALL / name).exists()
    for vector in vectors(name):
        found = [
            (bytes.fromhex(one["key_hex"]), bytes.fromhex(one["value_hex"]))
            for one in vector.get("events") or []
            if "key_hex" in one
        ]
        if found:
            alike(*found)
