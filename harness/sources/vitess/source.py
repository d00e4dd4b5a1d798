"""A Vitess keyspace, followed by VStream, as the source of a protocol."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from harness.errors import UsageError
from harness.model.change import Change, ChangeLog, Transaction
from harness.model.table import TableId
from harness.sources.source import Source, SourceConfig, SourceOutput, SourceStream
from harness.sources.vitess.message_keys import Keys, message_keys
from harness.sources.vitess.simulator import Cluster, replayed
from harness.sources.vitess.simulator import stream as followed
from harness.sources.vitess.topology import Topology, Vindex, topology

VITESS = "vitess"
TOPIC_PREFIX = "vitess"
# The connector's `snapshot.mode` that starts with a copy of what is there; its default.
COPYING = "initial"


def vitess_source() -> Source:
    """Return a Vitess keyspace with a connector that follows it."""
    return Source(VITESS, simulate, stream)


def simulate(log: ChangeLog, config: SourceConfig) -> SourceOutput:
    """Simulate a keyspace; it is the scenario's database, or the one that the settings name."""
    over, keys = keyspace_of(config)
    _check_start(log, config, copies=over.copies)
    streamed = followed(log, over, config.databases, keys)
    found = connector_settings(config, over.keyspace)
    return SourceOutput(streamed.responses, streamed.rows, found, topic=str(found["topic.prefix"]))


def stream(changes: Iterable[Change], config: SourceConfig) -> SourceStream:
    """Simulate a keyspace for changes that come one by one."""
    over, keys = keyspace_of(config)
    cluster = Cluster(over, config.databases, keys, meant=False)
    return SourceStream(_responses(cluster, changes), connector_settings(config, over.keyspace))


def _responses(cluster: Cluster, changes: Iterable[Change]) -> Iterator[Any]:
    yield from cluster.responses  # the end of an empty copy comes before any change
    cluster.responses.clear()
    for _ in replayed(cluster, changes):
        yield from cluster.responses
        cluster.responses.clear()


def keyspace_of(config: SourceConfig) -> tuple[Topology, Keys]:
    """Return the keyspace that a config names, and the columns that its connector keys by."""
    keyspace = str(config.settings.get("vitess.keyspace", config.databases[0]))
    if keyspace not in config.databases:
        raise UsageError(
            f"vitess.keyspace {keyspace!r} is not one of the scenario's databases",
            expected="one of " + ", ".join(config.databases),
        )
    vindexes = {
        TableId(keyspace, name.partition(".")[2]): Vindex(column, kind)
        for name, (column, kind) in config.vindexes.items()
        if name.partition(".")[0] == keyspace
    }
    keys = message_keys(str(config.settings.get("message.key.columns", "")))
    over = replace(
        topology(keyspace, config.shards, vindexes),
        copied_after=config.copied_after,
        copies=config.settings.get("snapshot.mode", COPYING) == COPYING,
        followed=_followed(config),
        stops_at_reshard=str(config.settings.get("vitess.stop_on_reshard")).lower() == "true",
        resharded={
            name: topology(keyspace, shards, vindexes) for name, shards in config.resharded.items()
        },
    )
    return over, keys


def _followed(config: SourceConfig) -> tuple[str, ...]:
    """Return the shards that `vitess.shard` lists, which the keyspace must have."""
    listed = str(config.settings.get("vitess.shard") or "")
    names = tuple(name.strip() for name in listed.split(",") if name.strip())
    for name in names:
        if name not in config.shards:
            raise UsageError(
                f"`vitess.shard` names {name!r}, which the keyspace does not have",
                expected="one of " + ", ".join(config.shards),
            )
    return names


def connector_settings(config: SourceConfig, keyspace: str) -> Mapping[str, Any]:
    """Return a config's settings, completed by what only the keyspace knows."""
    return {
        "topic.prefix": TOPIC_PREFIX,
        "vitess.shard": ",".join(config.shards),
        # Connect creates topics with this many partitions; the producer hashes keys over them.
        "topic.creation.default.partitions": config.partitions,
        **config.settings,
        "vitess.keyspace": keyspace,
    }


def _check_start(log: ChangeLog, config: SourceConfig, *, copies: bool) -> None:
    """Refuse names of no transaction, and a copy where the connector makes none."""
    names = [change.name for change in log.changes if isinstance(change, Transaction)]
    for name in (config.copied_after, *config.resharded):
        if name is not None and name not in names:
            raise UsageError(
                f"`keyspace` names transaction {name!r}, which does not exist",
                expected="one of " + ", ".join(names),
            )
    if config.copied_after is not None and not copies:
        raise UsageError(
            "a copy needs `snapshot.mode: initial`, the connector's default",
            hint="leave `snapshot.mode` out, or `copied-after`",
        )
