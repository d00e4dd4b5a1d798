"""A finding that is one of packing alone, and one that is not: told apart by real runs."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from harness.engine.catalogue.workspace import workspace
from harness.engine.pipeline import CatalogueCases, certify
from harness.engine.plan.case import Plan
from harness.engine.run.context import Limits, RunContext, RunIdentity
from harness.engine.run.event_bus import EventBus
from harness.engine.run.headline import RunResult
from harness.engine.run.isolation import NOT_ISOLATED, Isolation
from harness.errors import ExitCode
from harness.model.events import Event, PhaseStarted
from harness.model.finding import Judgement
from harness.runner.commands import Whereabouts
from harness.runner.manifest import Consumer
from harness.runner.targets import parse
from harness.verdict.packing import CONFIRMED
from tests.changelogs import insert, transaction, update
from tests.engine.forgetful import LOST
from tests.engine.plan.test_case import CHANGES, TEXT, planned

pytestmark = pytest.mark.services

REFERENCE = parse("reference", Whereabouts.here())
FORGETFUL = replace(
    REFERENCE,
    name="forgetful",
    argv=(sys.executable, str(Path(__file__).with_name("forgetful.py"))),
)


class Heard:
    """Keeps the phases that a run told of."""

    def __init__(self) -> None:
        """Start with nothing heard."""
        self.phases: dict[str, str] = {}

    def handle(self, event: Event) -> None:
        """Keep a phase with its detail."""
        if isinstance(event, PhaseStarted):
            self.phases[event.phase] = event.detail


def plans(root: Path) -> Mapping[str, Plan]:
    """Return changefeeds of one table, whose rows are others in the second one."""
    rows = tuple(insert(number, number + 7, line=9) for number in (1, 2, 3))
    last = transaction(update((1, 8), (4, 8), line=10), name="two", line=10)
    root.mkdir()
    others = (CHANGES[0], transaction(*rows, name="one", line=9), last)
    rows = tuple(insert(number, LOST, line=9) for number in (1, 2, 3))
    moved = transaction(update((1, LOST), (4, LOST), line=10), name="two", line=10)
    gone = (CHANGES[0], transaction(*rows, name="one", line=9), moved)
    named = {
        "first": planned(root)[None],
        "second": planned(root, TEXT, others)[None],
        "third": planned(root)[None],
        "lost": planned(root, TEXT, gone)[None],
    }
    return {name: replace(one, case=replace(one.case, id=name)) for name, one in named.items()}


def run(root: Path, isolation: Isolation, consumer: Consumer) -> tuple[Heard, RunResult]:
    """Run the changefeeds over a consumer; return what was heard, and the outcome."""
    made = plans(root / "scenarios")
    heard = Heard()
    context = RunContext(
        RunIdentity("e1", root / "run"),
        consumer,
        dict(os.environ),
        EventBus([heard]),
        limits=Limits(60),
        isolation=isolation,
    )
    cases = [plan.case for plan in made.values()]
    planned = tuple(made.values())
    return heard, certify(CatalogueCases(workspace(root, root), cases, planned=planned), context)


def test_what_fails_in_a_pack_is_tried_alone_before_it_is_reported(tmp_path: Path) -> None:
    """A finding that vanishes is one of packing, with both facts; one that stays is confirmed."""
    heard, outcome = run(tmp_path, NOT_ISOLATED, FORGETFUL)
    first, second, third, lost = outcome.verdicts
    assert heard.phases["read alone"] == "2 cases"
    assert (first.judgement, third.judgement) == (Judgement.PASS, Judgement.PASS)
    assert second.judgement is Judgement.INCONCLUSIVE
    assert second.detail == "only when packed: fail among 3 other changefeeds, pass alone"
    assert len(second.findings) > 1
    assert (lost.judgement, lost.detail) == (Judgement.FAIL, CONFIRMED)
    assert outcome.exit_code is ExitCode.FINDINGS


def test_a_share_is_read_alone_whatever_the_pack_said(tmp_path: Path) -> None:
    """With all of them drawn, each is read in a pack and alone, and what is right stays right."""
    heard, outcome = run(tmp_path, Isolation(100), replace(REFERENCE, max_changefeeds=3))
    assert heard.phases["read alone"] == "4 cases"
    assert {one.judgement for one in outcome.verdicts} == {Judgement.PASS}
    assert outcome.exit_code is ExitCode.PASS
