"""One piece of work in a child that is forked off for it: what it patches ends with it."""

from __future__ import annotations

import gc
import multiprocessing
import os
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any

from harness.engine.catalogue.parallel import end_with

# No mutant has needed a hundredth of it.
SECONDS = 120.0
Answer = tuple[bool, Any]


def in_child(work: Callable[[], Any]) -> Answer:
    """Return True and what the work returns, or False and the words of its exception.

    A child that says nothing for `SECONDS`, or dies, is an exception too. No thread may run when
    this is called.
    """
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe(duplex=False)
    child = context.Process(target=_answer, args=(work, there, os.getpid()))
    child.start()
    there.close()
    try:
        if not here.poll(SECONDS):
            child.kill()
            return False, f"it does not end within {SECONDS:.0f} s"
        answer: Answer = here.recv()
    except EOFError:
        return False, "its process died"
    finally:
        here.close()
        child.join()
    return answer


def _answer(work: Callable[[], Any], there: Connection, parent: int) -> None:
    end_with(parent)
    gc.freeze()  # to look through what the parent has would copy all of it
    try:
        answer: Answer = (True, work())
    except BaseException as error:  # noqa: BLE001  (whatever a patched program may raise)
        answer = (False, f"{type(error).__name__}: {error}")
    with suppress(BrokenPipeError):  # whoever asked has been ended meanwhile
        there.send(answer)
    there.close()
