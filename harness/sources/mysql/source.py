"""A MariaDB or MySQL server, followed by a connector, as the source of a protocol."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from harness.model.binlog import LogRow
from harness.model.change import Change, ChangeLog, Op
from harness.model.settings import Settings
from harness.model.source_events import RowEvent
from harness.sources.mysql.simulator import Server, keyed
from harness.sources.source import Source, SourceConfig, SourceOutput, SourceStream

MYSQL = "mysql"


def mysql_source() -> Source:
    """Return a server with a connector that follows its log."""
    return Source(MYSQL, simulate, stream)


def simulate(log: ChangeLog, config: SourceConfig) -> SourceOutput:
    """Simulate a server with the scenario's databases."""
    events = tuple(Server(config.databases).replay(log.changes))
    settings = _settings(config)
    rows = tuple(row for event in events if isinstance(event, LogRow) for row in _meaning(event))
    return SourceOutput(events, rows, settings, topic=str(settings["topic.prefix"]))


def stream(changes: Iterable[Change], config: SourceConfig) -> SourceStream:
    """Simulate a server for changes that come one by one."""
    return SourceStream(Server(config.databases).replay(changes), _settings(config))


def _settings(config: SourceConfig) -> Settings:
    return {
        "topic.prefix": MYSQL,
        "topic.creation.default.partitions": config.partitions,
        **config.settings,
    }


def _meaning(event: LogRow) -> Iterator[RowEvent]:
    """Yield a row of the log as row events; one that moves the key is a delete and an insert."""
    table = keyed(event.table)
    ordinals = table.handle
    origin = event.origin
    row = RowEvent(event.op, table, event.before, event.after, origin.commit_ts, "", 0, origin)
    before, after = event.before, event.after
    if before is None or after is None or all(before[n] == after[n] for n in ordinals):
        yield row
        return
    yield replace(row, op=Op.DELETE, after=None)
    yield replace(row, op=Op.INSERT, before=None)
