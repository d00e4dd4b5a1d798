"""The DDL rules as the changefeed document states them, where they differ from the code's.

| DDL | valid index | none | none, `force-replicate` |
| --- | --- | --- | --- |
| CREATE, DROP, ALTER DATABASE | yes | yes | yes |
| CREATE INDEX, ADD INDEX, ADD PRIMARY KEY | yes | yes | yes |
| DROP INDEX, DROP PRIMARY KEY of the last valid index | no | no | yes |
| what is not listed: foreign keys, several changes at once, changed partitioning | no | no | no |
| all others, DROP TABLE and views among them | yes | no | yes |

Whether a table has a valid index is asked of the table before the statement, of a new table after
it. A RENAME TABLE of several pairs is sent when every old table and every new database is covered,
and stops the changefeed otherwise, and when it swaps names.

A scenario asks for these rules by `ddl-rules: document`; by default the code's (`puller`) hold.
Source: TiCDC, "Changefeed DDL replication" (seed document 004), the list of DDL and its two notes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from harness.ddl import ActionType, DdlJob
from harness.sources.decision import PULLER, REPLICATE, Decision, ignore, stop
from harness.sources.tidb.change_filter import ChangeFilter
from harness.sources.tidb.eligibility import Met
from harness.sources.tidb.event_types import DDL_EVENTS, SCHEMA_ACTIONS
from harness.sources.tidb.mounter import eligible
from harness.sources.tidb.puller import HANDLE_FAILED, RENAME_FAILED

UNLISTED = frozenset(
    {
        ActionType.ADD_FOREIGN_KEY,
        ActionType.DROP_FOREIGN_KEY,
        ActionType.MULTI_SCHEMA_CHANGE,
        ActionType.ALTER_TABLE_PARTITIONING,
        ActionType.REMOVE_PARTITIONING,
    }
)
LISTED = frozenset(DDL_EVENTS) - UNLISTED
ALWAYS = SCHEMA_ACTIONS | {ActionType.ADD_INDEX, ActionType.ADD_PRIMARY_KEY}
_LOSES_AN_INDEX = frozenset({ActionType.DROP_INDEX, ActionType.DROP_PRIMARY_KEY})


@dataclass(frozen=True, slots=True)
class DocumentRules:
    """What the document says."""

    force_replicate: bool = False

    def table(self, job: DdlJob, before: Met, after: Met) -> Decision:
        """Judge a job by the document's table."""
        if job.action not in LISTED:
            return ignore(PULLER, f"the document does not list {job.action.display_name!r}")
        if job.action in ALWAYS or self.force_replicate:
            return REPLICATE
        name = f"{job.schema}.{job.table}"
        if not _valid(before or after):
            return ignore(PULLER, f"{name} has no valid index, `force-replicate` is false")
        if job.action in _LOSES_AN_INDEX and not _valid(after):
            return ignore(PULLER, f"it drops the last valid index of {name}")
        return REPLICATE

    def renames(self, jobs: Sequence[DdlJob], first: Met, last: Met) -> Decision:
        """Send all pairs, unless one of the tables has no valid index."""
        del first, last
        decisions = (self.table(job, job.before, job.after) for job in jobs)
        return next((decision for decision in decisions if not decision.sent), REPLICATE)

    def refuses(self, jobs: Sequence[DdlJob], filters: ChangeFilter) -> Decision | None:
        """Refuse swapped names, and any old table or new database that is not covered."""
        old = [(job.old_schema, job.old_table) for job in jobs]
        new = [(job.schema, job.table) for job in jobs]
        tables = {job.before.physical_id for job in jobs if job.before is not None}
        if len(tables) < len(jobs):
            what = "it renames a table twice, as a swap of names does"
        elif not all(filters.table(*name) for name in old):
            what = "one of its old names is not in filter.rules"
        elif not all(filters.schema(schema) for schema, _ in new):
            what = "one of its new databases is not in filter.rules"
        else:
            return None
        return stop(PULLER, HANDLE_FAILED, f"{jobs[0].source!r}: {what}", RENAME_FAILED)


def _valid(table: Met) -> bool:
    """Return whether a table has a valid index; a view has none."""
    return table is not None and not table.is_view and eligible(table, force_replicate=False)
