"""One scene, tried: recorded on the database, planned, compared with the SELECT, and judged.

Three things may fail: what we make of the database (the recording, the plan), what the protocol's
fold says of it (the oracle), and the consumer. What the database or the vendor refuses is no
failure, only a draw in vain.
"""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from harness.engine.plan.case import Plan, plan
from harness.engine.plan.stream_problems import breaches, stream_problems
from harness.errors import DecodingError, HarnessBug, HarnessError, ScenarioError, SetupError
from harness.fuzz import oracle
from harness.fuzz.deliveries import applicable
from harness.fuzz.scene import DELIVERY, Label, Scene, Step, text
from harness.model.change import ChangeLog
from harness.model.finding import FINDINGS, Finding, Verdict
from harness.record.lasting import Lasting
from harness.record.lock import lock_bytes, lock_path, read_lock
from harness.record.recorder import DisagreementError, Recording
from harness.scenario.document import Scenario
from harness.scenario.expand import Case, cases
from harness.scenario.load import parse
from harness.stream_rules.stream import remembering

THEME = "fuzz"
EXAMPLE = "example"
KEPT = 64
_NOWHERE = Path()


@dataclass(frozen=True, slots=True)
class Failure:
    """What failed: its kind, a sentence, and the findings where a consumer was judged."""

    kind: str
    what: str
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class Tried:
    """What became of a scene; its delivery has only the steps that apply.

    `refused` says why it was not tried to the end, "" when it was. `plan` is None where it failed
    or was refused before, `recording` likewise.
    """

    scene: Scene
    name: str
    failure: Failure | None = None
    refused: str = ""
    scenario: Scenario | None = None
    recording: Recording | None = None
    plan: Plan | None = None

    @property
    def rows(self) -> int:
        """Return how many row changes were recorded."""
        lines = () if self.recording is None else self.recording.lines
        return sum("op" in line for line in lines)


class Judge(Protocol):
    """Runs a consumer over plans; `at_once` is how many it had better be given."""

    @property
    def at_once(self) -> int:
        """Return how many plans go together."""
        ...

    def verdicts(self, plans: Sequence[Plan]) -> Sequence[Sequence[Verdict]]:
        """Return the verdicts on each plan: one a delivery of it."""
        ...


class Trial:
    """Tries scenes on one session of a database."""

    def __init__(self, database: Lasting) -> None:
        """Take the session; what was recorded lately is remembered."""
        self._database = database
        self._known: dict[tuple[str, tuple[Step, ...]], Recording | ScenarioError] = {}

    def prepare(self, scene: Scene, name: str = EXAMPLE) -> Tried:
        """Record and plan a scene, and compare its fold with the SELECT."""
        tried = Tried(scene, name)
        try:
            return self._prepared(tried)
        except DisagreementError as error:
            return replace(tried, failure=Failure("recording", _first(error)))
        except ScenarioError as error:
            return replace(tried, refused=_first(error))
        except (HarnessBug, DecodingError) as error:
            return replace(tried, failure=Failure("harness", str(error)))
        except SetupError:
            raise
        except HarnessError as error:
            return replace(tried, refused=str(error))
        except Exception:  # noqa: BLE001  (whatever escapes us is what we look for)
            return replace(tried, failure=Failure("harness", traceback.format_exc(limit=-4)))

    def _prepared(self, tried: Tried) -> Tried:
        bare = replace(tried.scene, delivery=())
        scenario = _loaded(bare, tried.name)
        recording = self._recorded(scenario, bare, tried.name)
        log = change_log(scenario, recording)
        planned = plan(cases(scenario)[0], log)
        wanted = tried.scene.delivery
        kept = applicable(wanted, planned.records, f"{cases(scenario)[0].id[:-1]},{DELIVERY}]")
        scene = replace(tried.scene, delivery=kept)
        if kept:
            scenario = _loaded(scene, tried.name)
            planned = plan(_disturbed(scenario), change_log(scenario, recording))
        tried = replace(tried, scene=scene, scenario=scenario, recording=recording, plan=planned)
        decode = remembering(planned.wire)
        for breach in breaches(planned, planned.records, decode):
            return replace(tried, failure=Failure("clause", f"{breach.rule.clause}: {breach.what}"))
        for problem in stream_problems([planned]):
            return replace(tried, refused=problem.what, plan=None)
        # The database has the rows of a transaction that never commits; no reader ever has them.
        if oracle.comparable(planned, log) and not planned.delivery.uncommitted:
            for what in oracle.differences(planned, recording.rows):
                return replace(tried, failure=Failure("oracle", what))
        return tried

    def _recorded(self, scenario: Scenario, scene: Scene, name: str) -> Recording:
        key = (name, scene.steps)
        found = self._known.get(key)
        if found is None:
            if len(self._known) >= KEPT:
                self._known.pop(next(iter(self._known)))
            try:
                found = self._database.record(scenario)
            except ScenarioError as error:
                found = error
            self._known[key] = found
        if isinstance(found, ScenarioError):
            raise found
        return found


def judged(tried: Tried, verdicts: Sequence[Verdict]) -> Tried:
    """Return what was tried with the failure that a consumer's verdicts make of it."""
    for verdict in verdicts:
        if verdict.judgement in FINDINGS:
            first = verdict.findings[0] if verdict.findings else None
            kind = verdict.judgement.value if first is None else first.kind.value
            what = verdict.detail if first is None else first.message
            return replace(tried, failure=Failure(kind, what, verdict.findings))
    return tried


def change_log(scenario: Scenario, recording: Recording) -> ChangeLog:
    """Return a recording as the change log that its lock would hold."""
    return read_lock(scenario, lock_path(scenario, _NOWHERE), lock_bytes(recording.lines))


def _loaded(scene: Scene, name: str) -> Scenario:
    path = f"{THEME}/{name}"
    return parse(text(scene, Label(path.replace("/", "."))), f"{path}.yaml", path)


def _disturbed(scenario: Scenario) -> Case:
    return next(case for case in cases(scenario) if case.delivery is not None)


def _first(error: ScenarioError) -> str:
    problem = error.problems[0]
    return problem.what
