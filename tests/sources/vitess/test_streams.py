"""Streams of a connector's tasks, what a resharding makes of them, and starts from a VGTID."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from harness.codecs.debezium_vitess.settings import read
from harness.codecs.debezium_vitess.tasks import NO_OFFSETS, VitessCluster, tasks
from harness.errors import UsageError
from harness.model.table import TableId
from harness.model.vstream import CopyCompleted, Ddl, Vgtid, VRowEvent, VStreamResponse
from harness.sources.vitess.simulator import stream
from harness.sources.vitess.streams import opened, resharded
from harness.sources.vitess.topology import Topology, Vindex, topology
from tests.changelogs import ddl, insert, log, transaction
from tests.codecs.debezium_vitess.streams import BASE

VINDEXES = {TableId("shop", "t"): Vindex("id", "numeric")}
TWO = topology("shop", ("-80", "80-"), VINDEXES)
THREE = topology("shop", ("-40", "40-80", "80-"), VINDEXES)
FOUR = topology("shop", ("-40", "40-80", "80-c0", "c0-"), VINDEXES)
HIGH = 1 << 63
CREATE = ddl("CREATE TABLE t (id BIGINT PRIMARY KEY, v VARCHAR(9))")
SERVER = "MySQL56/aaaaaaaa-0000-11ec-8e20-0242ac110004"


@pytest.mark.parametrize("count", [1, 2, 3, 4, 9])
def test_tasks_have_the_shards_that_the_connector_deals(count: int) -> None:
    """The simulator's streams are those that the connector's tasks ask for."""
    asked = {
        **{name: value for name, value in BASE.items() if name != "vitess.shard"},
        "tasks.max": str(count),
        "vitess.offset.storage.per.task": "true",
        "vitess.offset.storage.task.key.gen": "0",
        "vitess.prev.num.tasks": "1",
    }
    dealt = {plan.shards for plan in tasks(read(asked), VitessCluster(FOUR.shards), NO_OFFSETS)}
    streams = opened(replace(FOUR, tasks=count))
    assert {
        tuple(shard for shard, of in streams.items() if of == name) for name in streams.values()
    } == dealt


def test_one_stream_has_no_name() -> None:
    """Without offsets per task all shards that are followed are one stream."""
    assert opened(TWO) == {"-80": None, "80-": None}
    assert opened(replace(TWO, followed=("80-",))) == {"80-": None}


@pytest.mark.parametrize(
    ("before", "after", "streams", "expected"),
    [
        (TWO, THREE, {"-80": None, "80-": None}, {"-40": None, "40-80": None, "80-": None}),
        (TWO, THREE, {"-80": "a", "80-": "b"}, {"-40": "a", "40-80": "a", "80-": "b"}),
        (TWO, THREE, {"80-": None}, {"80-": None}),
        (THREE, TWO, {"-40": "a", "40-80": "a", "80-": "b"}, {"-80": "a", "80-": "b"}),
        (replace(TWO, stops_at_reshard=True), THREE, {"-80": None, "80-": None}, {}),
        (replace(TWO, stops_at_reshard=True), THREE, {"-80": "a", "80-": "b"}, {"80-": "b"}),
        (replace(TWO, stops_at_reshard=True), THREE, {"80-": None}, {"80-": None}),
    ],
)
def test_a_stream_follows_what_replaces_its_shards(
    before: Topology, after: Topology, streams: dict[str, str | None], expected: dict[str, str]
) -> None:
    """Parts follow their whole; where streams stop, only those whose shards change."""
    assert resharded(streams, before, after) == expected


@pytest.mark.parametrize("streams", [{"-40": "a", "40-80": "b", "80-": "a"}, {"-40": None}])
def test_a_stream_must_have_all_that_is_replaced(streams: dict[str, str | None]) -> None:
    """Shards of two tasks, or of one and none, cannot become one shard."""
    with pytest.raises(UsageError, match="not all journaling participants"):
        resharded(streams, THREE, TWO)


def test_each_response_is_one_tasks() -> None:
    """Every response names its stream, and its position has that stream's shards alone."""
    over = replace(TWO, tasks=2, copies=True)
    changes = (CREATE, transaction(insert(1, "a"), insert(HIGH, "b")))
    found = stream(log(*changes), over).responses
    assert [_said(response) for response in found] == [
        ("-80", "CopyCompleted", []),
        ("80-", "CopyCompleted", []),
        ("-80", "Ddl", ["-80"]),
        ("80-", "Ddl", ["80-"]),
        ("-80", "Commit", ["-80"]),
        ("80-", "Commit", ["80-"]),
    ]
    copied = stream(log(*changes), replace(over, copied_after="t1")).responses
    assert {response.only_shard for response in copied} == {"-80", "80-"}
    for response in copied:
        shards = {e.shard for e in response.events if isinstance(e, CopyCompleted) and e.shard}
        assert shards <= {response.only_shard}
        assert _said(response)[2] in ([], [response.only_shard])


def _said(response: VStreamResponse) -> tuple[str | None, str, list[str]]:
    shards = [
        e.shard for event in response.events if isinstance(event, Vgtid) for e in event.shard_gtids
    ]
    return response.only_shard, type(response.events[-1]).__name__, shards


@pytest.mark.parametrize(("start", "sent"), [(1, [1, 2]), (2, [1, 2]), (3, [2]), (4, []), (9, [])])
def test_what_a_start_includes_is_not_sent(start: int, sent: Sequence[int]) -> None:
    """Behind a VGTID come the transactions that it lacks, and only the DDL among them."""
    over = replace(topology("shop", (), {}), starts={"0": f"{SERVER}:1-{start}"})
    found = stream(
        log(CREATE, transaction(insert(1, "a")), transaction(insert(2, "b"), name="t2")), over
    )
    events = [event for response in found.responses for event in response.events]
    assert [e.changes[0].after for e in events if isinstance(e, VRowEvent)] == [
        (str(number).encode(), b"a" if number == 1 else b"b") for number in sent
    ]
    assert [row.after for row in found.rows] == [
        (number, "a" if number == 1 else "b") for number in sent
    ]
    assert any(isinstance(event, Ddl) for event in events) is (start == 1)


def test_a_position_before_its_start_is_its_start() -> None:
    """A shard that has not come to its start yet is at it in the others' positions."""
    over = replace(TWO, starts={"80-": "MySQL56/bbbbbbbb-0000-11ec-8e20-0242ac110004:1-7"})
    (first,) = stream(log(CREATE), over).responses
    position = first.events[0]
    assert isinstance(position, Vgtid)
    assert [shard.gtid.rpartition("-")[2] for shard in position.shard_gtids] == ["2", "7"]


@pytest.mark.parametrize("starts", [{"0": "MySQL56/other:1-2"}, {"1": f"{SERVER}:1-2"}, {"0": ""}])
def test_a_start_is_in_the_shards_log(starts: dict[str, str]) -> None:
    """A position of another server or shard is refused with the logs that there are."""
    with pytest.raises(UsageError) as refused:
        stream(log(CREATE), replace(topology("shop", (), {}), starts=starts))
    assert f"0: {SERVER}:1-N" in str(refused.value.expected)
