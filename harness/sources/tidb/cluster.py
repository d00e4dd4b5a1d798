"""The upstream itself: its schemas, and the rows that they hold, whoever watches them.

Source: TiDB; what a transaction nets to is `store`'s business.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from harness.ddl import ActionType, Catalogue, DdlJob, is_emitted
from harness.ddl.physical import HomelessError, physical_of
from harness.ddl.stored_rows import PARTITIONS_MOVE, moved_by
from harness.ddl.tidb import valid_indexes
from harness.errors import StepError
from harness.model.change import DdlRun, Transaction
from harness.model.columns import BINARIES, ColumnKind
from harness.model.reshape import keeps_rows, reshape
from harness.model.source_events import SourceTable
from harness.model.table import Table, TableId
from harness.model.values import Row
from harness.sources.tidb.mounter import source_table
from harness.sources.tidb.store import NetChange, TableStore


@dataclass(frozen=True, slots=True)
class RanJob:
    """A job that ran, with its table as TiCDC mounts it before and after.

    `exchanged` is the other table of EXCHANGE PARTITION.
    """

    job: DdlJob
    before: SourceTable | None
    after: SourceTable | None
    exchanged: tuple[SourceTable, SourceTable] | None = None


class Cluster:
    """One upstream cluster: every change happens here, replicated or not."""

    def __init__(
        self, databases: Sequence[str] = (), *, stored: bool = True, newer: bool = False
    ) -> None:
        """Start with the given databases, empty; `stored` and `newer` as in `Changefeed`."""
        self._stored = stored
        self._newer = newer
        self.catalogue = Catalogue.with_schemas(*databases)
        self._stores: dict[TableId, TableStore] = {}
        self._mounted: dict[TableId, SourceTable] = {}
        # What DROP and TRUNCATE took away, by physical id: RECOVER and FLASHBACK bring it back.
        self._dropped: dict[int, TableStore] = {}

    def mounted(self, table: Table) -> SourceTable:
        """Return a table of now as TiCDC's mounter sees it."""
        return self._mounted[table.id]

    def ddl(self, run: DdlRun) -> list[RanJob]:
        """Run a DDL statement: change catalogue and stored rows.

        Raises StepError for a default that TiDB does not keep as it is written, and for a second
        valid index where the release is one that sends no generated column.
        """
        applied = self.catalogue.apply(run.sql, run.schema)
        for job in applied.jobs:
            if job.after is not None:
                _refuse_mangled(job.after, run.line)
                if not self._stored:
                    _refuse_several_keys(job.after, run.line)
        self.catalogue = applied.catalogue
        ran: list[RanJob] = []
        for job in applied.jobs:
            before = self._mounted.pop(job.before.id, None) if job.before is not None else None
            after = self._mount(job.after) if job.after is not None else None
            self._follow(job, after, run.line)
            exchanged = None
            if job.exchanged:
                old, new = job.exchanged
                exchanged = self._mounted[old.id], self._mount(new)
                self._mounted[new.id] = exchanged[1]
            ran.append(RanJob(job, before, after, exchanged))
        return ran

    def _mount(self, table: Table) -> SourceTable:
        return source_table(table, stored=self._stored, newer=self._newer)

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
                raise StepError(
                    f"table {change.table} does not exist",
                    line=change.line,
                    expected="a table that an earlier step has made",
                )
            store.apply(change)
        stores = sorted(touched.values(), key=lambda store: store.table.physical_id)
        return [(store.table, store.commit()) for store in stores]

    def _follow(self, job: DdlJob, mounted: SourceTable | None, line: int) -> None:
        """Let the stored rows follow a schema change."""
        before, after = job.before, job.after
        if after is not None and mounted is not None:
            self._mounted[after.id] = mounted
        if job.action in PARTITIONS_MOVE:
            self._move_partitions(job, line)
            return
        store = self._stores.pop(before.id, None) if before is not None else None
        if store is not None and job.action in _TAKE_AWAY:
            self._dropped[store.table.physical_id] = store
        if after is None:
            if before is None and job.table == "":
                self._forget_dropped()
            return
        if job.action is ActionType.RECOVER_TABLE:
            store = self._dropped.pop(after.physical_id, None) or TableStore(after)
            store.reshape(after, lambda row: row)
        elif store is not None and before is not None and keeps_rows(before, after):
            store.reshape(after, lambda row: reshape(before, after, row))
        else:
            store = TableStore(after)
        self._stores[after.id] = store

    def _move_partitions(self, job: DdlJob, line: int) -> None:
        """Let rows go, or to the other table, with the physical ids of their partitions."""
        pairs = [(job.before, job.after), *((job.exchanged,) if job.exchanged else ())]
        old = [self._stores.pop(before.id) for before, _ in pairs if before is not None]
        new = {after.id: TableStore(after) for _, after in pairs if after is not None}
        moves = moved_by(job, line)
        for store in old:
            if store.rows():
                _refuse_computed(store.table, line)
            for key, row in store.rows().items():
                place = moves[store.table.id](row)
                if place is not None:
                    _refuse_misplaced(*place, store.table, line)
                    new[place[0].id].take_in(key, row, line)
            for each in new.values():
                each.count_from(store)
        self._stores |= new

    def _forget_dropped(self) -> None:
        alive = {table.id for table in self.catalogue.tables()}
        for table_id in [table_id for table_id in self._stores if table_id not in alive]:
            del self._stores[table_id]


_TAKE_AWAY = frozenset({ActionType.DROP_TABLE, ActionType.TRUNCATE_TABLE})


def _refuse_computed(table: Table, line: int) -> None:
    """Refuse partitions that a column decides about which no row event has.

    Who reads the stream cannot know then which rows a statement on partitions takes away.
    """
    for name in table.dealing.columns if table.dealing is not None else ():
        if not is_emitted(table.column(name)):
            raise StepError(
                f"no reader can know which rows of {table.id} go: {name} is never sent",
                line=line,
                expected="rows whose partition is decided by columns that are sent",
                hint="make the generated column STORED",
            )


def _refuse_misplaced(home: Table, row: Row, before: Table, line: int) -> None:
    """Refuse a row that comes into a partition which is not its own, as TiDB's validation does."""
    physical = physical_of(home)
    if physical is None or home.id == before.id:
        return
    try:
        fits = physical(row, line) == before.physical_id
    except HomelessError:
        fits = False
    if not fits:
        raise StepError(
            f"a row of {before.id} does not belong to the partition that it is exchanged with",
            line=line,
            expected="rows that the partition takes",
            hint="rows that stand in a wrong partition (WITHOUT VALIDATION) are not supported",
        )


def _refuse_several_keys(table: Table, line: int) -> None:
    """Refuse a table with several valid indexes, as of TiCDC up to v4.0.4.

    It marks the columns of all of them (cdc/entry/schema_storage.go:249), and sends a deletion for
    each (mounter.go:426), also where an update moves a row from one entry of an index to another.
    """
    valid = valid_indexes(table, virtual=True)
    if len(valid) > 1:
        raise StepError(
            f"{table.id} has {len(valid)} valid indexes: dialect 4.0.4 sends a deletion for each",
            line=line,
            expected="a table with one primary key or unique index over NOT NULL columns",
            hint="leave the others out, or the dialect",
        )


def _refuse_mangled(table: Table, line: int) -> None:
    """Refuse a binary default that is not UTF-8, and blanks that end an added CHAR's default.

    TiDB keeps U+FFFD in place of each such byte (vectors `default_varbinary_hex`); the database of
    the recordings keeps the bytes, so its rows would not be TiDB's. In rows of before TiCDC fills
    a CHAR in with its blanks (cdc/entry/mounter.go:853), which no stored CHAR has.
    """
    for column in table.columns:
        origin = column.origin_default
        if column.kind is ColumnKind.CHAR and origin and (origin.text or "").endswith(" "):
            raise StepError(
                f"rows of {table.id} get {column.name} with blanks at its end, as no CHAR has them",
                line=line,
                expected="a default without blanks at its end",
                hint="leave them out: what is stored has none",
            )
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
