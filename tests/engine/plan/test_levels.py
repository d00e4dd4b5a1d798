"""Every case has its levels, and they are what its delivery asks for."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.engine.catalogue.choose import load, selected
from harness.engine.catalogue.plans import plans
from harness.engine.catalogue.workspace import workspace
from harness.engine.plan.levels import BELONGS, level_text, of_level, steps_of
from harness.engine.plan.timing import is_live
from harness.errors import UsageError
from harness.model.level import Level
from harness.scenario.expand import Case
from tests.tree import ROOT

SPACE = workspace(ROOT, Path(ROOT, "scenarios"), None)


@pytest.fixture(scope="module")
def cases() -> tuple[Case, ...]:
    """All cases of the catalogue."""
    return selected(load(SPACE), None)


def test_each_case_is_of_materialise_or_of_stream(cases: tuple[Case, ...]) -> None:
    """The two are a split of the catalogue, so that together they are all of it."""
    materialise = {case.id for case in of_level(cases, Level.MATERIALISE)}
    stream = {case.id for case in of_level(cases, Level.STREAM)}
    assert materialise | stream == {case.id for case in cases}
    assert not materialise & stream


def test_stream_is_what_happens_while_a_consumer_reads(cases: tuple[Case, ...]) -> None:
    """What is known before a case is planned agrees with the steps of its plan."""
    disturbed = [case for case in cases if any(step.fault in NEAR for step in steps_of(case))]
    planned = plans(SPACE, disturbed)
    live = {plan.case.id for plan in planned if is_live(plan.delivery.steps)}
    assert live == {case.id for case in of_level(disturbed, Level.STREAM)}


NEAR = frozenset(
    {
        *(
            "kill",
            "slow-consumer",
            "instances",
            "join",
            "broker-restart",
            "leader-moves",
            "registry-down",
        ),
        *(
            "registry-restart",
            "registry-trouble",
            "registry-forgets",
            "grow",
            "retention",
            "empty-partitions",
            "compacted",
        ),
    }
)


def test_decode_has_the_undisturbed_and_what_changes_messages(cases: tuple[Case, ...]) -> None:
    """What is only sent again, or in another order, says nothing new to a decoder."""
    decode = of_level(cases, Level.DECODE)
    assert {case.id for case in cases if case.delivery is None} <= {case.id for case in decode}
    faults = {step.fault for case in decode for step in steps_of(case)}
    assert {"rebatch", "truncated", "unknown-schema-id"} <= faults
    assert not faults & {"kill", "retention", "duplicate"}


def test_live_has_no_cases_of_ours() -> None:
    """Its topics are somebody else's."""
    assert set(BELONGS) == set(Level) - {Level.LIVE}


def test_no_case_of_a_level_is_the_users_mistake(cases: tuple[Case, ...]) -> None:
    """A choice without any case of the level is told, not passed."""
    plain = [case for case in cases if case.delivery is None][:3]
    with pytest.raises(UsageError, match="none of 3 chosen cases belongs to the level stream"):
        of_level(plain, Level.STREAM)


def test_the_two_levels_of_a_run_without_one() -> None:
    """Without a level reports say which two it was."""
    assert level_text(None) == "materialise + stream"
    assert level_text(Level.DECODE) == "decode"
