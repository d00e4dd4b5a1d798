"""Answers are judged as they arrive, and the run can stop at the first finding."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness.engine.catalogue.plans import planned_only
from harness.engine.catalogue.selection import Selection, chosen
from harness.engine.catalogue.workspace import workspace
from harness.engine.run.answers import Answers, EnoughError
from harness.engine.run.context import RunContext, RunIdentity
from harness.engine.run.event_bus import EventBus
from harness.model.events import CaseAnswered, Event
from harness.runner import targets
from harness.runner.commands import Whereabouts
from tests.tree import ROOT

PLACES = ("types.year[open,p1]", "keys.pk-chain[open,p1]")


class Heard:
    """Keeps what is published."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.events: list[CaseAnswered] = []

    def handle(self, event: Event) -> None:
        """Keep an event."""
        assert isinstance(event, CaseAnswered)
        self.events.append(event)


def answers(tmp_path: Path, heard: Heard, *, fail_fast: bool = False) -> Answers:
    """Return what takes the answers to two cases, of which none is there."""
    space = workspace(ROOT)
    plans = planned_only(space, chosen(space, Selection(PLACES)), expectations=False)
    context = RunContext(
        RunIdentity("r", tmp_path),
        targets.parse("reference", Whereabouts.here()),
        {},
        EventBus([heard]),
        fail_fast=fail_fast,
    )
    folders = {plan.case.id: tmp_path / str(n) for n, plan in enumerate(plans)}
    return Answers(context, {plan.case.id: plan for plan in plans}, folders)


def answer(folder: Path, rows: list[dict[str, int]]) -> None:
    """Write the answer of a consumer that has these rows of shop.t."""
    (folder / "tables").mkdir(parents=True)
    lines = "".join(f"{json.dumps(row)}\n" for row in rows)
    (folder / "tables" / "shop.t.jsonl").write_text(lines, encoding="utf-8")
    (folder / "status.json").write_text('{"status": "done"}', encoding="utf-8")


def test_an_answer_is_published_with_its_verdict_once(tmp_path: Path) -> None:
    """How many of how many, and no finding: the tables are right."""
    heard = Heard()
    taken = answers(tmp_path, heard)
    answer(taken.folders["keys.pk-chain[open,p1]"], [{"a": 2, "b": 1}, {"a": 3, "b": 2}])
    taken.look(last=True)
    taken.look(last=True)
    (event,) = heard.events
    assert (event.case, event.judgement, event.said) == ("keys.pk-chain[open,p1]", "pass", "")
    assert (event.answered, event.cases, event.findings) == (1, 2, 0)


def test_a_half_written_status_is_no_answer_yet(tmp_path: Path) -> None:
    """What a consumer is still writing is looked at again."""
    heard = Heard()
    taken = answers(tmp_path, heard)
    folder = taken.folders["keys.pk-chain[open,p1]"]
    folder.mkdir()
    (folder / "status.json").write_text('{"stat', encoding="utf-8")
    taken.look(last=True)
    assert not heard.events


def test_a_wrong_answer_is_said_at_once(tmp_path: Path) -> None:
    """The first finding stands in the event, and the verdict is kept for the end."""
    heard = Heard()
    taken = answers(tmp_path, heard)
    case = "keys.pk-chain[open,p1]"
    answer(taken.folders[case], [{"a": 2, "b": 1}])
    taken.look(last=True)
    (event,) = heard.events
    assert event.findings == 1
    assert event.said.startswith("missing-row: shop.t lacks the row a=3")
    assert taken.verdict(case, taken.observed[case]).judgement.value == event.judgement == "fail"


def test_fail_fast_stops_at_a_finding_and_at_nothing_else(tmp_path: Path) -> None:
    """A right answer goes on; a wrong one ends the reading, with what is answered kept."""
    heard = Heard()
    taken = answers(tmp_path, heard, fail_fast=True)
    case = "keys.pk-chain[open,p1]"
    answer(taken.folders[case], [{"a": 2, "b": 1}, {"a": 3, "b": 2}])
    taken.look(last=True)
    answer(taken.folders["types.year[open,p1]"], [])
    with pytest.raises(EnoughError):
        taken.look(last=True)
    assert set(taken.observed) == {case, "types.year[open,p1]"}
