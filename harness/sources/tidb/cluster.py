"""The upstream itself: its schemas, and the rows that they hold, whoever watches them.

Source: TiDB; what a transaction nets to is `store`'s business.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from harness.ddl import Catalogue, DdlJob
from harness.errors import StepError
from harness.model.change import DdlRun, Transaction
from harness.model.columns import BINARIES
from harness.model.reshape import keeps_rows, reshape
from harness.model.source_events import SourceTable
from harness.model.table import Table, TableId
from harness.sources.tidb.mounter import source_table
from harness.sources.tidb.store import NetChange, TableStore


@dataclass(frozen=True, slots=True)
class RanJob:
    """A job that ran, with its table as TiCDC mounts it before and after."""

    job: DdlJob
    before: SourceTable | None
    after: SourceTable | None


class Cluster:
    """One upstream cluster: every change happens here, replicated or not."""

    def __init__(self, databases: Sequence[str] = ()) -> None:
        """Start with the given databases, empty."""
        self.catalogue = Catalogue.with_schemas(*databases)
        self._stores: dict[TableId, TableStore] = {}
        self._mounted: dict[TableId, SourceTable] = {}

    def mounted(self, table: Table) -> SourceTable:
        """Return a table of now as TiCDC's mounter sees it."""
        return self._mounted[table.id]

    def ddl(self, run: DdlRun) -> list[RanJob]:
        """Run a DDL statement: change catalogue and stored rows.

        Raises StepError for a default that TiDB does not keep as it is written.
        """
        applied = self.catalogue.apply(run.sql, run.schema)
        for job in applied.jobs:
            if job.after is not None:
                _refuse_mangled(job.after, run.line)
        self.catalogue = applied.catalogue
        ran: list[RanJob] = []
        for job in applied.jobs:
            before = self._mounted.pop(job.before.id, None) if job.before is not None else None
            after = source_table(job.after) if job.after is not None else None
            self._follow(job, after)
            if job.exchanged:
                # The table on the other side of EXCHANGE PARTITION has another physical id now.
                other = job.exchanged[1]
                self._stores[other.id].reshape(other, lambda row: row)
                self._mounted[other.id] = source_table(other)
            ran.append(RanJob(job, before, after))
        return ran

    def commit(self, transaction: Transaction) -> list[tuple[Table, list[NetChange]]]:
        """Commit a transaction; return its net changes table by table, by physical id."""
        touched: dict[TableId, TableStore] = {}
        table: TableId | None = None
        store: TableStore | None = None
        for change in transaction.changes:
            if change.table is not table:
                table = change.table
                store = self._stores.get(table)
                if store is not None:
                    touched[table] = store
            if store is None:
                raise StepError(f"table {change.table} does not exist", line=change.line)
            store.apply(change)
        stores = sorted(touched.values(), key=lambda store: store.table.physical_id)
        return [(store.table, store.commit()) for store in stores]

    def _follow(self, job: DdlJob, mounted: SourceTable | None) -> None:
        """Let the stored rows follow a schema change."""
        before, after = job.before, job.after
        store = self._stores.pop(before.id, None) if before is not None else None
        if after is None or mounted is None:
            if before is None and job.table == "":
                self._forget_dropped()
            return
        if store is not None and before is not None and keeps_rows(before, after):
            store.reshape(after, lambda row: reshape(before, after, row))
        else:
            store = TableStore(after)
        self._stores[after.id] = store
        self._mounted[after.id] = mounted

    def _forget_dropped(self) -> None:
        alive = {table.id for table in self.catalogue.tables()}
        for table_id in [table_id for table_id in self._stores if table_id not in alive]:
            del self._stores[table_id]


def _refuse_mangled(table: Table, line: int) -> None:
    """Refuse a binary default that is not UTF-8.

    TiDB keeps U+FFFD in place of each such byte (vectors `default_varbinary_hex`); the database of
    the recordings keeps the bytes, so its rows would not be TiDB's.
    """
    for column in table.columns:
        default = column.default
        if default is None or not default.is_binary or column.kind not in BINARIES:
            continue
        try:
            bytes.fromhex(default.text or "").decode()
        except UnicodeDecodeError:
            raise StepError(
                f"the default of {table.id}.{column.name} is not UTF-8: TiDB stores another",
                line=line,
                expected="bytes that are UTF-8",
                hint="state the value in each INSERT",
            ) from None
