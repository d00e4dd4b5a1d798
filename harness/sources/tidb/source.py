"""TiDB, watched by a TiCDC changefeed, as the source of a protocol."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from harness.model.change import Change, ChangeLog
from harness.model.settings import Settings
from harness.sources.source import Source, SourceConfig, SourceOutput, SourceStream
from harness.sources.tidb.changefeed import changefeed
from harness.sources.tidb.config import by_uri, read_toml
from harness.sources.tidb.refusal import ChangefeedError
from harness.sources.tidb.server_zone import in_utc
from harness.sources.tidb.simulator import TiDB, emitted, follow

TIDB = "tidb"
# The setting that holds the text of a whole changefeed file.
CHANGEFEED = "changefeed"


def tidb_source(protocol: str) -> Source:
    """Return TiDB with a changefeed that sends in a protocol."""
    return Source(
        TIDB,
        partial(simulate, protocol=protocol),
        partial(stream, protocol=protocol),
    )


def simulate(log: ChangeLog, config: SourceConfig, protocol: str) -> SourceOutput:
    """Simulate TiDB and its changefeed."""
    settings = completed(config.settings, protocol)
    feed = changefeed(settings, config.partitions, protocol, config.dialect)
    mounted = follow(log, feed, config.databases, end_resolved=config.end_resolved)
    events = mounted.events
    if feed.zone is not None:
        events = tuple(in_utc(event, feed.zone) for event in events)
    return SourceOutput(
        mounted.events, events, settings, mounted.stopped, mounted.decisions, feed.topic
    )


def stream(changes: Iterable[Change], config: SourceConfig, protocol: str) -> SourceStream:
    """Simulate TiDB and its changefeed for changes that come one by one; nothing is explained."""
    settings = completed(config.settings, protocol)
    feed = changefeed(settings, config.partitions, protocol, config.dialect)
    tidb = TiDB(feed, config.databases, end_resolved=config.end_resolved, explain=False)
    return SourceStream(emitted(tidb, changes, end_resolved=config.end_resolved), settings)


def completed(settings: Settings, protocol: str) -> Settings:
    """Return a scenario's settings with those of its changefeed file, if it has one, below them.

    Keys of the file have the names of the sink URI, where those are others.

    Raises ScenarioError, its places within the text of the file, for what is wrong there.
    """
    if CHANGEFEED not in settings:
        return by_uri(settings)
    config = read_toml(str(settings[CHANGEFEED]), CHANGEFEED)
    if config.protocol not in ("", protocol):
        raise ChangefeedError(
            "",
            f"the changefeed file says sink.protocol {config.protocol}",
            expected=protocol,
            path=(CHANGEFEED,),
        )
    own = {name: value for name, value in settings.items() if name != CHANGEFEED}
    return by_uri({**config.settings, **own})
