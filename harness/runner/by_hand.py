"""A consumer that somebody starts by hand, under a debugger: the run waits for its answer.

It takes the place of a process: it ends, with exit status 0, when somebody says so. That is Enter,
or a file that `harness judge` writes beside the run, or the answer itself where that was asked for.
"""

from __future__ import annotations

import os
import select
import shlex
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

from harness.runner.contract import results

JUDGE = "judge"  # in the run's directory: asks for the verdict
SESSION = "debug.pid"  # in the run's directory: who waits for that
LOOK_S = 0.1

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class ByHand:
    """How such a consumer is waited for; `keys` is where Enter may come from, None for nowhere.

    `scoped` gives it no variable of the terminal's, as a run of ours does.
    """

    say: Say
    when_done: bool = False
    keys: TextIO | None = field(default_factory=lambda: sys.stdin)
    scoped: bool = False

    def __call__(self, argv: Sequence[str], cwd: Path, env: Mapping[str, str]) -> Session:
        """Print how to start the consumer, and return what waits for it."""
        job = Path(env["HARNESS_JOB"])
        run = job.parents[2]
        (run / SESSION).write_text(str(os.getpid()), encoding="utf-8")
        done, scoped = self.when_done, self.scoped
        self.say(instructions(argv, cwd, env, run.name, when_done=done, scoped=scoped))
        return Session(self, run, job.parent / "out")


def instructions(
    argv: Sequence[str],
    cwd: Path,
    env: Mapping[str, str],
    run: str,
    *,
    when_done: bool,
    scoped: bool = False,
) -> str:
    """Return what to do, with the command as a shell takes it.

    Variables that are set already are left out, unless the command is to have no others.
    """
    own = {name: value for name, value in env.items() if scoped or os.environ.get(name) != value}
    command = ["env", *(["-i"] if scoped else []), *map("=".join, own.items()), *argv]
    then = "its status" if when_done else "Enter"
    return (
        f"the topics are filled, the job is {env['HARNESS_JOB']}\n"
        "start the consumer yourself, under a debugger if you like:\n\n"
        f"cd {shlex.quote(str(cwd))}\n"
        f"{shlex.join(command)}\n\n"
        f"{then} has it judged; so has `harness judge {run}` in another terminal. Ctrl-C gives up."
    )


class Session:
    """One such wait, in the place of a process."""

    def __init__(self, by_hand: ByHand, run: Path, out: Path) -> None:
        """Take how to wait, the run's directory, and where the answers are written."""
        self._by_hand = by_hand
        self._run = run
        self._out = out
        self._keys = by_hand.keys
        self._warned = False
        self._ended = False

    @property
    def pid(self) -> int:
        """Return our own: there is no other process."""
        return os.getpid()

    def poll(self) -> int | None:
        """Return 0 once the answer is to be judged."""
        self._ended = self._ended or self._is_over()
        return 0 if self._ended else None

    def wait(self, timeout_s: float, /) -> int:
        """Return 0 when the answer is to be judged; raises TimeoutError before that."""
        until = time.monotonic() + timeout_s
        while self.poll() is None:
            left_s = until - time.monotonic()
            if left_s <= 0:
                raise TimeoutError
            time.sleep(min(LOOK_S, left_s))
        return 0

    def signal(self, signum: int, /) -> None:
        """Do nothing: what somebody else started is theirs."""
        del signum

    def stop(self, grace_s: float, /) -> int:
        """Wait no longer."""
        del grace_s
        self._ended = True
        (self._run / SESSION).unlink(missing_ok=True)
        return 0

    def _is_over(self) -> bool:
        if (self._run / JUDGE).exists():
            return True
        if self._by_hand.when_done and not self._unanswered():
            return True
        return self._entered()

    def _entered(self) -> bool:
        """Return whether Enter was pressed; without an answer a first Enter only says so."""
        if self._keys is None or not select.select([self._keys], [], [], 0)[0]:
            return False
        if not self._keys.readline():  # there is no terminal, or it was closed
            self._keys = None
            return False
        unanswered = self._unanswered()
        if unanswered and not self._warned:
            self._warned = True
            self._by_hand.say(f"there is no {unanswered} yet; Enter judges nevertheless")
            return False
        return True

    def _unanswered(self) -> Path | None:
        """Return the first status file that is not there, or not whole yet."""
        for folder in sorted(self._out.iterdir()):
            if results.status_problem(folder):
                return folder / results.STATUS
        return None
