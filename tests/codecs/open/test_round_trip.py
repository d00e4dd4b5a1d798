"""What is encoded is what is decoded: every column kind, operation and dialect, any values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.codecs.open.codec import BoundOpen, bind
from harness.codecs.open.dialect import DIALECTS
from harness.model.change import Op
from harness.model.columns import ColumnKind
from harness.model.decoded import DecodedEvent, EventKind, settled
from harness.model.record import Origin
from harness.model.source_events import DdlEvent, ResolvedEvent, RowEvent, SourceTable
from harness.model.values import Row, Value
from tests.source_tables import rows, tables
from tests.strategies import EACH_KIND, NAMES, TEXT

TS = 415508856908021766
HANDLES = st.sampled_from([0, 1, -1, -(2**63), 2**63 - 1])


def row_event(op: Op, table: SourceTable, before: Row, after: Row) -> RowEvent:
    """Return a row event of an operation; images that the operation does not have are left out."""
    return RowEvent(
        op=op,
        table=table,
        before=None if op is Op.INSERT else before,
        after=None if op is Op.DELETE else after,
        commit_ts=TS,
        topic="ticdc",
        partition=0,
        origin=Origin(1, 0, 0, op.value),
    )


def named(table: SourceTable, row: Row | None) -> Mapping[str, Value] | None:
    """Return a row by column name."""
    names = (column.name for column in table.table.columns)
    return None if row is None else dict(zip(names, row, strict=True))


def settled_image(
    table: SourceTable, image: Mapping[str, Value] | None
) -> Mapping[str, Value] | None:
    """Return a decoded image as the table's columns have it."""
    if image is None:
        return None
    return {name: settled(table.table.column(name).kind, value) for name, value in image.items()}


def only(wire: BoundOpen, event: RowEvent | DdlEvent) -> DecodedEvent:
    """Return the one event that is decoded from the one record of an event."""
    (record,) = wire.encode([event])
    assert record.origins == (event.origin,)
    (decoded,) = wire.decode(record.key, record.value)
    return decoded


@pytest.mark.parametrize("kind", ColumnKind)
@EACH_KIND
@given(data=st.data())
def test_rows(kind: ColumnKind, data: st.DataObject) -> None:
    """A row event comes back with its names, values, handle key and timestamps."""
    table = data.draw(tables(kind))
    before, after = data.draw(rows(table)), data.draw(rows(table))
    for op, (name, dialect) in product(Op, DIALECTS.items()):
        event = replace(row_event(op, table, before, after), row_id=data.draw(HANDLES))
        decoded = only(bind({}, name), event)
        assert (decoded.schema, decoded.table) == (table.table.id.schema, table.table.id.name)
        assert decoded.commit_ts == TS
        assert decoded.row_id == ((event.row_id or None) if dialect.row_id else None)
        names = [column.name for column in table.table.columns]
        assert decoded.handle == (names[0],)
        codes = dict(zip(names, table.codes, strict=True))
        assert decoded.types == {name: codes[name] for name in decoded.types}
        assert settled_image(table, decoded.after) == named(table, event.after)
        if op is Op.UPDATE and not dialect.old_value:
            assert decoded.before is None
        elif op is Op.DELETE and dialect.delete_handle_only:
            assert decoded.before == {names[0]: before[0]}
        else:
            assert settled_image(table, decoded.before) == named(table, event.before)


KINDS = {
    (Op.INSERT, True): EventKind.INSERT,
    (Op.UPDATE, True): EventKind.UPDATE,
    (Op.DELETE, True): EventKind.DELETE,
    (Op.INSERT, False): EventKind.UPSERT,
    (Op.UPDATE, False): EventKind.UPSERT,
    (Op.DELETE, False): EventKind.DELETE,
}


@pytest.mark.parametrize("dialect", DIALECTS)
@given(data=st.data())
def test_operations(dialect: str, data: st.DataObject) -> None:
    """Without old values the wire tells no insert from an update, with them it does."""
    table = data.draw(tables(ColumnKind.INT))
    before, after = data.draw(rows(table)), data.draw(rows(table))
    old_values = {DIALECTS[dialect].old_value, False}
    for op, old_value in product(Op, sorted(old_values)):
        wire = bind({"sink.open.output-old-value": old_value}, dialect)
        decoded = only(wire, row_event(op, table, before, after))
        assert decoded.kind is KINDS[op, old_value]
        assert (decoded.before is None) == (decoded.kind in {EventKind.INSERT, EventKind.UPSERT})


@given(data=st.data())
def test_updated_columns_only(data: st.DataObject) -> None:
    """With `only-output-updated-columns` the old row holds just what changed, perhaps nothing."""
    table = data.draw(tables(ColumnKind.VARCHAR))
    before, after = data.draw(rows(table)), data.draw(rows(table))
    wire = bind({"only-output-updated-columns": True}, "current")
    decoded = only(wire, row_event(Op.UPDATE, table, before, after))
    changed = {
        column.name: old
        for column, old, new in zip(table.table.columns, before, after, strict=True)
        if old != new
    }
    assert dict(decoded.before or {}) == changed
    assert decoded.after == named(table, after)


@pytest.mark.parametrize("dialect", DIALECTS)
@given(schema=NAMES | st.just(""), table=NAMES | st.just(""), query=TEXT.filter(bool))
def test_ddl(dialect: str, schema: str, table: str, query: str) -> None:
    """A DDL event comes back with its names, type and text, on every partition."""
    event = DdlEvent(
        type=3,
        query=f"CREATE TABLE `t` /* {query} */",
        source=query,
        schema=schema,
        table=table,
        before=None,
        after=None,
        commit_ts=TS,
        topic="ticdc",
        partitions=2,
        origin=Origin(1, 0, 0, "ddl"),
    )
    wire = bind({}, dialect)
    records = list(wire.encode([event]))
    assert [record.partition for record in records] == [0, 1]
    for record in records:
        (decoded,) = wire.decode(record.key, record.value)
        sent = event.query if DIALECTS[dialect].restored_query else query
        assert (decoded.kind, decoded.query, decoded.type) == (EventKind.DDL, sent, 3)
        assert (decoded.schema, decoded.table, decoded.commit_ts) == (schema, table, TS)


@given(st.integers(1, 2**63 - 1), st.sampled_from(sorted(DIALECTS)))
def test_marks(ts: int, dialect: str) -> None:
    """A resolved event comes back with its timestamp, whatever its digits."""
    wire = bind({}, dialect)
    (record,) = wire.encode([ResolvedEvent(ts, "ticdc", 0, Origin(1, 0, 0, "resolved"))])
    (decoded,) = wire.decode(record.key, record.value)
    assert (decoded.kind, decoded.commit_ts) == (EventKind.RESOLVED, ts)
    assert record.value == bytes(8)
