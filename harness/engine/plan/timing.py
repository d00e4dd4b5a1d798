"""When a consumer starts in a delivery, and what happens to it or to a service while it reads.

Most deliveries are over before anybody reads, so their changefeeds are read in batches. Where
something happens to a consumer, or to a service that it uses, the case is alone and its consumer
reads meanwhile. Each action says when it happens (`faults/actions.py`).
"""

from __future__ import annotations

from collections.abc import Sequence

from harness.faults.actions import Action, Step, Timing, sent
from harness.model.record import Record


def timing(steps: Sequence[Step], number: int, action: Action) -> Timing:
    """Return when an action, the step `number` of these, happens."""
    when = action.demand.timing
    if when is not Timing.WHILE_READING_ONCE_SENT:
        return when
    return Timing.WHILE_READING if sent(steps[:number]) else Timing.BEFORE_READING


def first_live(steps: Sequence[Step]) -> int:
    """Return the number of the first step that a running consumer sees: all before are over."""
    over = [n for n, when in _timings(steps) if when is Timing.BEFORE_READING]
    return over[-1] + 1 if over else 0


def is_live(steps: Sequence[Step]) -> bool:
    """Return whether a consumer has to run while these steps are done."""
    return any(when is Timing.WHILE_READING for _, when in _timings(steps))


def happening(steps: Sequence[Step]) -> str:
    """Return the faults that are done to the run, in order, each once: `kill`, `grow and kill`."""
    names = (step.demand.fault for step in steps if not isinstance(step, Record))
    return " and ".join(dict.fromkeys(name for name in names if name))


def restarts(steps: Sequence[Step]) -> bool:
    """Return whether a service goes and comes back."""
    return any(not isinstance(step, Record) and step.demand.service for step in steps)


def _timings(steps: Sequence[Step]) -> list[tuple[int, Timing]]:
    return [
        (number, timing(steps, number, step))
        for number, step in enumerate(steps)
        if not isinstance(step, Record)
    ]
