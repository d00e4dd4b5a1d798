"""Who plays the upstream of each protocol: from a change log to the encoder's input.

| protocol | source simulator |
| --- | --- |
| `open`, `avro` | TiDB, watched by a TiCDC changefeed |
| `vitess` | a Vitess keyspace, followed by VStream |
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from types import MappingProxyType
from typing import Any

from harness.errors import UsageError
from harness.model.change import ChangeLog, Transaction
from harness.model.source_events import ChangefeedStopped, SourceEvent
from harness.model.table import TableId
from harness.sources.decision import Explained
from harness.sources.tidb.changefeed import changefeed
from harness.sources.tidb.config import read_toml
from harness.sources.tidb.refusal import ChangefeedError
from harness.sources.tidb.simulator import follow
from harness.sources.vitess.message_keys import Keys, message_keys
from harness.sources.vitess.simulator import stream
from harness.sources.vitess.topology import Topology, Vindex, topology

TOPIC_PREFIX = "vitess"
# The connector's `snapshot.mode` that starts with a copy of what is there; its default.
COPYING = "initial"
# The setting that holds the text of a whole changefeed file.
CHANGEFEED = "changefeed"


@dataclass(frozen=True, slots=True)
class SourceConfig:
    """What a case says about its upstream beside the change log.

    `shards` and `vindexes` (table name to column and type) are a Vitess keyspace's;
    `copied_after` names the transaction behind which its connector starts, `resharded` has the
    shards after a transaction.
    """

    settings: Mapping[str, Any]
    databases: tuple[str, ...]
    partitions: int
    end_resolved: bool = True
    shards: tuple[str, ...] = ("0",)
    vindexes: Mapping[str, tuple[str, str]] = field(default_factory=lambda: MappingProxyType({}))
    copied_after: str | None = None
    resharded: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class SourceOutput:
    """What the upstream did.

    `given` is the encoder's input; `events` say the same in rows, DDL and resolved marks, from
    which the truth is folded; `settings` are the scenario's, completed by what only the upstream
    knows. `stopped` is the error that ended a changefeed, and `decisions` what its filters
    made of each job and row. `topic` is there even if nothing is sent.
    """

    given: tuple[Any, ...]
    events: tuple[SourceEvent, ...]
    settings: Mapping[str, Any]
    stopped: ChangefeedStopped | None = None
    decisions: tuple[Explained, ...] = ()
    topic: str = ""


Source = Callable[[ChangeLog, SourceConfig], SourceOutput]


def tidb_source(log: ChangeLog, stage: SourceConfig, protocol: str = "open") -> SourceOutput:
    """Play TiDB and its changefeed."""
    settings = completed(stage.settings, protocol)
    feed = changefeed(settings, stage.partitions, protocol)
    mounted = follow(log, feed, stage.databases, end_resolved=stage.end_resolved)
    return SourceOutput(
        mounted.events, mounted.events, settings, mounted.stopped, mounted.decisions, feed.topic
    )


def completed(settings: Mapping[str, Any], protocol: str) -> Mapping[str, Any]:
    """Return a scenario's settings with those of its changefeed file, if it has one, below them.

    Raises ScenarioError, its places within the text of the file, for what is wrong there.
    """
    if CHANGEFEED not in settings:
        return settings
    config = read_toml(str(settings[CHANGEFEED]), CHANGEFEED)
    if config.protocol not in ("", protocol):
        raise ChangefeedError(
            "",
            f"the changefeed file says sink.protocol {config.protocol}",
            expected=protocol,
            path=(CHANGEFEED,),
        )
    own = {name: value for name, value in settings.items() if name != CHANGEFEED}
    return {**config.settings, **own}


def vitess_source(log: ChangeLog, stage: SourceConfig) -> SourceOutput:
    """Play a keyspace; it is the scenario's database, or the one that the settings name."""
    over, keys = keyspace_of(stage)
    _check_start(log, stage, copies=over.copies)
    streamed = stream(log, over, stage.databases, keys)
    found = connector_settings(stage, over.keyspace)
    return SourceOutput(streamed.responses, streamed.rows, found, topic=str(found["topic.prefix"]))


def keyspace_of(stage: SourceConfig) -> tuple[Topology, Keys]:
    """Return the keyspace that a stage speaks of, and the columns that its connector keys by."""
    keyspace = str(stage.settings.get("vitess.keyspace", stage.databases[0]))
    if keyspace not in stage.databases:
        raise UsageError(
            f"vitess.keyspace {keyspace!r} is not one of the scenario's databases",
            expected="one of " + ", ".join(stage.databases),
        )
    vindexes = {
        TableId(keyspace, name.partition(".")[2]): Vindex(column, kind)
        for name, (column, kind) in stage.vindexes.items()
        if name.partition(".")[0] == keyspace
    }
    keys = message_keys(str(stage.settings.get("message.key.columns", "")))
    over = replace(
        topology(keyspace, stage.shards, vindexes),
        copied_after=stage.copied_after,
        copies=stage.settings.get("snapshot.mode", COPYING) == COPYING,
        followed=_followed(stage),
        stops_at_reshard=str(stage.settings.get("vitess.stop_on_reshard")).lower() == "true",
        resharded={
            name: topology(keyspace, shards, vindexes) for name, shards in stage.resharded.items()
        },
    )
    return over, keys


def _followed(stage: SourceConfig) -> tuple[str, ...]:
    """Return the shards that `vitess.shard` lists, which the keyspace must have."""
    listed = str(stage.settings.get("vitess.shard") or "")
    names = tuple(name.strip() for name in listed.split(",") if name.strip())
    for name in names:
        if name not in stage.shards:
            raise UsageError(
                f"`vitess.shard` names {name!r}, which the keyspace does not have",
                expected="one of " + ", ".join(stage.shards),
            )
    return names


def connector_settings(stage: SourceConfig, keyspace: str) -> Mapping[str, Any]:
    """Return a stage's settings, completed by what only the keyspace knows."""
    return {
        "topic.prefix": TOPIC_PREFIX,
        "vitess.shard": ",".join(stage.shards),
        # Connect creates topics with this many partitions; the producer hashes keys over them.
        "topic.creation.default.partitions": stage.partitions,
        **stage.settings,
        "vitess.keyspace": keyspace,
    }


def _check_start(log: ChangeLog, stage: SourceConfig, *, copies: bool) -> None:
    """Refuse names of no transaction, and a copy where the connector makes none."""
    names = [change.name for change in log.changes if isinstance(change, Transaction)]
    for name in (stage.copied_after, *stage.resharded):
        if name is not None and name not in names:
            raise UsageError(
                f"`keyspace` names transaction {name!r}, which does not exist",
                expected="one of " + ", ".join(names),
            )
    if stage.copied_after is not None and not copies:
        raise UsageError(
            "a copy needs `snapshot.mode: initial`, the connector's default",
            hint="leave `snapshot.mode` out, or `copied-after`",
        )


SOURCES: Mapping[str, Source] = MappingProxyType(
    {
        "open": tidb_source,
        "avro": partial(tidb_source, protocol="avro"),
        "vitess": vitess_source,
    }
)
