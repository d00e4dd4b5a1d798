"""Where this consumer can be asked to die: `HARNESS_CRASHPOINT=name:n`.

`record`: it has read a message. `write`: between two files of an answer.
"""

from __future__ import annotations

import os
import signal


class CrashPoint:
    """The one point of this process, and how often it is still passed alive."""

    def __init__(self, wanted: str) -> None:
        """Take the variable's value, "" for a process that is to live."""
        name, _, hit = wanted.partition(":")
        self._name = name
        self._left = int(hit or 0)

    def passed(self, name: str) -> None:
        """Be at a point; the n-th time at the wanted one is the last."""
        if name != self._name:
            return
        self._left -= 1
        if self._left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
