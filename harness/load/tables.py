"""The tables of a workload in all their versions, and the DDL events that made them.

The statements are run on the same TiDB as everywhere (`upstream.tidb`), with the clock's commit ts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from harness.errors import UsageError
from harness.load.clock import Statement, statements
from harness.load.shapes import DATABASE
from harness.load.spec import Spec
from harness.model.change import ChangeLog, DdlRun, Pin
from harness.model.source_events import DdlEvent, ResolvedEvent, SourceTable
from harness.protocols import PROTOCOLS
from harness.sources.tidb.changefeed import changefeed
from harness.sources.tidb.simulator import follow
from harness.sources.tidb.source import TIDB


@dataclass(frozen=True, slots=True)
class Tables:
    """The statements in order, each with its DDL event, which has the table's next version."""

    statements: tuple[Statement, ...]
    ddl: tuple[DdlEvent, ...]

    def version(self, number: int) -> SourceTable:
        """Return the table as a statement, by number, left it."""
        after = self.ddl[number].after
        assert after is not None
        return after

    def last(self) -> Sequence[SourceTable]:
        """Return the tables as they are at the end."""
        final = {one.table: number for number, one in enumerate(self.statements)}
        return [self.version(final[table]) for table in sorted(final)]

    def topics(self) -> tuple[str, ...]:
        """Return the TiCDC topics in order of first use."""
        return tuple(dict.fromkeys(event.topic for event in self.ddl))


def tables(spec: Spec) -> Tables:
    """Run the statements; raises UsageError where the settings keep a table out."""
    ran = tuple(statements(spec))
    log = ChangeLog(tuple(DdlRun(one.sql, DATABASE, 1, Pin(ts=one.commit_ts)) for one in ran))
    if PROTOCOLS[spec.protocol].source.kind == TIDB:
        feed = changefeed(spec.effective_settings, spec.partitions, spec.protocol)
    else:
        feed = changefeed({}, spec.partitions)
    followed = follow(log, feed, (DATABASE,), end_resolved=False)
    ddl = tuple(event for event in followed.events if not isinstance(event, ResolvedEvent))
    if followed.stopped is not None or len(ddl) != len(ran):
        raise UsageError(
            "the settings keep statements of the workload out",
            expected="a changefeed that replicates all tables and their DDL",
            hint="leave filters out of the workload's settings",
        )
    return Tables(ran, tuple(event for event in ddl if isinstance(event, DdlEvent)))
