"""The property of the sink: batches break off anywhere, and the tables are the fold's."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cdc_spark.apply.fold import Change, Fold
from cdc_spark.events import Kind
from cdc_spark.open.events import decode
from cdc_spark.open.values import DIALECTS
from cdc_spark.ordering.hold import Arrival, Hold, Source
from tests.cdc_spark.delta.streams import between, statements

pytestmark = pytest.mark.spark


def applied(stream: Iterable[tuple[bytes, bytes]]) -> list[tuple[Any, ...]]:
    """Return what takes effect of a stream, in shape `APPLIED`."""
    here = Source(0, 0)
    arrivals = [
        Arrival(event, here, offset)
        for offset, one in enumerate(stream)
        for event in decode(DIALECTS["current"], *one)
    ]
    return [
        (0, seq, int(event.kind), str(event.ts), event.schema, event.table, event.payload, 0, 0, at)
        for seq, (event, _, at) in Hold((here,), inclusive=True).step(arrivals)
    ]


APPLIED, BETWEEN = applied(statements()), applied(between())
CUTS = st.lists(st.integers(0, max(len(APPLIED), len(BETWEEN))), max_size=4).map(sorted)


def folded(changes: Iterable[tuple[Any, ...]]) -> dict[str, list[str]]:
    """Return the tables that the fast sink makes of changes."""
    from tests.cdc_spark.delta.model import text_of  # noqa: PLC0415 - needs PyArrow

    fold = Fold()
    for _, _, kind, ts, schema, table, payload, _, partition, offset in changes:
        fold.apply(Change(Kind(kind), int(ts), schema, table, payload, "x", partition, offset))
    assert not fold.error
    return {f"{one.schema}.{one.name}": sorted(map(text_of, one)) for one in fold.tables}


@pytest.mark.parametrize("soft", [False, True], ids=["hard", "soft"])
@pytest.mark.parametrize("changes", [APPLIED, BETWEEN], ids=["statements", "between"])
@settings(max_examples=30)  # each plans and performs some twenty operations many times
@given(cuts=CUTS, crashes=st.lists(st.integers(0, 6), max_size=5))
def test_batches_and_crashes_leave_no_trace(
    *, cuts: list[int], crashes: list[int], changes: list[tuple[Any, ...]], soft: bool
) -> None:
    """Every cut into micro-batches, each broken off after any write and done again, is one.

    Rows that are deleted and kept are not among those that live.
    """
    from tests.cdc_spark.delta.model import Model  # noqa: PLC0415 - needs PyArrow

    models = [Model(soft), Model(soft, one_by_one=True)]
    for number, (start, end) in enumerate(zip([0, *cuts], [*cuts, len(changes)], strict=True)):
        part = changes[start:end]
        for model in models:
            for crash in crashes[number : number + 2]:
                model.batch(part, crash_after=crash)
            model.batch(part)
    assert [model.state() for model in models] == [folded(changes)] * 2
    assert models[0].stored() == models[1].stored()


def test_what_was_deleted_is_kept_with_its_time() -> None:
    """By a delete, a TRUNCATE, of a row without a key; what was never written leaves nothing."""
    from tests.cdc_spark.delta.model import Model  # noqa: PLC0415 - needs PyArrow

    model = Model(soft=True)
    for change in APPLIED:
        model.batch([change])
    deleted = [(first, ts) for first, ts, gone in model.kept() if gone]
    assert deleted == [("2", 3), ("7", 14), ("7", 20)]
