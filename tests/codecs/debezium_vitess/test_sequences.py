"""Which events make a batch, which are refused, and what is lost on the way."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.codecs.debezium.errors import ConnectorFailed
from harness.codecs.debezium_vitess.assembly import EventBuffer
from harness.model.vstream import (
    CopyCompleted,
    Ddl,
    Heartbeat,
    Other,
    Passed,
    PassedType,
    StreamError,
    VEvent,
    VStreamResponse,
)
from tests.codecs.debezium_vitess.streams import (
    begin,
    commit,
    connector,
    emitted,
    field,
    row,
    ticking,
    transaction,
    vgtid,
)

WHOLE: list[VEvent] = [begin(), field(), row(None, [b"1", b"x"]), vgtid(5), commit()]

AFTER_COMMIT = (
    "Received BEGIN event after receiving COMMIT event. Buffered event types: BEGIN, VGTID, COMMIT"
)


@given(st.lists(st.integers(1, 4), unique=True).map(sorted))
def test_any_split(cuts: list[int]) -> None:
    """A transaction says the same however it is cut into responses."""
    ends = [*cuts, len(WHOLE)]
    starts = [0, *cuts]
    responses = [VStreamResponse(tuple(WHOLE[a:b])) for a, b in zip(starts, ends, strict=True)]
    assert emitted(responses) == emitted([VStreamResponse(tuple(WHOLE))])


@pytest.mark.parametrize(
    ("events", "message"),
    [
        ([commit()], "Received COMMIT event before receiving BEGIN event. Buffered event types: "),
        (
            [begin(), field(), row(None, [b"1", b"x"]), begin()],
            "Received duplicate BEGIN events. Buffered event types: BEGIN, FIELD, ROW",
        ),
        (
            [begin(), commit(), commit()],
            "Received duplicate COMMIT events. Buffered event types: BEGIN, COMMIT",
        ),
        (
            [begin(), vgtid(1), commit(), begin()],
            AFTER_COMMIT,
        ),
    ],
)
def test_refused(events: list[VEvent], message: str) -> None:
    """An order that cannot be stops the task for good, with the types that were buffered."""
    with pytest.raises(ConnectorFailed) as failed:
        emitted([VStreamResponse(tuple(events))])
    assert failed.value.code == "io.debezium.DebeziumException"
    assert failed.value.what == message
    assert not failed.value.retriable
    # The copy of an empty table leaves a begin behind without a commit: it is forgotten whole.
    assert emitted([VStreamResponse((begin(), field())), VStreamResponse(tuple(WHOLE))])
    lost = (begin(), field(), vgtid(1))
    unplaced = (begin(), field(), row(None, [b"1", b"x"]), commit())
    assert emitted([VStreamResponse(lost), VStreamResponse(unplaced)]) == []


@pytest.mark.parametrize(
    "left", [[begin(), field()], [begin(), field(), vgtid(1)], [CopyCompleted(), begin(), field()]]
)
def test_empty_copy(left: list[VEvent]) -> None:
    """What the copy of an empty table leaves behind is forgotten at the next BEGIN."""
    (record,) = emitted([VStreamResponse(tuple(left)), VStreamResponse(tuple(WHOLE))])
    assert record.key == {"id": 1}


@given(st.permutations([row(None, [b"1", b"x"]), vgtid(5), vgtid(5)]))
def test_position_anywhere(inner: list[VEvent]) -> None:
    """Where the VGTID stands within its transaction does not matter."""
    (record,) = emitted([VStreamResponse((begin(), field(), *inner, commit()))])
    assert ":1-5" in record.value["source"]["vgtid"]


def test_without_position() -> None:
    """A transaction without a VGTID is dropped, the FIELD events in it too."""
    lost = VStreamResponse(tuple(event for event in WHOLE if event != vgtid(5)))
    assert emitted([lost]) == []
    with pytest.raises(ConnectorFailed, match=r"No metadata registered for captured table 0\.ks"):
        emitted([lost, transaction(6, row(None, [b"1", b"x"]))])


@pytest.mark.parametrize("kind", PassedType)
def test_passed_over(kind: PassedType) -> None:
    """Events that need no action change nothing."""
    events = (begin(), Passed(kind), field(), row(None, [b"1", b"x"]), vgtid(5), commit())
    assert emitted([VStreamResponse(events)]) == emitted([VStreamResponse(tuple(WHOLE))])


@pytest.mark.parametrize("event", [Other(), Ddl("alter table kv add x int")])
def test_flushed_at_once(event: VEvent) -> None:
    """OTHER and DDL do not wait for a transaction; without a position they are dropped."""
    assembly = EventBuffer()
    assert assembly.feed(VStreamResponse((event,))) is None
    batch = assembly.feed(VStreamResponse((vgtid(1), event)))
    assert batch is not None
    assert batch.vgtid == vgtid(1)


def test_rotated() -> None:
    """An OTHER makes the position before it the one to restart from."""
    moved = VStreamResponse((vgtid(3), Other()))
    records = emitted([moved, VStreamResponse(tuple(WHOLE))])
    assert ":1-3" in records[0].source_offset["vgtid"]


def test_broken_off() -> None:
    """A stream that breaks off can be tried again, and what came before it is kept."""
    broken = VStreamResponse(error=StreamError("UNAVAILABLE", "vtgate gone"))
    stream = connector().run([VStreamResponse(tuple(WHOLE)), broken])
    assert next(stream).key == {"id": 1}
    with pytest.raises(ConnectorFailed, match="UNAVAILABLE: vtgate gone") as failed:
        next(stream)
    assert failed.value.retriable


def test_heartbeats() -> None:
    """A heartbeat comes when its interval has passed by the clock, and not before."""
    beat = VStreamResponse((Heartbeat(),))
    assert list(ticking({"heartbeat.interval.ms": "1"}, step=0).run([beat])) == []
    (record,) = ticking({"heartbeat.interval.ms": "1"}, step=1_000_000).run([beat])
    assert (record.topic, record.partition) == ("__debezium-heartbeat.srv", 0)
    assert record.value["vgtid"] == record.source_offset["vgtid"]


def test_dropped_row() -> None:
    """A cell that cannot be read stops the task, or costs its row, as the mode says."""
    responses = [transaction(5, field(), row(None, [b"x", b"a"]), row(None, [b"2", b"b"]))]
    with pytest.raises(ConnectorFailed, match='For input string: "x"') as failed:
        emitted(responses)
    assert failed.value.chain[2].startswith(
        "org.apache.kafka.connect.errors.ConnectException: Error while processing event at offset"
    )
    for mode in ("warn", "skip"):
        records = emitted(responses, {"event.processing.failure.handling.mode": mode})
        assert [record.key for record in records] == [{"id": 2}]


def test_a_change_of_nothing() -> None:
    """A change without a row before and after it makes no record, and what follows it does."""
    (record,) = emitted([transaction(5, field(), row(None, None), row(None, [b"1", b"x"]))])
    assert record.value["after"] == {"id": 1, "v": "x"}
