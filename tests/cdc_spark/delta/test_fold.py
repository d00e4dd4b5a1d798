"""The property of the sink: batches break off anywhere, and the tables are the fold's."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cdc_spark.apply.fold import Change, Fold
from cdc_spark.events import Kind
from cdc_spark.open.events import decode
from cdc_spark.open.values import DIALECTS
from cdc_spark.ordering.hold import Arrival, Hold, Source
from tests.cdc_spark.delta.streams import statements

pytestmark = pytest.mark.spark


def applied() -> list[tuple[Any, ...]]:
    """Return what takes effect of the stream of statements, in shape `APPLIED`."""
    here = Source(0, 0)
    arrivals = [
        Arrival(event, here, offset)
        for offset, one in enumerate(statements())
        for event in decode(DIALECTS["current"], *one)
    ]
    return [
        (0, seq, int(event.kind), str(event.ts), event.schema, event.table, event.payload, 0, 0, at)
        for seq, (event, _, at) in Hold((here,), inclusive=True).step(arrivals)
    ]


APPLIED = applied()
CUTS = st.lists(st.integers(0, len(APPLIED)), max_size=4).map(sorted)


def folded() -> dict[str, list[str]]:
    """Return the tables that the fast sink makes of it."""
    from tests.cdc_spark.delta.model import text_of  # noqa: PLC0415 - needs PyArrow

    fold = Fold()
    for _, _, kind, ts, schema, table, payload, _, partition, offset in APPLIED:
        fold.apply(Change(Kind(kind), int(ts), schema, table, payload, "x", partition, offset))
    assert not fold.error
    return {f"{one.schema}.{one.name}": sorted(map(text_of, one)) for one in fold.tables}


@pytest.mark.parametrize("soft", [False, True], ids=["hard", "soft"])
@settings(max_examples=30)  # each plans and performs some twenty operations many times
@given(cuts=CUTS, crashes=st.lists(st.integers(0, 6), max_size=5))
def test_batches_and_crashes_leave_no_trace(
    *, cuts: list[int], crashes: list[int], soft: bool
) -> None:
    """Every cut into micro-batches, each broken off after any write and done again, is one.

    Rows that are deleted and kept are not among those that live.
    """
    from tests.cdc_spark.delta.model import Model  # noqa: PLC0415 - needs PyArrow

    model = Model(soft)
    for number, (start, end) in enumerate(zip([0, *cuts], [*cuts, len(APPLIED)], strict=True)):
        part = APPLIED[start:end]
        for crash in crashes[number : number + 2]:
            model.batch(part, crash_after=crash)
        model.batch(part)
    assert model.state() == folded()


def test_what_was_deleted_is_kept_with_its_time() -> None:
    """By a delete, a TRUNCATE, of a row without a key; what was never written leaves nothing."""
    from tests.cdc_spark.delta.model import Model  # noqa: PLC0415 - needs PyArrow

    model = Model(soft=True)
    for change in APPLIED:
        model.batch([change])
    deleted = [(first, ts) for first, ts, gone in model.kept() if gone]
    assert deleted == [("2", 3), ("7", 14), ("7", 20)]
