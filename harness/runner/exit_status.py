"""Says how a run ended for each of its changefeeds, so that no two ways of failing look the same.

| the command | a changefeed with a status | one without |
| --- | --- | --- |
| exits 0 | as it says | invalid: it answers nothing |
| exits otherwise, or is killed | as it says | crash |
| runs past the deadline | as it says | timeout |

When every changefeed has its status and the command ends badly nevertheless, all of them fail with
it; otherwise a command that fails at its exit would pass.
"""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass, replace
from pathlib import Path

from harness.model.observed import Observed, Outcome
from harness.runner.contract import results
from harness.runner.contract.job import Job
from harness.runner.contract.job_file import Mode
from harness.runner.contract.reading import DEFAULT_LIMITS

LAST_WORDS_LINES = 10
LAST_WORDS_LENGTH = 1_000
STRAYS_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Ending:
    """How a command ended; `outcome` is None for the one way that the contract asks for."""

    outcome: Outcome | None
    words: str = ""


def ending(code: int | None, deadline_s: float) -> Ending:
    """Return what an exit status means; None is a command that was stopped at its deadline."""
    if code is None:
        return Ending(Outcome.TIMEOUT, f"still running at its deadline of {deadline_s:g} s")
    if code < 0:
        return Ending(Outcome.CRASH, f"killed by {_signal_name(-code)}")
    return Ending(Outcome.CRASH, f"exit code {code}") if code else Ending(None)


def observe(job: Job, end: Ending, log: str, taken: int | None = None) -> dict[str, Observed]:
    """Return what each changefeed of a job came to, by id, with the log's end for a person.

    `taken` is the moment at which the command ended (`taken.moment`): later files are no answer.
    """
    folders = {feed.id: job.out_dir / feed.dir for feed in job.changefeeds}
    problems = {name: results.status_problem(folder) for name, folder in folders.items()}
    if end.outcome is not None and not any(problems.values()):
        words = f"{end.words}, although every changefeed had its status"
        failed = Observed(end.outcome, _with_last_words(words, log), log=log)
        return dict.fromkeys(folders, failed)
    strays = _strays(job)
    answers = {
        name: _unanswered(folder, end, problems[name], strays)
        if problems[name]
        else _answer(job, folder, taken)
        for name, folder in folders.items()
    }
    return {name: _with_log(observed, log) for name, observed in answers.items()}


def _answer(job: Job, folder: Path, taken: int | None) -> Observed:
    limits = replace(DEFAULT_LIMITS, seconds=job.deadline_s)  # it covers the reading, too
    if job.mode is Mode.DECODE:
        return results.read_decoded(folder, limits, taken=taken)
    return results.read(folder, limits, in_files=job.sink is None, taken=taken)


def _unanswered(folder: Path, end: Ending, problem: str, strays: str) -> Observed:
    """Return what a changefeed without a valid status came to."""
    written = os.path.exists(folder / results.STATUS)  # noqa: PTH110 - never raises
    if end.outcome is not None:
        words = f"{end.words} ({problem})" if written else f"{end.words}, without a status"
        return Observed(end.outcome, words)
    if written:
        return Observed(Outcome.INVALID, problem)
    what = f"answers nothing: it exited 0 and wrote no {folder.name}/{results.STATUS}"
    return Observed(Outcome.INVALID, what + strays)


def _strays(job: Job) -> str:
    """Say what the consumer put beside the result directories: most often a misnomer of one."""
    known = {feed.dir for feed in job.changefeeds}
    names = sorted({path.name for path in job.out_dir.glob("*")} - known)
    if not names:
        return ""
    more = f" and {len(names) - STRAYS_SHOWN} more" if len(names) > STRAYS_SHOWN else ""
    return f"; out_dir holds {', '.join(map(repr, names[:STRAYS_SHOWN]))}{more}, not asked for"


def _with_log(observed: Observed, log: str) -> Observed:
    """Keep the log with the answer; what went wrong is explained by its end."""
    unexplained = observed.outcome in {Outcome.CRASH, Outcome.TIMEOUT, Outcome.INVALID}
    detail = _with_last_words(observed.detail, log) if unexplained else observed.detail
    return replace(observed, detail=detail, log=log)


def _with_last_words(words: str, log: str) -> str:
    """Append the end of what the command printed: most often it says why."""
    last = "\n".join(log.rstrip().splitlines()[-LAST_WORDS_LINES:])[-LAST_WORDS_LENGTH:]
    return f"{words}; its last words:\n{last}" if last else f"{words}; it printed nothing"


def _signal_name(number: int) -> str:
    try:
        return f"{signal.Signals(number).name} (signal {number})"
    except ValueError:
        return f"signal {number}"
