"""Lanes show every message of a delivery in the order of sending, and where the run is harmed."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from harness.engine.plan.case import Plan
from harness.faults.actions import AfterCommits, AfterRecords, Kill, Pause, RestartBroker, Step
from harness.report.lanes import Came, Shape, lanes, left_out, moments
from harness.report.lanes_page import lanes_page
from tests.engine.plan.test_case import TEXT, planned
from tests.stream_rules.test_rules import plan_of

HARMED = """\
  harmed:
    - kill: {after-records: 2, resume: false}
      allowed-by: {open: kafka.at-least-once}
    - broker-restart: {after: one}
      allowed-by: {open: kafka.brokers-fail}
  held:
    - uncommitted: {transaction: two}
      allowed-by: {open: kafka.aborted-transactions}
  spoiled:
    - truncated: {transaction: one}
      hostile: true
  empty:
    - empty-message: {}
      seen-in: https://example.org/1
    - empty-message: {value: "null"}
      seen-in: https://example.org/1
expect:
"""


def plans(tmp_path: Path) -> dict[str | None, Plan]:
    """Return the plans of a scenario with deliveries of every kind."""
    text = TEXT.replace("max-batch-size: 2", "max-batch-size: 1")
    return planned(tmp_path, text.replace("expect:\n", HARMED, 1))


def test_every_message_has_its_column(tmp_path: Path) -> None:
    """The columns of all lanes are the messages that can be read, each once, offsets in order."""
    for plan in plans(tmp_path).values():
        found = lanes(plan)
        columns = sorted(one.column for lane in found for one in lane.sent)
        assert columns == list(range(len(plan.delivered)))
        for lane in found:
            assert [one.offset for one in lane.sent] == sorted(one.offset for one in lane.sent)
            # A lane is in the order of sending, also where equal messages come more than once.
            assert [one.column for one in lane.sent] == sorted(one.column for one in lane.sent)
            topic, _, partition = lane.name.rpartition("/")
            for one in lane.sent:
                record = plan.delivered[one.column]
                assert (record.topic, record.partition) == (topic, int(partition))


def test_what_comes_again_is_marked(tmp_path: Path) -> None:
    """As many messages are marked as the delivery adds, and none of an undisturbed one."""
    found = plans(tmp_path)
    came = Counter(one.came for lane in lanes(found["again"]) for one in lane.sent)
    assert came[Came.AGAIN] == len(found["again"].delivered) - len(found["again"].records)
    assert {one.came for lane in lanes(found[None]) for one in lane.sent} == {Came.AS_SENT}


def test_what_is_left_out_is_counted(tmp_path: Path) -> None:
    """Messages that are held back for ever are missing in the lanes, and the page says so."""
    found = plans(tmp_path)
    assert left_out(found[None]) == 0
    gone = len(found["held"].records) - len(found["held"].delivered)
    assert left_out(found["held"]) == gone == 2
    said = "of the undisturbed case"
    assert f"<p>Not there: 2 messages {said}" in lanes_page([found["held"]])
    # What comes again, or is changed, stands for none that is missing.
    for name in (None, "again", "spoiled"):
        assert left_out(found[name]) == 0
        assert said not in lanes_page([found[name]])


def page(found: dict[str | None, Plan]) -> str:
    """Return the page of all plans."""
    return lanes_page(list(found.values()))


def test_a_kill_has_its_place(tmp_path: Path) -> None:
    """A kill after two messages stands behind the second, by its partition and line."""
    plan = plans(tmp_path)["harmed"]
    killed, restarted = moments(plan)
    second = plan.delivered[1]
    assert killed.behind == 2
    assert f"the last of them is {second.topic}/{second.partition}, line" in killed.text
    assert restarted.behind is not None
    assert f"after {restarted.behind} messages: the broker stops" in restarted.text
    drawn = lanes_page([plan])
    assert drawn.count('class="moment"') == 2


REPEATED = """\
delivery:
  once:
    - compacted: {}
      allowed-by: {avro: kafka.compaction.older-gone}
  repeated:
    - replay: {from: two}
      allowed-by: {avro: avro.delivery.at-least-once}
    - replay: {from: one}
      allowed-by: {avro: avro.delivery.at-least-once}
    - compacted: {}
      allowed-by: {avro: kafka.compaction.older-gone}
"""


def test_of_equal_messages_compaction_leaves_the_last(tmp_path: Path) -> None:
    """In a compacted lane a key has one message, where its last one was sent."""
    head, rest = TEXT.split("delivery:\n")[0], REPEATED
    head = head.replace("protocol: [open]", "protocol: [avro]").replace("open.row", "avro.row")
    head = head.replace("open.delivery", "avro.delivery").replace("settings: {open", "# {open")
    found = planned(tmp_path, f"{head}{rest}expect: {{tables: {{shop.t: []}}}}\n")
    assert len(found["repeated"].delivered) > len(found["repeated"].records)
    for name in ("once", "repeated"):
        plan = found[name]
        last = {(r.topic, r.partition, r.key): n for n, r in enumerate(plan.delivered)}
        seen = [one for lane in lanes(plan) for one in lane.sent]
        assert {one.column for one in seen} == set(last.values())
        assert len(seen) == len(last) < len(plan.records)
        kept = Counter(plan.delivered[n] for n in last.values())
        assert left_out(plan) == sum((Counter(plan.records) - kept).values()) > 0


# A case of the catalogue -> by what a message is known on the wire -> as what it is drawn.
WIRE = {
    "transport.tombstones-in-all-states[vitess,p3]": {"null": Shape.DELETE, "d": Shape.DELETE},
    "vitess.more-than-rows[vitess,+heartbeats,p1]": {
        "heartbeat": Shape.RESOLVED,
        "u": Shape.ROW,
    },
    "vitess.more-than-rows[vitess,+schema-changes,p1]": {"ddl": Shape.DDL, "c": Shape.ROW},
    "sharding.shard-is-back[vitess,p1]": {
        "BEGIN": Shape.BOUNDARY,
        "END": Shape.BOUNDARY,
        "u": Shape.ROW,
    },
    "keys.pk-chain[avro,p1]": {"null": Shape.DELETE, "": Shape.ROW},
}
KNOWN = re.compile(rb'"(?:op|status)":"(\w+)"')


def known_as(topic: str, value: bytes | None) -> str:
    """Return by what a message is known without a decoder."""
    if topic.startswith("__debezium-heartbeat"):
        return "heartbeat"
    if value is None:
        return "null"
    found = KNOWN.search(value)
    return "ddl" if b'"ddl":"' in value else found[1].decode() if found else ""


@pytest.mark.parametrize("case", WIRE)
def test_each_kind_on_the_wire_has_its_shape(case: str) -> None:
    """Tombstones are deletes, heartbeats resolved events, BEGIN and END boundaries."""
    plan, drawn = plan_of(case), set[tuple[str, Shape]]()
    for lane in lanes(plan):
        for one in lane.sent:
            record = plan.delivered[one.column]
            drawn.add((known_as(record.topic, record.value), one.shape))
    assert drawn >= set(WIRE[case].items())
    assert len(dict(drawn)) == len(drawn)  # no kind is drawn in two ways


KILLED = Kill(AfterRecords(3))
HELD = Pause(AfterRecords(1), 5)
# What is done behind two messages of four -> after how many it stands, and the message it names.
PLACED: dict[str, tuple[Step, int | None, int]] = {
    "a kill that comes later": (KILLED, 3, 3),
    "a kill whose messages are there": (Kill(AfterRecords(1)), 2, 0),
    "a kill at once": (Kill(AfterRecords(2)), 2, 0),
    "a kill beyond the end": (Kill(AfterRecords(9)), 9, 0),
    "a pause that comes later": (Pause(AfterRecords(4), 5), 4, 4),
    "a pause whose messages are there": (HELD, 2, 0),
    "a kill that the consumer decides": (Kill(AfterCommits(1)), None, 0),
    "a pause that the consumer decides": (Pause(AfterCommits(1), 5), None, 0),
    "what is done to a service": (RestartBroker(), 2, 0),
}


@pytest.mark.parametrize("what", PLACED)
def test_a_moment_stands_where_it_can_be(what: str, tmp_path: Path) -> None:
    """An action waits for its messages and never stands before what is sent ahead of it."""
    action, behind, named = PLACED[what]
    plain = plans(tmp_path)[None]
    steps = (*plain.records[:2], action, *plain.records[2:4])
    plan = replace(plain, delivery=replace(plain.delivery, steps=steps))
    (moment,) = moments(plan)
    assert moment.behind == behind
    assert moment.text.startswith(f"after 2 messages: {action}")
    record = plan.delivered[named - 1]
    said = f"; the last of them is {record.topic}/{record.partition}, line {record.origins[0].line}"
    assert moment.text == f"after 2 messages: {action}" + (said if named else "")


@pytest.mark.parametrize(
    ("before", "said"),
    [(0, "from the start: "), (1, "after 1 message: "), (2, "after 2 messages: ")],
)
def test_a_moment_says_what_comes_before_it(before: int, said: str, tmp_path: Path) -> None:
    """None, one and more messages are said in words."""
    plain = plans(tmp_path)[None]
    steps = (*plain.records[:before], RestartBroker(), *plain.records[before:])
    (moment,) = moments(replace(plain, delivery=replace(plain.delivery, steps=steps)))
    assert moment.text == f"{said}{RestartBroker()}"


# What a message remembers of its birth -> what it is drawn as.
DRAWN = {
    "insert": Shape.ROW,
    "update": Shape.ROW,
    "delete": Shape.DELETE,
    "ddl": Shape.DDL,
    "resolved": Shape.RESOLVED,
}


def test_each_message_says_what_it_is(tmp_path: Path) -> None:
    """Rows, deletes, DDL and resolved events are drawn differently, with line and transaction."""
    plan = plans(tmp_path)[None]
    seen = [
        (one, plan.delivered[one.column].origins[0]) for lane in lanes(plan) for one in lane.sent
    ]
    assert {origin.kind for _, origin in seen} >= {"insert", "delete", "ddl", "resolved"}
    for one, origin in seen:
        assert one.shape is DRAWN[origin.kind]
        assert (one.line, one.transaction) == (origin.line, origin.transaction or "")


def test_a_spoiled_message_is_neither_sent_nor_readable(tmp_path: Path) -> None:
    """A message that the delivery made is marked as such, and as one that nobody can read."""
    found = plans(tmp_path)["spoiled"]
    (spoiled,) = (one for lane in lanes(found) for one in lane.sent if one.came is not Came.AS_SENT)
    assert (spoiled.came, spoiled.shape) == (Came.OTHER, Shape.UNREADABLE)
    assert "cannot be read" in spoiled.texts[0]
    assert 'class="unreadable"' in lanes_page([found])


def test_a_message_of_several_events_is_drawn_as_its_first(tmp_path: Path) -> None:
    """A batch that begins with a delete and goes on with a row is a delete."""
    text = TEXT.replace("partitions: [2]", "partitions: [1]")
    plan = planned(tmp_path, text)[None]
    kinds = {
        one.column: [DRAWN[origin.kind] for origin in plan.delivered[one.column].origins]
        for lane in lanes(plan)
        for one in lane.sent
    }
    shapes = {one.column: one.shape for lane in lanes(plan) for one in lane.sent}
    assert shapes == {column: found[0] for column, found in kinds.items()}
    assert any(found[0] is not found[-1] for found in kinds.values())


def test_a_message_without_key_and_value_is_no_event(tmp_path: Path) -> None:
    """It is neither unreadable nor a row, and whatever value it has, it is told from all others."""
    sent = [one for lane in lanes(plans(tmp_path)["empty"]) for one in lane.sent]
    empty = [one for one in sent if one.shape is Shape.NOTHING]
    assert empty
    assert {one.texts for one in empty} == {("no event: neither key nor value",)}
    assert Shape.UNREADABLE not in {one.shape for one in sent}
