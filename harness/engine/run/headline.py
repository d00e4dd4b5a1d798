"""What the verdicts of a run come to: three numbers and an exit code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from harness.errors import ExitCode
from harness.model.events import RunFinished
from harness.model.finding import APPLICABLE, FINDINGS, Judgement, Verdict


@dataclass(frozen=True, slots=True)
class RunResult:
    """The verdicts, in the cases' order, and the exit code that they mean."""

    verdicts: tuple[Verdict, ...]
    exit_code: ExitCode


def now() -> str:
    """Return the time as a run's first event has it: ISO 8601 in UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def concluded(verdicts: Sequence[Verdict], seconds: float, level: str) -> RunFinished:
    """Return the last event of a run over these cases; a run without a pass is no pass."""
    passed = sum(verdict.judgement is Judgement.PASS for verdict in verdicts)
    applicable = sum(verdict.judgement in APPLICABLE for verdict in verdicts)
    wrong = any(verdict.judgement in FINDINGS for verdict in verdicts)
    code = ExitCode.FINDINGS if wrong else ExitCode.PASS if passed else ExitCode.USAGE
    return RunFinished(passed, applicable, len(verdicts), seconds, int(code), level)
