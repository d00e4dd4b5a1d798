"""A stream gives the records of a plan, holds none of them, and is disturbed by windows."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import suppress
from random import Random

import pytest

from harness.engine.catalogue.choose import load, selected
from harness.engine.catalogue.workspace import workspace
from harness.engine.plan.case import plan, stage_of
from harness.engine.plan.streaming import Course, streamed, windowed
from harness.errors import SourceStopped, StepError
from harness.faults import FAULTS
from harness.model.change import Change, Transaction
from harness.model.record import Origin, Record
from harness.record.lock import load_lock
from harness.scenario.document import DeliveryStep
from harness.scenario.expand import Case
from harness.sources.source import SourceConfig
from tests.changelogs import ddl, insert, log, resolved, transaction
from tests.tree import ROOT

SPACE = workspace(ROOT)
# All protocols: keyless tables, unique keys, several tables.
CASES = [
    case
    for case in selected(
        load(SPACE, [ROOT / "scenarios" / name for name in ("keys", "dml", "transactions")]),
        "not p2 and not p3",
    )
    if case.delivery is None
]
RESEND = DeliveryStep("resend", {"events": "resolved"}, 7)
INTERLEAVE = DeliveryStep("interleave", {"across": "partitions"}, 8)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_a_stream_is_the_plan(case: Case) -> None:
    """Record for record the stream is what the plan holds, origins included, up to a stop."""
    lock = load_lock(case.scenario, ROOT / "golden")
    course = Course(case.protocol, stage_of(case), case.dialect)
    found: list[Record] = []
    with suppress(SourceStopped):
        found.extend(streamed(course, iter(lock.changes)))
    assert tuple(found) == plan(case, lock).records


def test_changes_are_let_go() -> None:
    """While a long log is streamed no more than a few of its transactions are alive."""
    alive: list[int] = []

    def changes() -> Iterator[Change]:
        yield ddl("CREATE TABLE t (id INT PRIMARY KEY, v INT)")
        for number in range(3000):
            yield transaction(insert(number, number), name=f"t{number}")
            if number % 1000 == 999:
                alive.append(sum(isinstance(o, Transaction) for o in gc.get_objects()))

    there = sum(isinstance(o, Transaction) for o in gc.get_objects())
    course = Course("open", SourceConfig({}, ("shop",), 2))
    assert sum(1 for _ in streamed(course, changes())) > 3000 / 16
    assert max(alive) - there < 600  # the encoder looks some events ahead


def records(count: int) -> list[Record]:
    """Return rows in three partitions, every tenth message a mark."""
    return [
        Record(
            "t",
            number % 3,
            b"%d" % number,
            b"",
            (Origin(1, 0, number, "insert" if number % 10 else "resolved", commit_ts=number),),
        )
        for number in range(count)
    ]


def test_one_window_is_the_whole() -> None:
    """A stream that fits into one window is disturbed as a fault disturbs it."""
    given = records(50)
    whole = FAULTS["interleave"](given, INTERLEAVE.options, 8, Random("s/0/0"))
    assert tuple(windowed(given, [INTERLEAVE], "s", 50)) == whole


def test_windows_keep_what_a_fault_keeps() -> None:
    """Over many windows each partition keeps its order, and every mark comes twice."""
    given = records(1000)
    found = list(windowed(iter(given), [INTERLEAVE, RESEND], "s", 64))
    assert found != given
    for partition in range(3):
        there = [one for one in given if one.partition == partition]
        now = [one for one in dict.fromkeys(found) if one.partition == partition]
        assert now == there
    for one in given:
        assert found.count(one) == (2 if one.origins[0].kind == "resolved" else 1)


def test_a_step_that_acts_in_some_window_is_no_mistake() -> None:
    """A window without anything to act on passes; none at all is the author's mistake."""
    given = records(30)
    duplicate = DeliveryStep("resend", {"events": "ddl"}, 9)
    one = Record("t", 0, b"", b"", (Origin(1, 0, 99, "ddl"),))
    assert list(windowed([*given, one], [duplicate], "s", 10)) == [*given, one, one]
    with pytest.raises(StepError) as caught:
        list(windowed(given, [duplicate], "s", 10))
    assert caught.value.line == 9


def test_what_is_done_to_a_run_cannot_be_done_to_a_stream() -> None:
    """A step that stops a consumer is refused before anything is yielded."""
    kill = DeliveryStep("kill", {"after-records": 1}, 4)
    with pytest.raises(StepError, match="acts on the run"):
        next(windowed(records(3), [kill], "s"))


def test_a_stream_of_nothing_still_ends() -> None:
    """A log without changes gives the closing marks, as its plan does."""
    course = Course("open", SourceConfig({}, ("shop",), 2))
    assert len(list(streamed(course, log().changes))) == 2
    assert len(list(streamed(course, log(resolved(line=1)).changes))) == 4
