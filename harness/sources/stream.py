"""The source simulators as streams: changes in one by one, the encoder's input out one by one.

Nothing that was yielded is kept. What stays is what an upstream itself holds: the catalogue, the
rows that are in its tables, and the running transaction; of a changefeed no decision is explained.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from harness.model.change import Change
from harness.sources.source import SourceConfig, completed, connector_settings, keyspace_of
from harness.sources.tidb.changefeed import changefeed
from harness.sources.tidb.simulator import TiDB, emitted
from harness.sources.vitess.simulator import Cluster, replayed


@dataclass(frozen=True, slots=True)
class Flow:
    """The encoder's input, to be taken once, and the settings to bind the encoder to."""

    given: Iterator[Any]
    settings: Mapping[str, Any]


def flow(protocol: str, changes: Iterable[Change], stage: SourceConfig) -> Flow:
    """Return what a protocol's source simulator gives its encoder for changes that come one by one.

    Where it stops early, so does the stream. Its errors are those of `SOURCES`, raised when
    the stream gets there.
    """
    if protocol == "vitess":
        over, keys = keyspace_of(stage)
        cluster = Cluster(over, stage.databases, keys, meant=False)
        return Flow(_responses(cluster, changes), connector_settings(stage, over.keyspace))
    settings = completed(stage.settings, protocol)
    feed = changefeed(settings, stage.partitions, protocol)
    tidb = TiDB(feed, stage.databases, end_resolved=stage.end_resolved, explain=False)
    return Flow(emitted(tidb, changes, end_resolved=stage.end_resolved), settings)


def _responses(cluster: Cluster, changes: Iterable[Change]) -> Iterator[Any]:
    yield from cluster.responses  # the end of an empty copy comes before any change
    cluster.responses.clear()
    for _ in replayed(cluster, changes):
        yield from cluster.responses
        cluster.responses.clear()
