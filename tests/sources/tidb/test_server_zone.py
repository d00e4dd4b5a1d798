"""A TiCDC server that is not in UTC."""

from __future__ import annotations

from typing import Any

import pytest

from harness.errors import StepError
from harness.model.change import Change
from harness.model.source_events import RowEvent
from harness.sources.source import SourceConfig, SourceOutput
from harness.sources.tidb.refusal import ChangefeedError
from harness.sources.tidb.source import tidb_source
from tests.changelogs import ddl, insert, log, transaction

CREATE = ddl("CREATE TABLE t (at TIMESTAMP PRIMARY KEY, d DATETIME)")
NOON, NIGHT = "2024-07-15 12:00:00", "2024-07-15 20:00:00"


def simulated(*changes: Change, **settings: Any) -> SourceOutput:
    """Return what the changefeed of a server sends."""
    config = SourceConfig(settings, ("shop",), 4)
    return tidb_source("open").simulate(log(*changes), config)


def rows(events: tuple[Any, ...]) -> list[RowEvent]:
    """Return the row events among these."""
    return [event for event in events if isinstance(event, RowEvent)]


def test_the_encoder_is_given_the_server_s_time_and_the_truth_is_in_utc() -> None:
    """A TIMESTAMP is printed by the server's clock, a DATETIME is never touched."""
    found = simulated(CREATE, transaction(insert(NOON, NOON)), tz="Asia/Shanghai")
    (given,), (true,) = rows(found.given), rows(found.events)
    assert given.after == (NIGHT, NOON)
    assert true.after == (NOON, NOON)
    assert given.origin == true.origin


def test_in_utc_nothing_is_converted() -> None:
    """UTC is the default, and by that name the same."""
    changes = (CREATE, transaction(insert(NOON, NOON)))
    plain = simulated(*changes)
    assert plain.given == plain.events
    assert simulated(*changes, tz="UTC").given == plain.given


def test_dispatchers_see_what_is_printed() -> None:
    """A key goes where the server's time of it sends it, as a text of that time goes in UTC."""
    by_key = {"sink.dispatchers": [{"matcher": ["*.*"], "partition": "index-value"}]}
    hours = [f"2024-07-15 {hour:02}:00:00" for hour in range(12)]
    later = [f"2024-07-15 {hour + 8:02}:00:00" for hour in range(12)]
    there = simulated(
        CREATE, transaction(*(insert(one, None) for one in hours)), tz="Asia/Shanghai", **by_key
    )
    same = simulated(CREATE, transaction(*(insert(one, None) for one in later)), **by_key)
    assert [row.partition for row in rows(there.given)] == [r.partition for r in rows(same.given)]
    assert len({row.partition for row in rows(there.given)}) > 1


@pytest.mark.parametrize("zone", ["Mars/Olympus", "+08:00", "", "System"])
def test_a_zone_that_cannot_be_loaded_is_refused(zone: str) -> None:
    """TiCDC loads zones by name; which one `System` is, nobody could know."""
    with pytest.raises(ChangefeedError, match="tz is") as refused:
        simulated(CREATE, tz=zone)
    assert refused.value.path == ("tz",)


def test_a_moment_that_the_clock_shows_twice_is_refused() -> None:
    """Nothing could say which of the two it was, so no consumer is asked."""
    twice = transaction(insert("2024-10-27 00:30:00", None))
    with pytest.raises(StepError, match="show twice"):
        simulated(CREATE, twice, tz="Europe/Berlin")
    simulated(CREATE, twice, tz="Asia/Shanghai")
