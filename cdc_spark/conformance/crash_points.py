"""Crash points: with `HARNESS_CRASHPOINT=name:n` the process dies when it is there the n-th time.

| name | where |
| --- | --- |
| `write` | a write to a table is done, the next is not begun |
| `commit` | all that a micro-batch writes is done, the checkpoint does not know it |

It dies of SIGKILL, as of `kill -9`: nothing is cleaned up, nothing is flushed.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Mapping

VARIABLE = "HARNESS_CRASHPOINT"
Reach = Callable[[str], None]  # called with the name of each point that is passed


def points(environment: Mapping[str, str]) -> Reach:
    """Return what is to be called wherever a crash point is."""
    name, _, number = environment.get(VARIABLE, "").partition(":")
    left = [int(number) if number.isdigit() else 1]

    def reach(at: str) -> None:
        if at == name:  # by several threads: one that is late dies with the others
            left[0] -= 1
            if not left[0]:
                os.kill(os.getpid(), signal.SIGKILL)
                threading.Event().wait()  # nothing more is done until the signal is there

    return reach
