"""A scenario's settings and those of its changefeed file."""

from __future__ import annotations

from dataclasses import replace

import pytest

from harness.errors import ScenarioError, UsageError
from harness.model.source_events import RowEvent
from harness.protocols import PROTOCOLS
from harness.sources.source import SourceConfig
from harness.sources.tidb.refusal import ChangefeedError
from harness.sources.tidb.source import completed
from tests.changelogs import SCHEMA, ddl, insert, log, transaction

FILE = """
force-replicate = true
[filter]
rules = ["shop.t"]
[sink]
protocol = "open-protocol"
[sink.kafka-config.codec-config]
max-batch-size = 2
"""


def test_single_settings_win() -> None:
    """A setting beside the file is the one that counts; the file's text is no setting itself."""
    given = {"changefeed": FILE, "max-batch-size": 5}
    assert completed(given, "open") == {
        "force-replicate": True,
        "filter.rules": ["shop.t"],
        "max-batch-size": 5,
    }
    assert completed({"max-batch-size": 5}, "open") == {"max-batch-size": 5}


def test_refused_files() -> None:
    """A file of another protocol is refused, and a wrong one with its own lines."""
    with pytest.raises(ChangefeedError, match=r"sink\.protocol open") as refusal:
        completed({"changefeed": FILE}, "avro")
    assert refusal.value.path == ("changefeed",)
    with pytest.raises(ScenarioError) as problems:
        completed({"changefeed": FILE.replace("shop.t", "shop")}, "open")
    assert [str(problem.location) for problem in problems.value.problems] == ["changefeed:4:10"]


@pytest.mark.parametrize("protocol", ["open", "avro"])
def test_tidb_plays_by_the_file(protocol: str) -> None:
    """Both TiCDC protocols are played under the file's filters, and tell what they decided."""
    text = FILE.replace("open-protocol", {"open": "open-protocol", "avro": "avro"}[protocol])
    stage = SourceConfig({"changefeed": text}, (SCHEMA,), 1)
    steps = log(
        ddl("CREATE TABLE t (v INT)"), ddl("CREATE TABLE u (v INT)"), transaction(insert(1))
    )
    played = PROTOCOLS[protocol].source.simulate(steps, stage)
    assert played.given is played.events
    assert [each.decision.sent for each in played.decisions] == [True, False, True]
    assert played.stopped is None


def test_vitess_streams_the_shards_that_are_named() -> None:
    """A connector that names its shards hears of no other, and no position speaks of one."""
    steps = log(
        ddl("CREATE TABLE t (id BIGINT UNSIGNED PRIMARY KEY)"),
        transaction(insert(1), insert((1 << 63) + 1)),
    )
    stage = SourceConfig(
        {"vitess.shard": "80-"},
        (SCHEMA,),
        1,
        shards=("-80", "80-"),
        vindexes={f"{SCHEMA}.t": ("id", "numeric")},
    )
    played = PROTOCOLS["vitess"].source.simulate(steps, stage)
    assert [row.after for row in played.events if isinstance(row, RowEvent)] == [((1 << 63) + 1,)]
    assert "80-" in repr(played.given)
    assert "'-80'" not in repr(played.given)
    for listed in ("-40", "-80, 80-"):  # the connector asks for names as they are spelled
        with pytest.raises(UsageError, match="which the keyspace does not have"):
            PROTOCOLS["vitess"].source.simulate(
                steps, replace(stage, settings={"vitess.shard": listed})
            )
