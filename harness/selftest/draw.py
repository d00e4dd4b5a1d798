"""Draws faults until the time is over, tries each in a directory of its own, and counts."""

from __future__ import annotations

import random
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.errors import SetupError
from harness.selftest.checks import Ended, problems
from harness.selftest.faults import RIGHT, Fault
from harness.selftest.trial import Trial, own_environment

FIRST_BOUND_S = 900.0  # the first run of a machine downloads
LEAST_BOUND_S = 120.0
TIMES_USUAL = 12  # how much longer than usual a run may take that loses its services twice


@dataclass(frozen=True, slots=True)
class Tried:
    """What became of a trial; `did` is "" where its moment was missed.

    It survived without `problems`; otherwise `directory` is kept.
    """

    fault: Fault
    did: str
    seconds: float
    problems: Sequence[str]
    directory: Path

    @property
    def survived(self) -> bool:
        """Return whether all held that must hold."""
        return not self.problems


@dataclass(frozen=True, slots=True)
class Draw:
    """What is drawn: the faults, for how many seconds, by which seed, and where."""

    faults: Sequence[Fault]
    seconds: float
    seed: int
    directory: Path

    def left_out(self) -> Mapping[str, str]:
        """Return the faults that cannot be tried on this machine, each with the reason."""
        return {one.name: why for one in self.faults if (why := one.lacks())}

    def trials(self) -> Iterator[Tried]:
        """Try one fault after another, each once before any is tried again.

        Raises SetupError when a run without a fault does not pass here.
        """
        chance = random.Random(self.seed)
        began = time.monotonic()
        left_out = self.left_out()
        usual_s = self.usual_s()
        bound_s = max(LEAST_BOUND_S, usual_s * TIMES_USUAL)
        faults: list[Fault] = [one for one in self.faults if one.name not in left_out]
        number = 0
        while faults:
            for fault in chance.sample(faults, len(faults)):
                if number and time.monotonic() - began > self.seconds:
                    return
                number += 1
                own = random.Random(f"{self.seed} {number}")
                yield self.tried(fault, self.trial(f"{number:04}", usual_s, bound_s, own))
            faults = [one for one in faults if not one.once]

    def usual_s(self) -> float:
        """Return how long a run without a fault takes, once all is downloaded and prepared."""
        for bound_s in (FIRST_BOUND_S, LEAST_BOUND_S):
            trial = self.trial("usual", 0, bound_s, random.Random(0))
            began = time.monotonic()
            found = _found(trial, trial.certify, RIGHT)
            if found:
                raise SetupError(
                    f"a run without a fault does not work here: {found[0]}",
                    hint=f"look at what it printed in {trial.directory}; `harness doctor` may help",
                )
            seconds = time.monotonic() - began
            shutil.rmtree(trial.directory)
        return seconds

    def trial(self, name: str, usual_s: float, bound_s: float, chance: random.Random) -> Trial:
        """Return a trial in a fresh directory."""
        directory = self.directory / name
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir(parents=True)
        return Trial(directory, own_environment(), usual_s, bound_s, chance)

    def tried(self, fault: Fault, trial: Trial) -> Tried:
        """Do a fault to a trial and check all of its runs, then that the next run works."""
        began = time.monotonic()
        did = ""

        def act() -> None:
            nonlocal did
            did = fault.act(trial)

        found = _found(trial, act, fault.ends)
        if not found:
            after = Trial(trial.directory, trial.environment, 0, trial.bound_s, trial.chance)
            found = [
                f"the next run: {one}"
                for one in _found(after, lambda: after.certify("next"), RIGHT)
            ]
        if not found:
            shutil.rmtree(trial.directory, ignore_errors=True)
        return Tried(fault, did, time.monotonic() - began, found, trial.directory)


def _found(trial: Trial, act: Callable[[], object], ends: frozenset[int]) -> list[str]:
    """Return what does not hold of the runs that `act` begins, once they are over."""
    try:
        act()
        runs = list(trial.runs)
        return [
            problem
            for run in runs
            for problem in problems(Ended(trial, run, trial.ended(run), ends))
        ]
    finally:
        trial.close()
