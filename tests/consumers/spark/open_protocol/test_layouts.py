"""Promises of the quick way: what it gives is what the long way gives, for any message."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.consumers.spark.events import Event
from harness.consumers.spark.open_protocol import events, layouts
from harness.consumers.spark.open_protocol.columns import DIALECTS
from harness.errors import DecodingError
from tests.consumers.spark.messages import (
    Frame,
    Message,
    column,
    gone,
    key,
    message,
    put,
    row,
)
from tests.consumers.spark.open_protocol.test_truth import ALL, FILES, vectors

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


def both(decoder: layouts.Decoder, text: tuple[bytes, bytes]) -> tuple[Any, Any]:
    """Return what the quick way and the long way say of a message."""
    told: list[Any] = []
    for decode in (decoder.decode, lambda *one: events.decode(CURRENT, *one)):
        try:
            found: list[Event] = decode(*text)
            told.append([tuple(event) for event in found])
        except DecodingError as error:
            told.append((error.what, error.expected))
    return told[0], told[1]


@given(TYPES, st.sampled_from([0, 1, 64, 65]), st.lists(VALUES, min_size=2, max_size=6))
def test_any_value_is_told_alike(kind: int, flags: int, values: list[Any]) -> None:
    """Rows of one layout, with whatever value: the pattern and the whole reading agree."""
    decoder = layouts.Decoder(CURRENT)
    for value in values:
        cells = {"id": key(1), "v%": {"t": kind, "f": flags, "v": value}}
        for event in (row(5, {"u": cells}), row(6, {"u": cells, "p": cells}), gone(7, 1)):
            quick, long = both(decoder, tight(event))
            assert quick == long


@given(st.text(alphabet='{}":,\\nu0d8\u2028é1.-+eE[]', max_size=12))
def test_any_text_in_the_place_of_a_value_is_told_alike(raw: str) -> None:
    """Bytes that are no JSON, or JSON of another form, are never taken for a value."""
    decoder = layouts.Decoder(CURRENT)
    for one in (column("@"), {"t": 3, "f": 0, "v": "@"}, {"t": 5, "f": 0, "v": "@"}):
        good = json.dumps(one).replace('"@"', "1" if one["t"] != 15 else '"1"')
        for text in (good, json.dumps(one).replace('"@"', raw)):
            frames = (
                b'{"ts":5,"scm":"s","tbl":"t","t":1}',
                f'{{"u":{{"id":{json.dumps(key(1))},"v":{text}}}}}'.replace(" ", "").encode(),
            )
            head = (1).to_bytes(8, "big")
            sized = [len(frame).to_bytes(8, "big") + frame for frame in frames]
            quick, long = both(decoder, (head + sized[0], sized[1]))
            assert quick == long


def test_a_layout_is_learnt_from_one_message() -> None:
    """The second row of a table is read by the pattern of the first, keys that move included."""
    decoder = layouts.Decoder(CURRENT)
    moved = row(6, {"u": {"id": key(2)}, "p": {"id": key(1)}})
    for event in (put(5, 1, "a"), moved, gone(7, 2)):
        decoder.decode(*tight(event))
    long = events.decode
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(events, "decode", None)
        for event in (put(8, 3, 'new "\\u003c\n'), moved, gone(9, 2)):
            assert decoder.decode(*tight(event)) == long(CURRENT, *tight(event))


@pytest.mark.parametrize("name", FILES)
def test_the_vendors_messages_are_told_alike(name: str) -> None:
    """Each of the vendor's messages, twice, so that the second is read by its own layout."""
    assert (ALL / name).exists()
    decoder = layouts.Decoder(CURRENT)
    for vector in vectors(name):
        for one in (vector.get("events") or []) * 2:
            if "key_hex" in one:
                text = bytes.fromhex(one["key_hex"]), bytes.fromhex(one["value_hex"])
                quick, long = both(decoder, text)
                assert quick == long
