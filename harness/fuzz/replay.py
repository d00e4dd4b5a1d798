"""One scenario file, tried again: FIXED when nothing is found any more."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from harness.engine.plan.case import Plan, plan
from harness.errors import HarnessBug, Location, Problem, ScenarioError
from harness.fuzz import oracle
from harness.fuzz.trial import Failure, Judge
from harness.model.finding import FINDINGS
from harness.record.lasting import Lasting
from harness.record.lock import load_lock, lock_path, write_lock
from harness.record.recorder import SqlRefused
from harness.scenario.document import Scenario
from harness.scenario.expand import cases
from harness.scenario.load import load

IDENTITY = re.compile(r"^id:\s*[\"']?([a-z0-9.-]+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Place:
    """A scenario file with the roots that its id speaks of."""

    file: Path
    root: Path
    golden: Path


def place(file: Path) -> Place:
    """Return the roots of a scenario file; ScenarioError when it says no id that fits its path."""
    try:
        found = IDENTITY.search(file.read_text(encoding="utf-8", errors="replace"))
    except OSError as error:
        raise _refused(file, f"cannot read the file: {error.strerror}") from None
    parts = found[1].split(".") if found else []
    path = file.absolute()
    if not parts or path.with_suffix("").parts[-len(parts) :] != tuple(parts):
        raise _refused(file, "the file's path does not end like its id", "`id:` as its path says")
    root = path.parents[len(parts) - 1]
    inside = root / "golden"
    return Place(path, root, inside if inside.is_dir() else root.parent / "golden")


def _refused(file: Path, what: str, expected: str = "a scenario file") -> ScenarioError:
    return ScenarioError((Problem(Location(str(file)), what, expected),))


def replay(
    there: Place, judge: Judge, database: Callable[[], AbstractContextManager[Lasting]]
) -> Iterator[tuple[str, Failure]]:
    """Yield the id of each case that fails, and its failure.

    A scenario without a lock, which could not be recorded when it was found, is recorded first, on
    the `database`. Raises ScenarioError for a file that cannot be run.
    """
    scenario = load(there.file, there.root)
    if not lock_path(scenario, there.golden).exists():
        failure = _recorded(scenario, there, database)
        if failure is not None:
            yield scenario.id, failure
            return
    log = load_lock(scenario, there.golden)
    rows = oracle.final_rows(log, scenario.databases)
    sound: list[Plan] = []
    for case in cases(scenario):
        try:
            planned = plan(case, log)
        except HarnessBug as error:
            yield case.id, Failure("harness", str(error))
            continue
        differences = (
            list(oracle.differences(planned, rows)) if oracle.comparable(planned, log) else []
        )
        if differences:
            yield case.id, Failure("oracle", differences[0])
        else:
            sound.append(planned)
    if sound:
        for planned, verdicts in zip(sound, judge.verdicts(sound), strict=True):
            bad = next((one for one in verdicts if one.judgement in FINDINGS), None)
            if bad is not None:
                what = bad.findings[0].message if bad.findings else bad.detail
                yield planned.case.id, Failure(bad.judgement.value, what, bad.findings)


def _recorded(
    scenario: Scenario, there: Place, database: Callable[[], AbstractContextManager[Lasting]]
) -> Failure | None:
    with database() as session:
        try:
            found = session.record(scenario)
        except SqlRefused:
            raise
        except ScenarioError as error:
            return Failure("recording", str(error))
    write_lock(scenario, there.golden, found.lines)
    return None
