"""At-least-once: now and then a source restarts a little earlier and sends a stretch twice.

What is sent again follows what it repeats without a gap and in the same order, as after a
restart from a checkpoint; no stretch reaches back over a statement. So the state that a consumer
must reach is the same.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from random import Random

from harness.load.workload import Altered, Committed, Event

STRETCH = 32  # events of the generator, marks included, at most


def with_repeats(events: Iterable[Event], share: float, random: Random) -> Iterator[Event]:
    """Yield events with stretches of them again; `share` is of the row events, on average."""
    if not share:
        yield from events
        return
    recent: deque[Event] = deque(maxlen=STRETCH)
    chance = 2 * share / (STRETCH + 1)  # a stretch has half of the most on average
    for event in events:
        yield event
        if isinstance(event, Altered):
            recent.clear()
            continue
        recent.append(event)
        if isinstance(event, Committed) and random.random() < chance:
            length = random.randint(1, STRETCH)
            yield from list(recent)[-length:]
