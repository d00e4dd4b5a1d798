"""Column flags: each bit left out, and each bit set where it does not belong."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial

from harness.ddl.tidb import ColumnFlag, is_emitted
from harness.model.columns import CHARACTERS, INTEGERS, ColumnKind
from harness.model.table import Index, Table
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.patch import Patch, adjusted, constant, result

HANDLE = "harness.ddl.tidb:handle"
FLAGS = "harness.ddl.tidb:column_flags"
CLAUSES = {
    ColumnFlag.BINARY: "open.flag.binary",
    ColumnFlag.HANDLE_KEY: "open.flag.handle-key",
    ColumnFlag.GENERATED: "open.flag.generated-column",
    ColumnFlag.PRIMARY_KEY: "open.flag.primary-key",
    ColumnFlag.UNIQUE_KEY: "open.flag.unique-key",
    ColumnFlag.MULTIPLE_KEY: "open.flag.multiple-key",
    ColumnFlag.NULLABLE: "open.flag.nullable",
    ColumnFlag.UNSIGNED: "open.flag.unsigned",
}
BLOBS = {
    ColumnKind.TINYBLOB,
    ColumnKind.BLOB,
    ColumnKind.MEDIUMBLOB,
    ColumnKind.LONGBLOB,
}
BYTES = BLOBS | {ColumnKind.BINARY, ColumnKind.VARBINARY}
NUMBERS = INTEGERS | {ColumnKind.FLOAT, ColumnKind.DOUBLE, ColumnKind.DECIMAL}
DATES = {ColumnKind.DATE, ColumnKind.TIME, ColumnKind.DATETIME, ColumnKind.TIMESTAMP}
TEXTS = {ColumnKind.TINYTEXT, ColumnKind.TEXT, ColumnKind.MEDIUMTEXT, ColumnKind.LONGTEXT}


Flags = tuple[int, ...]


def _cleared(flag: int, flags: Flags) -> Flags:
    return tuple(each & ~flag for each in flags)


def _set(flag: int, flags: Flags) -> Flags:
    return tuple(each | flag for each in flags)


def _lowered(sample: int, by: int, flags: Flags) -> Flags:
    return tuple(each - by if each == sample else each for each in flags)


def _bits() -> tuple[WrongProducer, ...]:
    return tuple(
        row
        for flag, clause in CLAUSES.items()
        for name in [clause.removeprefix("open.flag.")]
        for row in (
            WrongProducer(
                f"open-flag-{name}-left-out",
                clause,
                f"It never sets the bit {flag:#04x}.",
                result(FLAGS, partial(_cleared, flag)),
                also="open.handle.valid-index" if flag is ColumnFlag.HANDLE_KEY else "",
            ),
            WrongProducer(
                f"open-flag-{name}-everywhere",
                clause,
                f"It sets the bit {flag:#04x} on every column.",
                result(FLAGS, partial(_set, flag)),
            ),
        )
    )


def _blobs_and_texts(flags: Flags, table: Table) -> Flags:
    """Return the flags with the binary one turned round on BLOB and TEXT."""
    return tuple(
        each ^ ColumnFlag.BINARY if column.kind in BLOBS | TEXTS else each
        for column, each in zip(table.columns, flags, strict=True)
    )


def _bytes_only(flags: Flags, table: Table) -> Flags:
    return tuple(
        each if column.kind in CHARACTERS | BYTES else each & ~ColumnFlag.BINARY
        for column, each in zip(table.columns, flags, strict=True)
    )


def _members_too(flags: Flags, table: Table) -> Flags:
    members = {ColumnKind.ENUM, ColumnKind.SET}
    return tuple(
        each | ColumnFlag.BINARY if column.kind in members else each
        for column, each in zip(table.columns, flags, strict=True)
    )


def _without(kinds: Collection[ColumnKind]) -> Patch:
    """Return the patch that leaves the binary flag out on columns of these kinds."""
    return adjusted(
        FLAGS,
        lambda flags, table: tuple(
            each & ~ColumnFlag.BINARY if column.kind in kinds else each
            for column, each in zip(table.columns, flags, strict=True)
        ),
    )


def _largest_only(flags: Flags) -> Flags:
    return tuple(1 << each.bit_length() - 1 if each else 0 for each in flags)


def _single(flags: Flags, table: Table) -> Flags:
    """Return the flags with the multiple-key flag on columns of composite indexes alone."""
    several = {name.lower() for i in table.indexes if len(i.parts) > 1 for name in i.columns}
    return tuple(
        each if column.name.lower() in several else each & ~ColumnFlag.MULTIPLE_KEY
        for column, each in zip(table.columns, flags, strict=True)
    )


def _made_for_foreign_keys(flags: Flags, table: Table) -> Flags:
    """Return the flags with the multiple-key flag for each index, whoever made it."""
    made = {name.lower() for index in table.indexes if not index.flags for name in index.columns}
    return tuple(
        each | ColumnFlag.MULTIPLE_KEY if column.name.lower() in made else each
        for column, each in zip(table.columns, flags, strict=True)
    )


def _not_null(flags: Flags, table: Table) -> Flags:
    return tuple(
        each & ~ColumnFlag.UNIQUE_KEY if column.nullable else each
        for column, each in zip(table.columns, flags, strict=True)
    )


def _signed_years(flags: Flags, table: Table) -> Flags:
    return tuple(
        each & ~ColumnFlag.UNSIGNED if column.kind is ColumnKind.YEAR else each
        for column, each in zip(table.columns, flags, strict=True)
    )


def _signed_bits(flags: Flags, table: Table) -> Flags:
    return tuple(
        each & ~ColumnFlag.UNSIGNED if column.kind is ColumnKind.BIT else each
        for column, each in zip(table.columns, flags, strict=True)
    )


def _of_first_columns(flag: int, counts: Callable[[Index], bool]) -> Patch:
    """Return the patch that leaves a key's flag out on all but the first column of an index."""

    def changed(flags: Flags, table: Table) -> Flags:
        first = {i.columns[0].lower() for i in table.indexes if counts(i) and i.columns}
        return tuple(
            each if column.name.lower() in first else each & ~flag
            for column, each in zip(table.columns, flags, strict=True)
        )

    return adjusted(FLAGS, changed)


def _first_of_the_handle(flags: Flags) -> Flags:
    """Return the flags with the handle's on the first column that has it alone."""
    found = [each & ColumnFlag.HANDLE_KEY for each in flags]
    first = found.index(ColumnFlag.HANDLE_KEY) if any(found) else len(flags)
    return tuple(
        each if number == first else each & ~ColumnFlag.HANDLE_KEY
        for number, each in enumerate(flags)
    )


def _signed_zerofill(flags: Flags, table: Table) -> Flags:
    return tuple(
        each & ~ColumnFlag.UNSIGNED if column.zerofill else each
        for column, each in zip(table.columns, flags, strict=True)
    )


def _largest(table: Table) -> Index | None:
    valid = [i for i in table.indexes if i.unique]
    return max(valid, key=lambda i: (len(i.parts), i.id), default=None)


def _every_valid(flags: Flags, table: Table) -> Flags:
    """Return the flags with that of the handle on the columns of each valid index."""
    valid = {
        name.lower()
        for i in table.indexes
        if i.unique and not any(table.column(name).nullable for name in i.columns)
        for name in i.columns
    }
    return tuple(
        each | ColumnFlag.HANDLE_KEY if column.name.lower() in valid else each
        for column, each in zip(table.columns, flags, strict=True)
    )


def _shortest(table: Table, *, nullable: bool = False, virtual: bool = False) -> Index | None:
    """Return the unique index of fewest columns, the primary key or not."""
    valid = [
        i
        for i in table.indexes
        for columns in [[table.column(name) for name in i.columns]]
        if i.unique
        and (nullable or not any(column.nullable for column in columns))
        and (virtual or all(is_emitted(column) for column in columns))
    ]
    return min(valid, key=lambda i: (len(i.parts), i.id), default=None)


def _newest(found: Index, table: Table) -> Index:
    """Return the newest of the unique indexes that are as short as the handle."""
    same = [i for i in table.indexes if i.unique and len(i.parts) == len(found.parts)]
    valid = [i for i in same if not any(table.column(name).nullable for name in i.columns)]
    return max(valid, key=lambda i: i.id, default=found)


def _otherwise(change: Callable[[Index, Table], Index | None]) -> Patch:
    """Return the patch that takes another handle, of a table that has one that is sent whole."""

    def changed(found: Index | None, table: Table) -> Index | None:
        sent = found is not None and all(is_emitted(table.column(n)) for n in found.columns)
        return change(found, table) if found is not None and sent else found

    return adjusted(HANDLE, changed)


ROWS: tuple[WrongProducer, ...] = (
    *_bits(),
    *(
        WrongProducer(
            f"open-flag-{name}-of-first-columns-only",
            CLAUSES[flag],
            f"It sets the bit {flag:#04x} on the first column of an index alone.",
            _of_first_columns(flag, counts),
        )
        for name, flag, counts in (
            ("primary-key", ColumnFlag.PRIMARY_KEY, lambda index: index.primary),
            ("unique-key", ColumnFlag.UNIQUE_KEY, lambda index: index.unique),
            ("multiple-key", ColumnFlag.MULTIPLE_KEY, lambda index: bool(index.parts)),
        )
    ),
    WrongProducer(
        "open-flag-binary-on-texts",
        "open.flag.binary.blob-and-text",
        "It sets the binary flag on TEXT and not on BLOB.",
        adjusted(FLAGS, _blobs_and_texts),
    ),
    WrongProducer(
        "open-flag-binary-on-blobs-only",
        "open.flag.binary.all-but-text",
        "It sets the binary flag on columns of bytes alone, not on numbers and dates.",
        adjusted(FLAGS, _bytes_only),
    ),
    WrongProducer(
        "open-flag-binary-not-on-numbers",
        "open.flag.binary.all-but-text",
        "It leaves the binary flag out on integers, FLOAT, DOUBLE and DECIMAL.",
        _without(NUMBERS),
    ),
    WrongProducer(
        "open-flag-binary-not-on-dates",
        "open.flag.binary.all-but-text",
        "It leaves the binary flag out on DATE, TIME, DATETIME and TIMESTAMP.",
        _without(DATES),
    ),
    WrongProducer(
        "open-flag-binary-not-on-json",
        "open.flag.binary.all-but-text",
        "It leaves the binary flag out on JSON.",
        _without({ColumnKind.JSON}),
    ),
    *(
        WrongProducer(
            f"open-flag-binary-not-on-{kind.value.lower()}",
            "open.flag.binary.all-but-text",
            f"It leaves the binary flag out on {kind.value.upper()}.",
            _without({kind}),
        )
        for kind in (ColumnKind.BIT, ColumnKind.YEAR, ColumnKind.VECTOR)
    ),
    WrongProducer(
        "open-flag-binary-on-members",
        "open.flag.binary.all-but-text",
        "It sets the binary flag on ENUM and SET as well.",
        adjusted(FLAGS, _members_too),
    ),
    WrongProducer(
        "open-flag-binary-not-on-binary-members",
        "open.flag.binary.all-but-text",
        "It leaves the binary flag out on ENUM and SET of CHARACTER SET binary.",
        _without({ColumnKind.ENUM, ColumnKind.SET}),
    ),
    WrongProducer(
        "open-flag-multiple-key-of-composites-only",
        "open.flag.multiple-key.single",
        "It sets the multiple-key flag for composite indexes alone.",
        adjusted(FLAGS, _single),
    ),
    WrongProducer(
        "open-flag-multiple-key-for-foreign-keys",
        "open.flag.multiple-key.single",
        "It sets the multiple-key flag for an index that TiDB made for a foreign key, too.",
        adjusted(FLAGS, _made_for_foreign_keys),
    ),
    WrongProducer(
        "open-flag-unique-key-of-not-null-only",
        "open.flag.unique-key.nullable",
        "It sets the unique-key flag on NOT NULL columns alone.",
        adjusted(FLAGS, _not_null),
    ),
    WrongProducer(
        "open-flag-unsigned-declared-only",
        "open.flag.unsigned.implied",
        "It sets the unsigned flag on columns alone that say UNSIGNED.",
        constant("harness.ddl.tidb:_ALWAYS_UNSIGNED", frozenset[ColumnKind]()),
    ),
    WrongProducer(
        "open-flag-year-signed",
        "open.flag.unsigned.implied",
        "It leaves the unsigned flag out on YEAR.",
        adjusted(FLAGS, _signed_years),
    ),
    WrongProducer(
        "open-flag-bit-signed",
        "open.flag.unsigned.implied",
        "It leaves the unsigned flag out on BIT.",
        adjusted(FLAGS, _signed_bits),
    ),
    WrongProducer(
        "open-flag-zerofill-signed",
        "open.flag.unsigned.implied",
        "It leaves the unsigned flag out on columns with ZEROFILL.",
        adjusted(FLAGS, _signed_zerofill),
    ),
    WrongProducer(
        "open-flag-the-largest-only",
        "open.flag.combine",
        "It writes the largest flag of a column alone.",
        result(FLAGS, _largest_only),
    ),
    WrongProducer(
        "open-flag-the-smallest-only",
        "open.column.flag",
        "It writes the smallest flag of a column alone.",
        result(FLAGS, lambda flags: tuple(each & -each for each in flags)),
        also="open.flag.combine",
    ),
    *(
        WrongProducer(
            f"open-flag-sample-{sample}-otherwise",
            f"open.flag.sample-{sample}",
            f"It leaves the bit {left_out:#04x} out where a column has the flag {sample}.",
            result(FLAGS, partial(_lowered, sample, left_out)),
        )
        for sample, left_out in ((85, ColumnFlag.NULLABLE), (46, ColumnFlag.PRIMARY_KEY))
    ),
    *(
        WrongProducer(
            f"open-flag-sample-{sample}-without-{1 << bit:#04x}",
            f"open.flag.sample-{sample}",
            f"It leaves the bit {1 << bit:#04x} out where a column has the flag {sample}.",
            result(FLAGS, partial(_lowered, sample, 1 << bit)),
        )
        for sample, bits in ((85, (0, 2, 4)), (46, (1, 2, 5)))
        for bit in bits
    ),
    WrongProducer(
        "open-flag-handle-key-of-first-columns-only",
        CLAUSES[ColumnFlag.HANDLE_KEY],
        "It sets the bit 0x02 on the first column of the handle alone.",
        result(FLAGS, _first_of_the_handle),
    ),
    WrongProducer(
        "open-handle-of-its-first-column",
        "open.handle.valid-index",
        "It marks the first column of the handle index alone.",
        result("harness.ddl.tidb:handle_columns", lambda columns: columns[:1]),
        also="open.column.handle",
    ),
    WrongProducer(
        "open-handle-of-every-valid-index",
        "open.handle.valid-index",
        "It marks the columns of each valid index as those of the handle.",
        adjusted(FLAGS, _every_valid),
    ),
    WrongProducer(
        "open-handle-of-most-columns",
        "open.handle.choice",
        "It takes the unique index of most columns for the handle.",
        _otherwise(lambda _, table: _largest(table)),
    ),
    WrongProducer(
        "open-handle-not-the-primary-key",
        "open.handle.choice",
        "It takes a unique index of fewer columns for the handle, whatever the primary key.",
        _otherwise(lambda _, table: _shortest(table)),
    ),
    WrongProducer(
        "open-handle-that-may-be-null",
        "open.handle.choice",
        "It takes a unique index over columns that may be NULL for the handle.",
        _otherwise(
            lambda found, table: found if found.primary else _shortest(table, nullable=True)
        ),
    ),
    WrongProducer(
        "open-handle-over-a-virtual-column",
        "open.handle.choice",
        "It takes a unique index over a virtual column for the handle.",
        adjusted(
            HANDLE,
            lambda found, table: (
                found if not found or found.primary else _shortest(table, virtual=True)
            ),
        ),
    ),
    WrongProducer(
        "open-handle-newest",
        "open.handle.choice",
        "It takes the newest of the shortest unique indexes for the handle.",
        _otherwise(lambda found, table: found if found.primary else _newest(found, table)),
    ),
)
