"""How often a row without a key is there is held against nobody where copies explain it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from harness.model.change import Change
from harness.model.finding import Judgement
from harness.verdict.judge import judge
from tests.changelogs import T, ddl, delete, insert, transaction, update
from tests.verdict.answers import Case, case

CREATE = ddl("CREATE TABLE t (id INT)")
PASS, FAIL, UNDECIDED = Judgement.PASS, Judgement.FAIL, Judgement.UNDECIDED


def loose(*changes: Change, repeated: int = 1, dialect: str = "newarch") -> Case:
    """Return a case over a table without a key whose records are delivered that often."""
    return case(CREATE, *changes, repeated=repeated, dialect=dialect, force_replicate=True)


PAIR = (transaction(insert(1), insert(2)),)
TWINS = (transaction(insert(1), insert(1)),)
APART = (transaction(insert(1)), transaction(insert(1)))
MOVED = (transaction(insert(1), insert(1)), transaction(update((1,), (2,))))
CHANGED = (transaction(insert(1)), transaction(update((1,), (2,))))
GONE = (*APART, transaction(delete(1)))
# Changes, how often each record comes, what is answered, and what that is worth.
ANSWERS: dict[str, tuple[tuple[Change, ...], int, list[int], Judgement]] = {
    "as it is": (PAIR, 1, [1, 2], PASS),
    "twice for nothing": (PAIR, 1, [1, 1, 2], FAIL),
    "each copy applied": (PAIR, 2, [1, 1, 2, 2], UNDECIDED),
    "one copy applied": (PAIR, 2, [1, 1, 2], UNDECIDED),
    "more than there are copies": (PAIR, 2, [1, 1, 1, 2], FAIL),
    "a stranger": (PAIR, 2, [1, 2, 7], FAIL),
    "one lost": (PAIR, 2, [1], FAIL),
    "twins taken for a copy": (TWINS, 1, [1], UNDECIDED),
    "twins lost": (TWINS, 1, [], FAIL),
    "twins and their copies": (TWINS, 2, [1, 1, 1, 1], UNDECIDED),
    "two of different commits": (APART, 1, [1], FAIL),
    "a twin moved": (MOVED, 1, [2], UNDECIDED),
    "a twin not moved": (MOVED, 1, [1, 1], FAIL),
    "a copy of the deletion removes the other": (GONE, 2, [], FAIL),
    "each copy of three": (GONE, 2, [1, 1], UNDECIDED),
    "each copy but the deletion's": (GONE, 2, [1, 1, 1], UNDECIDED),
    "more than the copies of rows": (GONE, 2, [1, 1, 1, 1], FAIL),
    "each copy but the update's": (CHANGED, 2, [1, 2], UNDECIDED),
    "an update lost": (CHANGED, 1, [1], FAIL),
    "a deletion lost": (GONE, 1, [1, 1], FAIL),
}


@pytest.mark.parametrize("words", ANSWERS.values(), ids=ANSWERS)
def test_what_copies_explain(words: tuple[tuple[Change, ...], int, list[int], Judgement]) -> None:
    """Between the fewest and the most that a right consumer may have, nothing can be decided."""
    changes, repeated, rows, judgement = words
    plan = loose(*changes, repeated=repeated)
    verdict = plan.verdict(tables={T: tuple({"id": row} for row in rows)})
    assert verdict.judgement is judgement
    assert bool(verdict.detail) == (judgement is UNDECIDED)
    assert bool(verdict.findings) == (judgement is not PASS)


def test_row_ids_decide() -> None:
    """Where the wire tells rows without a key apart, a copy is known for a copy."""
    plan = loose(*PAIR, repeated=2, dialect="current")
    verdict = plan.verdict(tables={T: ({"id": 1}, {"id": 1}, {"id": 2})})
    assert verdict.judgement is FAIL


def test_undecided_excuses_nothing_else() -> None:
    """One thing that is surely wrong fails the case, whatever cannot be decided."""
    plan = loose(*PAIR, repeated=2)
    verdict = plan.verdict(tables={T: (*plan.tables()[T], {"id": 1})}, ddl=())
    assert verdict.judgement is FAIL
    keyed = case(ddl("CREATE TABLE t (id INT PRIMARY KEY)"), *PAIR, repeated=2)
    rows = keyed.tables()[T]
    assert keyed.verdict(tables={T: (*rows, rows[0])}).judgement is FAIL


@pytest.mark.parametrize(
    ("unordered", "partitions", "judgement"),
    [(True, 2, UNDECIDED), (True, 1, FAIL), (False, 2, FAIL)],
)
def test_a_removal_may_come_first(
    *, unordered: bool, partitions: int, judgement: Judgement
) -> None:
    """Over partitions without an order a deletion may be read before its row, which then stays."""
    plan = case(
        CREATE,
        transaction(insert(1)),
        transaction(delete(1)),
        dialect="newarch",
        force_replicate=True,
    )
    places = {
        event: tuple(replace(place, partition=event % partitions) for place in there)
        for event, there in plan.judged.places.items()
    }
    judged = replace(plan.judged, places=places)
    expected = replace(plan.expected, unordered=unordered)
    answered = replace(plan.right(), tables={T: ({"id": 1},)}, events=None)
    assert judge(judged, expected, answered).judgement is judgement
