"""What is said of a wrong producer: seen, unseen, broken, or without anybody who would look."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from harness.cli.main import main
from harness.engine.catalogue.choose import load, selected
from harness.engine.catalogue.workspace import Workspace, workspace
from harness.engine.mutation.producers import (
    ProducerOutcome,
    ProducerResult,
    ProducersRun,
    run_over_some,
    run_producers,
    unsound_scenarios,
)
from harness.engine.mutation.proofs import proofs
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.patch import Patch, constant, patch, result, returns
from harness.mutants.producers.table import PRODUCERS
from harness.report.producer_lines import lines, summary
from harness.scenario.expand import Case
from tests.tree import ROOT

SPACE = workspace(ROOT)
SENT = "harness.codecs.open.encode:frame_keys"


@cache
def chosen(name: str = "encoding/open-frames") -> tuple[Case, ...]:
    """The cases of one small scenario."""
    return selected(load(SPACE, (ROOT / f"scenarios/{name}.yaml",)), None)


def small(home: Path) -> tuple[Workspace, Path]:
    """Return a workspace of the same scenario alone, and its file."""
    there = Path("scenarios/encoding/open-frames.yaml")
    file = home / there
    file.parent.mkdir(parents=True)
    file.write_bytes((ROOT / there).read_bytes())
    goldens = Path("golden/encoding/open-frames")
    (home / goldens).parent.mkdir(parents=True)
    (home / goldens).symlink_to(ROOT / goldens)
    return workspace(home), file


def row(of: Patch, clause: str = "open.frame.key-version", **more: Any) -> WrongProducer:
    """Return a row of the table."""
    return replace(WrongProducer("m", clause, "It errs.", of), **more)


def met(mutant: WrongProducer) -> ProducerResult:
    """Return what became of a mutant."""
    (found,) = run_producers(SPACE, [mutant], chosen(), 1).results
    return found


def wrong(original: Callable[..., bytes]) -> Callable[..., bytes]:
    """Return a function whose bytes are other ones."""
    return lambda *given: original(*given)[1:]


def test_a_difference_is_detected_and_leaks_nowhere() -> None:
    """The decoder's refusal and another golden each detect; the next mutant meets a clean plan."""
    found = met(row(patch(SENT, wrong)))
    assert found.outcome is ProducerOutcome.DETECTED
    assert [(one.clause, one.check) for one in found.detections] == [
        ("open.frame.key-version", "undecodable")
    ]
    other = met(row(result("harness.ddl.tidb:column_flags", lambda flags: (0,) * len(flags))))
    assert [one.check for one in other.detections] == ["golden"]
    assert met(row(patch(SENT, lambda original: original))).outcome is ProducerOutcome.SURVIVED


def test_a_wrong_broker_is_seen_by_the_right_consumer() -> None:
    """Where no byte of the producer differs, the answer to what is delivered has to be wrong."""
    lost = result("harness.mutants.delivery:lying", lambda there: replace(there, messages=()))
    assert met(row(lost)).outcome is ProducerOutcome.SURVIVED
    found = met(row(lost, broker=True))
    assert [one.check for one in found.detections] == ["consumer"]


def raising(*_: object) -> bytes:
    """Fail as no check does."""
    raise ZeroDivisionError("nobody checks this")


@pytest.mark.parametrize(
    ("mutant", "outcome", "words"),
    [
        (row(patch(SENT, lambda _: raising)), ProducerOutcome.CRASHED, "nobody checks this"),
        (row(patch(SENT + "s", wrong)), ProducerOutcome.BROKEN, "which does not exist"),
        (row(patch(SENT, wrong), "open.type.vector"), ProducerOutcome.UNCITED, "no scenario cites"),
        (row(patch(SENT, wrong), "open.key.row"), ProducerOutcome.UNREADABLE, "cannot be read"),
        (row(patch(SENT, wrong), equivalent="No."), ProducerOutcome.BROKEN, "equivalent"),
        (row(constant(SENT, None), equivalent="No."), ProducerOutcome.BROKEN, "equivalent"),
        (row(patch(SENT, lambda of: of), equivalent="Yes."), ProducerOutcome.EQUIVALENT, "Yes."),
        (row(patch(SENT, wrong), also="open.type.vector"), ProducerOutcome.SURVIVED, "vector"),
    ],
)
def test_what_detects_nothing(mutant: WrongProducer, outcome: ProducerOutcome, words: str) -> None:
    """A crash, unreadable bytes, a lost target, a clause without a citation, a wrong excuse."""
    found = met(mutant)
    assert found.outcome is outcome
    assert words in found.words
    run = ProducersRun((found,))
    assert run.sound is (outcome is ProducerOutcome.EQUIVALENT)
    assert next(lines(run)).startswith(f"{outcome.value.upper():<10} m ")


def test_what_another_scenario_detects_fails_no_run_of_some() -> None:
    """Two scenarios cite one clause, for a DATE and for a DATETIME; what neither sees survives."""
    mine = chosen("types/impossible-date-stops-vitess")
    everything = (*mine, *chosen("types/day-that-no-month-has"))
    datetimes = PRODUCERS["vitess-impossible-datetime-null"]
    run = run_over_some(SPACE, [datetimes], mine, everything, 1)
    assert [one.outcome for one in run.results] == [ProducerOutcome.ELSEWHERE]
    assert run.results[0].words == "not chosen: types.day-that-no-month-has"
    assert run.sound
    assert summary(run).startswith("0 of 0 wrong producers detected")
    assert not run_over_some(SPACE, [datetimes], mine, (), 1).sound
    harmless = replace(datetimes, patch=patch(SENT, lambda original: original))
    assert not run_over_some(SPACE, [harmless], mine, everything, 1).sound


def test_an_unsound_scenario_proves_nothing(tmp_path: Path) -> None:
    """Where goldens differ without any patch, nothing is detected and nothing is remembered."""
    space = workspace(ROOT, golden=tmp_path)
    found = run_producers(space, [row(patch(SENT, wrong))], chosen(), 1)
    assert found.unsound == ("encoding.open-frames",)
    assert not found.sound
    assert not any(one.detections for one in found.results)


def test_what_a_check_found_sound_is_not_checked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After `harness check` a scenario is sound as it is; another byte has it planned again."""
    space, file = small(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert main(["check"]) == 0
    cases = selected(load(space), None)
    monkeypatch.setattr("harness.engine.catalogue.plans.plans", raising)
    assert unsound_scenarios(space, cases, 1) == frozenset()
    file.write_bytes(file.read_bytes() + b"\n# another byte\n")
    with pytest.raises(ZeroDivisionError):
        unsound_scenarios(space, cases, 1)


def test_what_is_proved_is_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second look runs nothing; another byte of a scenario makes the mutants run again."""
    space, file = small(tmp_path)
    cases = selected(load(space), None)
    first = proofs(space, cases)
    assert "open.frame.version-1" in first
    monkeypatch.setattr("harness.engine.mutation.proofs.run_producers", returns)
    assert proofs(space, cases) == first
    file.write_bytes(file.read_bytes() + b"\n# another byte\n")
    with pytest.raises(TypeError):
        proofs(space, cases)
