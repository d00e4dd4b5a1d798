"""Wrong programs on real services: each over its scenario, beside the right consumer.

A program is detected when every case of the deliveries that it names is a finding, and the
scenario's other cases pass: then those deliveries, and nothing else of the case, detect it.
"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from harness.engine.catalogue.workspace import Workspace
from harness.engine.pipeline import CatalogueCases, certify
from harness.engine.run.context import RunContext, RunIdentity
from harness.engine.run.event_bus import EventBus
from harness.engine.run.services import completed, services_for
from harness.model.finding import FINDINGS, Judgement, Verdict
from harness.mutants.real import RealMutant
from harness.runner.commands import Whereabouts
from harness.runner.targets import BUNDLED, parse
from harness.scenario.expand import Case
from harness.services import Services, Source

REFERENCE = "reference"


@dataclass(frozen=True, slots=True)
class RealResult:
    """What became of one program: `missed` let it pass, `undecided` is no verdict on it.

    `astray` are cases of other deliveries, which it was to pass and did not.
    """

    name: str
    cases: tuple[str, ...]
    missed: tuple[str, ...] = ()
    undecided: tuple[str, ...] = ()
    astray: tuple[str, ...] = ()

    @property
    def detected(self) -> bool:
        """Return whether its cases detect it, and nothing else does."""
        return bool(self.cases) and not (self.missed or self.undecided or self.astray)


@dataclass(frozen=True, slots=True)
class RealRun:
    """The results, and the cases that the right consumer does not pass."""

    results: tuple[RealResult, ...]
    baseline_failures: tuple[str, ...]

    @property
    def sound(self) -> bool:
        """Return whether each program is detected, and the right consumer passes."""
        return not self.baseline_failures and all(one.detected for one in self.results)


def run_real(
    space: Workspace, rows: Sequence[RealMutant], cases: Sequence[Case], run_dir: Path
) -> RealRun:
    """Run the right consumer and each program over the cases of its scenario."""
    names = {row.scenario for row in rows}
    wanted = [case for case in cases if case.scenario.id in names]
    context = _context(run_dir, "all", REFERENCE)
    with completed(context, None, services_for(wanted)) as services:
        right = _verdicts(space, wanted, context, services)
        results = tuple(
            _result(row, of_row, _verdicts(space, of_row, _program(run_dir, row), services))
            for row in rows
            for of_row in [[case for case in wanted if case.scenario.id == row.scenario]]
        )
    failures = [case for case, verdict in right.items() if verdict is not Judgement.PASS]
    return RealRun(results, tuple(failures))


def _result(
    row: RealMutant, cases: Sequence[Case], verdicts: Mapping[str, Judgement]
) -> RealResult:
    named = tuple(case.id for case in cases if (case.delivery or "") in row.deliveries)
    passed = [case for case in named if verdicts[case] is Judgement.PASS]
    return RealResult(
        row.name,
        named,
        tuple(passed),
        tuple(case for case in named if case not in passed and verdicts[case] not in FINDINGS),
        tuple(c for c, found in verdicts.items() if c not in named and found is not Judgement.PASS),
    )


def _verdicts(
    space: Workspace, cases: Sequence[Case], context: RunContext, services: Services
) -> Mapping[str, Judgement]:
    found: Sequence[Verdict] = certify(
        CatalogueCases(space, cases, services=services), context
    ).verdicts
    return {case.id: one.judgement for case, one in zip(cases, found, strict=True)}


def _program(run_dir: Path, row: RealMutant) -> RunContext:
    words = [sys.executable, "-m", "harness.mutants.real", row.name]
    return _context(run_dir, row.name, f"exec:{shlex.join(words)}")


def _context(run_dir: Path, name: str, target: str) -> RunContext:
    identity = RunIdentity(f"{run_dir.name}-{name}", run_dir / name)
    consumer = parse(target, Whereabouts.here())
    # Each is the reference consumer with one difference, so it declares what that can do.
    able = BUNDLED[REFERENCE].capabilities
    consumer = replace(consumer, capabilities=able)
    return RunContext(identity, consumer, dict(os.environ), EventBus(), Source())
