"""Promises of tables' versions: the last DDL before a row, however the stream is cut and dealt."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdc_spark.events import Event, Kind
from cdc_spark.ordering.hold import Arrival, Hold, Source, block_of_arrivals
from cdc_spark.ordering.undated import Undated

HERE = Source(0, 0)
# Kind, table, resolved behind it; the commit ts is the place.
STREAM = st.lists(
    st.tuples(
        st.sampled_from([Kind.DDL, Kind.UPSERT, Kind.UPSERT]),
        st.sampled_from(["t", "T", "u", "v"]),
        st.booleans(),
    ),
    max_size=20,
)


def arrivals(stream: Sequence[tuple[Kind, str, bool]]) -> list[Arrival]:
    """Return the stream's events, and at last a resolved event for all of them."""
    found: list[Arrival] = []
    for ts, (kind, table, over) in enumerate(stream, 1):
        who = f"[{ts}]"
        found.append(Arrival(Event(kind, ts, "s", table, who, "{}"), HERE, len(found)))
        if over:
            found.append(Arrival(Event(Kind.RESOLVED, ts), HERE, len(found)))
    return [*found, Arrival(Event(Kind.RESOLVED, len(stream) + 1), HERE, len(found))]


def wanted(stream: Sequence[tuple[Kind, str, bool]]) -> dict[int, int]:
    """Return the version of each row by its commit ts."""
    last: dict[str, int] = {}
    found: dict[int, int] = {}
    for ts, (kind, table, _) in enumerate(stream, 1):
        if kind is Kind.DDL:
            last[table.lower()] = ts
        else:
            found[ts] = last.get(table.lower(), 0)
    return found


@pytest.mark.parametrize("room_of", [lambda hold: hold, Undated], ids=["hold", "undated"])
@given(stream=STREAM, cut=st.integers(0, 40), bucket=st.integers(0, 1))
def test_a_row_has_the_version_of_the_last_ddl_before_it(
    stream: list[tuple[Kind, str, bool]],
    cut: int,
    bucket: int,
    room_of: Callable[[Hold], Hold | Undated],
) -> None:
    """Across a restart between micro-batches too, and in buckets that do not hand on DDL."""
    events = arrivals(stream)
    states: list[bytes] = []
    found: dict[int, int] = {}
    for part in (events[:cut], events[cut:]):
        room = room_of(Hold((HERE,), inclusive=True, first=bucket == 0))
        for state in states:
            room.load(state)
        released = room.take(block_of_arrivals(part))
        states = [room.dump()]
        for kind, ts, version in zip(
            *(released[name].tolist() for name in ("kind", "ts", "version")), strict=True
        ):
            assert kind != Kind.DDL or (bucket == 0 and version == ts)
            if kind == Kind.UPSERT:
                found[ts] = version
    assert found == wanted(stream)
