"""Each way of being wrong has its finding: its kind, its clause, its line, its records.

The right answer is spoiled in one place; what is then found is listed beside it. A finding kind
that nothing here produces fails the last test.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from harness.model.change import Op
from harness.model.finding import Finding, FindingKind, Judgement, Verdict
from harness.model.observed import Outcome
from harness.model.table import TableId
from harness.sources.clock import FIRST_TS
from tests.changelogs import T, ddl, delete, insert, resolved, transaction, update
from tests.verdict.answers import EXPECT_LINE, Case, case, observed, observed_ddl, without

K = FindingKind
# ids: 1 is inserted, updated and stays; 2 is deleted; 3 stays; 4 moves to 5.
STEPS = (
    ddl("CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(9), d DECIMAL(9,2))", line=3),
    transaction(
        insert(1, "a", "1.00", line=4),
        insert(2, "b", None, line=5),
        insert(3, "c", None, line=6),
        insert(4, "d", None, line=7),
        name="t1",
    ),
    transaction(
        update((1, "a", "1.00"), (1, "z", "1.00"), line=9),
        delete(2, "b", None, line=10),
        update((4, "d", None), (5, "d", None), line=11),
        name="t2",
    ),
    ddl("CREATE INDEX i ON t (v)", line=13),
)
PLAIN = case(*STEPS)
# Two keyless twins.
LOOSE = case(
    ddl("CREATE TABLE t (id INT)", line=3),
    transaction(insert(1, line=4), insert(1, line=5), insert(2, line=6)),
    force_replicate=True,
)
# No mark completes the second transaction.
EARLY = case(
    STEPS[0],
    transaction(insert(1, "a", None, line=4), insert(2, "b", None, line=5)),
    resolved(line=6),
    transaction(
        update((1, "a", None), (1, "z", None), line=8),
        delete(2, "b", None, line=9),
        insert(3, "c", None, line=10),
    ),
    end_resolved=False,
)
EARLY_TS = EARLY.expected.held[0].commit_ts

Spoil = Callable[[Case], dict[str, Any]]


def rows(*changed: Any) -> Spoil:
    """Answer with a row changed: (old key, new row), with None to leave it out, or a row added."""

    def spoil(plan: Case) -> dict[str, Any]:
        found = plan.tables()[T]
        for key, row in changed:
            found = [other for other in found if other["id"] != key]
            found += [] if row is None else [row]
        return {"tables": {T: tuple(found)}}

    return spoil


def more(*added: Any) -> Spoil:
    """Answer with rows besides the right ones."""

    def spoil(plan: Case) -> dict[str, Any]:
        return {"tables": {T: (*plan.tables()[T], *added)}}

    return spoil


def instead(tables: dict[TableId, Any]) -> Spoil:
    """Answer with these tables."""
    return lambda _: {"tables": tables}


def lacking(*columns: str) -> Spoil:
    """Answer from a database where the table has not these columns, or is not there at all."""
    return lambda _: {"tables": {}, "lacking": {T: columns}}


def with_events(change: Callable[[list[Any]], list[Any]]) -> Spoil:
    """Answer with the row events changed."""
    return lambda plan: {"events": tuple(change(plan.events()))}


def with_statements(change: Callable[[list[Any]], list[Any]]) -> Spoil:
    """Answer with the DDL statements changed."""
    return lambda plan: {"ddl": tuple(change(plan.ddl()))}


ONE = {"id": 1, "v": "z", "d": "1.00"}
# What is spoiled -> the case, how, and (kind, clause, line, key, column, record offsets) of each
# finding. Offsets: 0 CREATE, 1 its mark, 2 rows 1 to 4, 3 the second transaction.
WRONG: dict[str, tuple[Case, Spoil, list[tuple[Any, ...]]]] = {
    "wrong text": (
        PLAIN,
        rows((1, {**ONE, "v": "y"})),
        [(K.WRONG_VALUE, "open.type.varchar", 9, "id=1", "v", [2])],
    ),
    "wrong decimal": (
        PLAIN,
        rows((1, {**ONE, "d": "1.01"})),
        [(K.WRONG_VALUE, "open.type.decimal", 9, "id=1", "d", [2])],
    ),
    "NULL instead of a value": (
        PLAIN,
        rows((1, {**ONE, "d": None})),
        [(K.WRONG_VALUE, "open.type.null", 9, "id=1", "d", [2])],
    ),
    "two wrong columns": (
        PLAIN,
        rows((3, {"id": 3, "v": None, "d": "0"})),
        [
            (K.WRONG_VALUE, "open.type.null", 6, "id=3", "v", [2]),
            (K.WRONG_VALUE, "open.type.null", 6, "id=3", "d", [2]),
        ],
    ),
    "old version": (
        PLAIN,
        rows((1, {**ONE, "v": "a"})),
        [(K.STALE_ROW, "open.row.update", 9, "id=1", "", [2])],
    ),
    "lost row": (
        PLAIN,
        rows((3, None)),
        [(K.MISSING_ROW, "open.row.insert", 6, "id=3", "", [2])],
    ),
    "lost update": (
        PLAIN,
        rows((1, None)),
        [(K.MISSING_ROW, "open.row.update", 9, "id=1", "", [2])],
    ),
    "no table": (
        PLAIN,
        instead({}),
        [
            (K.MISSING_ROW, "open.row.update", 9, "id=1", "", [2]),
            (K.MISSING_ROW, "open.row.insert", 6, "id=3", "", [2]),
            (K.MISSING_ROW, "open.row.insert", 11, "id=5", "", [2]),
        ],
    ),
    "undeleted row": (
        PLAIN,
        more({"id": 2, "v": "b", "d": None}),
        [(K.EXTRA_ROW, "open.row.delete", 10, "id=2", "", [2])],
    ),
    "row under its old key": (
        PLAIN,
        more({"id": 4, "v": "d", "d": None}),
        [(K.EXTRA_ROW, "open.row.delete", 11, "id=4", "", [2])],
    ),
    "row from nowhere": (
        PLAIN,
        more({"id": 77, "v": "d", "d": None}),
        [(K.EXTRA_ROW, "open.row.insert", EXPECT_LINE, "id=77", "", [])],
    ),
    "row twice": (
        PLAIN,
        more({"id": 3, "v": "c", "d": None}),
        [(K.DUPLICATE_ROW, "open.delivery.at-least-once", 6, "id=3", "", [2])],
    ),
    "keyless row too often": (
        LOOSE,
        more({"id": 1}),
        [(K.DUPLICATE_ROW, "open.delivery.at-least-once", 5, "id=1", "", [2])],
    ),
    "keyless row too seldom": (
        LOOSE,
        instead({T: ({"id": 1}, {"id": 2})}),
        [(K.MISSING_ROW, "open.row.insert", 5, "id=1", "", [2])],
    ),
    "keyless row from nowhere": (
        LOOSE,
        more({"id": 7}),
        [(K.EXTRA_ROW, "open.row.insert", EXPECT_LINE, "id=7", "", [])],
    ),
    "value of no such type": (
        PLAIN,
        rows((1, {**ONE, "d": "one"})),
        [(K.UNREADABLE_VALUE, "open.type.decimal", EXPECT_LINE, "id=1", "d", [2])],
    ),
    "missing column": (
        PLAIN,
        rows((1, without(ONE, "v"))),
        [(K.MISSING_COLUMN, "open.column.name", EXPECT_LINE, "id=1", "v", [2])],
    ),
    "extra column": (
        PLAIN,
        rows((1, {**ONE, "w": 1})),
        [(K.EXTRA_COLUMN, "open.column.name", EXPECT_LINE, "id=1", "w", [2])],
    ),
    "table from nowhere": (
        PLAIN,
        lambda plan: {"tables": {**plan.tables(), TableId("shop", "x"): ({"id": 1},)}},
        [(K.EXTRA_TABLE, "open.row.insert", EXPECT_LINE, "", "", [])],
    ),
    "row too early": (
        EARLY,
        more({"id": 3, "v": "c", "d": None}),
        [(K.EXTRA_ROW, "open.resolved.complete", 10, "id=3", "", [4])],
    ),
    "update too early": (
        EARLY,
        rows((1, {"id": 1, "v": "z", "d": None})),
        [(K.WRONG_VALUE, "open.resolved.complete", 8, "id=1", "", [4])],
    ),
    "neither now nor early": (
        EARLY,
        rows((1, {"id": 1, "v": "q", "d": None})),
        [(K.WRONG_VALUE, "open.type.varchar", 4, "id=1", "v", [2])],
    ),
    "delete too early": (
        EARLY,
        rows((2, None)),
        [(K.MISSING_ROW, "open.resolved.complete", 9, "id=2", "", [4])],
    ),
    "event too early": (
        EARLY,
        with_events(lambda events: [*events, observed(EARLY.expected.held[0])]),
        [(K.EVENT_UNEXPECTED, "open.resolved.complete", EXPECT_LINE, "id=2", "", [])],
    ),
    "lost event": (
        PLAIN,
        with_events(lambda events: events[1:]),
        [(K.EVENT_MISSING, "open.row.insert", 4, "id=1", "", [2])],
    ),
    "lost delete": (
        PLAIN,
        with_events(lambda events: [e for e in events if e.op is not Op.DELETE]),
        [
            (K.EVENT_MISSING, "open.row.delete", 10, "id=2", "", [2]),
            (K.EVENT_MISSING, "open.row.delete", 11, "id=4", "", [2]),
        ],
    ),
    "event of another time": (
        PLAIN,
        with_events(lambda events: [*events, replace(events[0], commit_ts=5)]),
        [(K.EVENT_UNEXPECTED, "open.row.insert", EXPECT_LINE, "?", "", [])],
    ),
    "event of another key": (
        PLAIN,
        with_events(lambda events: [*events, replace(events[0], after={**ONE, "id": 9})]),
        [(K.EVENT_UNEXPECTED, "open.row.insert", EXPECT_LINE, "id=9", "", [])],
    ),
    "event whose key cannot be read": (
        PLAIN,
        with_events(lambda events: [*events, replace(events[0], after={"id": "x"})]),
        [(K.EVENT_UNEXPECTED, "open.row.insert", EXPECT_LINE, "id='x'", "", [])],
    ),
    "delete instead of a put": (
        PLAIN,
        with_events(
            lambda events: [
                *events[1:],
                replace(events[0], op=Op.DELETE, before=events[0].after, after=None),
            ]
        ),
        [
            (K.EVENT_MISSING, "open.row.insert", 4, "id=1", "", [2]),
            (K.EVENT_UNEXPECTED, "open.row.insert", EXPECT_LINE, "id=1", "", []),
        ],
    ),
    "events out of order": (
        PLAIN,
        with_events(lambda events: [*reversed(events)]),
        [
            (K.EVENT_ORDER, "open.order.per-table-ts", line, key, "", [2])
            for line, key in [(9, "id=1"), (10, "id=2"), (11, "id=4")]
        ],
    ),
    "no table in the database": (
        PLAIN,
        lacking(),
        [(K.MISSING_TABLE, "open.row.insert", EXPECT_LINE, "", "", [2])],
    ),
    "no column in the database": (
        PLAIN,
        lacking("v", "d"),
        [(K.MISSING_COLUMN, "open.column.name", EXPECT_LINE, "", "v", [2])],
    ),
    "lost DDL": (
        PLAIN,
        with_statements(lambda statements: statements[1:]),
        [(K.DDL_MISSING, "open.ddl.once", 3, "", "", [0])],
    ),
    "repeated DDL": (
        PLAIN,
        with_statements(lambda statements: [*statements, statements[1]]),
        [(K.DDL_REPEATED, "open.ddl.once", 13, "", "", [3])],
    ),
    "DDL from nowhere": (
        PLAIN,
        with_statements(lambda statements: [*statements, replace(statements[0], query="DROP")]),
        [(K.DDL_UNEXPECTED, "open.ddl.once", EXPECT_LINE, "", "", [])],
    ),
    "DDL out of order": (
        PLAIN,
        with_statements(lambda statements: [*reversed(statements)]),
        [(K.DDL_ORDER, "open.order.per-table-ts", 3, "", "", [])],
    ),
}


def brief(finding: Finding) -> tuple[Any, ...]:
    """Return what the table above says of a finding."""
    return (
        finding.kind,
        finding.clause,
        finding.line,
        finding.key,
        finding.column,
        [place.offset for place in finding.places],
    )


@pytest.mark.parametrize(("plan", "spoil", "expected"), WRONG.values(), ids=WRONG)
def test_wrong_answer(plan: Case, spoil: Spoil, expected: list[tuple[Any, ...]]) -> None:
    """A spoiled answer fails, by just these findings, each with its clause, line and records."""
    verdict = plan.verdict(**spoil(plan))
    assert [brief(finding) for finding in verdict.findings] == expected
    assert verdict.judgement is Judgement.FAIL


def test_a_row_of_another_shape_is_shown_beside_the_right_one() -> None:
    """Which value a missing column has is in the row that must be there, where there is one."""
    (finding,) = PLAIN.verdict(**rows((1, without(ONE, "v")))(PLAIN)).findings
    assert (finding.expected, finding.actual) == (
        "{id: 1, v: 'z', d: '1.00'}",
        "{id: 1, d: '1.00'}",
    )
    (finding,) = PLAIN.verdict(**more({"id": 77, "d": "1.00"})(PLAIN)).findings
    assert (finding.expected, finding.actual) == (None, None)


ENDS = {
    Outcome.ERROR: (Judgement.FAIL, "the consumer gave up on this changefeed: why"),
    Outcome.CRASH: (Judgement.CRASH, "the consumer crashed: why"),
    Outcome.TIMEOUT: (Judgement.TIMEOUT, "the consumer did not answer in time: why"),
    Outcome.INVALID: (Judgement.INVALID, "the consumer's answer is not valid: why"),
    Outcome.UNTRIED: (Judgement.INCONCLUSIVE, "the consumer was not put to the test: why"),
}


@pytest.mark.parametrize("outcome", ENDS)
def test_no_answer(outcome: Outcome) -> None:
    """A consumer that gave up, crashed, hung or wrote garbage is told apart from a wrong one."""
    judgement, message = ENDS[outcome]
    verdict = PLAIN.verdict(outcome=outcome, detail="why", tables=None, events=None, ddl=None)
    (finding,) = verdict.findings
    assert (verdict.judgement, verdict.detail) == (judgement, "why")
    assert (finding.kind, finding.message) == (K.CONSUMER, message)
    assert (finding.clause, finding.line) == ("open.row.insert", EXPECT_LINE)


def test_not_applicable() -> None:
    """A consumer that does not support a case is not blamed for it."""
    verdict = PLAIN.verdict(outcome=Outcome.NOT_APPLICABLE, detail="protocol:open", tables=None)
    assert verdict == Verdict("case", Judgement.NOT_APPLICABLE, (), "needs protocol:open")


def test_every_outcome_has_a_judgement() -> None:
    """Each way in which a consumer's run can end is judged."""
    assert {*ENDS, Outcome.NOT_APPLICABLE, Outcome.DONE} == set(Outcome)


def test_every_kind_is_produced() -> None:
    """There is no finding kind that no wrong answer above produces."""
    produced = {row[0] for _, _, rows in WRONG.values() for row in rows}
    assert produced | {K.CONSUMER} == set(FindingKind)


def test_words() -> None:
    """A finding says what is expected and what is there, and why an older version is wrong."""
    (stale,) = PLAIN.findings(**rows((1, {**ONE, "v": "a"}))(PLAIN))
    assert stale.expected == "{id: 1, v: 'z', d: '1.00'}"
    assert stale.actual == "{id: 1, v: 'a', d: '1.00'}"
    first, second = (FIRST_TS + 262144000, FIRST_TS + 2 * 262144000)
    assert stale.message == (
        f"shop.t id=1 holds the version of commit ts {first}; commit ts {second} came after it"
    )
    (early,) = EARLY.findings(**more({"id": 3, "v": "c", "d": None})(EARLY))
    assert early.message.startswith("the insert of shop.t id=3 was applied although no resolved ts")
    assert f"completes its commit ts {EARLY_TS}" in early.message
    (missing,) = PLAIN.findings(**rows((3, None))(PLAIN))
    assert (missing.expected, missing.actual) == ("{id: 3, v: 'c', d: NULL}", None)
    (wrong,) = PLAIN.findings(**rows((1, {**ONE, "v": "y"}))(PLAIN))
    assert wrong.message == "shop.t.v of id=1 is 'y', not 'z'"
    (statement,) = PLAIN.findings(ddl=(observed_ddl(PLAIN.expected.ddl[0]),))
    assert "was not executed: CREATE INDEX" in statement.message
