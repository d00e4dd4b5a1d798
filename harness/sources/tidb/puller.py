"""TiCDC's DDL puller: which jobs a changefeed hears of, over the schemas that it knows itself.

The puller keeps a snapshot of its own, of schemas and tables that the filters let through. A
renamed table is judged by its old and its new name:

| old name | new name | RENAME TABLE |
| --- | --- | --- |
| covered | any | sent; the table is followed under its new name |
| not covered | not covered | ignored |
| not covered | covered | the changefeed stops |

A RENAME TABLE of several pairs is one job: each pair is judged alone by the name that the snapshot
knows, pairs of which both names are out are dropped, and the changefeed stops when a table is
renamed twice (as in a swap of names) or moves to a schema that the snapshot does not know.

Source: tiflow c7b2588 cdc/puller/ddl_puller.go `handleJob`, `handleRenameTables`;
cdc/entry/schema/snapshot.go `DoHandleDDL`; TiDB pkg/ddl/executor.go `RenameTables`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from harness.ddl import ActionType, Catalogue, DdlJob
from harness.model.table import Table
from harness.sources.decision import PULLER, REPLICATE, Decision, ignore, stop
from harness.sources.tidb.change_filter import ChangeFilter
from harness.sources.tidb.eligibility import DdlRules
from harness.sources.tidb.event_types import SCHEMA_ACTIONS
from harness.sources.tidb.mounter import eligible

RENAME_FAILED = "ErrSyncRenameTableFailed"
HANDLE_FAILED = "ErrHandleDDLFailed"
NO_TABLE = "ErrSnapshotTableNotFound"
NO_SCHEMA = "ErrSnapshotSchemaNotFound"

Judged = list[tuple[DdlJob, Decision]]


class Puller:
    """The schemas and tables that one changefeed knows, by name and by physical id."""

    def __init__(
        self,
        filters: ChangeFilter,
        catalogue: Catalogue,
        rules: DdlRules,
        *,
        force_replicate: bool = False,
        newer: bool = False,
    ) -> None:
        """Start with what the filters let through of what exists already.

        `newer` says that the changefeed is one of the newer architecture.
        """
        self._filters = filters
        self._rules = rules
        self._force = force_replicate
        self._newer = newer
        self._schemas = {name.lower() for name in catalogue.schemas() if filters.schema(name)}
        self._tables = {
            table.physical_id: table
            for table in catalogue.tables()
            if table.id.schema.lower() in self._schemas
            and filters.table(table.id.schema, table.id.name)
        }

    def replicates(self, table: Table) -> Decision:
        """Judge the rows of a table: by its name, and by its valid index."""
        known = self._tables.get(table.physical_id)
        if known is None or not self._filters.table(known.id.schema, known.id.name):
            return ignore(PULLER, f"filter.rules leave out {table.id}")
        if not eligible(known, force_replicate=self._force, newer=self._newer):
            return ignore(PULLER, f"{table.id} has no valid index, `force-replicate` is false")
        return REPLICATE

    def replicated(self) -> Iterable[Table]:
        """Return the tables whose rows are replicated now."""
        return [table for table in self._tables.values() if self.replicates(table).sent]

    def judge(self, jobs: Sequence[DdlJob], start_ts: int = 0) -> Judged:
        """Judge the jobs of one statement, up to the one that stops the changefeed."""
        if len(jobs) > 1 and all(job.action is ActionType.RENAME_TABLE for job in jobs):
            return self._rename_tables(jobs, start_ts)
        judged: Judged = []
        for job in jobs:
            rename = job.action is ActionType.RENAME_TABLE
            decision = self._rename(job, start_ts) if rename else self._job(job, start_ts)
            judged.append((job, decision))
            if decision.code:
                break
        return judged

    # ---- one table --------------------------------------------------------------------------

    def _job(self, job: DdlJob, start_ts: int) -> Decision:
        # Of EXCHANGE PARTITION the job is in the schema of the table without partitions.
        schema = job.exchanged[0].id.schema if job.exchanged else job.schema
        reason = self._filters.discards(job.action, schema, job.table, start_ts)
        if reason:
            return ignore(PULLER, reason)
        if job.action in SCHEMA_ACTIONS:
            self._schema(job)
            return REPLICATE
        known = dict(self._tables)
        failure = self._apply(job)
        if failure is not None:
            return failure
        old = job.exchanged[0] if job.exchanged else job.before
        before = known.get(old.physical_id) if old is not None else None
        return self._rules.table(job, before, job.after)

    def _schema(self, job: DdlJob) -> None:
        name = job.schema.lower()
        if job.action is ActionType.CREATE_SCHEMA:
            self._schemas.add(name)
        if job.action is ActionType.DROP_SCHEMA:
            self._schemas.discard(name)
            left = [t for t in self._tables.values() if t.id.schema.lower() != name]
            self._tables = {table.physical_id: table for table in left}

    def _apply(self, job: DdlJob) -> Decision | None:
        """Let the snapshot follow a job; return the stop where it cannot."""
        replaces_view = job.action is ActionType.CREATE_VIEW
        pairs = [(job.before, job.after), *([job.exchanged] if job.exchanged else [])]
        for before, after in pairs:
            missing = before is not None and before.physical_id not in self._tables
            if before is not None and missing and not replaces_view:
                return _failed(job, NO_TABLE, f"table {before.id}")
            if after is not None and after.id.schema.lower() not in self._schemas:
                return _failed(job, NO_SCHEMA, f"schema {after.id.schema}")
        for before, _ in pairs:
            if before is not None:
                self._tables.pop(before.physical_id, None)
        for _, after in pairs:
            if after is not None:
                self._tables[after.physical_id] = after
        return None

    def _rename(self, job: DdlJob, start_ts: int) -> Decision:
        assert job.before is not None
        assert job.after is not None
        known = self._tables.get(job.before.physical_id)
        discarded = self._filters.discards(job.action, job.schema, job.table, start_ts)
        if known is None or self._filters.discards(
            job.action, known.id.schema, known.id.name, start_ts
        ):
            if not discarded:
                return _renamed_in(job)
            return ignore(PULLER, f"filter.rules leave out {job.before.id} and {job.after.id}")
        del self._tables[known.physical_id]
        if job.after.id.schema.lower() not in self._schemas:
            # The table leaves for a schema that this changefeed knows nothing of: it is gone.
            return self._rules.table(job, known, None)
        self._tables[job.after.physical_id] = job.after
        return self._rules.table(job, known, job.after)

    # ---- several tables at once -------------------------------------------------------------

    def _rename_tables(self, jobs: Sequence[DdlJob], start_ts: int) -> Judged:
        refused = self._rules.refuses(jobs, self._filters)
        if refused is not None:
            return [(jobs[0], refused)]
        known = dict(self._tables)
        remaining: list[DdlJob] = []
        judged: Judged = []
        for job in jobs:
            old_out, new_out = self._names_out(job, start_ts)
            if old_out and not new_out:
                return [(jobs[0], _failed(job, RENAME_FAILED, _renamed_in(job).reason))]
            if old_out:
                reason = f"filter.rules leave out {job.old_schema}.{job.old_table} and its new name"
                judged.append((job, ignore(PULLER, reason)))
                continue
            remaining.append(job)
            judged.append((job, REPLICATE))
        if not remaining:
            return [(jobs[0], ignore(PULLER, "filter.rules leave out all of its tables"))]
        failure = self._move(remaining)
        if failure is not None:
            return [(jobs[0], failure)]
        first, last = jobs[0].before, jobs[-1].after
        assert first is not None
        assert last is not None
        met, left = known.get(first.physical_id), self._tables.get(last.physical_id)
        whole = self._rules.renames(jobs, met, left)
        return judged if whole.sent else [(jobs[0], whole)]

    def _names_out(self, job: DdlJob, start_ts: int) -> tuple[bool, bool]:
        """Return whether the old and the new name are out; the snapshot knows the old one."""
        assert job.before is not None
        known = self._tables.get(job.before.physical_id)
        action = ActionType.RENAME_TABLES
        old_out = known is None or bool(
            self._filters.discards(action, job.old_schema, known.id.name, start_ts)
        )
        new_out = job.schema.lower() not in self._schemas or bool(
            self._filters.discards(action, job.schema, job.table, start_ts)
        )
        return old_out, new_out

    def _move(self, jobs: Sequence[DdlJob]) -> Decision | None:
        """Take all tables away, then add them under their new names."""
        left = dict(self._tables)
        for job in jobs:
            assert job.before is not None
            if left.pop(job.before.physical_id, None) is None:
                return _failed(job, NO_TABLE, f"{job.before.id} is renamed twice: table")
        for job in jobs:
            assert job.after is not None
            if job.schema.lower() not in self._schemas:
                return _failed(job, NO_SCHEMA, f"schema {job.schema}")
            left[job.after.physical_id] = job.after
        self._tables = left
        return None


def _renamed_in(job: DdlJob) -> Decision:
    return stop(
        PULLER,
        RENAME_FAILED,
        f"{job.old_schema}.{job.old_table} is not in filter.rules, "
        f"but its new name {job.schema}.{job.table} is",
    )


def _failed(job: DdlJob, cause: str, what: str) -> Decision:
    reason = what if cause == RENAME_FAILED else f"{what} not found in TiCDC's schema snapshot"
    return stop(PULLER, HANDLE_FAILED, f"{job.source!r}: {reason}", cause)
