"""DDL: what a statement does to the rows that are there."""

from __future__ import annotations

from harness.ddl import ActionType, DdlJob
from harness.ddl.stored_rows import PARTITIONS_MOVE
from harness.model.decoded import DecodedEvent
from harness.model.table import TableId
from harness.model.values import Value
from harness.mutants.mutant import Mutant, sign
from harness.mutants.parts import GivesUp, Parts
from harness.protocols.clauses import CLAUSES
from harness.reference_consumer.arrive import Arrivals
from harness.reference_consumer.tables import Key, Tables

_NO_OPS = frozenset({ActionType.MODIFY_TABLE_COMMENT, ActionType.MODIFY_TABLE_CHARSET_AND_COLLATE})


class NoFill(Tables):
    """Leaves a new column NULL in the rows that are there."""

    def follow(self, job: DdlJob) -> None:
        """Follow the statement, then empty what it filled."""
        before, after = job.before, job.after
        super().follow(job)
        if before is None or after is None:
            return
        new = {column.name for column in after.columns} - {c.name for c in before.columns}
        for row in (*self.rows.get(after.id, {}).values(), *self.loose.get(after.id, [])):
            row.update(dict.fromkeys(new & set(row)))


class KeepsByName(Tables):
    """Keeps what a dropped column held, and gives it to the next one of that name."""

    def follow(self, job: DdlJob) -> None:
        """Follow the statement; keep what goes, give back what comes by its name."""
        before, after = job.before, job.after
        old = {} if before is None else dict(self.rows.get(before.id, {}))
        super().follow(job)
        if before is None or after is None or before.physical_id != after.physical_id:
            return
        names = {column.name for column in after.columns}
        for key, row in self.rows.get(after.id, {}).items():
            for name, value in old.get(key, {}).items():
                if name not in row:
                    self._dropped[(after.id, key, name)] = value
            for name in names & set(row):
                there = (after.id, key, name)
                if there in self._dropped and name not in old.get(key, {}):
                    row[name] = self._dropped[there]

    @property
    def _dropped(self) -> dict[tuple[TableId, Key, str], Value]:
        if not hasattr(self, "_gone"):
            self._gone: dict[tuple[TableId, Key, str], Value] = {}
        return self._gone


class RowsStay(Tables):
    """Leaves the rows of a table that is emptied or dropped where they are."""

    kept: frozenset[ActionType] = frozenset({ActionType.TRUNCATE_TABLE})

    def apply_ddl(self, event: DecodedEvent) -> None:
        """Run the statement on the schemas only, where it is one of those."""
        if event.type not in self.kept:
            super().apply_ddl(event)
            return
        rows = {table: dict(there) for table, there in self.rows.items()}
        super().apply_ddl(event)
        self.rows = {**rows, **self.rows}


class DroppedStay(RowsStay):
    """Leaves the rows of a dropped table to the next one of its name."""

    kept = frozenset({ActionType.DROP_TABLE})


class PartitionRowsStay(Tables):
    """Passes over statements that take partitions away, and exchanges no rows."""

    def follow(self, job: DdlJob) -> None:
        """Follow other statements only."""
        if job.action not in PARTITIONS_MOVE:
            super().follow(job)


class PartitionEmptiesTable(Tables):
    """Empties the whole table where one of its partitions is truncated or dropped."""

    def follow(self, job: DdlJob) -> None:
        """Follow the statement, then drop the table's rows."""
        super().follow(job)
        if job.action in PARTITIONS_MOVE and job.after is not None and job.exchanged is None:
            self.rows.pop(job.after.id, None)
            self.loose.pop(job.after.id, None)


class ExchangesOneWay(Tables):
    """Lets the partition's rows go to the other table, whose own rows are lost."""

    def follow(self, job: DdlJob) -> None:
        """Drop the rows that would go into the partition, then follow."""
        if job.exchanged is not None:
            self.rows.pop(job.exchanged[0].id, None)
            self.loose.pop(job.exchanged[0].id, None)
        super().follow(job)


class RenameStartsEmpty(Tables):
    """Looks for the rows of a renamed table under its new name."""

    def follow(self, job: DdlJob) -> None:
        """Drop the rows of the old name, then follow."""
        before, after = job.before, job.after
        if before is not None and after is not None and before.id != after.id:
            self.rows.pop(before.id, None)
            self.loose.pop(before.id, None)
        super().follow(job)


class NewNameOnly(Tables):
    """Renames nothing: the table of the new name begins with the next row."""

    def apply_ddl(self, event: DecodedEvent) -> None:
        """Pass over RENAME."""
        if event.type not in {ActionType.RENAME_TABLE, ActionType.RENAME_TABLES}:
            super().apply_ddl(event)


class NoDdl(Tables):
    """Runs CREATE TABLE and nothing else."""

    def apply_ddl(self, event: DecodedEvent) -> None:
        """Pass over every statement that changes a table."""
        if event.type in {ActionType.CREATE_TABLE, ActionType.CREATE_SCHEMA}:
            super().apply_ddl(event)


class UnknownFails(Tables):
    """Fails at a statement that changes neither columns nor rows."""

    def apply_ddl(self, event: DecodedEvent) -> None:
        """Give up at a type of DDL that has no branch."""
        if event.type in _NO_OPS:
            raise GivesUp(f"unknown DDL type {event.type}: {event.query}")
        super().apply_ddl(event)


class LosesNewKey(Tables):
    """Keeps the rows of an altered table by their place, not by its handle key."""

    def follow(self, job: DdlJob) -> None:
        """Follow the statement, then number the rows."""
        after = job.after
        super().follow(job)
        if after is None or job.before is None or after.id not in self.rows:
            return
        rows = self.rows[after.id].values()
        self.rows[after.id] = {(number,): row for number, row in enumerate(rows)}


class DropsWaitForNothing(Tables):
    """Takes the rows after TRUNCATE for those before it."""

    def apply_row(self, event: DecodedEvent) -> None:
        """Drop a row of a table that was emptied."""
        if TableId(event.schema, event.table) not in self._emptied():
            super().apply_row(event)

    def apply_ddl(self, event: DecodedEvent) -> None:
        """Remember what was emptied."""
        super().apply_ddl(event)
        if event.type == ActionType.TRUNCATE_TABLE:
            self._emptied().add(TableId(event.schema, event.table))

    def _emptied(self) -> set[TableId]:
        if not hasattr(self, "_set"):
            self._set: set[TableId] = set()
        return self._set


class NeverEmpties(Tables):
    """Passes over a TRUNCATE that stands among rows."""

    def empty(self, truncation: DecodedEvent) -> None:
        """Leave the rows where they are."""


class EmptiesAll(Tables):
    """Takes a TRUNCATE among rows for the newest that there is."""

    def empty(self, truncation: DecodedEvent) -> None:
        """Remove newer rows as well."""
        self.rows.pop(TableId(truncation.schema, truncation.table), None)


class OlderComeBack(Arrivals):
    """Takes rows that a TRUNCATE has removed, if they come behind it."""

    def is_gone(self, row: DecodedEvent) -> bool:
        """Take every row."""
        del row
        return False


_DDL = " ".join(sorted(name for name in CLAUSES if name.startswith("open.ddl.type.")))
_PARTITIONS = (
    "open.ddl.type.drop-table-partition open.ddl.type.truncate-table-partition"
    " open.ddl.type.exchange-table-partition"
)
_OPEN = ("open",)
_MARIADB = ("debezium-mysql",)
_ROWS = "missing-row extra-row wrong-value missing-column extra-column extra-table"

ROWS: tuple[Mutant, ...] = (
    Mutant(
        "add-column-is-null",
        "DDL",
        "It leaves a new column NULL in older rows, where its default is right.",
        "open.ddl.type.add-column",
        Parts(tables=NoFill),
        (sign("wrong-value", "is NULL"),),
        _OPEN,
        ("https://github.com/apache/hudi/issues/6496",),
    ),
    Mutant(
        "dropped-column-returns",
        "DDL",
        "It gives a column that is added again the values of the one that was dropped.",
        "open.ddl.type.drop-column",
        Parts(tables=KeepsByName),
        (sign("wrong-value unreadable-value"),),
        _OPEN,
        ("https://github.com/apache/hudi/pull/6358",),
    ),
    Mutant(
        "truncate-ignored",
        "DDL",
        "It keeps the rows of a table that is truncated.",
        "open.ddl.type.truncate-table",
        Parts(tables=RowsStay),
        (sign("extra-row"),),
        _OPEN,
    ),
    Mutant(
        "rows-lost-after-truncate",
        "DDL",
        "It drops the rows of a table that was once truncated.",
        "open.ddl.type.truncate-table",
        Parts(tables=DropsWaitForNothing),
        (sign("missing-row"),),
        _OPEN,
        (
            "https://github.com/pingcap/ticdc/issues/3443",
            "https://github.com/pingcap/tiflow/issues/12430",
        ),
    ),
    Mutant(
        "truncate-among-rows-ignored",
        "DDL",
        "It keeps the rows of a table whose TRUNCATE stands among them.",
        "debezium-mysql.truncate.event",
        Parts(tables=NeverEmpties),
        (sign("extra-row"),),
        _MARIADB,
    ),
    Mutant(
        "truncate-takes-newer-rows",
        "DDL",
        "It removes rows that are newer than a TRUNCATE and were read before it.",
        "debezium-mysql.truncate.unordered",
        Parts(tables=EmptiesAll),
        (sign("missing-row"),),
        _MARIADB,
    ),
    Mutant(
        "truncated-rows-return",
        "DDL",
        "It takes rows that are older than a TRUNCATE and are read behind it.",
        "debezium-mysql.truncate.unordered debezium-mysql.truncate.event",
        Parts(arrivals=OlderComeBack),
        (sign("extra-row event-unexpected"),),
        _MARIADB,
    ),
    Mutant(
        "drop-ignored",
        "DDL",
        "It leaves the rows of a dropped table to the next one of its name.",
        "open.ddl.type.drop-table",
        Parts(tables=DroppedStay),
        (sign(_ROWS),),
        _OPEN,
    ),
    Mutant(
        "partition-rows-stay",
        "DDL",
        "It keeps the rows of a partition that is truncated, dropped or exchanged.",
        _PARTITIONS,
        Parts(tables=PartitionRowsStay),
        (sign("extra-row missing-row wrong-value stale-row"),),
        _OPEN,
    ),
    Mutant(
        "partition-empties-table",
        "DDL",
        "It empties the whole table where one of its partitions is truncated or dropped.",
        "open.ddl.type.drop-table-partition open.ddl.type.truncate-table-partition",
        Parts(tables=PartitionEmptiesTable),
        (sign("missing-row"),),
        _OPEN,
    ),
    Mutant(
        "exchange-one-way",
        "DDL",
        "It loses the rows of the table that is exchanged with a partition.",
        "open.ddl.type.exchange-table-partition",
        Parts(tables=ExchangesOneWay),
        (sign("missing-row"),),
        _OPEN,
    ),
    Mutant(
        "rename-by-new-name",
        "DDL",
        "It looks for the rows of a renamed table under the new name and finds none.",
        "open.ddl.type.rename-table",
        Parts(tables=RenameStartsEmpty),
        (sign("missing-row"),),
        _OPEN,
        (
            "https://github.com/pingcap/tiflow/pull/6446",
            "https://github.com/pingcap/tiflow/issues/11946",
        ),
    ),
    Mutant(
        "rename-ignored",
        "DDL",
        "It passes over RENAME, and the new name begins with the next row.",
        "open.ddl.type.rename-table",
        Parts(tables=NewNameOnly),
        (sign(f"{_ROWS} ddl-missing"), sign("consumer", "exists")),
        _OPEN,
        ("https://github.com/pingcap/tiflow/issues/3607",),
    ),
    Mutant(
        "ddl-ignored",
        "DDL",
        "It creates tables and passes over every other statement.",
        _DDL,
        Parts(tables=NoDdl),
        (sign(_ROWS),),
        _OPEN,
    ),
    Mutant(
        "harmless-ddl-fails",
        "DDL",
        "It fails at a statement that changes neither columns nor rows, as a table's comment.",
        "open.ddl.type.modify-table-comment open.ddl.type.modify-table-charset-and-collate",
        Parts(tables=UnknownFails),
        (sign("consumer", "unknown DDL type"),),
        _OPEN,
        ("https://github.com/pingcap/ticdc/issues/6165",),
    ),
    Mutant(
        "rows-lose-their-key",
        "DDL",
        "It no longer finds the rows of a table by their keys once the table was altered.",
        "open.column.handle",
        Parts(tables=LosesNewKey),
        (sign("duplicate-row extra-row stale-row"),),
        _OPEN,
    ),
)
