"""Vendor input for tests of TiCDC Avro: tables with a key and one column, and events on them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product

from harness.codecs.avro.codec import BoundAvro, bind
from harness.codecs.avro.names import sanitised
from harness.ddl import Catalogue
from harness.model.change import Op
from harness.model.columns import Column, ColumnKind
from harness.model.decoded import DecodedEvent
from harness.model.record import Origin
from harness.model.source_events import RowEvent, SourceEvent, SourceTable
from harness.model.values import Row, Value
from harness.sources.tidb.mounter import source_table
from tests.source_tables import shop_table

TS = 415508856908021766
ID = Column(1, "id", ColumnKind.BIGINT, nullable=False)
EXTENSION = {"enable-tidb-extension": True}
STRINGS = {
    "avro-decimal-handling-mode": "string",
    "avro-bigint-unsigned-handling-mode": "string",
}
CHECKSUM = {**EXTENSION, **STRINGS, "integrity.integrity-check-level": "correctness"}


def every_setting() -> Iterator[tuple[Mapping[str, object], str]]:
    """Yield every combination of what changes a row's bytes, with each dialect."""
    for extension, decimal, bigint in product(
        [False, True], ["precise", "string"], ["long", "string"]
    ):
        values = {
            "enable-tidb-extension": extension,
            "avro-decimal-handling-mode": decimal,
            "avro-bigint-unsigned-handling-mode": bigint,
        }
        yield values, "current"
        yield values, "6"
    yield CHECKSUM, "current"


def created(sql: str, *more: str) -> SourceTable:
    """Return the table `shop.t` after these statements."""
    catalogue = Catalogue.with_schemas("shop")
    for statement in (sql, *more):
        catalogue = catalogue.apply(statement, "shop").catalogue
    found = catalogue.find("shop", "t")
    assert found is not None
    return source_table(found)


def with_column(column: Column) -> SourceTable:
    """Return a table of a key and this column."""
    return shop_table(ID, column)


def event(op: Op, table: SourceTable, before: Row | None, after: Row | None) -> RowEvent:
    """Return a row event; images that the operation does not have are left out."""
    return RowEvent(
        op=op,
        table=table,
        before=None if op is Op.INSERT else before,
        after=None if op is Op.DELETE else after,
        commit_ts=TS,
        topic="shop.t",
        partition=0,
        origin=Origin(1, 0, 0, op.value),
    )


def insert(table: SourceTable, *values: Value) -> RowEvent:
    """Return an insert of a row."""
    return event(Op.INSERT, table, None, values)


def named(table: SourceTable, row: Row | None) -> Mapping[str, Value] | None:
    """Return a row by the names of the wire."""
    if row is None:
        return None
    return {sanitised(table.table.columns[n].name): row[n] for n in table.emitted}


def only(wire: BoundAvro, given: SourceEvent) -> DecodedEvent:
    """Return the one event that is decoded from the one record of an event."""
    (record,) = wire.encode([given])
    assert record.origins == (given.origin,)
    (decoded,) = wire.decode(record.key, record.value)
    return decoded


def sent(row: RowEvent, values: Mapping[str, object]) -> tuple[BoundAvro, bytes, bytes]:
    """Return a wire that knows a row's schemas, and the row's key and value."""
    wire = bind(values, "current")
    (record,) = wire.encode([row])
    assert record.key is not None
    assert record.value is not None
    return wire, record.key, record.value
