"""Tables without a valid index: which of their DDL is sent, and when a changefeed stops.

A table is eligible with a primary key, a NOT NULL unique key or `force-replicate`; views always
are, sequences never. A DDL is sent if the table is eligible *after* it, whatever it was before; it
is ignored if the table was not there or not eligible before either; and where a table has lost its
last valid index the changefeed stops. A dropped table is in nobody's way: its DROP is sent. The
newer architecture asks for the index of a table that goes as well.

TiCDC runs ADD INDEX on a downstream TiDB without waiting for it; a message queue gets it like any
other DDL.

Source: tiflow c7b2588 cdc/puller/ddl_puller.go `checkIneligibleTableDDL`, cdc/model/
schema_storage.go `IsEligible`; vectors `ddl_eligibility`; TiCDC codec notes §6; ticdc b813e76
pkg/filter/filter.go `ShouldDiscardDDL`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from harness.ddl import DdlJob
from harness.model.table import Table
from harness.sources.decision import PULLER, REPLICATE, Decision, ignore, stop
from harness.sources.tidb.change_filter import ChangeFilter
from harness.sources.tidb.mounter import eligible

# What TiCDC reports for an error that has no code of its own.
UNCODED = "ErrOwnerUnknown"
# The tables that a job met, as far as TiCDC knew them, and those that it left.
Met = Table | None


class DdlRules(Protocol):
    """Which DDL of the tables that the filters cover is sent."""

    def table(self, job: DdlJob, before: Met, after: Met) -> Decision:
        """Judge a job; `before` is None for an unknown table, `after` for one that is gone."""
        ...

    def renames(self, jobs: Sequence[DdlJob], first: Met, last: Met) -> Decision:
        """Judge a RENAME TABLE of several pairs by the first table met and the last one left."""
        ...

    def refuses(self, jobs: Sequence[DdlJob], filters: ChangeFilter) -> Decision | None:
        """Return the stop of a RENAME TABLE of several pairs that is refused by its names alone."""
        ...


@dataclass(frozen=True, slots=True)
class CodeRules:
    """What TiCDC's code does."""

    force_replicate: bool = False

    def table(self, job: DdlJob, before: Met, after: Met) -> Decision:
        """Judge by the table after the job, and where it is not eligible, by the one before."""
        if after is None or self.eligible(after):
            return REPLICATE
        if before is None or not self.eligible(before):
            return ignore(PULLER, f"{after.id} has no valid index, `force-replicate` is false")
        return stop(PULLER, UNCODED, f"{job.source!r} takes the last valid index from {after.id}")

    def eligible(self, table: Table) -> bool:
        """Return whether a table's rows are replicated."""
        return eligible(table, force_replicate=self.force_replicate)

    def renames(self, jobs: Sequence[DdlJob], first: Met, last: Met) -> Decision:
        """Judge all pairs alike: TiCDC looks at the first table before and the last one after."""
        return self.table(jobs[-1], first, last)

    def refuses(self, jobs: Sequence[DdlJob], filters: ChangeFilter) -> Decision | None:
        """Refuse nothing before the snapshot is asked."""
        del jobs, filters
        return None


@dataclass(frozen=True, slots=True)
class NewerRules(CodeRules):
    """What the newer architecture does with the DDL of tables that go."""

    def table(self, job: DdlJob, before: Met, after: Met) -> Decision:
        """Judge a table that goes by what it was."""
        if after is None and (job.before is None or not self.eligible(job.before)):
            name = f"{job.old_schema}.{job.old_table}"
            return ignore(PULLER, f"{name} has no valid index, `force-replicate` is false")
        return CodeRules.table(self, job, before, after)

    def eligible(self, table: Table) -> bool:
        """Return whether a table's rows are replicated; an index may be over a virtual column."""
        return eligible(table, force_replicate=self.force_replicate, newer=True)
