"""The layout of an event, and which events share a message."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.codecs.open.codec import BoundOpen, bind
from harness.codecs.open.dialect import DIALECTS
from harness.codecs.open.reference import SETTINGS
from harness.errors import EncodingError, SourceStopped, UsageError
from harness.model.change import Op
from harness.model.columns import Column, ColumnKind
from harness.model.record import Origin
from harness.model.source_events import DdlEvent, ResolvedEvent, RowEvent, SourceEvent
from harness.model.table import TableId
from harness.model.values import Value
from harness.protocols import PROTOCOLS
from tests.source_tables import shop_table

ID = Column(1, "id", ColumnKind.INT, nullable=False)
VAL = Column(2, "val", ColumnKind.VARCHAR, length=16)
T1 = shop_table(ID, VAL, name=TableId("test", "t1"))
LOOSE = shop_table(ID, VAL, key=(), name=TableId("test", "t2"))
# NOTES of the vectors, §2.7: MaxRecordOverhead, and the first event's 8 + 2 * 8 bytes.
SINGLE_OVERHEAD = 36 + 24


def row(number: int, text: str = "aa", partition: int = 0, event: int = 0) -> RowEvent:
    """Return an insert into `test.t1`."""
    return RowEvent(
        op=Op.INSERT,
        table=T1,
        before=None,
        after=(number, text),
        commit_ts=7,
        topic="ticdc",
        partition=partition,
        origin=Origin(1, 0, event, "insert"),
        row_id=number,
    )


def mark(partition: int) -> ResolvedEvent:
    """Return a resolved event on a partition."""
    return ResolvedEvent(9, "ticdc", partition, Origin(1, 0, 99, "resolved"))


def ddl(topic: str = "ticdc") -> DdlEvent:
    """Return a DDL event for two partitions."""
    return DdlEvent(
        type=4,
        query="DROP TABLE `t1`",
        source="drop table t1",
        schema="test",
        table="t1",
        before=T1,
        after=None,
        commit_ts=8,
        topic=topic,
        partitions=2,
        origin=Origin(1, 0, 98, "ddl"),
    )


def texts(wire: BoundOpen, event: SourceEvent) -> tuple[str, str]:
    """Return the event key's and the event value's JSON."""
    record = next(iter(wire.encode([event])))
    (decoded,) = wire.decode(record.key, record.value)
    return decoded.key_text, decoded.value_text


def shape(wire: BoundOpen, *events: SourceEvent) -> list[tuple[int, int]]:
    """Return partition and number of events of each record that the events become."""
    return [(record.partition, len(record.origins)) for record in wire.encode(events)]


def test_row_key() -> None:
    """A row's key has ts, scm, tbl, rid, ptn, t in that order; what is nought is left out."""
    wire = bind({}, "current")
    assert texts(wire, row(1))[0] == '{"ts":7,"scm":"test","tbl":"t1","rid":1,"t":1}'
    assert texts(wire, row(0))[0] == '{"ts":7,"scm":"test","tbl":"t1","t":1}'
    key, _ = texts(wire, replace(row(-1), physical_id=120))
    assert key == '{"ts":7,"scm":"test","tbl":"t1","rid":-1,"ptn":120,"t":1}'


def test_columns_are_sorted_by_bytes() -> None:
    """Columns are in the order of their names' UTF-8 bytes; only handle columns say `h`."""
    names = ["测", "zz", "id", "Aa"]
    table = shop_table(
        *(Column(n, name, ColumnKind.INT) for n, name in enumerate(names)), key=("zz",)
    )
    event = replace(row(1), table=table, after=(1, 2, 3, None))
    assert texts(bind({}, "current"), event)[1] == (
        '{"u":{"Aa":{"t":3,"f":65,"v":null},"id":{"t":3,"f":65,"v":3},'
        '"zz":{"t":3,"h":true,"f":75,"v":2},"测":{"t":3,"f":65,"v":1}}}'
    )


@pytest.mark.parametrize(("dialect", "sent"), [("current", b"a\\ufffd"), ("newarch", b"a\xff")])
def test_what_is_not_utf_8(dialect: str, sent: bytes) -> None:
    """A byte that is not UTF-8, in a name or in text, is U+FFFD, or passed on by newarch.

    Of TEXT the bytes go out as they are, in Base64.
    """
    lost = b"a\xff".decode("utf-8", "surrogateescape")
    columns = (
        Column(2, lost, ColumnKind.VARCHAR, length=16),
        Column(3, "c", ColumnKind.CHAR, length=4),
        Column(4, "long", ColumnKind.TEXT),
    )
    table = shop_table(ID, *columns, name=T1.table.id)
    event = replace(row(1, lost), table=table, after=(1, lost, lost, lost))
    record = next(iter(bind({}, dialect).encode([event])))
    assert record.value is not None
    assert b'"%b":{"t":15,"f":64,"v":"%b"}' % (sent, sent) in record.value
    assert b'"c":{"t":254,"f":64,"v":"%b"}' % sent in record.value
    assert b'"long":{"t":252,"f":64,"v":"Yf8="}' in record.value


def test_virtual_columns_are_left_out() -> None:
    """Only the columns that the mounter emits are sent."""
    event = replace(row(1), table=replace(T1, emitted=(0,)))
    assert texts(bind({}, "current"), event)[1] == '{"u":{"id":{"t":3,"h":true,"f":11,"v":1}}}'


def test_dialect_4_0_4() -> None:
    """The listing's version has no row id, no flags, no old values, Base64 text, and bare deletes.

    TiCDC Open Protocol, 2020, logs 5 and 9.
    """
    wire = bind({}, "4.0.4")
    key = '{"ts":7,"scm":"test","tbl":"t1","t":1}'
    new = '{"u":{"id":{"t":3,"h":true,"v":1},"val":{"t":15,"v":"YWE="}}}'
    update = replace(row(1), op=Op.UPDATE, before=(1, "zz"), physical_id=120)
    # tiflow v4.0.4 cdc/sink/codec/json.go:123: a partition's number is there.
    assert texts(wire, update) == (key.replace(',"t":1', ',"ptn":120,"t":1'), new)
    assert texts(wire, row(1)) == (key, new)
    delete = replace(row(1), op=Op.DELETE, before=(1, "aa"), after=None)
    assert texts(wire, delete) == (key, '{"d":{"id":{"t":3,"h":true,"v":1}}}')
    assert texts(wire, ddl()) == (
        '{"ts":8,"scm":"test","tbl":"t1","t":2}',
        '{"q":"drop table t1","t":4}',
    )


def test_dialect_newarch() -> None:
    """The new architecture keeps table order, has no row id, and escapes no HTML.

    pingcap/ticdc b813e76f9d pkg/sink/codec/open/codec.go:36, pkg/util/json_writer.go:23.
    """
    wire = bind({}, "newarch")
    names = ["zz", "a<b"]
    columns = (Column(1, names[0], ColumnKind.INT, nullable=False), replace(VAL, name=names[1]))
    table = shop_table(*columns, name=TableId("test", "t1"))
    update = replace(row(1), op=Op.UPDATE, table=table, before=(1, "&"), after=(1, "<"))
    assert texts(wire, replace(update, physical_id=120)) == (
        '{"ts":7,"scm":"test","tbl":"t1","t":1,"ptn":120}',
        (
            '{"u":{"zz":{"t":3,"h":true,"f":11,"v":1},"a<b":{"t":15,"f":64,"v":"<"}},'
            '"p":{"zz":{"t":3,"h":true,"f":11,"v":1},"a<b":{"t":15,"f":64,"v":"&"}}}'
        ),
    )
    database = replace(ddl(), table="", query="CREATE DATABASE `<`")
    assert texts(wire, database) == (
        '{"ts":8,"scm":"test","tbl":"","t":2}',
        '{"q":"CREATE DATABASE `<`","t":4}',
    )
    changed = bind({"only-output-updated-columns": True}, "newarch")
    assert texts(changed, replace(update, before=(1, "<")))[1].endswith('},"p":{}}')


# Column, a value that it cannot have.
WRONG_VALUES: list[tuple[ColumnKind, Value]] = [
    (ColumnKind.INT, "1"),
    (ColumnKind.INT, 1.5),
    (ColumnKind.BIGINT, 2**64),
    (ColumnKind.DOUBLE, "x"),
    (ColumnKind.DOUBLE, float("nan")),
    (ColumnKind.FLOAT, float("inf")),
    (ColumnKind.VARCHAR, b"x"),
    (ColumnKind.VARBINARY, "x"),
    (ColumnKind.TEXT, b"x"),
    (ColumnKind.BLOB, "x"),
    (ColumnKind.DATE, 20240229),
]


@pytest.mark.parametrize("beside", [None, "right"])
@pytest.mark.parametrize(("kind", "value"), WRONG_VALUES)
def test_wrong_values(kind: ColumnKind, value: Value, beside: str | None) -> None:
    """A value that its column cannot have is refused, alone and among NULLs."""
    table = shop_table(ID, Column(2, "val", kind), name=TableId("test", "t1"))
    rows = [replace(row(1), table=table, after=(1, value))]
    if beside is None:
        rows.append(replace(row(2), table=table, after=(2, None)))
    with pytest.raises(EncodingError, match="a value that its column cannot have"):
        list(bind({}, "current").encode(rows))


@pytest.mark.parametrize("after", [(1,), (), [(1, "a"), (1,)]])
def test_rows_of_another_table(after: Any) -> None:
    """A row with fewer values than its table has columns is refused."""
    images = after if isinstance(after, list) else [after]
    with pytest.raises(EncodingError, match="a value that its column cannot have"):
        list(bind({}, "current").encode([replace(row(1), after=image) for image in images]))


@given(st.lists(st.sampled_from(["a", None, "<", "\u2028"]), max_size=6), st.data())
def test_rows_in_a_run(values: list[str | None], data: st.DataObject) -> None:
    """Rows of any shapes, in any order, are written as each of them is alone."""
    wire = bind({"max-batch-size": 1}, "current")
    rows: list[SourceEvent] = []
    for number, value in enumerate(values):
        before = data.draw(st.sampled_from([None, (9, "old"), (number, value)]))
        after = data.draw(st.sampled_from([None, (number, value)])) if before else (number, value)
        rows.append(
            replace(
                row(data.draw(st.integers(0, 1)), partition=number % 2, event=number),
                table=data.draw(st.sampled_from([T1, LOOSE])),
                before=before,
                after=after,
                physical_id=data.draw(st.sampled_from([0, 120])),
            )
        )
    alone = [record for event in rows for record in wire.encode([event])]
    together = sorted(wire.encode(rows), key=lambda record: record.origins[0].event)
    assert together == alone


def test_what_a_resolved_ts_promises() -> None:
    """Each dialect says whether its marks complete their own ts or only what lies below."""
    assert bind({}, "current").complete == "at-or-below"
    assert bind({}, "4.0.4").complete == "below"


def test_delete_without_handle() -> None:
    """A delete reduced to its handle columns stops TiCDC where the table has no handle key.

    tiflow c7b2588 open_protocol_message.go:149.
    """
    event = replace(row(1), table=LOOSE, op=Op.DELETE, before=(1, "aa"), after=None)
    wire = bind({"sink.delete-only-output-handle-key-columns": True}, "current")
    with pytest.raises(SourceStopped, match="no handle key columns") as stop:
        list(wire.encode([event]))
    assert stop.value.code == "ErrOpenProtocolCodecInvalidData"


@pytest.mark.parametrize(
    ("size", "expected"),
    [(1, [1] * 5), (2, [2, 2, 1]), (4, [4, 1]), (5, [5]), (6, [5])],
)
def test_batch_size(size: int, expected: list[int]) -> None:
    """A message takes `max-batch-size` events and not one more."""
    records = list(bind({"max-batch-size": size}, "current").encode(map(row, range(1, 6))))
    assert [len(record.origins) for record in records] == expected


def test_default_batch_size() -> None:
    """By default sixteen events share a message."""
    records = list(bind({}, "current").encode(map(row, range(1, 18))))
    assert [len(record.origins) for record in records] == [16, 1]


def test_largest_single_row() -> None:
    """A row of just `max-message-bytes` with its overhead is sent, one byte more is refused."""
    wire = bind({}, "current")
    key, value = texts(wire, row(1))
    least = len(key) + len(value) + SINGLE_OVERHEAD
    assert len(list(bind({"max-message-bytes": least}, "current").encode([row(1)]))) == 1
    with pytest.raises(SourceStopped, match=f"needs {least} bytes, max-message-bytes is") as stop:
        list(bind({"max-message-bytes": least - 1}, "current").encode([row(1)]))
    assert stop.value.code == "ErrMessageTooLarge"


@given(
    st.lists(st.integers(0, 60), min_size=1, max_size=30), st.integers(250, 700), st.integers(1, 6)
)
def test_batches_are_full(lengths: list[int], limit: int, size: int) -> None:
    """No message exceeds either limit, and none could have taken the event after it as well."""
    wire = bind({"max-message-bytes": limit, "max-batch-size": size}, "current")
    rows = [row(10, "x" * length, event=number) for number, length in enumerate(lengths)]
    records = list(wire.encode(rows))
    sizes = [36 + len(record.key or b"") + len(record.value or b"") for record in records]
    assert all(
        total <= limit and len(r.origins) <= size for total, r in zip(sizes, records, strict=True)
    )
    assert [o.event for record in records for o in record.origins] == list(range(len(rows)))
    for total, record, after in zip(sizes, records, records[1:], strict=False):
        key, value = texts(wire, rows[after.origins[0].event])
        assert len(record.origins) == size or total + len(key) + len(value.encode()) + 16 > limit


def test_batches_by_partition() -> None:
    """Each partition fills its own messages, in its own order."""
    rows = [row(n, partition=n % 2, event=n) for n in range(1, 8)]
    records = list(bind({"max-batch-size": 2}, "current").encode(rows))
    by_partition = {
        partition: [o.event for r in records if r.partition == partition for o in r.origins]
        for partition in (0, 1)
    }
    assert by_partition == {0: [2, 4, 6], 1: [1, 3, 5, 7]}


def test_marks_and_ddl_end_batches() -> None:
    """A mark ends its partition's batch, a DDL those of its topic; neither is ever batched."""
    wire = bind({}, "current")
    rows = [row(1), row(2, partition=1)]
    assert shape(wire, *rows, mark(0), row(3), row(4, partition=1)) == [
        (0, 1),  # row 1
        (0, 1),  # the mark
        (0, 1),  # row 3
        (1, 2),  # rows 2 and 4
    ]
    both = [(0, 1), (1, 1)]
    assert shape(wire, *rows, ddl(), row(3)) == [*both, *both, (0, 1)]
    assert shape(wire, row(1), ddl("other"), row(2)) == [*both, (0, 2)]
    assert shape(wire, mark(0), mark(0), ddl(), ddl()) == [(0, 1), (0, 1), *both, *both]


def test_registered() -> None:
    """The protocol is registered under its name with its settings, and binds each dialect."""
    protocol = PROTOCOLS["open"]
    assert (protocol.name, protocol.description.title) == ("open", "TiCDC Open Protocol")
    assert protocol.settings[: len(SETTINGS)] == SETTINGS
    for dialect in protocol.codec.dialects:
        assert protocol.codec.bind({}, dialect).complete in {"at-or-below", "below"}


def test_bad_settings() -> None:
    """A dialect that does not exist and limits of nothing are the author's mistakes."""
    with pytest.raises(UsageError, match="unknown Open Protocol dialect '5'") as refusal:
        bind({}, "5")
    assert refusal.value.expected == "one of " + ", ".join(DIALECTS)
    for name in ("max-batch-size", "max-message-bytes"):
        with pytest.raises(UsageError, match="must be at least 1"):
            bind({name: 0}, "current")
