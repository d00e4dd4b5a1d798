"""A protocol's messages read by columns and row by row, side by side."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from cdc_spark.events import Event
from cdc_spark.protocols import Decode, read
from cdc_spark.vectorised import blocks
from cdc_spark.vectorised.reader import VectorisedReader

Message = tuple[bytes | None, bytes | None]
APART = ("before", "after", "key", "change")


def alike(
    vectorised: VectorisedReader, decode: Decode, messages: Sequence[Message], *, payloads: bool
) -> int:
    """Assert that both give the same; return how many messages were read by columns.

    The messages are read twice, so that each may be read by a template learnt from itself.
    """
    vectorised.least, vectorised.strict = 1, True
    twice = [*messages, *messages]
    asked: set[int] = set()

    def row_by_row(number: int) -> Sequence[Event]:
        asked.add(number)
        return read(decode, *twice[number])

    keys, values = (pa.array([one[side] for one in twice], pa.binary()) for side in (0, 1))
    found = vectorised.read(keys, values, np.arange(len(twice)), row_by_row)
    wanted = blocks.block_of((n, read(decode, *one)) for n, one in enumerate(twice))
    assert [one.to_pylist() for one in blocks.places(found)] == [
        one.to_pylist() for one in blocks.places(wanted)
    ]
    for name in blocks.BLOCK:
        if name != "order":
            _same(name, found, wanted, asked, payloads=payloads)
    return len(twice) - len(asked)


def _same(
    name: str, found: pa.RecordBatch, wanted: pa.RecordBatch, asked: set[int], *, payloads: bool
) -> None:
    """Assert that a column is the same, where reading by columns fills it at all."""
    numbers = blocks.places(wanted)[0].to_pylist()
    kinds = wanted["kind"].to_pylist()
    for place, (one, other) in enumerate(
        zip(found[name].to_pylist(), wanted[name].to_pylist(), strict=True)
    ):
        absent = name in APART if payloads else name == "payload"
        if numbers[place] in asked or not absent:
            assert one == other, (name, numbers[place], kinds[place])
        else:
            assert one is None
