"""A delivery step by step: what became of each message of each partition."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from harness.engine.plan.steps import DeliveryStage, Mark, Partition, delivery_stages, matched
from harness.errors import ScenarioError
from harness.faults.actions import Kill
from harness.model.record import Origin, Record
from tests.engine.plan.test_case import TEXT, planned

A, B, C, D = (
    Record("t", 0, None, name.encode(), (Origin(1, 0, number, "insert"),))
    for number, name in enumerate("abcd")
)


def test_marks() -> None:
    """Kept, sent again, dropped, moved, changed and inserted messages are told apart."""
    other = replace(B, value=b"x")
    foreign = replace(D, value=b"?", origins=(Origin(9, 0, 9, "insert"),))
    cases: dict[tuple[Record, ...], list[Mark]] = {
        (A, B, C): [Mark.KEPT] * 3,
        (A, B, B, C): [Mark.KEPT, Mark.KEPT, Mark.COPIED, Mark.KEPT],
        (A, C): [Mark.KEPT, Mark.DROPPED, Mark.KEPT],
        (B, C, A): [Mark.MOVED, Mark.KEPT, Mark.KEPT, Mark.MOVED],
        (A, other, C): [Mark.KEPT, Mark.CHANGED, Mark.KEPT],
        (A, B, foreign, C): [Mark.KEPT, Mark.KEPT, Mark.INSERTED, Mark.KEPT],
        (): [Mark.DROPPED] * 3,
    }
    for after, marks in cases.items():
        pairs = matched((A, B, C), after)
        assert [pair.mark for pair in pairs] == marks, after
        assert tuple(pair.before[1] for pair in pairs if pair.before) == (A, B, C)
        assert tuple(pair.after[1] for pair in pairs if pair.after) == after


def test_a_copy_does_not_hide_a_change() -> None:
    """Where a message was sent before as well, its neighbour's place is no change of it."""
    pairs = matched((A, B), (A, A))
    assert [pair.mark for pair in pairs] == [Mark.KEPT, Mark.DROPPED, Mark.COPIED]


def test_the_last_stage_is_the_delivery(tmp_path: Path) -> None:
    """Each step starts from what the one before left, and the last leaves what is delivered."""
    plan = planned(tmp_path)["again"]
    found = list(delivery_stages(plan.case, plan.records))
    assert [stage.step.fault for stage in found] == ["replay", "duplicate"]
    assert sides(0, found[0]) == _parted(plan.records)
    assert sides(1, found[-1]) == _parted(plan.delivered)
    for before, after in pairwise(found):
        assert sides(1, before) == sides(0, after)
        assert before.order[1] == after.order[0]


def test_actions_stand_where_they_are_done(tmp_path: Path) -> None:
    """What is done to the run is told with the number of messages that come before it."""
    steps = TEXT.split("  again:\n")[1].split("expect:")[0]
    killed = "    - kill: {after-records: 2}\n      allowed-by: {open: kafka.at-least-once}\n"
    plan = planned(tmp_path, TEXT.replace(steps, killed))["again"]
    (stage,) = delivery_stages(plan.case, plan.records)
    ((place, action),) = stage.actions
    assert place == 0
    assert isinstance(action, Kill)
    assert all(pair.mark is Mark.KEPT for pairs in stage.partitions.values() for pair in pairs)


def test_a_step_without_anything_to_act_on_names_its_line(tmp_path: Path) -> None:
    """Steps over records that they do not fit are an authoring error at the step's line."""
    plan = planned(tmp_path)["again"]
    with pytest.raises(ScenarioError) as caught:
        list(delivery_stages(plan.case, plan.records[:1]))
    assert caught.value.problems[0].location.line == 13


def sides(side: int, stage: DeliveryStage) -> dict[Partition, list[Record]]:
    """Return one side of a stage's partitions, those without messages left out."""
    found = {
        place: [here[1] for pair in pairs if (here := (pair.before, pair.after)[side])]
        for place, pairs in stage.partitions.items()
    }
    return {place: records for place, records in found.items() if records}


def _parted(records: tuple[Record, ...]) -> dict[Partition, list[Record]]:
    found: dict[Partition, list[Record]] = {}
    for record in records:
        found.setdefault((record.topic, record.partition), []).append(record)
    return found
