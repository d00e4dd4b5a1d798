"""Level decode: each way in which an answer may differ from its messages has its own finding."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from harness.model.columns import Column, ColumnKind
from harness.model.decoded import DecodedEvent, EventKind
from harness.model.finding import FindingKind, Judgement, Place
from harness.model.observed import DeadLetter, Observed, ObservedDecoded, Outcome
from harness.model.record import Origin
from harness.verdict.case import Judged
from harness.verdict.decoding import ExpectedEvent, judge_decoded

K = FindingKind
JUDGED = Judged("case", "open", ("open.row.insert",), 9, {})
COLUMNS = {
    "a": Column(1, "a", ColumnKind.BIGINT, unsigned=True),
    "b": Column(2, "b", ColumnKind.BINARY, length=2),
}
BIG = 2**64 - 1


def wanted(kind: EventKind, offset: int, **more: Any) -> ExpectedEvent:
    """Return an event of a message at an offset of the one partition."""
    event = DecodedEvent(kind, 7, "shop", "t", **more)
    return ExpectedEvent(
        event, COLUMNS, Place("ticdc", 0, offset, Origin(20 + offset, 0, 0, "row"))
    )


DDL = wanted(EventKind.DDL, 0, query="CREATE TABLE t (a INT)", type=3)
INSERT = wanted(EventKind.INSERT, 1, after={"a": BIG, "b": b"x\0"})
PUT = wanted(EventKind.UPSERT, 2, after={"a": 1, "b": None})
DELETE = wanted(EventKind.DELETE, 2, before={"a": 1})
MARK = wanted(EventKind.RESOLVED, 3)
STREAM = (DDL, INSERT, PUT, DELETE, MARK)


def reported(one: ExpectedEvent, **more: Any) -> ObservedDecoded:
    """Return the right answer to an event, with some of it changed."""
    event = one.event
    right = ObservedDecoded(
        event.kind, *one.where, "shop", "t", event.before, event.after, 7, event.query, event.type
    )
    return replace(right, line=1 + STREAM.index(one), **more)


RIGHT = [
    reported(DDL),
    reported(INSERT, after={"a": str(BIG), "b": "78"}),
    reported(PUT),
    reported(DELETE),
    reported(MARK),
]


def found(*answer: ObservedDecoded) -> list[tuple[FindingKind, str, str]]:
    """Return kind, message and clause of what is wrong with an answer."""
    verdict = judge_decoded(JUDGED, STREAM, Observed(Outcome.DONE, decoded=answer))
    assert (verdict.judgement is Judgement.PASS) == (not verdict.findings)
    return [(one.kind, one.message, one.clause) for one in verdict.findings]


def spoiled(number: int, **more: Any) -> list[ObservedDecoded]:
    """Return the right answer with one event changed."""
    return [replace(one, **more) if at == number else one for at, one in enumerate(RIGHT)]


def test_the_right_answer_passes() -> None:
    """Values are compared by column, whatever their spelling."""
    assert found(*RIGHT) == []


def test_an_upsert_is_recognised_by_any_of_its_words() -> None:
    """Where the message does not tell an insert from an update, nobody has to."""
    for kind in (EventKind.INSERT, EventKind.UPDATE, EventKind.UPSERT):
        assert found(*spoiled(2, kind=kind)) == []
    assert [kind for kind, _, _ in found(*spoiled(2, kind=EventKind.DELETE))] == [
        K.EVENT_UNEXPECTED
    ]


def test_marks_are_reported_all_or_not_at_all() -> None:
    """Resolved events may be left out; of those that are reported the ts must be right."""
    assert found(*RIGHT[:4]) == []
    assert [kind for kind, _, _ in found(*spoiled(4, commit_ts=8))] == [K.EVENT_UNEXPECTED]


@pytest.mark.parametrize(
    ("number", "change", "kind", "says"),
    [
        (1, {"after": {"a": str(BIG - 1), "b": "78"}}, K.WRONG_VALUE, f"is {BIG - 1}, not {BIG}"),
        (1, {"after": {"a": -1, "b": "78"}}, K.UNREADABLE_VALUE, "out of the range"),
        (1, {"after": {"a": str(BIG)}}, K.MISSING_COLUMN, "lacks the column b"),
        (3, {"before": {"a": 1, "z": 1}}, K.EXTRA_COLUMN, "unknown column z"),
        (3, {"before": None}, K.EVENT_UNEXPECTED, "has, as `before`, a row"),
        (1, {"table": "u"}, K.EVENT_UNEXPECTED, "is of the table shop.t"),
        (1, {"commit_ts": 6}, K.EVENT_UNEXPECTED, "has the commit ts 7"),
        (0, {"query": "CREATE TABLE u"}, K.EVENT_UNEXPECTED, "has the statement"),
        (0, {"type": 4}, K.EVENT_UNEXPECTED, "has the type 3"),
        (1, {"kind": EventKind.UPDATE}, K.EVENT_UNEXPECTED, "the insert of ticdc/0@1 is insert"),
    ],
)
def test_an_event_that_differs(
    number: int, change: dict[str, Any], kind: FindingKind, says: str
) -> None:
    """A finding says what differs and names the message."""
    ((first, message, _),) = found(*spoiled(number, **change))
    assert first is kind
    assert says in message
    assert f"ticdc/0@{RIGHT[number].offset}" in message


def test_a_value_cites_the_clause_of_its_type() -> None:
    """What is wrong with a column's value is a matter of its type's clause."""
    ((_, _, clause),) = found(*spoiled(1, after={"a": 1, "b": "78"}))
    assert clause == "open.type.bigint"


def test_missing_and_unexpected_events() -> None:
    """Each message has as many events as it has; a message that was not given has none."""
    assert [kind for kind, _, _ in found(*RIGHT[:3], RIGHT[4])] == [K.EVENT_MISSING]
    assert [kind for kind, _, _ in found(*RIGHT[:2], RIGHT[1], *RIGHT[2:])] == [K.EVENT_UNEXPECTED]
    stray = replace(RIGHT[3], offset=77)
    assert [kind for kind, _, _ in found(*RIGHT, stray)] == [K.EVENT_UNEXPECTED]


def test_order() -> None:
    """Events are reported in the order of their messages."""
    assert [kind for kind, _, _ in found(RIGHT[1], RIGHT[0], *RIGHT[2:])] == [K.EVENT_ORDER]


def test_hostile_messages_are_judged_as_ever() -> None:
    """A message that cannot be read has to be named at this level, too."""
    place = Place("ticdc", 0, 3, Origin(1, 0, 0, "row"))
    hostile = replace(JUDGED, hostile=(place,))
    named = Observed(Outcome.ERROR, "cut short", stopped_at=(DeadLetter("ticdc", 0, 3),))
    assert judge_decoded(hostile, (), named).judgement is Judgement.PASS
    silent = Observed(Outcome.DONE, decoded=())
    assert judge_decoded(hostile, (), silent).judgement is Judgement.FAIL


def test_what_is_not_applicable_names_the_gap() -> None:
    """The detail of the verdict is the consumer's own word for what it lacks."""
    verdict = judge_decoded(JUDGED, STREAM, Observed(Outcome.NOT_APPLICABLE, "mode:decode"))
    assert (verdict.judgement, verdict.detail) == (Judgement.NOT_APPLICABLE, "needs mode:decode")
