"""A right answer passes however it is written; what cannot be decided is held against nobody."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.model.change import Op
from harness.model.finding import FindingKind, Judgement
from harness.model.record import Origin, Record
from harness.model.source_events import RowEvent
from harness.model.table import TableId
from harness.verdict.case import Judged, places
from harness.verdict.judge import judge
from tests.changelogs import T, ddl, delete, insert, transaction, update
from tests.verdict.answers import case

STEPS = (
    ddl("CREATE TABLE t (id BIGINT UNSIGNED PRIMARY KEY, v VARCHAR(9), b VARBINARY(9))"),
    transaction(insert(2**64 - 1, "a", b"\xff"), insert(2, None, None), insert(3, "c", b"")),
    ddl("ALTER TABLE t ADD COLUMN w DECIMAL(9,2) DEFAULT 1"),
    transaction(
        update((2, None, None, "1.00"), (2, "x", None, "2.50")), delete(3, "c", b"", "1.00")
    ),
    ddl("RENAME TABLE t TO a"),
)
PLAIN = case(*STEPS)
A = TableId("shop", "a")


@given(st.randoms(use_true_random=False))
def test_any_order_of_rows(random: Any) -> None:
    """A right answer passes with its rows in any order."""
    rows = PLAIN.tables()[A]
    random.shuffle(rows)
    assert PLAIN.verdict(tables={A: tuple(rows)}).judgement is Judgement.PASS


def test_findings_without_end_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of more findings than anybody reads some are kept, and others counted up to a bound."""
    kept, bound = 10, 40
    monkeypatch.setattr("harness.verdict.judge.FINDINGS_MAX", kept)
    monkeypatch.setattr("harness.verdict.judge.COUNTED_MAX", bound)
    right = PLAIN.tables()[A]
    for more, counted in ((0, 0), (1, 1), (bound, bound), (3 * bound, bound)):
        wrong = [{"id": n, "v": "?", "b": None, "w": 1} for n in range(10, 10 + kept + more)]
        verdict = PLAIN.verdict(tables={A: (*right, *wrong)})
        assert (len(verdict.findings), verdict.more) == (kept, counted)
        assert verdict.judgement is Judgement.FAIL


@given(st.randoms(use_true_random=False))
def test_any_interleaving_of_keys(random: Any) -> None:
    """Events of different keys may come in any order, as partitions have none among each other."""
    events = PLAIN.events()
    keys = [event.after or event.before or {} for event in events]
    order = list(range(len(events)))
    random.shuffle(order)
    by_key = sorted(order, key=lambda n: (str(keys[n]["id"]), n))
    assert PLAIN.verdict(events=tuple(events[n] for n in by_key)).judgement is Judgement.PASS


SPELLINGS: dict[str, dict[str, Any]] = {
    "numbers as text": {"id": "18446744073709551615", "v": "a", "b": "ff", "w": "1.00"},
    "numbers as numbers": {"id": 2**64 - 1, "v": "a", "b": "FF", "w": 1},
    "exact decimals": {"id": Decimal(2**64 - 1), "v": "a", "b": "ff", "w": Decimal("1.0")},
}


@pytest.mark.parametrize("row", SPELLINGS.values(), ids=SPELLINGS)
def test_any_exact_spelling(row: dict[str, Any]) -> None:
    """A value passes in every spelling that is exact."""
    other = next(row for row in PLAIN.tables()[A] if row["id"] == 2)
    assert PLAIN.verdict(tables={A: (row, other)}).judgement is Judgement.PASS


# What a right consumer may leave out or write otherwise.
LENIENT: dict[str, dict[str, Any]] = {
    "nothing changed": {},
    "no events": {"events": None},
    "no statements": {"ddl": None},
    "events without ts": {"events": tuple(replace(e, commit_ts=None) for e in PLAIN.events())},
    "statements without ts": {"ddl": tuple(replace(d, commit_ts=None) for d in PLAIN.ddl())},
    "statements without type": {"ddl": tuple(replace(d, type=None) for d in PLAIN.ddl())},
    "the user's own SQL": {
        "ddl": tuple(
            replace(statement, query=event.source)
            for statement, event in zip(PLAIN.ddl(), PLAIN.expected.ddl, strict=True)
        )
    },
    "deletes with their key only": {
        "events": tuple(
            replace(e, before={"id": (e.before or {})["id"]}) if e.op is Op.DELETE else e
            for e in PLAIN.events()
        )
    },
    "updates reported as inserts": {
        "events": tuple(
            replace(e, op=Op.INSERT, before=None) if e.op is Op.UPDATE else e
            for e in PLAIN.events()
        )
    },
    "every event twice": {"events": tuple(e for e in PLAIN.events() for _ in range(2))},
    "everything again": {"events": (*PLAIN.events(), *PLAIN.events())},
    "an empty table more": {"tables": {**PLAIN.tables(), TableId("shop", "x"): ()}},
}


@pytest.mark.parametrize("spoiled", LENIENT.values(), ids=LENIENT)
def test_right_answers(spoiled: dict[str, Any]) -> None:
    """What the contract leaves to the consumer is not held against it."""
    verdict = PLAIN.verdict(**spoiled)
    assert (verdict.judgement, verdict.findings) == (Judgement.PASS, ())


def test_unreported_timestamps_still_judge() -> None:
    """Without timestamps a lost, invented or repeated item is found all the same."""
    events = [replace(e, commit_ts=None) for e in PLAIN.events()]
    statements = [replace(d, commit_ts=None) for d in PLAIN.ddl()]
    stranger = replace(events[0], after={"id": 77, "v": "a", "b": None})
    unreadable = replace(events[0], table=TableId("shop", "x"))
    found = [
        [finding.kind for finding in PLAIN.findings(**spoiled)]
        for spoiled in (
            {"events": tuple(events[1:])},
            {"events": (*events, stranger)},
            {"events": (*events, unreadable)},
            {"ddl": tuple(statements[1:])},
            {"ddl": (*statements, statements[0])},
            {"ddl": (*statements, replace(statements[0], query="DROP TABLE t"))},
        )
    ]
    assert found == [
        [FindingKind.EVENT_MISSING],
        [FindingKind.EVENT_UNEXPECTED],
        [FindingKind.EVENT_UNEXPECTED],
        [FindingKind.DDL_MISSING],
        [FindingKind.DDL_REPEATED],
        [FindingKind.DDL_UNEXPECTED],
    ]


def test_unreported_timestamps_of_equal_statements() -> None:
    """Two equal statements told without timestamps are two, and one of them is one too few."""
    plan = case(*STEPS[:2], ddl("TRUNCATE TABLE t", line=7), ddl("TRUNCATE TABLE t", line=8))
    statements = tuple(replace(d, commit_ts=None) for d in plan.ddl())
    assert plan.findings(ddl=statements) == []
    (finding,) = plan.findings(ddl=statements[:-1])
    assert (finding.kind, finding.line) == (FindingKind.DDL_MISSING, 8)


def test_unreported_timestamps_of_equal_events() -> None:
    """Two puts of one key told without timestamps are two, and one of them is one too few."""
    changed = transaction(update((3, "c", b""), (3, "d", b""), line=8))
    plan = case(*STEPS[:2], changed)
    events = tuple(replace(e, commit_ts=None) for e in plan.events())
    assert plan.findings(events=events) == []
    (finding,) = plan.findings(events=events[:-1])
    assert (finding.kind, finding.line) == (FindingKind.EVENT_MISSING, 8)


def test_a_key_that_moves_may_be_two_events() -> None:
    """An update takes the row from its old key; to report it as a delete and a put is right."""
    plan = case(
        ddl("CREATE TABLE t (id INT PRIMARY KEY NONCLUSTERED, v INT)"),
        transaction(insert(1, 1)),
        transaction(update((1, 1), (2, 1))),
        **{"sink.kafka-config.output-raw-change-event": True},
    )
    assert plan.tables() == {T: [{"id": 2, "v": 1}]}
    *first, moved = plan.events()
    gone, come = replace(moved, op=Op.DELETE, after=None), replace(moved, before=None)
    assert plan.findings() == plan.findings(events=(*first, gone, come)) == []
    (finding,) = plan.findings(events=(*first, gone))
    assert finding.kind is FindingKind.EVENT_MISSING


def test_keyless_events_are_not_counted() -> None:
    """Events of keyless rows have no identity, so none is missed or refused."""
    plan = case(
        ddl("CREATE TABLE t (id INT)"),
        transaction(insert(1), insert(2)),
        dialect="4.0.4",
        force_replicate=True,
    )
    undated = tuple(replace(event, commit_ts=None) for event in plan.events())
    for events in ((), undated, (*plan.events(), *plan.events())):
        assert plan.verdict(events=events).judgement is Judgement.PASS


def test_places() -> None:
    """An event's places are all records that carry it, by partition and offset."""
    one, two = (Origin(1, 0, event, "insert") for event in (1, 2))
    records = [
        Record("b", 1, b"", b"", (one, two)),
        Record("b", 0, b"", b"", (two,)),
        Record("b", 1, b"", b"", (one,)),
        Record("a", 1, b"", b"", (one,)),
    ]
    found = places(records)
    assert [str(place) for place in found[1]] == ["b/1@0", "b/1@1", "a/1@0"]
    assert [str(place) for place in found[2]] == ["b/1@0", "b/0@0"]


def test_main_clause() -> None:
    """A finding without a clause of its own cites the scenario's first, if it has one."""
    assert Judged("c", "open", ("x", "y"), 1, {}).main_clause() == "x"
    assert Judged("c", "open", (), 1, {}).main_clause() == ""


def test_old_value_after_ddl_is_no_stale_row() -> None:
    """The last event's own row is not an older version, even when DDL changed what it says."""
    plan = case(
        ddl("CREATE TABLE t (id INT PRIMARY KEY, e ENUM('a','b'))"),
        transaction(insert(1, 1)),
        ddl("ALTER TABLE t MODIFY COLUMN e ENUM('b','a')"),
    )
    (finding,) = plan.findings(tables={T: ({"id": 1, "e": 1},)})
    assert finding.kind is FindingKind.WRONG_VALUE


def test_deletes_that_carry_no_time() -> None:
    """A tombstone that compaction left before its row, or for a row that stays, is no mistake."""
    plan = case(*STEPS[:2], transaction(delete(3, "c", b""), line=8))
    events = tuple(replace(e, commit_ts=None) for e in plan.events())
    kept, dead = events[0], events[-1]
    stray = replace(dead, before=kept.after)
    assert plan.findings(events=(dead, *events)) == []
    assert plan.findings(events=(stray, *events)) == []
    (finding,) = plan.findings(events=(dead, *events[:-1]))
    assert finding.kind is FindingKind.EVENT_ORDER


def test_a_tombstone_before_a_row_that_comes_and_goes_twice() -> None:
    """Of deletions that tell no time any may be the left-over; their order with the rows counts."""
    row = (3, "c", b"")
    again = [transaction(change, line=9) for change in (insert(*row), delete(*row))]
    plan = case(*STEPS[:2], transaction(delete(*row), line=8), *again)
    events = [
        replace(event, commit_ts=None) if event.op is Op.DELETE else event
        for event in plan.events()
    ]
    dead = events[-1]
    assert plan.findings(events=tuple(events)) == []
    assert plan.findings(events=(dead, *events)) == []
    (finding,) = plan.findings(events=(dead, *events[:-1]))
    assert finding.kind is FindingKind.EVENT_ORDER
    puts = [event for event in events if event.op is not Op.DELETE]
    found = {finding.kind for finding in plan.findings(events=(*puts, dead))}
    assert FindingKind.EVENT_MISSING in found


@pytest.mark.parametrize(
    ("unordered", "apart", "judgement"),
    [
        (True, True, Judgement.PASS),
        (True, False, Judgement.FAIL),
        (False, True, Judgement.FAIL),
    ],
)
def test_an_overtaken_event_may_be_passed_over(
    *, unordered: bool, apart: bool, judgement: Judgement
) -> None:
    """Over partitions without an order a later row may be read first; the older is stale then."""
    plan = case(*STEPS[:2], transaction(update((3, "c", b""), (3, "d", b""))))
    applied = (event for event in plan.expected.applied if isinstance(event, RowEvent))
    first, last = (event for event in applied if event.origin.key == "id=3")
    numbers = {last.origin.event: 1 if apart else 0, first.origin.event: 0}
    places_ = {
        event: tuple(replace(place, partition=numbers.get(event, 0)) for place in there)
        for event, there in plan.judged.places.items()
    }
    answered = [
        event
        for event in plan.events()
        if (event.commit_ts, (event.after or {})["id"]) != (first.commit_ts, 3)
    ]
    judged = replace(plan.judged, places=places_)
    expected = replace(plan.expected, unordered=unordered)
    right = replace(plan.right(), events=tuple(answered))
    assert judge(judged, expected, right).judgement is judgement


GENERATED = case(
    ddl("CREATE TABLE t (id INT PRIMARY KEY, a INT, v INT GENERATED ALWAYS AS (a + 1) VIRTUAL)"),
    transaction(insert(1, 10, 11)),
)


@pytest.mark.parametrize(
    ("more", "judgement"),
    [
        ({}, Judgement.PASS),
        ({"v": None}, Judgement.PASS),
        ({"v": 12}, Judgement.FAIL),
        ({"w": None}, Judgement.FAIL),
    ],
)
def test_a_column_that_is_never_sent_may_be_null(
    more: dict[str, Any], judgement: Judgement
) -> None:
    """Who makes the table by its DDL has the column, and no value for it; a value is a finding."""
    rows = ({"id": 1, "a": 10, **more},)
    assert GENERATED.verdict(tables={TableId("shop", "t"): rows}).judgement is judgement
