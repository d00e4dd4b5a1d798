"""A case planned from its files alone: disturbances, expectations, mistakes with their lines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from harness.codecs.debezium_mysql.codec import BoundMysql
from harness.contracts import BoundCodec
from harness.engine.plan.case import Plan, plan
from harness.engine.plan.expectations import author_problems, sent_events
from harness.errors import DecodingError, ScenarioError
from harness.model.change import Change
from harness.model.decoded import DecodedEvent, EventKind
from harness.model.record import Record
from harness.scenario.expand import cases
from harness.scenario.load import load
from tests.changelogs import ddl, insert, log, resolved, transaction, update

TEXT = """\
id: a
title: A case
clauses: [open.row.insert, open.delivery.at-least-once]
matrix: {protocol: [open], partitions: [2]}
databases: [shop]
settings: {open: {max-batch-size: 2}}
upstream:
  - ddl: CREATE TABLE shop.t (id INT PRIMARY KEY, v INT)
  - transaction: {name: one, sql: "INSERT INTO shop.t VALUES (1, 1), (2, 2), (3, 3)"}
  - transaction: {name: two, sql: "UPDATE shop.t SET id = 4 WHERE id = 1"}
delivery:
  again:
    - replay: {from: two}
      allowed-by: {open: open.delivery.at-least-once}
    - duplicate: {transaction: one, key: {id: 2}, times: 2}
      allowed-by: {open: open.delivery.at-least-once}
expect:
  tables:
    shop.t: [{id: 2, v: 2}, {id: 3, v: 3}, {id: 4, v: 1}]
  events:
    open:
      - {ddl: create_table, partitions: all}
      - unordered: [{insert: {id: 1}}, {insert: {id: 2}}, {insert: {id: 3}}]
      - delete: {id: 1}
      - insert: {id: 4, v: 1}
"""
CHANGES: tuple[Change, ...] = (
    ddl("CREATE TABLE t (id INT PRIMARY KEY, v INT)", line=8),
    transaction(*(insert(n, n, line=9) for n in (1, 2, 3)), name="one", line=9),
    transaction(update((1, 1), (4, 1), line=10), name="two", line=10),
)


def planned(
    root: Path, text: str = TEXT, changes: tuple[Change, ...] = CHANGES
) -> dict[str | None, Plan]:
    """Return the plans of a scenario text by delivery."""
    path = root / "a.yaml"
    path.write_text(text, encoding="utf-8")
    return {case.delivery: plan(case, log(*changes)) for case in cases(load(path, root))}


def test_undisturbed(tmp_path: Path) -> None:
    """The plain case delivers its records as they were encoded."""
    plain = planned(tmp_path)[None]
    assert plain.delivered == plain.records
    assert plain.settings == {"max-batch-size": 2}
    assert plain.topics() == ("ticdc",)
    assert all(len(record.origins) <= 2 for record in plain.records)
    assert author_problems(plain) == ()


@pytest.mark.parametrize(
    ("protocol", "topic"), [("open", "ticdc"), ("avro", "ticdc"), ("vitess", "vitess")]
)
def test_a_changefeed_that_sends_nothing_has_a_topic(
    protocol: str, topic: str, tmp_path: Path
) -> None:
    """A consumer is told of a topic to read, though nothing is ever sent to it."""
    text = (
        TEXT[: TEXT.index("delivery:")] + "expect: {tables: {shop.t: null}}\nend-resolved: false\n"
    )
    text = text.replace("[open]", f"[{protocol}]").replace("{open: {max-batch-size: 2}}", "{}")
    text = text.replace("open.row.insert, open.delivery.at-least-once", "kafka.at-least-once")
    nothing = planned(tmp_path, text, ())[None]
    assert nothing.records == ()
    assert nothing.topics() == (topic,)


def test_disturbed(tmp_path: Path) -> None:
    """The steps of a delivery act one after the other; the truth stays what it was."""
    plans = planned(tmp_path)
    plain, again = plans[None], plans["again"]
    assert again.records == plain.records
    assert set(again.delivered) == set(plain.records)
    tables = [
        sorted(state.all_rows()) for one in (plain, again) for state in one.expected.tables.values()
    ]
    assert tables == [[(2, 2), (3, 3), (4, 1)]] * 2
    counts = [again.delivered.count(record) for record in plain.records]
    chosen = [
        any(o.transaction == "one" and o.key == "id=2" for o in r.origins) for r in plain.records
    ]
    first = next(
        n for n, r in enumerate(plain.records) if any(o.transaction == "two" for o in r.origins)
    )
    assert counts == [
        (2 if number >= first else 1) * (3 if is_chosen else 1)
        for number, is_chosen in enumerate(chosen)
    ]
    assert author_problems(again) == ()


def test_places_are_those_of_the_delivery(tmp_path: Path) -> None:
    """A verdict's places are offsets of the records as they are delivered."""
    again = planned(tmp_path)["again"]
    offsets: dict[int, int] = {}
    for record in again.delivered:
        offset = offsets.get(record.partition, 0)
        offsets[record.partition] = offset + 1
        for origin in record.origins:
            there = [(p.partition, p.offset) for p in again.judged.places[origin.event]]
            assert (record.partition, offset) in there


def test_same_case_same_plan(tmp_path: Path) -> None:
    """A case is planned and disturbed in the same way every time."""
    one, other = planned(tmp_path)["again"], planned(tmp_path)["again"]
    assert (one.events, one.delivered) == (other.events, other.delivered)


def test_sent_events(tmp_path: Path) -> None:
    """The author sees each event once, in order of emission, with the partitions that carry it."""
    sent = sent_events(planned(tmp_path)[None])
    kinds = [event.decoded.kind for event in sent]
    assert kinds == [
        EventKind.DDL,
        EventKind.RESOLVED,
        *[EventKind.INSERT] * 3,
        EventKind.DELETE,
        EventKind.INSERT,
        EventKind.RESOLVED,
    ]
    assert [event.action for event in sent if event.action] == ["create_table"]
    for event in sent:
        both = event.decoded.kind in {EventKind.DDL, EventKind.RESOLVED}
        assert event.partitions == {0, 1} if both else len(event.partitions) == 1
        assert (event.table is None) == both


UNREAD = """\
id: a
title: A case
clauses: [debezium-mysql.truncate.event]
matrix: {protocol: [debezium-mysql]}
databases: [shop]
settings: {debezium-mysql: {skipped.operations: none}}
upstream:
  - ddl: CREATE TABLE shop.t (id INT PRIMARY KEY, v INT)
  - ddl: TRUNCATE TABLE shop.t
expect: {tables: {shop.t: []}}
"""


class Refusing(BoundMysql):
    """A decoder that does not know TRUNCATE among rows; each of ours reads what it writes."""

    def __init__(self, right: BoundCodec) -> None:
        """Take the decoder for everything else."""
        self._right = right

    def decode(self, key: bytes | None, value: bytes | None) -> tuple[DecodedEvent, ...]:
        """Refuse a TRUNCATE."""
        if b'"op":"t"' in (value or b""):
            raise DecodingError("operation 't'", hint="leave t in `skipped.operations`")
        return self._right.decode(key, value)


def test_a_record_that_the_decoder_refuses(tmp_path: Path) -> None:
    """The problem names the statement that it comes from, where it lies, and what to set."""
    lines = {"CREATE TABLE t (id INT PRIMARY KEY, v INT)": 8, "TRUNCATE TABLE t": 9}
    changes = tuple(ddl(sql, line=line) for sql, line in lines.items())
    made = planned(tmp_path, UNREAD, changes)[None]
    made = replace(made, wire=Refusing(made.wire))
    with pytest.raises(ScenarioError) as raised:
        author_problems(made)
    (problem,) = raised.value.problems
    assert problem.location.line == 9
    assert "cannot read what is sent at mysql.shop.t/0@0: operation 't'" in problem.what
    assert "skipped.operations" in problem.hint


def _turned_round(records: tuple[Record, ...]) -> tuple[Record, ...]:
    return records[::-1]


def _ddl_last_in_one_partition(records: tuple[Record, ...]) -> tuple[Record, ...]:
    first = next(record for record in records if record.partition == 1)
    return (*(record for record in records if record is not first), first)


@pytest.mark.parametrize("order", [_turned_round, _ddl_last_in_one_partition])
def test_events_are_listed_in_the_order_sent(
    order: Callable[[tuple[Record, ...]], tuple[Record, ...]], tmp_path: Path
) -> None:
    """A stream of the same events in another order is not the one that the list means."""
    plain = planned(tmp_path)[None]
    assert author_problems(plain) == ()
    (problem,) = author_problems(replace(plain, records=order(plain.records)))
    assert "expect.events.open does not hold: item 1" in problem.what


# A line of the text -> another line, the line at fault, and what is said.
DENIED = {
    "tables": (
        "{id: 4, v: 1}]\n",
        "{id: 4, v: 9}]\n",
        19,
        "expect.tables does not hold: row {id: 4, v: 9} is not there",
    ),
    "events": (
        "delete: {id: 1}",
        "delete: {id: 2}",
        24,
        "expect.events.open does not hold: item 3: event 5 is delete of shop.t {id: 1, v: 1}",
    ),
    "records": (
        "  events:\n",
        "  records: {open: [in-order: [{insert: {id: 3}}, {insert: {id: 1}}]]}\n  events:\n",
        20,
        "expect.records.open does not hold: insert of shop.t {id: 1, v: 1} in ticdc/0@2 comes",
    ),
}


@pytest.mark.parametrize(("old", "new", "line", "said"), DENIED.values(), ids=DENIED)
def test_expectations_that_do_not_hold(
    old: str, new: str, line: int, said: str, tmp_path: Path
) -> None:
    """What the stream denies is told with the place of the expectation, and how to look."""
    plain = planned(tmp_path, TEXT.replace(old, new))[None]
    (problem,) = author_problems(plain)
    assert said in problem.what
    assert problem.location.path.endswith("a.yaml")
    assert line <= problem.location.line <= line + 4
    assert "harness preview" in problem.hint


# Another scenario text, another log -> the line at fault and what is said.
MISTAKES: dict[str, tuple[str, tuple[Change, ...], int, str]] = {
    "impossible change": (
        TEXT,
        (*CHANGES, transaction(update((9, 9), (8, 8), line=10), name="three")),
        10,
        "shop.t does not hold the row of this update",
    ),
    "nothing to repeat": (
        TEXT.replace("key: {id: 2}", "key: {id: 7}"),
        CHANGES,
        15,
        "nothing to act on",
    ),
    "row too large": (
        TEXT.replace("max-batch-size: 2", "max-message-bytes: 100"),
        CHANGES,
        9,
        "max-message-bytes is 100",
    ),
}


@pytest.mark.parametrize(("text", "changes", "line", "said"), MISTAKES.values(), ids=MISTAKES)
def test_mistakes(
    text: str, changes: tuple[Change, ...], line: int, said: str, tmp_path: Path
) -> None:
    """What cannot be planned is the author's mistake, with file and line."""
    with pytest.raises(ScenarioError, match=said) as refusal:
        planned(tmp_path, text, changes)
    (problem,) = refusal.value.problems
    assert problem.location.line in {line, line - 1}
    assert problem.location.path.endswith("a.yaml")


STOPS = """\
id: a
title: A row too large ends the changefeed
clauses: [open.row.insert]
matrix: {protocol: [open], partitions: [1]}
databases: [shop]
settings: {open: {max-message-bytes: 250}}
upstream:
  - ddl: CREATE TABLE shop.t (id INT PRIMARY KEY, v VARCHAR(200))
  - transaction: {name: one, sql: "INSERT INTO shop.t VALUES (1, 'small')"}
  - resolved: all
  - transaction: {name: two, sql: "INSERT INTO shop.t VALUES (2, 'large')"}
  - resolved: all
expect:
  tables:
    shop.t: [{id: 1, v: small}]
  events:
    open:
      - {ddl: create_table}
      - insert: {id: 1}
      - stopped: ErrMessageTooLarge
"""


def test_an_encoders_stop_ends_the_stream_where_it_happens(tmp_path: Path) -> None:
    """What was sent before the row at fault stands, nothing behind it does, and it can be meant."""
    changes: tuple[Change, ...] = (
        ddl("CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(200))", line=8),
        transaction(insert(1, "small", line=9), line=9),
        resolved(line=10),
        transaction(insert(2, "large" * 40, line=11), line=11),
        resolved(line=12),
    )
    (found,) = planned(tmp_path, STOPS, changes).values()
    assert author_problems(found) == ()
    assert found.stopped is not None
    assert (found.stopped.code, found.stopped.origin.line) == ("ErrMessageTooLarge", 11)
    assert {origin.line for record in found.records for origin in record.origins} == {8, 9, 10}
    assert next(iter(found.expected.tables.values())).all_rows() == [(1, "small")]
    with pytest.raises(ScenarioError, match="stops with ErrMessageTooLarge") as refusal:
        planned(tmp_path, STOPS.replace("      - stopped: ErrMessageTooLarge\n", ""), changes)
    assert refusal.value.problems[0].location.line == 11


def test_what_no_narrower_clause_fits_is_blamed_on_one_of_the_protocol(tmp_path: Path) -> None:
    """A finding on one protocol cites no other protocol's clause, whatever is named first."""
    text = TEXT.replace("[open.row.insert,", "[avro.row.insert, open.row.insert,")
    text = text.replace("protocol: [open]", "protocol: [avro, open]")
    text = text.replace("allowed-by: {", "allowed-by: {avro: avro.delivery.at-least-once, ")
    found = planned(tmp_path, text)[None]
    assert found.judged.main_clause() == "open.row.insert"
    assert set(found.judged.clauses) == set(found.case.scenario.clauses)


def test_the_clause_of_a_service_that_is_away_comes_first(tmp_path: Path) -> None:
    """What a consumer gives up for is the service that its delivery takes away."""
    text = """\
id: a
title: A case
clauses: [open.row.insert, kafka.brokers-fail]
matrix: {protocol: [open], partitions: [2]}
databases: [shop]
upstream:
  - ddl: CREATE TABLE shop.t (id INT PRIMARY KEY, v INT)
  - transaction: {name: one, sql: "INSERT INTO shop.t VALUES (1, 1), (2, 2), (3, 3)"}
delivery:
  away:
    - broker-restart: {after: one}
      allowed-by: {open: kafka.brokers-fail}
expect:
  tables:
    shop.t: [{id: 1, v: 1}, {id: 2, v: 2}, {id: 3, v: 3}]
"""
    found = planned(tmp_path, text, CHANGES[:2])
    assert found[None].judged.main_clause() == "open.row.insert"
    assert found["away"].judged.main_clause() == "kafka.brokers-fail"
