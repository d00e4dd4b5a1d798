"""The same work on many items, on all cores; answers come in the order of the items."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Any, TypeVar

Item = TypeVar("Item")
Answer = TypeVar("Answer")
# What the processes work on: they are forked off when it is there, so that nothing is copied.
_WORK: list[tuple[Callable[[Any], Any], Sequence[Any]]] = []


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
        with ProcessPoolExecutor(processes, multiprocessing.get_context("fork")) as pool:
            yield from pool.map(_one, range(len(items)))
    finally:
        _WORK.pop()


def _one(number: int) -> Any:  # noqa: ANN401 - whatever the work gives
    work, items = _WORK[-1]
    return work(items[number])
