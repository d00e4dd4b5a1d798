"""What is encoded is what is decoded: every column kind, operation, setting and dialect."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.codecs.avro.codec import bind
from harness.codecs.avro.names import sanitised
from harness.errors import SourceStopped
from harness.model.canonical import canonical
from harness.model.change import Op
from harness.model.columns import Column, ColumnKind
from harness.model.decoded import EventKind
from harness.model.record import Origin
from harness.model.source_events import DdlEvent, ResolvedEvent, SourceTable
from harness.model.values import Row, Value
from tests.codecs.avro.rows import (
    CHECKSUM,
    EXTENSION,
    TS,
    created,
    event,
    every_setting,
    insert,
    named,
    only,
    sent,
    with_column,
)
from tests.source_tables import rows, tables
from tests.strategies import EACH_KIND, EACH_STREAM, NAMES, TEXT, columns

SETTINGS = list(every_setting())
KINDS = {
    (Op.INSERT, True): EventKind.INSERT,
    (Op.UPDATE, True): EventKind.UPDATE,
    (Op.DELETE, True): EventKind.DELETE,
    (Op.INSERT, False): EventKind.UPSERT,
    (Op.UPDATE, False): EventKind.UPSERT,
    (Op.DELETE, False): EventKind.DELETE,
}


def stops(table: SourceTable, row: Row, dialect: str) -> bool:
    """Return whether TiCDC stops at a row: ENUM's invalid value, a vector in version 6."""
    kinds = [column.kind for column in table.table.columns]
    invalid = any(kind is ColumnKind.ENUM and row[n] == 0 for n, kind in enumerate(kinds))
    return invalid or (dialect == "6" and ColumnKind.VECTOR in kinds)


def canonical_of(table: SourceTable, row: Mapping[str, Value] | None) -> Mapping[str, Value] | None:
    """Return a decoded row with its members as numbers, by whoever knows the columns."""
    if row is None:
        return None
    return {name: canonical(table.table.column(name), value) for name, value in row.items()}


@pytest.mark.parametrize("kind", ColumnKind)
@EACH_KIND
@given(data=st.data())
def test_rows(kind: ColumnKind, data: st.DataObject) -> None:
    """A row comes back with its names, values, key and timestamp, whatever the settings."""
    table = with_column(data.draw(columns(kind)))
    before, after = data.draw(rows(table)), data.draw(rows(table))
    for op in Op:
        values, dialect = data.draw(st.sampled_from(SETTINGS))
        given_row = event(op, table, before, after)
        wire = bind(values, dialect)
        if op is not Op.DELETE and stops(table, after, dialect):
            with pytest.raises(SourceStopped, match=r"enum|mysql type"):
                only(wire, given_row)
            continue
        decoded = only(wire, given_row)
        extension = bool(values["enable-tidb-extension"])
        assert decoded.kind is KINDS[op, extension]
        assert (decoded.schema, decoded.table) == ("shop", "t")
        assert decoded.commit_ts == (TS if extension and op is not Op.DELETE else 0)
        assert decoded.handle == ("id",)
        assert decoded.key == {"id": (before if op is Op.DELETE else after)[0]}
        assert decoded.before is None
        assert canonical_of(table, decoded.after) == named(table, given_row.after)


@given(data=st.data())
def test_names(data: st.DataObject) -> None:
    """Names come back sanitised; two that became the same stop the changefeed."""
    table = data.draw(tables(ColumnKind.INT))
    row = data.draw(rows(table))
    names = [sanitised(column.name) for column in table.table.columns]
    wire, given_row = bind({}, "current"), event(Op.INSERT, table, None, row)
    if len(set(names)) < len(names):
        with pytest.raises(SourceStopped, match="unique name") as caught:
            only(wire, given_row)
        assert caught.value.code == "ErrAvroSchemaAPIError"
        return
    decoded = only(wire, given_row)
    assert decoded.after == dict(zip(names, row, strict=True))
    assert (decoded.schema, decoded.table) == (
        sanitised(table.table.id.schema),
        sanitised(table.table.id.name),
    )


@pytest.mark.parametrize(
    ("kind", "declared", "number", "read"),
    [
        (ColumnKind.SET, ("0", "1", "\\", "00", "000"), 16, 16),
        (ColumnKind.SET, ("a\\", "b"), 3, 3),
        (ColumnKind.ENUM, ("a\\", "b", "c"), 3, "c"),
        (ColumnKind.ENUM, ("b", "a,c", "d"), 2, 2),
        (ColumnKind.ENUM, ("b", "a,c", "d"), 1, 1),
        (ColumnKind.ENUM, ("b", "a,c", "d"), 3, "d"),
    ],
)
def test_a_member_whose_place_is_unsure_is_text(
    kind: ColumnKind, declared: tuple[str, ...], number: int, read: int | str
) -> None:
    """A backslash before a comma may end a member of an ENUM: nothing is guessed behind it."""
    table = with_column(Column(2, "c", kind, members=declared))
    after = only(bind({}, "current"), event(Op.INSERT, table, None, (1, number))).after
    assert after is not None
    assert after["c"] == read


@given(st.lists(NAMES, min_size=1, max_size=6, unique_by=str.casefold), st.data())
def test_members(members: list[str], data: st.DataObject) -> None:
    """A member of any characters is found again; one that the schema tells not apart is text."""
    kind = data.draw(st.sampled_from([ColumnKind.ENUM, ColumnKind.SET]))
    # A comma ends a member of a SET, so that MySQL takes none in its names.
    declared = tuple(m.replace(",", ";") if kind is ColumnKind.SET else m for m in members)
    table = with_column(Column(2, "c", kind, members=declared))
    most = len(declared) if kind is ColumnKind.ENUM else 2 ** len(declared) - 1
    number = data.draw(st.integers(1, most))
    if kind is ColumnKind.ENUM:
        text = declared[number - 1]
    else:
        text = ",".join(name for bit, name in enumerate(declared) if number >> bit & 1)
    after = only(bind({}, "current"), event(Op.INSERT, table, None, (1, number))).after
    assert after is not None
    plain = not any(mark in member for member in declared for mark in ("\\", "''", ","))
    assert after["c"] == number if plain else after["c"] in (number, text)


@given(TEXT, NAMES, NAMES, st.integers(0, 2**63 - 1), st.integers(1, 120))
def test_watermark(query: str, schema: str, table: str, ts: int, number: int) -> None:
    """DDL and checkpoints come back where the watermark is on, and are not sent elsewhere."""
    origin = Origin(1, 0, 0, "ddl")
    ddl = DdlEvent(number, query, "", schema, table, None, None, ts, "t", 2, origin)
    mark = ResolvedEvent(ts, "t", 1, origin)
    wire = bind({**EXTENSION, "avro-enable-watermark": True}, "current")
    sent = list(wire.encode([ddl, mark]))
    assert [(record.partition, record.key) for record in sent] == [(0, None), (1, None), (1, None)]
    (statement,) = wire.decode(None, sent[0].value)
    assert (
        statement.kind,
        statement.commit_ts,
        statement.schema,
        statement.table,
        statement.query,
        statement.type,
    ) == (
        EventKind.DDL,
        ts,
        schema,
        table,
        query,
        number,
    )
    (resolved,) = wire.decode(None, sent[2].value)
    assert (resolved.kind, resolved.commit_ts) == (EventKind.RESOLVED, ts)
    for values, dialect in [({"avro-enable-watermark": True}, "current"), (EXTENSION, "current")]:
        assert list(bind(values, dialect).encode([ddl, mark])) == []
    assert list(bind({**EXTENSION, "avro-enable-watermark": True}, "6").encode([ddl, mark])) == []


@EACH_STREAM
@given(kind=st.sampled_from(ColumnKind), data=st.data())
def test_deterministic(kind: ColumnKind, data: st.DataObject) -> None:
    """The same input gives the same records, whatever was encoded before with other encoders."""
    table = with_column(data.draw(columns(kind)))
    given_rows = [event(Op.DELETE, table, data.draw(rows(table)), None) for _ in range(3)]
    for values in ({}, EXTENSION, CHECKSUM):
        once = list(bind(values, "current").encode(given_rows))
        assert once == list(bind(values, "current").encode(given_rows))


def test_key_columns_in_table_order() -> None:
    """A key holds the handle's columns in the order of the table, not of the index."""
    table = created("CREATE TABLE t (b INT, a VARCHAR(5), c INT, PRIMARY KEY (a, b))")
    decoded = only(bind({}, "current"), event(Op.DELETE, table, (1, "x", 3), None))
    assert list(decoded.key or {}) == ["b", "a"]
    assert decoded.key == {"b": 1, "a": "x"}


def test_a_floats_whole_default_is_a_float() -> None:
    """JSON writes 1.0 as 1; a reader that fills it into older rows has a float all the same."""
    sql = "CREATE TABLE t (id INT PRIMARY KEY, f FLOAT NOT NULL DEFAULT 1, d DOUBLE DEFAULT 2.5)"
    wire, key, value = sent(insert(created(sql), 1, 3.0, 4.0), {})
    (event,) = wire.decode(key, value)
    assert event.defaults["f"] == 1
    assert {type(default) for default in event.defaults.values()} == {float}
