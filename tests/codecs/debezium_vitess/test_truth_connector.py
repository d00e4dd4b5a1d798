"""The connector beside the vendor's: every record of every vector, and what it asks VTGate for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from harness.codecs.debezium_vitess.encode import (
    Connector,
    ConnectorEnvironment,
    offsets_of,
)
from harness.codecs.debezium_vitess.requests import VStreamRequest
from harness.codecs.debezium_vitess.settings import read
from harness.codecs.debezium_vitess.tasks import NO_OFFSETS
from harness.errors import SourceStopped
from harness.truth.exceptions import EXCEPTIONS
from harness.truth.vitess import compare
from harness.truth.vitess_input import cluster_of, runs_of, zone_of
from tests.codecs.connect.reading import Vector, truth, vectors

CASES = [vector for path in sorted(truth().glob("*.jsonl")) for vector in vectors(path)]
# One of the two requests is missing in the stored pass (vitess NOTES §0).
UNSTABLE = {"offset.per_task_ordered"}


@pytest.mark.parametrize("vector", CASES, ids=lambda vector: vector["id"])
def test_records(vector: Vector) -> None:
    """Every record, error and refusal is the vendor's, save what is excused by name."""
    result = compare(vector)
    assert result.differences == ()
    assert set(result.excused) <= set(EXCEPTIONS)


def shown(request: VStreamRequest) -> dict[str, Any]:
    """Return a request in the vectors' words."""
    return {
        "vgtid": [
            {
                "keyspace": shard.keyspace,
                "shard": shard.shard,
                "gtid": shard.gtid,
                "table_pks": len(shard.table_pks),
            }
            for shard in request.position.shards
        ],
        "tablet_type": request.tablet_type,
        "flags": {
            "stop_on_reshard": request.stop_on_reshard,
            "heartbeat_interval": request.heartbeat_seconds,
            "stream_keyspace_heartbeats": request.keyspace_heartbeats,
            "minimize_skew": False,
        },
        "filter_rules": [f"{table} => {sql}" for table, sql in request.rules],
    }


def requests(vector: Vector) -> Iterator[tuple[list[dict[str, Any]], list[dict[str, Any]]]]:
    """Yield our requests and theirs, run by run, the offsets handed on."""
    offsets = NO_OFFSETS
    for run in runs_of(vector):
        around = ConnectorEnvironment(zone_of(vector), cluster_of(vector), offsets)
        made = Connector(read(run.properties), lambda: 0, around)
        yield [shown(request) for request in made.requests()], run.expected["vstream_requests"]
        records = []
        try:
            records.extend(made.run(run.responses))
        except SourceStopped:
            return
        offsets = offsets_of(records, offsets)


@pytest.mark.parametrize(
    "vector",
    [
        vector
        for vector in CASES
        if vector["id"] not in UNSTABLE
        and "config_validation_errors" not in vector
        and any(run.expected.get("vstream_requests") for run in runs_of(vector))
    ],
    ids=lambda vector: vector["id"],
)
def test_requests(vector: Vector) -> None:
    """The stream is opened where the vendor's opens it: position, flags, tables."""
    for ours, theirs in requests(vector):
        by_shard = [request["vgtid"] for request in theirs]
        assert sorted(ours, key=lambda request: by_shard.index(request["vgtid"])) == theirs
