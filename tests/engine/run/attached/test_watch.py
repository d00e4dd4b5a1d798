"""When a result is final, and what is said of one that never is; no clock runs here."""

from __future__ import annotations

from functools import cache, partial

import pytest

from harness.engine.catalogue.choose import load, selected
from harness.engine.catalogue.plans import plans
from harness.engine.catalogue.workspace import workspace
from harness.engine.plan.case import Plan
from harness.engine.run.attached.watch import Watch
from harness.engine.run.judging import judged
from harness.model.observed import Observed, Outcome, RawRow
from harness.model.table import TableId
from harness.runner.manifest import Consumer
from tests.tree import ROOT

CONSUMER = Consumer("a", ())
T = TableId("shop", "t")
RIGHT: tuple[RawRow, ...] = ({"a": 3, "b": 2}, {"a": 2, "b": 1})
HALF = RIGHT[:1]


@cache
def plan() -> Plan:
    """Return a case that ends with two rows in shop.t."""
    space = workspace(ROOT)
    chosen = load(space, [space.scenarios / "keys/pk-chain.yaml"])
    (one,) = plans(space, selected(chosen, "'keys.pk-chain[avro,p1]'"))
    return one


def answer(*rows: RawRow) -> Observed:
    """Return an answer with these rows."""
    return Observed(Outcome.DONE, tables={T: rows})


def broken(what: str) -> Observed:
    """Return an answer that cannot be read."""
    return Observed(Outcome.INVALID, what)


NOTHING = Observed(Outcome.DONE, tables={})
SETTLE_S = 2.0
POSITION = "end of stream: the group has committed the end of every partition"
RESULT = "end of stream: the result is right, and has stayed so for 2 s"
# What is seen at 1 s, 2 s, 3 s, …, each with whether the group has read all, until the deadline.
SEEN: dict[str, tuple[list[tuple[Observed, bool]], Outcome, str, int]] = {
    "right at once": ([(answer(*RIGHT), False)] * 9, Outcome.DONE, RESULT, 3),
    "rows in another order": (
        [(answer(*RIGHT), False), (answer(*RIGHT[::-1]), False)] * 4,
        Outcome.DONE,
        RESULT,
        3,
    ),
    "right for a moment": (
        [(answer(*RIGHT), False), (answer(*HALF), False)] * 4,
        Outcome.TIMEOUT,
        "its result still changed when its deadline of 8 s was over",
        8,
    ),
    "right in the end": (
        [(answer(*HALF), False)] * 3 + [(answer(*RIGHT), False)] * 3,
        Outcome.DONE,
        RESULT,
        6,
    ),
    "wrong, and it stays": (
        [(answer(*HALF), False)] * 6,
        Outcome.DONE,
        "end of stream: the deadline; the result had stayed as it is for 5 s",
        6,
    ),
    "wrong, and all is read": ([(answer(*HALF), True)] * 9, Outcome.DONE, POSITION, 3),
    "all is read before it is written": (
        [(NOTHING, True), (answer(*HALF), True)] + [(answer(*RIGHT), True)] * 3,
        Outcome.DONE,
        RESULT,
        5,
    ),
    "nothing at all, and all is read": ([(NOTHING, True)] * 9, Outcome.DONE, POSITION, 3),
    "nothing": (
        [(NOTHING, False)] * 6,
        Outcome.TIMEOUT,
        "nothing had come when its deadline of 6 s was over",
        6,
    ),
    "broken for a moment": (
        [(broken("half"), False)] + [(answer(*RIGHT), False)] * 3,
        Outcome.DONE,
        RESULT,
        4,
    ),
    "broken": ([(broken("line 1"), False)] * 6, Outcome.INVALID, "line 1", 6),
    "broken, and all is read": ([(broken("line 1"), True)] * 6, Outcome.INVALID, "line 1", 3),
}


@pytest.mark.parametrize("case", SEEN)
def test_what_is_seen_decides(case: str) -> None:
    """A result is final when it is right or all is read, and stays; the deadline tells the rest."""
    seen, outcome, detail, decided = SEEN[case]
    watch = Watch(plan(), NOTHING, SETTLE_S, partial(judged, consumer=CONSUMER))
    now = 0
    for now, (observed, has_read) in enumerate(seen, start=1):
        watch.look(observed, now, has_read=has_read)
        if watch.answer is not None:
            break
    else:
        watch.give_up(now)
    assert watch.answer is not None
    assert (watch.answer.outcome, watch.answer.detail, now) == (outcome, detail, decided)


def test_the_log_shows_what_was_seen() -> None:
    """Who reads the report sees when the result was right, when not, and when it was taken."""
    watch = Watch(plan(), NOTHING, SETTLE_S, partial(judged, consumer=CONSUMER))
    for now, rows in enumerate((RIGHT, HALF, RIGHT, RIGHT, RIGHT), start=1):
        watch.look(answer(*rows), now, has_read=False)
    assert watch.answer is not None
    assert watch.answer.log.splitlines() == [
        "1.0 s: is right",
        "2.0 s: no more: is right",
        "3.0 s: is right",
        "5.0 s: taken as final",
    ]
