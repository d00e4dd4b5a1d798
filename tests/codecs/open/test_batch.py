"""Batches are taken many rows at once, and come out as if each row had come alone."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.bench.encode.open import rows_of
from harness.codecs.open.batch import Batches, EncodedRows, OpenMessages, Singles
from harness.codecs.open.dialect import CURRENT
from harness.codecs.open.settings import OpenSettings
from harness.model.record import Record

ROW = rows_of(1)[0]
# A topic's place among two, a partition, and how long the row is.
ROWS = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 2), st.integers(1, 90)), max_size=40)


def waiting(settings: OpenSettings) -> OpenMessages:
    """Return what holds the open messages of a changefeed."""
    return Singles() if settings.max_batch_size == 1 else Batches(settings)


def written(places: list[tuple[int, int, int]]) -> list[EncodedRows]:
    """Return rows of these places and lengths, each alone; origins count them."""
    return [
        EncodedRows(
            [
                replace(
                    ROW,
                    topic=f"t{topic}",
                    partition=partition,
                    origin=replace(ROW.origin, event=number),
                )
            ],
            [b"k"],
            [b"v" * length],
            [length + 1],
        )
        for number, (topic, partition, length) in enumerate(places)
    ]


def joined(alone: list[EncodedRows]) -> EncodedRows:
    """Return the rows together."""
    return EncodedRows(
        *(list(chain.from_iterable(parts)) for parts in zip(*map(parts_of, alone), strict=True))
    )


def parts_of(one: EncodedRows) -> tuple[object, ...]:
    """Return the columns of written rows."""
    return one.rows, one.keys, one.values, one.sizes


@pytest.mark.parametrize("size", [1, 2, 3, 16])
@given(places=ROWS)
def test_at_once(size: int, places: list[tuple[int, int, int]]) -> None:
    """However rows are handed over, the same messages come in the same order."""
    settings = OpenSettings(CURRENT, max_batch_size=size, max_message_bytes=240)
    alone = written(places)
    one_by_one, at_once = waiting(settings), waiting(settings)
    slow: list[Record] = [record for one in alone for record in one_by_one.add(one)]
    quick = list(at_once.add(joined(alone))) if alone else []
    assert quick == slow
    assert at_once.close(("t0", 1)) == one_by_one.close(("t0", 1))
    assert at_once.flush("t1") == one_by_one.flush("t1")
    assert at_once.flush() == one_by_one.flush()
