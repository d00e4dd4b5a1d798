"""One of some options, drawn as cheaply as Hypothesis allows; the first is what shrinking ends at.

A strategy that is made anew for each draw costs more than the draw, so these are made once.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from random import Random
from typing import TypeVar

from hypothesis import strategies as st

Draw = st.DrawFn
# As Hypothesis draws, to be shrunk; or by a generator of its own, as a seed decides.
Choice = st.DrawFn | Random
Option = TypeVar("Option")


@cache
def _below(count: int) -> st.SearchStrategy[int]:
    return st.integers(0, count - 1)


def _number(draw: Choice, count: int) -> int:
    return draw.randrange(count) if isinstance(draw, Random) else draw(_below(count))


def pick(draw: Choice, options: Sequence[Option]) -> Option:
    """Draw one of the options; nothing is drawn where there is one only."""
    return options[_number(draw, len(options))] if len(options) > 1 else options[0]


def some(draw: Choice, options: Sequence[Option], most: int) -> list[Option]:
    """Draw from one to `most` of the options, each at most once."""
    left = list(options)
    wanted = 1 + _number(draw, min(most, len(left)))
    found: list[Option] = []
    for _ in range(wanted):
        found.append(pick(draw, left))
        left.remove(found[-1])
    return found
