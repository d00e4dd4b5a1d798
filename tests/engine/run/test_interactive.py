"""Cases that are alone run side by side: each by itself, told of in order, and ended together."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from harness.engine.catalogue.workspace import workspace
from harness.engine.pipeline import CatalogueCases, certify
from harness.engine.run.context import Limits, RunContext, RunIdentity
from harness.engine.run.event_bus import EventBus
from harness.model.events import CaseAnswered, CaseFinished, Event, PhaseFinished, PhaseStarted
from harness.model.finding import Judgement
from harness.runner.commands import Whereabouts
from harness.runner.manifest import Capability, Consumer
from harness.runner.targets import parse
from tests.engine.deliver.deliveries import planned

pytestmark = pytest.mark.services

REFERENCE = parse("reference", Whereabouts.here())
PAUSED = """\
{slow-consumer: {after-records: 1, milliseconds: 1}, allowed-by: {open: kafka.at-least-once}}"""
RESTARTED = "{broker-restart: {after: two}, allowed-by: {open: kafka.brokers-fail}}"
# Says when it begins and ends; the first to begin, of two that meet, is the last to end.
MEETING = """\
import os, subprocess, sys, time
from pathlib import Path

here, wanted, code = Path(sys.argv[1]), int(sys.argv[2]), 0
mine = here / f"{time.monotonic_ns()}.begun"
mine.touch()
until = time.monotonic() + 30
while len(list(here.glob("*.begun"))) < wanted:
    if time.monotonic() > until:
        sys.exit("it is alone")
    time.sleep(0.02)
first = min(here.glob("*.begun")) == mine
code = subprocess.call([sys.executable, "-m", "harness.reference_consumer"])
while first and not list(here.glob("*.ended")) and wanted > 1:
    if time.monotonic() > until:
        sys.exit("nobody else ends")
    time.sleep(0.02)
(here / f"{time.monotonic_ns()}.ended").touch()
sys.exit(code)
"""


class Heard:
    """Keeps what a run told of."""

    def __init__(self) -> None:
        """Start with nothing heard."""
        self.events: list[Event] = []

    def handle(self, event: Event) -> None:
        """Keep an event."""
        self.events.append(event)

    def said(self) -> Sequence[str]:
        """Return phases of cases that are alone, and the cases, in the order of their events."""
        found: list[str] = []
        for event in self.events:
            match event:
                case PhaseStarted(phase) if "alone" in phase:
                    found.append(f"begins {phase}")
                case PhaseFinished(phase) if "alone" in phase:
                    found.append(f"ends {phase}")
                case CaseAnswered(case):
                    found.append(f"answered {case}")
                case CaseFinished(case):
                    found.append(f"finished {case}")
                case _:
                    pass
        return found


def meeting(tmp_path: Path, wanted: int) -> Consumer:
    """Return the reference consumer, each start of which waits until there were so many."""
    script = tmp_path / "meeting.py"
    script.write_text(MEETING, encoding="utf-8")
    return replace(REFERENCE, argv=(sys.executable, str(script), str(tmp_path), str(wanted)))


def run(tmp_path: Path, deliveries: str, consumer: Consumer) -> tuple[Heard, list[Judgement]]:
    """Run deliveries two at once; return what was heard, and the judgements."""
    plans = [p for name, p in planned(tmp_path, "open", 1, deliveries).items() if name != "plain"]
    heard = Heard()
    context = RunContext(
        RunIdentity("e1", tmp_path / "run"),
        consumer,
        dict(os.environ),
        EventBus([heard]),
        limits=Limits(60, parallelism=2),
    )
    cases = CatalogueCases(workspace(tmp_path, tmp_path), [p.case for p in plans], planned=plans)
    return heard, [one.judgement for one in certify(cases, context).verdicts]


def test_two_are_told_of_whole_and_in_order(tmp_path: Path) -> None:
    """Two read at once; whichever ends first, the events are those of one after the other."""
    deliveries = "".join(f"  {name}: [{PAUSED}]\n" for name in ("one", "two"))
    heard, judgements = run(tmp_path, deliveries, meeting(tmp_path, 2))
    assert judgements == [Judgement.PASS] * 2
    one, two = "a[open,p1,one]", "a[open,p1,two]"
    phase = "alone under slow-consumer"
    answers = [f"answered {one}", f"answered {two}"]
    finished = [f"finished {one}", f"finished {two}"]
    assert heard.said() == [f"begins {phase}", *answers, f"ends {phase}", *finished]


def test_a_consumer_that_takes_no_neighbour_has_none(tmp_path: Path) -> None:
    """With `max-starts: 1` each start begins when the one before it has ended."""
    deliveries = "".join(f"  {name}: [{PAUSED}]\n" for name in ("one", "two"))
    _, judgements = run(tmp_path, deliveries, replace(meeting(tmp_path, 1), max_starts=1))
    assert judgements == [Judgement.PASS] * 2
    files = [*tmp_path.glob("*.begun"), *tmp_path.glob("*.ended")]
    moments = sorted((int(path.stem), path.suffix) for path in files)
    assert [kind for _, kind in moments] == [".begun", ".ended"] * 2


def test_what_happens_to_the_services_of_one_leaves_the_other_alone(tmp_path: Path) -> None:
    """Two brokers are restarted at once, each under its own case."""
    deliveries = "".join(f"  {name}: [{RESTARTED}]\n" for name in ("one", "two"))
    _, judgements = run(tmp_path, deliveries, meeting(tmp_path, 2))
    assert judgements == [Judgement.PASS] * 2
    logs = list((tmp_path / "run").glob("restarted-*/kafka/*.log"))
    assert len({log.parent.parent for log in logs}) == 2


def dear(tmp_path: Path, script: str) -> Consumer:
    """Return the reference consumer as one whose starts are dear, run by a script."""
    path = tmp_path / "dear.py"
    path.write_text(script, encoding="utf-8")
    capabilities = REFERENCE.capabilities | {Capability.JOBS}
    argv = (sys.executable, str(path), str(tmp_path))
    return replace(REFERENCE, argv=argv, capabilities=capabilities, crash_points=frozenset())


# Says of how many changefeeds its job is; what is wrong with its answer is the arguments' to say.
DEAR = """\
import json, os, subprocess, sys, time
from pathlib import Path

job = json.loads(Path(os.environ["HARNESS_JOB"]).read_text())
started = Path(sys.argv[1]) / f"{{time.monotonic_ns()}}.{{len(job['changefeeds'])}}"
started.touch()
code = subprocess.call([sys.executable, "-m", "harness.reference_consumer"])
for feed in job["changefeeds"]:
    if {wrong}:
        for table in (Path(job["out_dir"]) / feed["dir"] / "tables").iterdir():
            table.write_text("")
sys.exit(code)
"""


def starts(tmp_path: Path) -> list[str]:
    """Return of how many changefeeds each start of a dear consumer was, in their order."""
    found = [path for path in tmp_path.iterdir() if path.stem.isdecimal()]
    return [path.suffix for path in sorted(found)]


KILLED = "{kill: {after-records: 2}, allowed-by: {open: kafka.at-least-once}}"


def test_cases_to_which_the_same_happens_share_a_dear_start(tmp_path: Path) -> None:
    """Three are killed at once and come back at once; one with another fault is by itself."""
    deliveries = "".join(f"  {name}: [{KILLED}]\n" for name in ("one", "two", "three"))
    deliveries += f"  four: [{PAUSED}]\n"
    _, judgements = run(tmp_path, deliveries, dear(tmp_path, DEAR.format(wrong="False")))
    assert judgements == [Judgement.PASS] * 4
    assert starts(tmp_path) == [".3", ".3", ".1"]


@pytest.mark.parametrize(
    ("wrong", "expected"),
    [
        ("True", {Judgement.FAIL}),
        ("len(job['changefeeds']) > 1", {Judgement.INCONCLUSIVE}),
    ],
)
def test_what_goes_wrong_in_a_shared_start_is_tried_alone(
    tmp_path: Path, wrong: str, expected: set[Judgement]
) -> None:
    """Wrong alone too is a failure; wrong beside a neighbour only is a finding of its own."""
    deliveries = "".join(f"  {name}: [{PAUSED}]\n" for name in ("one", "two"))
    _, judgements = run(tmp_path, deliveries, dear(tmp_path, DEAR.format(wrong=wrong)))
    assert set(judgements) == expected
    assert starts(tmp_path) == [".2", ".1", ".1"]
