"""What a stream is sent that does not begin at the beginning."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from harness.engine.catalogue.workspace import workspace
from harness.model.vstream import FieldEvent, VEvent, Vgtid, VRowEvent, VStreamResponse
from harness.oracles.vitess.plays import Play, plays
from harness.oracles.vitess.resume import behind
from harness.record.lock import load_lock
from harness.scenario.expand import cases
from harness.scenario.load import load_all
from tests.tree import ROOT


def planned(name: str, profile: str = "plain") -> Play:
    """Return a profile's first play of a scenario of the catalogue."""
    space = workspace(ROOT)
    (scenario,) = load_all(space.scenarios, (space.scenarios / f"{name}.yaml",))
    chosen = [one for one in cases(scenario) if one.protocol == "vitess"]
    found = plays(chosen, lambda case: load_lock(case.scenario, space.golden)).plays
    return next(play for play in found if play.cases[0].profile in {profile, None})


def positions(responses: Sequence[VStreamResponse]) -> list[dict[str, str]]:
    """Return the position over all shards behind each response that has one."""
    return [
        {one.shard: one.gtid for one in event.shard_gtids}
        for response in responses
        for event in response.events
        if isinstance(event, Vgtid)
    ]


def rows(responses: Sequence[VStreamResponse]) -> list[VRowEvent]:
    """Return the rows that are sent."""
    return [e for one in responses for e in one.events if isinstance(e, VRowEvent)]


@pytest.mark.parametrize(
    "name", ["restart/connector-after-a-crash", "sharding/two-shards", "ddl/drop-and-readd-column"]
)
def test_what_is_behind_a_position_is_what_was_sent_after_it(name: str) -> None:
    """Wherever a stream goes on, it is sent the rows that the first one was sent from there on."""
    whole = planned(name).responses
    for place in positions(whole):
        sent = next(n for n, one in enumerate(whole) if positions([one]) == [place])
        assert rows(tuple(behind(whole, place))) == rows(whole[sent + 1 :])


def test_a_new_stream_describes_its_tables_again() -> None:
    """No row comes before the columns of its table, which a new stream has not heard of."""
    whole = planned("restart/connector-in-good-order").responses
    for place in positions(whole):
        known: set[tuple[str, str]] = set()
        for event in events(tuple(behind(whole, place))):
            if isinstance(event, FieldEvent):
                known.add((event.shard, event.table))
            if isinstance(event, VRowEvent):
                assert (event.shard, event.table) in known


def test_the_last_description_before_the_place_is_repeated() -> None:
    """A stream that goes on behind a DDL hears the columns that the table has by then."""
    whole = planned("restart/connector-in-good-order").responses
    (*_, last) = (f for f in events(whole) if isinstance(f, FieldEvent))
    place = positions(whole)[-2]
    (again,) = (f for f in events(tuple(behind(whole, place))) if isinstance(f, FieldEvent))
    assert again.fields == last.fields


def test_a_stream_from_nowhere_is_sent_everything() -> None:
    """A copy, and a stream from now on, begin where the log does."""
    whole = planned("restart/connector-after-a-crash").responses
    assert tuple(behind(whole, {"0": ""})) == whole


def test_the_simulator_agrees() -> None:
    """A connector that is configured to start from a VGTID is sent the same rows."""
    started = planned("vitess/starts-from-a-vgtid").responses
    whole = planned("vitess/starts-from-a-vgtid", "one-from-now").responses
    place = {
        "-80": "MySQL56/aaaaaaaa-0000-11ec-8e20-0242ac110004:1-3",
        "80-": "MySQL56/bbbbbbbb-0000-11ec-8e20-0242ac110004:1-4",
    }
    assert rows(tuple(behind(whole, place))) == rows(started)


def events(responses: Sequence[VStreamResponse]) -> Iterator[VEvent]:
    """Yield the events of responses."""
    return (event for response in responses for event in response.events)
