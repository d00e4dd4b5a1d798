"""What a consumer claims is what is run, and what it does not claim is refused before a start."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from harness.engine.catalogue.choose import load, selected
from harness.engine.catalogue.workspace import workspace
from harness.engine.plan.levels import of_level
from harness.engine.run.claimed_levels import declined, levels_to_run
from harness.errors import UsageError
from harness.model.finding import Judgement
from harness.model.level import Level
from harness.runner.manifest import Consumer
from tests.tree import ROOT

SPACE = workspace(ROOT, Path(ROOT, "scenarios"), None)

DECODE, MATERIALISE, STREAM, LIVE = Level


def claiming(*levels: Level) -> Consumer:
    """Return a consumer that claims levels."""
    return Consumer("teas", ("teas",), levels=frozenset(levels), target="./consumer.yaml")


@pytest.mark.parametrize(
    ("claims", "runs"),
    [
        ((MATERIALISE, STREAM), (None,)),
        ((MATERIALISE,), (MATERIALISE,)),
        ((STREAM, LIVE), (STREAM,)),
        ((DECODE,), (DECODE,)),
        ((DECODE, MATERIALISE), (MATERIALISE, DECODE)),
        (tuple(Level), (None, DECODE)),
    ],
)
def test_all_that_is_claimed_is_run(
    claims: tuple[Level, ...], runs: tuple[Level | None, ...]
) -> None:
    """Materialise and stream are one run, decode is one of its own, live needs its file."""
    assert levels_to_run(claiming(*claims), None) == runs


@pytest.mark.parametrize("level", Level)
def test_a_level_is_refused_unless_it_is_claimed(level: Level) -> None:
    """The refusal names the levels that are claimed, and where to claim another one."""
    assert levels_to_run(claiming(level), level) == (level,)
    others = [one for one in Level if one is not level]
    with pytest.raises(UsageError, match=f"does not claim the level {level}") as caught:
        levels_to_run(claiming(*others), level)
    assert caught.value.expected == f"--level {' or '.join(others)}"
    assert f"add {level} to `levels` in ./consumer.yaml" in caught.value.hint


def test_who_claims_nothing_may_be_asked_for_anything() -> None:
    """Without a claim materialise and stream are run, and every level may be asked for."""
    anybody = Consumer("teas", ("teas",))
    assert levels_to_run(anybody, None) == (None,)
    assert [levels_to_run(anybody, level) for level in Level] == [(level,) for level in Level]


def test_live_alone_needs_its_file() -> None:
    """A consumer of live topics cannot be certified on ours."""
    with pytest.raises(UsageError, match="claims only the level live") as caught:
        levels_to_run(claiming(LIVE), None)
    assert "--live FILE.yaml" in caught.value.expected


@pytest.mark.parametrize(("level", "other"), [(MATERIALISE, STREAM), (STREAM, MATERIALISE)])
def test_a_case_of_a_level_that_is_not_claimed_is_not_run(level: Level, other: Level) -> None:
    """Under pytest a case of another level is not applicable, and its own is run."""
    (case,) = of_level(selected(load(SPACE), "'restart.killed-between-writes[open,p1'"), STREAM)[:1]
    case = case if level is STREAM else replace(case, delivery=None)
    assert declined(claiming(level), case) is None
    verdict = declined(claiming(other), case)
    assert verdict is not None
    assert verdict.judgement is Judgement.NOT_APPLICABLE
    assert f"level {level}, which teas does not claim" in verdict.detail
