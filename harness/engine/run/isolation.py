"""Which cases of a pack are read by themselves as well: a drawn share, and whatever went wrong.

The draw depends on the seed and on the case's id alone, so another case more or less changes
nothing for the rest. What went wrong in a pack is not reported before it was tried alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

from harness.model.finding import Judgement, Verdict

# When more fails, packing is not why, and the first ones show as much. Crashes are bounded apart:
# one takes along whatever of its start has no answer yet, and only alone shows which it was.
CONFIRMED_AT_MOST = 20
CRASHES_AT_MOST = 40
# A run that took too long took all of its changefeeds with it: to wait for each of them again tells
# nothing of packing.
CONFIRMED = frozenset({Judgement.FAIL, Judgement.CRASH, Judgement.INVALID})
WHOLE = 100.0


@dataclass(frozen=True, slots=True)
class Isolation:
    """A share of the cases in percent, and the seed of the draw."""

    percent: float = 0.0
    seed: int = 0

    def drawn(self, case: str) -> bool:
        """Return whether a case is of the share."""
        return Random(f"{self.seed}/{case}").uniform(0, WHOLE) < self.percent


NOT_ISOLATED = Isolation()


def read_alone(
    verdicts: Mapping[str, Verdict], isolation: Isolation, at_once: int
) -> Sequence[str]:
    """Return the ids of the batched cases that are read alone, in order.

    `at_once` is how many changefeeds a start takes; where that is one, each was alone already.
    """
    if min(at_once, len(verdicts)) == 1:
        return ()
    wrong = [case for case, verdict in verdicts.items() if verdict.judgement in CONFIRMED]
    crashed = [case for case in wrong if verdicts[case].judgement is Judgement.CRASH]
    others = [case for case in wrong if verdicts[case].judgement is not Judgement.CRASH]
    confirmed = frozenset((*crashed[:CRASHES_AT_MOST], *others[:CONFIRMED_AT_MOST]))
    return [
        case
        for case, verdict in verdicts.items()
        if case in confirmed
        or (isolation.drawn(case) and verdict.judgement is not Judgement.NOT_APPLICABLE)
    ]
