"""A partition's events as the binary log that a Debezium connector for MariaDB reads.

One server wrote all of it: a transaction's GTID follows from its time, so that the partitions agree
without asking one another. A statement is in the log once, and the first partition has it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from harness.contracts import DEFAULT_DIALECT
from harness.errors import UsageError
from harness.load.clock import SLICE_MS, place_of
from harness.load.shapes import DATABASE
from harness.load.spec import Spec
from harness.load.tables import Tables
from harness.load.workload import Altered, Committed, Event, Kind
from harness.model.binlog import LogBegin, LogCommit, LogDdl, LogEvent, LogRow, LogTable
from harness.model.change import DdlRun, Op
from harness.model.record import Origin
from harness.sources.clock import LOGICAL_BITS
from harness.sources.mysql.simulator import Server
from harness.sources.mysql.source import connector_settings
from harness.sources.source import SourceConfig

_OPS = {
    Kind.INSERT: Op.INSERT,
    Kind.UPDATE: Op.UPDATE,
    Kind.MOVE: Op.UPDATE,
    Kind.DELETE: Op.DELETE,
}
_ORIGIN = Origin(0, 0, 0, "load")


def settings_of(spec: Spec) -> Mapping[str, Any]:
    """Return the connector's settings; UsageError for a dialect whose places count bytes."""
    if spec.dialect != DEFAULT_DIALECT:
        raise UsageError(
            f"no workload is made for the dialect {spec.dialect!r} of {spec.protocol}",
            expected=f"{DEFAULT_DIALECT!r}: places of the other are bytes of one file, which "
            "partitions that are made apart do not know",
        )
    return connector_settings(SourceConfig(spec.effective_settings, (DATABASE,), spec.partitions))


def log_events(
    events: Iterable[Event], made: Tables, spec: Spec, partition: int
) -> Iterator[LogEvent]:
    """Yield the log of one partition's rows, and of the statements for the first."""
    server = Server((DATABASE,))
    known: dict[int, LogTable] = {}
    for event in events:
        if isinstance(event, Altered):
            statement = event.statement
            gtid, origin = _gtid(spec, made, statement.commit_ts), _origin(statement.commit_ts)
            ran = server.replay([DdlRun(statement.sql, DATABASE, 0)])
            for one in ran:
                if isinstance(one, LogDdl):
                    (change,) = one.changes
                    assert change.table is not None
                    known[statement.table] = change.table
                if isinstance(one, LogBegin | LogDdl) and not partition:
                    yield replace(one, gtid=gtid, origin=origin)
        elif isinstance(event, Committed):
            gtid, origin = _gtid(spec, made, event.commit_ts), _origin(event.commit_ts)
            yield LogBegin(gtid, origin)
            for kind, table, before, after in event.changes:
                yield LogRow(gtid, _OPS[kind], known[table], before, after, 0, origin)
            yield LogCommit(gtid, origin)


def _gtid(spec: Spec, made: Tables, commit_ts: int) -> str:
    """Return the GTID of what was committed then; numbers that nobody has are gaps, as in a log."""
    slice_, ordinal, is_statement = place_of(commit_ts)
    statements = len(made.statements) + 1
    number = slice_ * (spec.mark * spec.partitions + statements)
    return f"0-1-{number + ordinal + (0 if is_statement else statements)}"


def _origin(commit_ts: int) -> Origin:
    """Return the origin of an event: a server logs whole seconds."""
    milliseconds = commit_ts >> LOGICAL_BITS
    return replace(_ORIGIN, commit_ts=milliseconds - milliseconds % SLICE_MS)
