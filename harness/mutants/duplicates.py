"""What comes more than once: copies, replays, and rows that only look like copies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping

from harness.ddl import Catalogue
from harness.model.decoded import DecodedEvent, EventKind
from harness.model.table import TableId
from harness.model.values import Value
from harness.mutants.delivery import Message
from harness.mutants.mutant import ALL, Mutant, sign
from harness.mutants.parts import Events, GivesUp, Known, Parts, row_key
from harness.reference_consumer.hold import Hold
from harness.reference_consumer.tables import NamedRow, Tables

_ROWS = frozenset({EventKind.INSERT, EventKind.UPDATE, EventKind.UPSERT, EventKind.DELETE})


class ByTsOnly(Events):
    """Takes rows of one table and time for copies of one another."""

    def __init__(self, known: Known) -> None:
        """Start with nothing seen."""
        del known
        self._seen: set[Hashable] = set()

    def read(self, event: DecodedEvent, message: Message) -> Iterable[DecodedEvent]:
        """Drop what has the time of another row of its table."""
        del message
        if event.kind not in _ROWS or not event.commit_ts:
            return (event,)
        name = (event.schema, event.table, event.commit_ts)
        if name in self._seen:
            return ()
        self._seen.add(name)
        return (event,)


class ByKeyOnly(ByTsOnly):
    """Takes every further event of a key for a copy of the first."""

    def read(self, event: DecodedEvent, message: Message) -> Iterable[DecodedEvent]:
        """Drop what has the key of an earlier event."""
        del message
        if event.kind not in _ROWS:
            return (event,)
        name = row_key(event)
        if name in self._seen:
            return ()
        self._seen.add(name)
        return (event,)


class ByContent(ByTsOnly):
    """Takes a row that returns to what it was for a copy."""

    def read(self, event: DecodedEvent, message: Message) -> Iterable[DecodedEvent]:
        """Drop an event that leaves its key as an earlier one did."""
        del message
        if event.kind not in _ROWS:
            return (event,)
        after = None if event.after is None else tuple(sorted(map(str, event.after.items())))
        name = (row_key(event), after)
        if name in self._seen:
            return ()
        self._seen.add(name)
        return (event,)


class TransactionOnce(ByTsOnly):
    """Takes a transaction that begins again for a defect of the connector."""

    def read(self, event: DecodedEvent, message: Message) -> Iterable[DecodedEvent]:
        """Give up at a second BEGIN of a transaction."""
        del message
        name = "" if event.place is None else event.place.transaction_id
        if event.kind is EventKind.BEGIN:
            if name in self._seen:
                raise GivesUp(f"transaction {name} has begun before")
            self._seen.add(name)
        return (event,)

    def restart(self) -> None:
        """Read on as if nothing had been read."""
        self._seen.clear()


class OneRepetition(TransactionOnce):
    """Expects one transaction to begin again, and no other behind it."""

    def __init__(self, known: Known) -> None:
        """Start with nothing seen."""
        super().__init__(known)
        self._again = 0

    def read(self, event: DecodedEvent, message: Message) -> Iterable[DecodedEvent]:
        """Give up at the second BEGIN that comes again."""
        try:
            return super().read(event, message)
        except GivesUp:
            self._again += 1
            if self._again > 1:
                raise
            return (event,)

    def restart(self) -> None:
        """Read on as if nothing had been read."""
        super().restart()
        self._again = 0


class NoMemory(Hold):
    """Takes every copy of a row for news."""

    def is_known(self, event: DecodedEvent) -> bool:
        """Know DDL alone."""
        return event.kind is EventKind.DDL and super().is_known(event)


class DdlEachTime(Hold):
    """Knows copies of rows, not those of DDL."""

    def is_known(self, event: DecodedEvent) -> bool:
        """Know rows alone."""
        return event.kind is not EventKind.DDL and super().is_known(event)


class DdlPerPartition(Hold):
    """Runs a broadcast DDL once for every partition that carries it."""

    _copies = 0

    def identity_of(self, event: DecodedEvent) -> Hashable:
        """Return another identity for each copy of a DDL."""
        if event.kind is not EventKind.DDL:
            return super().identity_of(event)
        self._copies += 1
        return (super().identity_of(event), self._copies)


class OneDdlATime(Hold):
    """Takes two DDL statements of one timestamp for one."""

    def identity_of(self, event: DecodedEvent) -> Hashable:
        """Return a DDL's timestamp for the whole of it."""
        return event.commit_ts if event.kind is EventKind.DDL else super().identity_of(event)


class KeylessOnce(Hold):
    """Tells rows without a key apart by their values only."""

    def identity_of(self, event: DecodedEvent) -> Hashable:
        """Return table and values for a row without a key."""
        if event.kind is EventKind.DDL or event.handle:
            return super().identity_of(event)
        image = event.before if event.kind is EventKind.DELETE else event.after
        return (event.commit_ts, event.table, event.kind, str(image))


_Counted = tuple[tuple[str, Value], ...]


def _counted(row: Mapping[str, Value]) -> _Counted:
    return tuple(sorted(row.items()))


class Retractions(Tables):
    """Keeps how often each row is there: an update takes the old row away and adds the new one."""

    def __init__(self, catalogue: Catalogue) -> None:
        """Start with nothing counted."""
        super().__init__(catalogue)
        self._counts: dict[TableId, Counter[_Counted]] = {}

    def apply_row(self, event: DecodedEvent) -> None:
        """Count down what was, count up what is; anew where the row has other columns."""
        table = TableId(event.schema, event.table)
        counts = self._counts.setdefault(table, self._right(table))
        old = self._old(table, event)
        super().apply_row(event)
        if event.after is not None and any(set(dict(row)) != set(event.after) for row in counts):
            self._counts[table] = self._right(table)
            return
        if old is not None:
            counts[_counted(old)] -= 1
        if event.after is not None:
            counts[_counted(event.after)] += 1

    def apply_ddl(self, event: DecodedEvent) -> None:
        """Run the statement, and count what it leaves."""
        super().apply_ddl(event)
        self._counts.clear()

    def _old(self, table: TableId, event: DecodedEvent) -> Mapping[str, Value] | None:
        """Return the old row; where the message has not the whole of it, the one that is there."""
        old = event.before
        if event.kind is EventKind.INSERT or (old is not None and event.after is None):
            return old
        if event.handle and (old is None or set(old) != set(event.after or old)):
            image = {**(event.after or event.key or {}), **(old or {})}
            return self.rows.get(table, {}).get(self.key_of(event.handle, image))
        return old

    def _right(self, table: TableId) -> Counter[_Counted]:
        return Counter(map(_counted, super().all().get(table, ())))

    def all(self) -> Mapping[TableId, list[NamedRow]]:
        """Return the rows that are there, as often as they were counted."""
        found = dict(super().all())
        for table, counts in self._counts.items():
            if table in found:
                shown = [row for row, n in counts.items() for _ in range(max(n, 0))]
                found[table] = [dict(row) for row in shown]
        return found


class RefusesSecondInsert(Tables):
    """Lets an INSERT fail where the key is there already, as a database does."""

    def apply_row(self, event: DecodedEvent) -> None:
        """Give up at an insert of a key that is there."""
        if self.is_there(event):
            raise GivesUp(f"duplicate entry for the key of {event.schema}.{event.table}")
        super().apply_row(event)

    def is_there(self, event: DecodedEvent) -> bool:
        """Return whether an event is an insert of a key that is there."""
        rows = self.rows.get(TableId(event.schema, event.table), {})
        return (
            event.kind is EventKind.INSERT
            and bool(event.handle)
            and self.key_of(event.handle, event.after or {}) in rows
        )


class IgnoresSecondInsert(RefusesSecondInsert):
    """Writes by INSERT IGNORE: a key that is there keeps its row."""

    def apply_row(self, event: DecodedEvent) -> None:
        """Pass over an insert of a key that is there."""
        if not self.is_there(event):
            Tables.apply_row(self, event)


class Appends(Tables):
    """Writes every put as a row of its own, as a sink without keys does."""

    def apply_row(self, event: DecodedEvent) -> None:
        """Append what is put; a delete takes all rows of its key away."""
        table = TableId(event.schema, event.table)
        if event.after is not None and event.handle:
            key = self.key_of(event.handle, event.after)
            old = self.rows.get(table, {}).get(key)
            if old is not None and event.before is None:
                self.loose.setdefault(table, []).append(old)
        super().apply_row(event)


# What a repetition is, and that nothing else is one.
REPETITION = {
    "open": "open.delivery.at-least-once",
    "avro": "avro.delivery.at-least-once",
    "vitess": "vitess.delivery.idempotent",
    "debezium-mysql": "debezium-mysql.delivery.idempotent",
}
# All rows of a transaction have one ts.
_ONE_TRANSACTION = {
    "open": "open.key.ts",
    "avro": "avro.extension.commit-ts",
    "vitess": "vitess.source.ts-commit",
    "debezium-mysql": "debezium-mysql.source.ts",
}
_REPEATED = "duplicate-row ddl-repeated event-unexpected"
_OPEN = ("open",)
_LOST = (sign("event-missing missing-row stale-row extra-row"),)

ROWS: tuple[Mutant, ...] = (
    Mutant(
        "dedupe-by-ts-only",
        "duplicates",
        "It takes two rows of one table and timestamp for copies of one.",
        _ONE_TRANSACTION,
        Parts(events=ByTsOnly),
        _LOST,
        ALL,
        ("https://github.com/MaterializeInc/materialize/issues/7557",),
    ),
    Mutant(
        "dedupe-by-key-only",
        "duplicates",
        "It takes every further event of a key for a copy of the first.",
        REPETITION,
        Parts(events=ByKeyOnly),
        _LOST,
    ),
    Mutant(
        "dedupe-by-content",
        "duplicates",
        "It takes a row that returns to what it was for a copy of that time.",
        REPETITION,
        Parts(events=ByContent),
        _LOST,
        ALL,
        ("https://github.com/MaterializeInc/materialize/issues/13309",),
    ),
    Mutant(
        "append-on-replay",
        "duplicates",
        "It appends again what is sent again.",
        "open.delivery.at-least-once",
        Parts(hold=NoMemory),
        (sign(_REPEATED),),
        _OPEN,
        (
            "https://github.com/apache/paimon/issues/9666",
            "https://github.com/apache/hudi/pull/6098",
        ),
    ),
    Mutant(
        "keyless-copies-by-value",
        "duplicates",
        "It takes two equal rows of a table without a key for one row that came twice.",
        "open.key.row-id",
        Parts(hold=KeylessOnce),
        (sign("missing-row"),),
        _OPEN,
        ("https://github.com/pingcap/tiflow/issues/9420",),
    ),
    Mutant(
        "ddl-replayed",
        "duplicates",
        "It runs a DDL again when the producer sends it again.",
        "open.ddl.once",
        Parts(hold=DdlEachTime),
        (sign("ddl-repeated"), sign("consumer", "exists|Duplicate|duplicate|already")),
        _OPEN,
        ("https://github.com/pingcap/tiflow/issues/12595",),
    ),
    Mutant(
        "ddl-per-partition",
        "duplicates",
        "It runs a DDL once for every partition that carries it.",
        "open.ddl.once",
        Parts(hold=DdlPerPartition),
        (sign("ddl-repeated"), sign("consumer", "exists|Duplicate|duplicate|already")),
        _OPEN,
        ("https://github.com/pingcap/tiflow/issues/12595",),
    ),
    Mutant(
        "one-ddl-a-timestamp",
        "duplicates",
        "It runs the first of several DDL statements of one timestamp.",
        "open.ddl.equal-ts",
        Parts(hold=OneDdlATime),
        (sign("ddl-missing"),),
        _OPEN,
        ("https://github.com/pingcap/tiflow/pull/4814",),
    ),
    Mutant(
        "retract-by-before",
        "duplicates",
        "It counts rows: each copy of an update takes the old row away and adds the new one.",
        REPETITION,
        Parts(hold=NoMemory, tables=Retractions),
        (sign("duplicate-row extra-row missing-row"),),
        ("open", "vitess", "debezium-mysql"),
        ("https://github.com/MaterializeInc/materialize/issues/3026",),
    ),
    Mutant(
        "second-insert-fails",
        "duplicates",
        "It lets an insert fail where the key is there already.",
        REPETITION,
        Parts(hold=NoMemory, tables=RefusesSecondInsert),
        (sign("consumer", "duplicate entry for the key"),),
        ALL,
        ("https://github.com/apache/flink/pull/14160",),
    ),
    Mutant(
        "second-insert-ignored",
        "duplicates",
        "It keeps the row of a key where an insert of that key comes again.",
        "debezium-mysql.row.create",
        Parts(tables=IgnoresSecondInsert),
        (sign("stale-row wrong-value"),),
        ("debezium-mysql",),
    ),
    Mutant(
        "second-transaction-fails",
        "duplicates",
        "It gives up where a transaction begins again.",
        "vitess.delivery.duplicates-expected",
        Parts(events=TransactionOnce),
        (sign("consumer", "has begun before"),),
        ("vitess",),
    ),
    Mutant(
        "second-repetition-fails",
        "duplicates",
        "It gives up where a second transaction begins again.",
        "vitess.delivery.duplicates-expected",
        Parts(events=OneRepetition),
        (sign("consumer", "has begun before"),),
        ("vitess",),
    ),
    Mutant(
        "upsert-appends",
        "duplicates",
        "It writes a put without an old row as a further row, although the key is there.",
        {
            "open": "open.row.upsert",
            "avro": "avro.consumer.value-is-upsert",
            "vitess": "vitess.delivery.idempotent",
            "debezium-mysql": "debezium-mysql.delivery.idempotent",
        },
        Parts(tables=Appends),
        (sign("duplicate-row extra-row"),),
        ALL,
        ("https://github.com/delta-io/delta-rs/issues/2407",),
    ),
)
