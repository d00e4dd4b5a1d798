"""What VStream tells of a change log: transactions shard by shard, nothing netted."""

from __future__ import annotations

from dataclasses import replace

import pytest

from harness.errors import StepError
from harness.model.change import Change, Pin, RowPin
from harness.model.table import TableId
from harness.model.vstream import (
    Begin,
    Commit,
    CopyCompleted,
    Ddl,
    FieldEvent,
    VEvent,
    Vgtid,
    VRowEvent,
)
from harness.sources.vitess.simulator import Streamed, stream
from harness.sources.vitess.topology import Topology, Vindex, topology
from tests.changelogs import brief, ddl, delete, insert, log, resolved, transaction, update

CREATE = "CREATE TABLE t (id BIGINT PRIMARY KEY, v VARCHAR(9))"
ONE = topology("shop", (), {})
TWO = topology("shop", ("-80", "80-"), {TableId("shop", "t"): Vindex("id", "numeric")})
HIGH = 1 << 63  # the first number whose 8 bytes start with 80


def streamed(*changes: Change, over: Topology = ONE) -> Streamed:
    """Return the stream of these changes over a keyspace that has the table already told."""
    return stream(log(ddl(CREATE), *changes), over)


def emitted(found: Streamed) -> list[list[VEvent]]:
    """Return the events of every response behind the first statement's."""
    return [list(r.events) for r in found.responses if not isinstance(r.events[-1], Ddl)]


def test_a_transaction_is_one_response_in_statement_order() -> None:
    """BEGIN, the fields once, every row event as it was, the position, COMMIT."""
    found = streamed(
        transaction(insert(1, "a"), update((1, "a"), (1, "b")), delete(1, "b")),
        transaction(insert(2, "x"), name="t2"),
    )
    first, second = emitted(found)
    kinds = [type(event) for event in first]
    assert kinds == [Begin, FieldEvent, VRowEvent, VRowEvent, VRowEvent, Vgtid, Commit]
    assert [type(event) for event in second] == [Begin, VRowEvent, Vgtid, Commit]
    rows = [event.changes[0] for event in first if isinstance(event, VRowEvent)]
    assert [(row.before, row.after) for row in rows] == [
        (None, (b"1", b"a")),
        ((b"1", b"a"), (b"1", b"b")),
        ((b"1", b"b"), None),
    ]
    assert [brief(row)[0] for row in found.rows] == ["insert", "update", "delete", "insert"]


def test_fields_come_again_after_the_shape_changed() -> None:
    """A table's fields precede its first row, and its first row after a statement changed it."""
    found = streamed(
        transaction(insert(1, "a")),
        ddl("ALTER TABLE t ADD c INT"),
        transaction(insert(2, "b", 7), name="t2"),
        transaction(insert(3, "c", None), name="t3"),
    )
    fields = [
        [
            [field.name for field in event.fields]
            for event in events
            if isinstance(event, FieldEvent)
        ]
        for events in emitted(found)
    ]
    assert fields == [[["id", "v"]], [["id", "v", "c"]], []]


def test_every_shard_gets_its_own_transaction_and_its_own_fields() -> None:
    """Rows go to the shard of their vindex value, one complete transaction after another."""
    found = streamed(transaction(insert(HIGH, "b"), insert(1, "a"), insert(2, "c")), over=TWO)
    low, high = emitted(found)
    assert {event.shard for event in low} == {"-80"}
    assert {event.shard for event in high} == {"80-"}
    cells = [e.changes[0].after for e in low if isinstance(e, VRowEvent)]
    assert cells == [(b"1", b"a"), (b"2", b"c")]
    assert sum(isinstance(event, FieldEvent) for event in [*low, *high]) == 2


def test_positions_rise_by_one_and_name_every_shard() -> None:
    """Each commit and each statement moves its own shard's position and tells all of them."""
    found = streamed(
        transaction(insert(1, "a")), transaction(insert(HIGH, "b"), name="t2"), over=TWO
    )
    ends = [
        [(gtid.shard, gtid.gtid.rpartition("-")[2]) for gtid in event.shard_gtids]
        for response in found.responses
        for event in response.events
        if isinstance(event, Vgtid)
    ]
    assert ends == [
        [("-80", "2"), ("80-", "1")],
        [("-80", "2"), ("80-", "2")],
        [("-80", "3"), ("80-", "2")],
        [("-80", "3"), ("80-", "3")],
    ]


def test_a_moved_key_means_a_delete_and_an_insert() -> None:
    """The stream has one row event for it; the truth has two."""
    found = streamed(transaction(insert(1, "a"), update((1, "a"), (2, "a"))))
    assert [brief(row) for row in found.rows] == [
        ("insert", None, (1, "a")),
        ("delete", (1, "a"), None),
        ("insert", None, (2, "a")),
    ]
    assert found.rows[1].origin == found.rows[2].origin


def test_every_event_has_an_origin_and_numbers_rise() -> None:
    """Whatever is sent can be walked back to a line, in the order in which it was sent."""
    found = streamed(transaction(insert(1, "a", line=33), line=31))
    origins = [event.origin for response in found.responses for event in response.events]
    numbers = [origin.event for origin in origins if origin is not None]
    assert len(numbers) == len(origins)
    assert numbers == sorted(numbers)
    assert {origin.line for origin in origins if origin is not None} == {1, 31, 33}


def test_marks_and_other_databases_leave_no_trace() -> None:
    """VStream follows one keyspace and knows no resolved events."""
    other = TableId("other", "t")
    found = stream(
        log(
            ddl(CREATE),
            resolved(),
            ddl("CREATE TABLE other.t (id BIGINT PRIMARY KEY)"),
            transaction(insert(1, table=other)),
        ),
        ONE,
        ("other",),
    )
    assert [[type(event) for event in response.events] for response in found.responses] == [
        [Vgtid, Ddl]
    ]


def test_an_update_may_not_move_a_row_to_another_shard() -> None:
    """Vitess refuses to change a vindex column; the step at fault is named."""
    with pytest.raises(StepError, match="from shard -80 to 80-") as refusal:
        streamed(transaction(update((1, "a"), (HIGH, "a"), line=44)), over=TWO)
    assert refusal.value.line == 44


def test_a_sharded_table_needs_a_vindex() -> None:
    """Without one nobody can say where its rows live."""
    with pytest.raises(StepError, match="has no vindex"):
        streamed(transaction(insert(1, "a")), over=topology("shop", ("-80", "80-"), {}))


def test_a_pin_decides_the_shard() -> None:
    """A row lives where the scenario says, whatever the vindex; an unknown shard is refused."""
    pinned = transaction(insert(1, "a"), insert(2, "b"))
    pin = Pin(rows=(RowPin({"id": 2}, shard="80-"),))
    found = streamed(replace(pinned, pin=pin), over=TWO)
    shards = [e.shard for events in emitted(found) for e in events if isinstance(e, VRowEvent)]
    assert shards == ["-80", "80-"]
    with pytest.raises(StepError, match="pinned to the shard '40-'"):
        streamed(replace(pinned, pin=Pin(shard="40-")), over=TWO)


def test_shards_change_after_a_transaction() -> None:
    """Shards that stay keep their progress, new ones begin theirs and hear the fields again."""
    over = replace(
        TWO, resharded={"t1": topology("shop", ("-40", "40-80", "80-"), dict(TWO.vindexes))}
    )
    found = streamed(
        transaction(insert(1, "a"), insert(HIGH, "b")),
        transaction(insert(2, "c"), insert(HIGH + 1, "d"), name="t2"),
        over=over,
    )
    last = found.responses[-1].events[-2]
    assert isinstance(last, Vgtid)
    ends = [(gtid.shard, gtid.gtid.rpartition("-")[2]) for gtid in last.shard_gtids]
    assert ends == [("-40", "2"), ("40-80", "1"), ("80-", "4")]
    assert len({gtid.gtid.rpartition(":")[0] for gtid in last.shard_gtids}) == 3
    fields = [e.shard for r in found.responses for e in r.events if isinstance(e, FieldEvent)]
    assert fields == ["-80", "80-", "-40"]


def test_shards_change_more_than_once() -> None:
    """A shard that comes back has a primary of its own, whose log begins anew."""
    split, whole = ("-40", "40-80", "80-"), TWO.shards
    over = replace(
        TWO,
        resharded={
            name: topology("shop", shards, dict(TWO.vindexes))
            for name, shards in (("t1", split), ("t2", whole))
        },
    )
    found = streamed(
        transaction(insert(1, "a"), insert(HIGH, "b")),
        transaction(insert(2, "c"), name="t2"),
        transaction(insert(3, "d"), name="t3"),
        over=over,
    )
    vgtids = [e for response in found.responses for e in response.events if isinstance(e, Vgtid)]
    first, last = (
        {g.shard: g.gtid for g in vgtid.shard_gtids} for vgtid in (vgtids[2], vgtids[-1])
    )
    assert set(last) == set(whole)
    assert first["-80"].rpartition(":")[0] != last["-80"].rpartition(":")[0]
    assert last["-80"].endswith(":1-2")
    assert first["80-"].rpartition(":")[0] == last["80-"].rpartition(":")[0]


def test_a_stream_may_end_where_the_shards_change() -> None:
    """A connector that stops at a resharding is told nothing of what follows, DDL included."""
    after = topology("shop", ("-40", "40-80", "80-"), dict(TWO.vindexes))
    steps = (transaction(insert(1, "a")), transaction(insert(2, "b"), name="t2"))
    over = replace(TWO, resharded={"t1": after}, stops_at_reshard=True)
    found, until = streamed(*steps, over=over), streamed(steps[0], over=TWO)
    assert found.responses == until.responses
    assert found.rows == until.rows


def test_a_stream_may_begin_with_a_copy() -> None:
    """Rows that are there come in key order without a time, members as text; then the mark."""
    create = "CREATE TABLE t (id BIGINT PRIMARY KEY, e ENUM('x','y'), s SET('p','q'))"
    over = replace(ONE, copies=True, copied_after="t1")
    found = stream(
        log(
            ddl(create),
            transaction(insert(2, 2, 3), insert(1, 1, 0), insert(3, 1, 1)),
            transaction(delete(3, 1, 1), name="t2"),
        ),
        over,
    )
    kinds = [[type(event) for event in response.events] for response in found.responses]
    assert kinds == [
        [Begin, FieldEvent, Vgtid],
        [VRowEvent, VRowEvent, VRowEvent, Vgtid, Commit],
        [Begin, Vgtid, Commit],
        [CopyCompleted, CopyCompleted],
        [Begin, FieldEvent, VRowEvent, Vgtid, Commit],
    ]
    copied = [e for e in found.responses[1].events if isinstance(e, VRowEvent)]
    assert [event.changes[0].after for event in copied] == [
        (b"1", b"x", b""),
        (b"2", b"y", b"p,q"),
        (b"3", b"x", b"p"),
    ]
    assert {event.timestamp for event in copied} == {0}
    reached = found.responses[1].events[-2]
    assert isinstance(reached, Vgtid)
    (table_pk,) = reached.shard_gtids[0].table_pks
    assert (table_pk.table, table_pk.rows) == ("t", ((b"3",),))
    assert [brief(row)[0] for row in found.rows] == ["insert", "insert", "insert", "delete"]


def test_a_copy_of_nothing_ends_at_once() -> None:
    """A connector that starts with a copy hears its end before the first change."""
    found = stream(log(ddl(CREATE)), replace(ONE, copies=True))
    kinds = [[type(event) for event in response.events] for response in found.responses]
    assert kinds == [[CopyCompleted, CopyCompleted], [Vgtid, Ddl]]
