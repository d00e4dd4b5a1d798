"""Dispatchers: the hashes of tables and of values, by which rows go to partitions."""

from __future__ import annotations

from collections.abc import Callable
from operator import add, xor
from typing import Any, Final
from zlib import adler32, crc32

from harness.model.source_events import SourceTable
from harness.model.table import TableId
from harness.model.values import Row
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.patch import Patch, patch
from harness.sources.key_text import value_text

PLACING: Final = "harness.sources.tidb.dispatch:Placing"


def numbered(change: Callable[[Any, Row, int, int], int]) -> Patch:
    """Return the patch that changes the number that is taken modulo the partitions."""

    def changed(original: Callable[..., int]) -> Callable[..., int]:
        return lambda placing, row, ts: change(placing, row, ts, original(placing, row, ts))

    return patch(f"{PLACING}._number", changed)


def _combined(of: Callable[[bytes, int], int], join: Callable[[int, int], int]) -> Patch:
    """Return the patch that hashes each column, or takes the hashes together, in another way."""

    def number(placing: Any, row: Row, _: int, found: int) -> int:  # noqa: ANN401
        if not placing._hashed:  # noqa: SLF001
            return found
        digest: int = placing._digest  # noqa: SLF001
        for name, ordinal, kind in placing._columns:  # noqa: SLF001
            digest = join(digest, of(value_text(kind, row[ordinal]), name))
        return digest

    return numbered(number)


def _without_table(placing: Any, _: Row, __: int, found: int) -> int:  # noqa: ANN401
    return found ^ placing._digest if placing._hashed else found  # noqa: SLF001


def _digest(of: Callable[[TableId], int]) -> Patch:
    """Return the patch that hashes a table otherwise."""

    def changed(original: Callable[..., None]) -> Callable[..., None]:
        def made(placing: Any, rule: object, table: SourceTable, *, newer: bool) -> None:  # noqa: ANN401
            original(placing, rule, table, newer=newer)
            placing._digest = of(table.table.id)  # noqa: SLF001

        return made

    return patch(f"{PLACING}.__init__", changed)


def _null_skipped(*, skipped: bool) -> Patch:
    """Return the patch by which NULL has a part in the hash of values, or none."""

    def changed(original: Callable[..., None]) -> Callable[..., None]:
        def made(placing: Any, *given: object, **named: object) -> None:  # noqa: ANN401
            original(placing, *given, **named)
            placing._skips_null = skipped  # noqa: SLF001

        return made

    return patch(f"{PLACING}.__init__", changed)


ROWS: Final[tuple[WrongProducer, ...]] = (
    WrongProducer(
        "feed-table-hash-with-a-dot",
        "changefeed.partition.table-hash",
        "It hashes `schema.table` for `schematable`.",
        _digest(lambda table: crc32(str(table).encode())),
    ),
    WrongProducer(
        "feed-table-hash-without-the-schema",
        "changefeed.partition.table-hash",
        "It hashes the table's name alone.",
        _digest(lambda table: crc32(table.name.encode())),
    ),
    WrongProducer(
        "feed-table-hash-by-adler",
        "changefeed.partition.table-hash",
        "It hashes a table by Adler-32.",
        _digest(lambda table: adler32((table.schema + table.name).encode())),
    ),
    WrongProducer(
        "feed-table-hash-by-its-upper-bits",
        "changefeed.partition.table-hash",
        "It takes the upper half of the hash modulo the number of partitions.",
        _digest(lambda table: crc32((table.schema + table.name).encode()) >> 16),
    ),
    WrongProducer(
        "feed-value-hash-by-adler",
        "changefeed.partition.value-hash",
        "It hashes the columns' names and texts by Adler-32.",
        _combined(adler32, xor),
    ),
    WrongProducer(
        "feed-value-hashes-added",
        "changefeed.partition.value-hash",
        "It adds the hashes of columns.",
        _combined(crc32, add),
    ),
    WrongProducer(
        "feed-value-hash-without-names",
        "changefeed.partition.value-hash",
        "It hashes values without the names of their columns.",
        _combined(lambda text, _: crc32(text), xor),
    ),
    WrongProducer(
        "feed-value-hash-without-the-table",
        "changefeed.partition.value-hash",
        "It leaves the table out of the hash of values.",
        numbered(_without_table),
    ),
    WrongProducer(
        "feed-null-has-no-hash",
        "changefeed.partition.value-hash",
        "It leaves a column that is NULL out of the hash of values.",
        _null_skipped(skipped=True),
    ),
    WrongProducer(
        "feed-null-is-hashed-anew",
        "changefeed.partition.null-anew",
        "It hashes `null` for a column that is NULL in the newer architecture too.",
        _null_skipped(skipped=False),
    ),
)
