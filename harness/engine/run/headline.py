"""What the verdicts of a run come to: three numbers and an exit code.

Cases that nobody promises have three numbers of their own, and no part in these.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from harness.errors import ExitCode
from harness.model.events import RunFinished, Score
from harness.model.finding import APPLICABLE, COUNTED, FINDINGS, Judgement, Verdict


@dataclass(frozen=True, slots=True)
class RunResult:
    """The verdicts, in the cases' order, and the exit code that they mean."""

    verdicts: tuple[Verdict, ...]
    exit_code: ExitCode


def now() -> str:
    """Return the time as a run's first event has it: ISO 8601 in UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


@dataclass(frozen=True, slots=True)
class Scope:
    """What of the catalogue a run was over: RunFinished's `unclaimed` and `only`."""

    unclaimed: int = 0
    only: str = ""


WHOLE = Scope()


def concluded(
    verdicts: Sequence[Verdict], seconds: float, level: str, scope: Scope = WHOLE
) -> RunFinished:
    """Return the last event of a run over these cases; a run without a pass is no pass."""
    main = score(verdict.judgement for verdict in verdicts if verdict.judgement in COUNTED)
    apart = [verdict.apart for verdict in verdicts if verdict.apart is not None]
    wrong = any(verdict.judgement in FINDINGS for verdict in verdicts)
    code = ExitCode.FINDINGS if wrong else ExitCode.PASS if main.passed else ExitCode.USAGE
    beyond = score(apart) if apart else None
    numbers = (main.passed, main.applicable, main.total)
    of = (scope.unclaimed, scope.only)
    return RunFinished(*numbers, seconds, int(code), level, beyond, *of)


def score(judgements: Iterable[Judgement]) -> Score:
    """Return how many of some judgements are passes, how many applicable, and their number."""
    those = tuple(judgements)
    passed = sum(judgement is Judgement.PASS for judgement in those)
    return Score(passed, sum(judgement in APPLICABLE for judgement in those), len(those))
