"""What a case's verdict is when it was judged twice: once in a pack, once by itself.

| in a pack | alone | the verdict |
| --- | --- | --- |
| wrong | wrong | that of the pack; confirmed |
| wrong | right | inconclusive: only when packed |
| right | wrong | that of the case alone: only when alone |
| right | right | pass |

Changefeeds have nothing to do with each other, so an answer that depends on its neighbours is wrong
for a reason that no record of its own explains. It is a finding, and never a pass; but who shows
the records of the case would look in the wrong place.
"""

from __future__ import annotations

from dataclasses import replace

from harness.model.finding import FINDINGS, Finding, FindingKind, Judgement, Verdict
from harness.verdict.case import Judged

CONFIRMED = "it is wrong alone, too"


def both(judged: Judged, packed: Verdict, alone: Verdict, neighbours: int) -> Verdict:
    """Return the verdict on a case; `neighbours` were in the pack besides it."""
    wrong_packed, wrong_alone = packed.judgement in FINDINGS, alone.judgement in FINDINGS
    if wrong_packed and wrong_alone:
        details = filter(None, (packed.detail, CONFIRMED))
        return replace(packed, detail="; ".join(details))
    if wrong_packed:
        said = (
            f"only when packed: {packed.judgement.value} among {neighbours} other changefeeds, "
            f"{alone.judgement.value} alone"
        )
        return _combined(judged, packed, Judgement.INCONCLUSIVE, said)
    if wrong_alone:
        said = (
            f"only when alone: {alone.judgement.value} by itself, "
            f"{packed.judgement.value} among {neighbours} other changefeeds"
        )
        return _combined(judged, alone, alone.judgement, said)
    return packed


def _combined(judged: Judged, wrong: Verdict, judgement: Judgement, said: str) -> Verdict:
    """Return a verdict whose first finding is both facts; the findings of the wrong one follow."""
    first = Finding(FindingKind.CONSUMER, said, judged.main_clause(), judged.line)
    return Verdict(wrong.case, judgement, (first, *wrong.findings), said)
