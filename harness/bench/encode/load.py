"""What one encoder is measured on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Load:
    """The same `events` through the floor and through ours; both return the bytes written.

    `floor` names the bare library in words, `floor_pass` and `our_pass` each run once over all
    events, prepared values being made beforehand. `goal` is the least ratio of ours to the floor,
    in events a second. `go` is what the vendor's encoder did on a like machine, events a second and
    core, lowest and highest, None where nobody measured. `bound_pass` is the cheapest form in pure
    Python (`bound`), None where it was not needed to see why a goal is missed.
    """

    name: str
    floor: str
    events: int
    floor_pass: Callable[[], int]
    our_pass: Callable[[], int]
    goal: float
    go: tuple[int, int] | None = None
    bound_pass: Callable[[], int] | None = None
