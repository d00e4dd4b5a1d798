"""What makes two rows one: the columns of a key, and when two keys are equal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from harness.model.decoded import DecodedEvent
from harness.model.values import Value
from harness.mutants.delivery import Message
from harness.mutants.mutant import ALL, Mutant, Sign, sign
from harness.mutants.parts import Events, Known, Parts
from harness.reference_consumer.tables import Key, Tables


class OtherKeys(Tables):
    """Finds rows by what `other` makes of each value of their key."""

    @staticmethod
    def other(value: Value) -> Value:
        """Return a value as keys have it."""
        return value

    def key_of(self, handle: Iterable[str], row: Mapping[str, Value]) -> Key:
        """Return the key with every value changed."""
        return tuple(self.other(value) for value in super().key_of(handle, row))


class DoubleKeys(OtherKeys):
    """Keeps keys as floating-point numbers."""

    @staticmethod
    def other(value: Value) -> Value:
        """Return a number as a 64-bit floating-point one."""
        return float(value) if isinstance(value, int) else value


class FoldedKeys(OtherKeys):
    """Treats upper and lower case in keys as equal."""

    @staticmethod
    def other(value: Value) -> Value:
        """Return a text in lower case."""
        return value.casefold() if isinstance(value, str) else value


class TrimmedKeys(OtherKeys):
    """Strips blanks from keys."""

    @staticmethod
    def other(value: Value) -> Value:
        """Return a text without blanks around it."""
        return value.strip(" ") if isinstance(value, str) else value


class ShortKeys(OtherKeys):
    """Keeps eight characters of a text, as an index prefix does."""

    @staticmethod
    def other(value: Value) -> Value:
        """Return the first eight characters, or bytes."""
        return value[:8] if isinstance(value, str | bytes) else value


class NarrowKeys(OtherKeys):
    """Hashes a number to 32 bits and takes the hash for the key."""

    @staticmethod
    def other(value: Value) -> Value:
        """Return the lower 32 bits of a number."""
        return value % 2**32 if isinstance(value, int) else value


class AsciiKeys(OtherKeys):
    """Keeps keys in ASCII."""

    @staticmethod
    def other(value: Value) -> Value:
        """Return a text with a question mark for every other letter."""
        return value.encode("ascii", "replace") if isinstance(value, str) else value


class FirstColumn(Tables):
    """Takes the first column of a key for the whole of it."""

    def key_of(self, handle: Iterable[str], row: Mapping[str, Value]) -> Key:
        """Return the first value alone."""
        return super().key_of(sorted(handle)[:1], row)


class JoinedKeys(Tables):
    """Joins the texts of a key's columns by a comma."""

    def key_of(self, handle: Iterable[str], row: Mapping[str, Value]) -> Key:
        """Return one text."""
        return (",".join(str(value) for value in super().key_of(handle, row)),)


class NoTables(Events):
    """Knows tables by their names alone, whatever their database."""

    def __init__(self, known: Known) -> None:
        """Start with no database."""
        self._schemas: dict[str, str] = {}
        del known

    def read(self, event: DecodedEvent, message: Message) -> Iterable[DecodedEvent]:
        """Put a row into the first table of its name."""
        del message
        if not event.table or event.query:
            return (event,)
        schema = self._schemas.setdefault(event.table, event.schema)
        return (replace(event, schema=schema),)


class LowerCase(NoTables):
    """Writes names of tables in lower case."""

    def read(self, event: DecodedEvent, message: Message) -> Iterable[DecodedEvent]:
        """Put a row into the table of the folded name."""
        del message
        return (event,) if event.query else (replace(event, table=event.table.lower()),)


class RowsAreValues(Tables):
    """Keeps equal rows of a table without a key once."""

    def apply_row(self, event: DecodedEvent) -> None:
        """Add a row unless an equal one is there."""
        super().apply_row(event)
        if not event.handle:
            for table, rows in self.loose.items():
                kept: list[dict[str, Value]] = []
                for row in rows:
                    if row not in kept:
                        kept.append(row)
                self.loose[table] = kept


def _mutant(name: str, difference: str, tables: type[Tables], *seen: str) -> Mutant:
    return Mutant(name, "keys", difference, _HANDLE, Parts(tables=tables), _MERGED, ALL, seen)


# The columns that identify a row, each with its whole value.
_HANDLE = {
    "open": "open.column.handle",
    "avro": "avro.key.columns",
    "vitess": "vitess.key.primary-key",
    "debezium-mysql": "debezium-mysql.key.primary-key",
}
_MERGED: tuple[Sign, ...] = (sign("missing-row"),)
_TABLES = (sign("extra-table missing-row extra-row wrong-value missing-column duplicate-row"),)

ROWS: tuple[Mutant, ...] = (
    _mutant(
        "key-through-double",
        "It keeps keys as floating-point numbers, so that neighbours above 2^53 are one row.",
        DoubleKeys,
        "https://github.com/pingcap/tiflow/issues/12064",
    ),
    _mutant(
        "key-in-32-bits",
        "It keeps the lower 32 bits of a key.",
        NarrowKeys,
    ),
    _mutant(
        "key-folds-case",
        "It treats upper and lower case in keys as equal.",
        FoldedKeys,
        "https://github.com/pingcap/tiflow/issues/4582",
    ),
    _mutant(
        "key-trims-blanks",
        "It strips blanks from keys.",
        TrimmedKeys,
    ),
    _mutant(
        "key-cut-short",
        "It compares the first eight characters of a key.",
        ShortKeys,
    ),
    _mutant(
        "key-in-ascii",
        "It keeps keys in ASCII, so that all letters beyond it are alike.",
        AsciiKeys,
        "https://github.com/dailydotdev/daily-gateway/pull/361",
    ),
    _mutant(
        "key-of-one-column",
        "It takes the first column of a key for the whole of it.",
        FirstColumn,
        "https://github.com/apache/paimon/pull/9465",
    ),
    _mutant(
        "key-joined-by-comma",
        "It joins the columns of a key by a comma, which a value may hold too.",
        JoinedKeys,
    ),
    Mutant(
        "keyless-is-a-set",
        "keys",
        "It keeps equal rows of a table without a key once.",
        "open.key.row-id",
        Parts(tables=RowsAreValues),
        _MERGED,
        ("open",),
        ("https://github.com/pingcap/tiflow/issues/9420",),
    ),
    Mutant(
        "tables-without-database",
        "keys",
        "It knows tables by their names alone, so that those of two databases are one.",
        {
            "open": "open.key.row",
            "avro": "avro.schema.namespace",
            "debezium-mysql": "debezium-mysql.source.place",
        },
        Parts(events=NoTables),
        _TABLES,
        ("open", "avro", "debezium-mysql"),
    ),
    Mutant(
        "table-names-folded",
        "keys",
        "It writes the names of tables in lower case.",
        {
            "open": "open.key.row",
            "avro": "avro.key.record",
            "vitess": "vitess.source.place",
            "debezium-mysql": "debezium-mysql.source.place",
        },
        Parts(events=LowerCase),
        _TABLES,
        ALL,
        ("https://github.com/pingcap/ticdc/issues/2189",),
    ),
)
