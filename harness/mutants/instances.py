"""What goes wrong between instances of one consumer; it stands in for `fcntl` in the reference.

The reference consumer's instances share a lock: one works, and the next takes over when it dies.

Source: clause `kafka.group-members-change`.
"""

from __future__ import annotations

import fcntl
from typing import Any


class LeavesWhenIdle:
    """An instance that has nothing to do ends, so that nobody is there to take over."""

    LOCK_EX = fcntl.LOCK_EX

    @staticmethod
    def flock(file: Any, operation: int) -> None:  # noqa: ANN401 - whatever `fcntl` takes
        """Take the lock, or end well where another instance has it."""
        try:
            fcntl.flock(file, operation | fcntl.LOCK_NB)
        except BlockingIOError:
            raise SystemExit(0) from None
