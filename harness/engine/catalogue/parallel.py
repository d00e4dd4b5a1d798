"""The same work on many items, on all cores; answers come in the order of the items."""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Any, TypeVar

Item = TypeVar("Item")
Answer = TypeVar("Answer")
# What the processes work on: they are forked off when it is there, so that nothing is copied.
_WORK: list[tuple[Callable[[Any], Any], Sequence[Any]]] = []


ENDINGS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
PR_SET_PDEATHSIG = 1  # linux/prctl.h


def end_with(parent: int) -> None:
    """Let this forked process end with its parent, and by a signal at once and without a word.

    What the parent ignores, as `nohup` and a shell's `&` have it, does not end it either.
    """
    for number in ENDINGS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:  # it was gone before we could ask
            os.kill(os.getpid(), signal.SIGKILL)


def cores() -> int:
    """Return how many processes are worth their while here."""
    return os.cpu_count() or 1


def spread(
    work: Callable[[Item], Answer], items: Sequence[Item], processes: int, *, least: int = 2
) -> Generator[Answer]:
    """Yield what `work` makes of each item; a pool pays from `least` items on.

    Neither the work nor the items are pickled, only the answers. Whoever is free takes the next
    item: put the long ones first. Whoever closes the generator leaves out what was not begun. No
    thread may run when this is called.
    """
    if processes < 2 or len(items) < least:
        yield from map(work, items)
        return
    _WORK.append((work, items))
    try:
        forked = multiprocessing.get_context("fork")
        with ProcessPoolExecutor(processes, forked, end_with, (os.getpid(),)) as pool:
            waiting = deque(pool.submit(_one, number) for number in range(len(items)))
            try:
                while waiting:
                    yield waiting.popleft().result()
            finally:
                # The pool itself cancels them: `map` does so behind its back, and a pool whose
                # workers a signal has ended then breaks with a traceback (CPython 3.11).
                pool.shutdown(cancel_futures=True)
    finally:
        _WORK.pop()


def _one(number: int) -> Any:  # noqa: ANN401 - whatever the work gives
    work, items = _WORK[-1]
    return work(items[number])
